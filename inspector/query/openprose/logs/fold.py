"""The fold: marker lines in the order of the log → the steps that they tell of.

Pure: no file, no clock. Every marker is one event and belongs to one step; a line is never read
anew because of what comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from inspector.model.status import ENDED, FINISHED, Status
from inspector.model.step import Attempt, StepKind
from inspector.query.openprose.logs.events import Found
from inspector.query.openprose.logs.lines import Marker, Verb
from inspector.query.openprose.logs.state import MOST_EVENTS, ROOT, Ending, LogState, Number, Said

RETRY = "retry"
_ON_ITS_WAY = (Status.RUNNING, Status.WAITING)


def put(state: LogState, container: int, marker: Marker, said: Said, letter: str = "") -> int:
    """Takes in one line about a statement in a container and returns its step."""
    child = _delegate_of(state, container, marker, letter)
    if child is not None:
        return _answer(state, child, marker, said)
    number, name = marker.statement, marker.name
    step = state.known(container, number, name)
    if step is None:
        step = _on_its_way(state, container, number, name)
    if step is None:
        segment = "?" if number is None else number
        step = state.add(container, StepKind.STATEMENT, name, segment, number, said)
        state.remember(container, number, name, step)
        begin(state, step, said)
    else:
        record(state, step, said)
    describe(state, step, marker, said)
    follow(state, container, step, marker, letter)
    return step


def _on_its_way(state: LogState, container: int, number: Number, name: str) -> int | None:
    """Return the open statement that a line continues when only one of two lines names it.

    A line without a name continues the open statement; a line with a name continues a retry that
    had none, which then gets that name.
    """
    step = state.unfinished.get(container, {}).get(number)
    if step is None or state.steps.status_of(step) not in _ON_ITS_WAY:
        return None
    if not name:
        return step
    if state.steps.label[step] or state.steps.raw[step] != RETRY:
        return None
    state.steps.label[step] = name
    state.remember(container, number, name, step)
    return step


def retry(state: LogState, container: int, marker: Marker, said: Said) -> int:
    """Takes in `retry:A/M`: another attempt of the newest statement of that number."""
    named = state.known(container, marker.statement, marker.name)
    step = named if marker.name else None
    if step is None:
        step = state.unfinished.get(container, {}).get(marker.statement, named)
    if step is None:
        return put(state, container, marker, said)
    record(state, step, said)
    describe(state, step, marker, said)
    return step


def begin(state: LogState, step: int, said: Said) -> None:
    """The first line of a step: the columns already hold its status."""
    if said.error is not None:
        state.steps.more(step).error = said.error
    if said.raw == RETRY and said.attempt > 1:
        # The attempts before it left no line.
        earlier = [Attempt(n, Status.UNKNOWN) for n in range(1, min(said.attempt, 1000))]
        state.steps.more(step).attempts = [*earlier, _attempt(said.attempt, said)]


def record(state: LogState, step: int, said: Said) -> None:
    """One more line of a step that already exists."""
    steps = state.steps
    if not steps.first[step]:
        steps.first[step] = said.n
        _settle(state, step, said)
        begin(state, step, said)
        return
    before = steps.status_of(step)
    if said.status is Status.PENDING:
        # The line is still being written: its sign is to come.
        steps.last[step] = said.n
        steps.touch(step, said.n)
        return
    again = said.raw == RETRY or before in FINISHED
    extra = steps.extra.get(step)
    if again or (extra is not None and extra.attempts):
        _record_attempt(state, step, said, again)
    _settle(state, step, said)
    if said.error is not None or step in steps.extra:
        steps.more(step).error = said.error


def _record_attempt(state: LogState, step: int, said: Said, again: bool) -> None:
    extra = state.steps.more(step)
    if not extra.attempts:
        extra.attempts = list(state.steps.attempts(step))
    tries = extra.attempts
    last = tries[-1]
    if again:
        if last.status in _ON_ITS_WAY:
            tries[-1] = replace(last, status=Status.INTERRUPTED)
        tries.append(_attempt(max(said.attempt, last.n + 1), said))
    else:
        error = said.error if said.error is not None else last.error
        tries[-1] = replace(
            last, status=said.status, raw_status=said.raw, error=error, last_event=said.n
        )


def _attempt(number: int, said: Said) -> Attempt:
    return Attempt(number, said.status, said.raw, said.error, said.n, said.n)


def _settle(state: LogState, step: int, said: Said) -> None:
    steps = state.steps
    steps.set_status(step, said.status, said.raw)
    steps.last[step] = said.n
    steps.touch(step, said.n)


def describe(state: LogState, step: int, marker: Marker, said: Said) -> None:
    """Keeps what a line says beside its status, where it says more than a sign."""
    recorded = None if said.recorded in PLAIN else said.recorded
    if marker.most is not None and said.raw == RETRY:
        state.steps.more(step).max_attempts = marker.most
    if recorded is None and said.note is None and step not in state.steps.extra:
        return
    ref = state.steps.more(step).ref
    for key, value in (("recorded", recorded), ("note", said.note)):
        ref.pop(key, None)
        if value is not None:
            ref[key] = value


PLAIN = ("✓", "✓ rendered")
"""What nearly every line says need not be kept for each of them."""


def follow(state: LogState, container: int, step: int, marker: Marker, letter: str) -> None:
    """Remembers a statement that has not completed, and one that waits for a delegate."""
    number, status = marker.statement, state.steps.status_of(step)
    if status in (Status.COMPLETED, Status.SKIPPED):
        if state.unfinished.get(container, {}).get(number) == step:
            del state.unfinished[container][number]
    else:
        state.unfinished.setdefault(container, {})[number] = step
    key = (container, number, letter)
    if status is Status.WAITING:
        state.yielded[key] = step
        delegates = state.steps.more(step).ref.setdefault("delegates", [])
        if marker.target or marker.delegate:
            one = {"delegate": marker.target, "id": marker.delegate, "answered": False}
            state.steps.more(step).ref["delegates"] = [*delegates, one]
    elif status in FINISHED and state.yielded.get(key) == step:
        del state.yielded[key]


def _delegate_of(state: LogState, container: int, marker: Marker, letter: str) -> int | None:
    """The step that waits for the delegate whose answer a line is."""
    step = state.yielded.get((container, marker.statement, letter))
    if step is None or not marker.name or state.steps.label[step] == marker.name:
        return None
    extra = state.steps.extra.get(step)
    named = [one["delegate"] for one in extra.ref.get("delegates", ())] if extra else []
    return step if marker.name in named or marker.indented else None


def _answer(state: LogState, waiting: int, marker: Marker, said: Said) -> int:
    """What a delegate did is a step inside the one that called it."""
    number, name = marker.statement, marker.name
    step = state.known(waiting, number, name)
    if step is None:
        step = state.add(waiting, StepKind.STATEMENT, name, name, number, said)
        state.remember(waiting, number, name, step)
        begin(state, step, said)
    else:
        record(state, step, said)
    describe(state, step, marker, said)
    ref = state.steps.more(waiting).ref
    answered = said.status in FINISHED
    ref["delegates"] = [
        {**one, "answered": one["answered"] or (answered and one["delegate"] == marker.name)}
        for one in ref.get("delegates", ())
    ]
    return step


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def member_container(state: LogState, marker: Marker) -> int:
    """Where a lettered line happens that is no plain result: inside its branch."""
    parallel = _found_or_made(state, state.inside(state.base(marker)), marker.statement)
    branch = state.letters[parallel].get(marker.letter)
    return _branch(state, parallel, marker.letter, marker.letter) if branch is None else branch


def member(state: LogState, marker: Marker, said: Said) -> int:
    """Takes in `Na→ name ✓` and returns the branch, or the statement inside it."""
    parallel = _found_or_made(state, state.inside(state.base(marker)), marker.statement)
    known, letters, letter = state.members[parallel], state.letters[parallel], marker.letter
    branch = known.get(marker.name)
    if branch is None:
        branch = letters.get(letter)
    if branch is None:
        branch = _branch(state, parallel, marker.name or letter, letter)
    name, label = str(state.steps.segment[branch]), state.steps.label[branch]
    has_line = state.steps.first[branch] > 0
    if marker.name not in ("", name, label) and has_line:
        return put(state, state.inside(branch), marker, said, letter)
    letters.setdefault(letter, branch)
    record(state, branch, said)
    if marker.name not in ("", name):
        state.steps.label[branch] = marker.name
    describe(state, branch, marker, said)
    follow(state, branch, branch, marker, letter)
    return branch


def start(state: LogState, container: int, marker: Marker, said: Said) -> int:
    """Takes in `N→ ∥start a,b` and returns the parallel."""
    before = state.parallels.get(container, {}).get(marker.statement)
    if before is not None and state.is_open(before):
        unsaid = said.raw is None
        if unsaid or not state.steps.first[before]:
            # Its members came first, or the line does not say that another one begins.
            said = said._replace(status=Status.PENDING if unsaid else said.status)
            state.steps.label[before] = state.steps.label[before] or marker.body
            _record_open(state, before, said)
            _name_members(state, before, marker.names)
            return before
        state.steps.set_status(before, Status.INTERRUPTED, state.steps.raw[before])
        state.remark("superseded", state.lines[-1], step=before)
    said = said._replace(status=Status.RUNNING)
    parallel = _make_parallel(state, container, marker.statement, marker.body, said)
    _name_members(state, parallel, marker.names)
    return parallel


def _record_open(state: LogState, parallel: int, said: Said) -> None:
    if not state.steps.first[parallel]:
        said = said._replace(status=Status.RUNNING)
    record(state, parallel, said)


def join(state: LogState, container: int, marker: Marker, said: Said) -> int:
    """Takes in `N→ ∥done` and returns the parallel."""
    parallel = _find(state, container, marker.statement)
    if parallel is None:
        parallel = _make_parallel(state, container, marker.statement, marker.body, None)
    record(state, parallel, said)
    extra = state.steps.more(parallel)
    joined = said.status is Status.COMPLETED
    extra.ref["joined"] = joined
    if said.note is not None:
        extra.ref["note"] = said.note
    for name in marker.names:
        _named_as_done(state, parallel, name, said)
    for branch in state.members[parallel].values():
        if joined and not state.steps.first[branch] and state.steps.raw[branch] is None:
            state.steps.set_status(branch, Status.NOT_NEEDED, None)
    return parallel


def member_of(state: LogState, container: int, marker: Marker) -> bool:
    """Whether a line without a letter names a member of the open parallel of its number."""
    parallel = _find(state, container, marker.statement)
    if parallel is None or not state.is_open(parallel) or not marker.name:
        return False
    return marker.name in state.members[parallel]


def _named_as_done(state: LogState, parallel: int, name: str, said: Said) -> None:
    """The elder `∥ [a b c] done` is all that is recorded of its members."""
    branch = state.members[parallel].get(name)
    if branch is None:
        branch = _branch(state, parallel, name, "")
    if not state.steps.first[branch]:
        state.steps.set_status(branch, said.status, said.raw)
        state.steps.touch(branch, said.n)


def _find(state: LogState, container: int, number: Number) -> int | None:
    """The parallel of this number: here, or an open one around."""
    if number is None:
        last = state.last_parallel
        return last if last != ROOT and state.is_open(last) else None
    at = container
    while True:
        step = state.parallels.get(at, {}).get(number)
        if step is not None and (at == container or state.is_open(step)):
            return step
        if at < 0:
            return None
        at = state.steps.parent[at]


def _found_or_made(state: LogState, container: int, number: Number) -> int:
    found = _find(state, container, number)
    return _make_parallel(state, container, number, "", None) if found is None else found


def _make_parallel(
    state: LogState, container: int, number: Number, label: str, said: Said | None
) -> int:
    segment = "p" if number is None else f"p{number}"
    step = state.add(container, StepKind.PARALLEL, label, segment, number, said)
    if said is None:
        state.steps.set_status(step, Status.RUNNING, None)
    state.parallels.setdefault(container, {})[number] = step
    state.last_parallel = step
    state.members[step], state.letters[step] = {}, {}
    state.instances[number] += 1
    extra = state.steps.more(step)
    extra.instance = state.instances[number]
    extra.ref.update(parallel_id=None, joined=False, branches=[])
    return step


def _name_members(state: LogState, parallel: int, names: tuple[str, ...]) -> None:
    letters = state.letters[parallel]
    for at, name in enumerate(names):
        branch = state.members[parallel].get(name)
        if branch is None:
            branch = _branch(state, parallel, name, "")
        if at < len(_LETTERS):
            letters.setdefault(_LETTERS[at], branch)


def _branch(state: LogState, parallel: int, name: str, letter: str) -> int:
    number = state.numbers[parallel]
    branch = state.add(parallel, StepKind.BRANCH, "", name, number)
    state.members[parallel][name] = branch
    if letter:
        state.letters[parallel].setdefault(letter, branch)
    state.steps.more(parallel).ref["branches"].append(name)
    return branch


DEEPEST = 24
"""Loops that may be open inside one another; a further one takes the innermost one's place."""


def iterate(state: LogState, base: int, marker: Marker, said: Said) -> int:
    """Takes in `N→ loop:I/M` and returns the iteration."""
    chain = _open_loops(state, base)
    at = _meant(state, chain, marker)
    if at is not None:
        loop = chain[at]
        _abandon(state, chain[at + 1 :])
        if (marker.number or 0) >= _begun(state, loop):
            return _goes_on(state, loop, marker, said)
        state.remark("superseded", state.lines[-1], step=loop)
        return _begins(state, _close(state, loop, Status.INTERRUPTED), marker, said)
    container = state.inside(base)
    if chain and (_is_used_up(state, chain[-1]) or len(chain) >= DEEPEST):
        container = _close(state, chain[-1], Status.UNKNOWN)
    return _begins(state, container, marker, said)


def _meant(state: LogState, chain: list[int], marker: Marker) -> int | None:
    """The open loop that an iteration belongs to: of the same statement, else one behind it."""
    alike = [at for at, loop in enumerate(chain) if state.steps.more(loop).of == marker.most]
    for at in reversed(alike):
        if state.numbers[chain[at]] == marker.statement:
            return at
    for at in reversed(alike):
        if (marker.number or 0) > _begun(state, chain[at]):
            return at
    return None


def leave(state: LogState, base: int, marker: Marker, said: Said) -> int:
    """Takes in `N→ loop:I/M exit(reason)` and returns the loop."""
    chain = _open_loops(state, base)
    at = _place_of(state, chain, marker)
    if at is None:
        loop = _make_loop(state, state.inside(base), marker, said)
    else:
        loop = chain[at]
        _abandon(state, chain[at + 1 :])
        _close(state, loop, Status.COMPLETED)
        record(state, loop, said)
    ref = state.steps.more(loop).ref
    ref.update(exited=True, reason=said.note, current_iteration=marker.number)
    if marker.number is not None and (at is None or not ref["iterations_seen"]):
        ref["iterations_completed"] = marker.number
    return loop


def end_all(state: LogState, container: int) -> None:
    """Ends the loops that are open in a container that is over."""
    _abandon(state, _open_loops(state, container))


def _open_loops(state: LogState, base: int) -> list[int]:
    """The loops that are open in a container, outermost first."""
    chain: list[int] = []
    while (loop := state.loops.get(base)) is not None:
        chain.append(loop)
        base = state.iterations[loop]
    return chain


def _begun(state: LogState, loop: int) -> int:
    """The number of the iteration that is under way."""
    return state.steps.iteration(state.iterations[loop]) or 0


def _is_used_up(state: LogState, loop: int) -> bool:
    most = state.steps.more(loop).of
    return most is not None and _begun(state, loop) >= most


def _place_of(state: LogState, chain: list[int], marker: Marker) -> int | None:
    """The loop that an exit ends: of the same maximum, else of the same statement."""
    places = range(len(chain) - 1, -1, -1)
    for at in places:
        if state.steps.more(chain[at]).of == marker.most:
            return at
    for at in places:
        if marker.statement in (None, state.numbers[chain[at]]):
            return at
    return None


def _make_loop(state: LogState, container: int, marker: Marker, said: Said) -> int:
    number = marker.statement
    segment = "l" if number is None else f"l{number}"
    loop = state.add(container, StepKind.LOOP, marker.body, segment, number, said)
    extra = state.steps.more(loop)
    extra.of = marker.most
    extra.ref.update(
        loop_id=None,
        exited=False,
        reason=None,
        iterations_seen=0,
        iterations_completed=0,
        current_iteration=None,
    )
    return loop


def _begins(state: LogState, container: int, marker: Marker, said: Said) -> int:
    loop = _make_loop(state, container, marker, said)
    state.steps.set_status(loop, Status.RUNNING, Status.RUNNING.value)
    state.loops[container], state.homes[loop] = loop, container
    return _next_iteration(state, loop, marker, said)


def _goes_on(state: LogState, loop: int, marker: Marker, said: Said) -> int:
    current = state.iterations[loop]
    if _begun(state, loop) == marker.number:
        record(state, current, said)
        return current
    _end_iteration(state, loop, Status.COMPLETED)
    return _next_iteration(state, loop, marker, said)


def _next_iteration(state: LogState, loop: int, marker: Marker, said: Said) -> int:
    number = marker.number or 0
    current = state.add(loop, StepKind.ITERATION, "", number, marker.statement, said)
    state.iterations[loop] = current
    ref = state.steps.more(loop).ref
    ref["iterations_seen"] += 1
    ref["current_iteration"] = number
    if said.error is not None:
        state.steps.more(current).error = said.error
    return current


def _end_iteration(state: LogState, loop: int, status: Status) -> None:
    current = state.iterations.pop(loop)
    if state.steps.status_of(current) in (Status.RUNNING, Status.UNKNOWN, Status.PENDING):
        state.steps.set_status(current, status, None)
    if status is Status.COMPLETED:
        ref = state.steps.more(loop).ref
        ref["iterations_completed"] = state.steps.iteration(current) or 0
    state.forget(current)


def _close(state: LogState, loop: int, status: Status) -> int:
    """Ends a loop and its iteration, and gives the container that the loop was open in.

    When it is completed, its own status is left to the line that says so.
    """
    container = state.homes.pop(loop)
    del state.loops[container]
    _end_iteration(state, loop, status)
    if status is not Status.COMPLETED:
        state.steps.set_status(loop, status, None)
    return container


def _abandon(state: LogState, loops: list[int]) -> None:
    """Loops whose end is not recorded although something around them went on."""
    for loop in reversed(loops):
        _close(state, loop, Status.UNKNOWN)


def invoke(state: LogState, container: int, marker: Marker, said: Said) -> int:
    """Takes in the beginning of a block and returns it."""
    scope = marker.scope
    before = None if scope is None else state.blocks.get(scope)
    if before is not None and state.is_open(before):
        if not state.steps.first[before]:
            # What happened in it came first.
            record(state, before, said)
            return _describe(state, before, marker, said)
        state.steps.set_status(before, Status.INTERRUPTED, state.steps.raw[before])
        state.remark("superseded", state.lines[-1], step=before)
    segment = marker.name if scope is None else f"b{scope}"
    step = state.add(container, StepKind.BLOCK, marker.body, segment, marker.statement, said)
    if scope is not None:
        state.blocks[scope] = step
    return _describe(state, step, marker, said)


def _describe(state: LogState, step: int, marker: Marker, said: Said) -> int:
    state.steps.label[step] = marker.body
    extra = state.steps.more(step)
    extra.error = said.error
    extra.ref.update(
        block=marker.name,
        block_id=marker.scope,
        argument=marker.note,
        closed=said.status in FINISHED,
    )
    return step


def done(state: LogState, marker: Marker, said: Said) -> int:
    """Takes in `#ID done WORD` and returns the block."""
    step = state.block(marker.scope or "", marker.statement)
    end_all(state, step)
    record(state, step, said)
    state.steps.more(step).ref.update(closed=True, result=marker.name or None)
    return step


_EMPTY: dict[Any, Any] = {}


def fold(found: Iterable[Found], state: LogState | None = None) -> LogState:
    """Folds markers onto a state (a new one when none is given) and returns it."""
    state = LogState() if state is None else state
    for one in found:
        if is_event(state, one.marker):
            apply(state, one)
    return state


def is_event(state: LogState, marker: Marker) -> bool:
    """Whether a marker is taken as an event; beyond the limit it is kept as a note."""
    if state.events < MOST_EVENTS:
        return True
    if marker.verb is Verb.RUN and state.events < 2 * MOST_EVENTS:
        return True
    state.remark_counts["limit"] += 1
    return False


def apply(state: LogState, found: Found, *, whole: bool = True) -> None:
    """Takes in one marker; `whole` is False for a line that is still being written."""
    marker = found.marker
    state.events += 1
    state.lines.append(found.line)
    if whole and _apply_plain(state, marker):
        return
    said = _said(state.events, marker, whole)
    if marker.verb is Verb.RUN:
        step = _run_line(state, marker, said, found.line)
    else:
        _go_on(state, marker, found.line)
        step = _work(state, marker, said)
    state.event_step.append(step)
    # The end line only repeats what failed before it.
    repeats = marker.verb is Verb.RUN and marker.name == "error" and state.failures
    if said.status is Status.FAILED and not repeats:
        state.failures.append(state.events)


def _apply_plain(state: LogState, marker: Marker) -> bool:
    """The commonest line, by the shortest way: a first word about a statement, and it completed.

    Gives the same state as the general way; a test holds the two against each other.
    """
    number = marker.statement
    if (
        marker.recorded not in PLAIN
        or marker.letter
        or marker.verb is not Verb.STATEMENT
        or marker.within is not None
        or marker.note is not None
        or not marker.name
        or number is None
        or state.ended is not None
        or state.yielded
    ):
        return False
    container = state.inside(ROOT)
    if number in state.keys.get(container, _EMPTY) or number in state.parallels.get(
        container, _EMPTY
    ):
        return False
    if container != ROOT and state.parallels and member_of(state, container, marker):
        return False
    state.event_step.append(state.add_plain(container, marker.name, number, state.events))
    return True


def _said(n: int, marker: Marker, whole: bool) -> Said:
    status = marker.status
    if marker.verb is Verb.RETRY:
        return Said(n, status, RETRY, None, marker.recorded, marker.note, marker.number or 0)
    if status is Status.UNKNOWN:
        return Said(n, status if whole else Status.PENDING, None, None, None, marker.note)
    return Said(n, status, status.value, marker.error, marker.recorded, marker.note)


def _work(state: LogState, marker: Marker, said: Said) -> int:
    verb = marker.verb
    if marker.letter and verb is Verb.STATEMENT:
        return member(state, marker, said)
    base = member_container(state, marker) if marker.letter else state.base(marker)
    if verb is Verb.LOOP:
        return iterate(state, base, marker, said)
    if verb is Verb.EXIT:
        return leave(state, base, marker, said)
    if verb is Verb.DONE:
        return done(state, marker, said)
    container = state.inside(base)
    if verb is Verb.PARALLEL:
        return start(state, container, marker, said)
    if verb is Verb.JOIN:
        return join(state, container, marker, said)
    if verb is Verb.BLOCK:
        return invoke(state, container, marker, said)
    if verb is Verb.RETRY:
        return _retry(state, base, container, marker, said)
    if member_of(state, container, marker):
        return member(state, marker, said)
    return put(state, container, marker, said)


def _retry(state: LogState, base: int, container: int, marker: Marker, said: Said) -> int:
    """Another attempt: of the member where the line is lettered, else of the statement."""
    if marker.letter:
        state.unfinished.setdefault(container, {}).setdefault(marker.statement, base)
    return retry(state, container, marker, said)


def _run_line(state: LogState, marker: Marker, said: Said, line: int) -> int:
    """A `---` line: how the run ended, or that it goes on. It is a mark, no work."""
    word = marker.name
    if said.status in ENDED and word != "test":
        state.ended = Ending(
            said.n, line, said.status, f"---{word}", marker.at, marker.note, marker.error
        )
    elif word != "test":
        _go_on(state, marker, line)
    status = Status.COMPLETED if word == "resume" else said.status
    shown = said._replace(status=status, error=marker.error if word == "test" else None)
    kind = StepKind.STATEMENT if word == "test" else StepKind.SEGMENT
    step = state.add(ROOT, kind, marker.body, word, None, shown)
    if kind is StepKind.SEGMENT:
        state.marks[status] += 1
    extra = state.steps.more(step)
    extra.error = shown.error
    extra.ref.update(word=word, at=marker.at, note=marker.note)
    return step


def _go_on(state: LogState, marker: Marker, line: int) -> None:
    """Something came after the end of the run: it runs again."""
    if state.ended is None:
        return
    why = marker.note if marker.verb is Verb.RUN else None
    state.remark("re_opened", line, f"{state.ended.line}\n{why or ''}")
    state.ended = None
