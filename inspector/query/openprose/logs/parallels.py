"""Parallels, their members and the join.

Source: OpenProse filesystem state document: `N→ ∥start a,b`, `Na→ a ✓`, `N→ ∥done`. Any of these
may be missing: a join without a start closes a parallel that is made of its lettered lines.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.logs.lines import Marker
from inspector.query.openprose.logs.state import ROOT, LogState, Number, Said
from inspector.query.openprose.logs.statements import describe, follow, put, record

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
    parallel = _make(state, container, marker.statement, marker.body, said)
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
        parallel = _make(state, container, marker.statement, marker.body, None)
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
    return _make(state, container, number, "", None) if found is None else found


def _make(state: LogState, container: int, number: Number, label: str, said: Said | None) -> int:
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
