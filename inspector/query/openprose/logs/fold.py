"""The fold: marker lines in the order of the log → the steps that they tell of.

Pure: no file, no clock. Every marker is one event and belongs to one step; a line is never read
anew because of what comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inspector.model.status import ENDED, Status
from inspector.model.step import StepKind
from inspector.query.openprose.logs.blocks import done, invoke
from inspector.query.openprose.logs.events import Found
from inspector.query.openprose.logs.lines import Marker, Verb
from inspector.query.openprose.logs.loops import iterate, leave
from inspector.query.openprose.logs.parallels import (
    join,
    member,
    member_container,
    member_of,
    start,
)
from inspector.query.openprose.logs.state import MOST_EVENTS, ROOT, Ending, LogState, Said
from inspector.query.openprose.logs.statements import PLAIN, RETRY, put, retry

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
