"""What a careful reader of a run's log would point out, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.derive.steps import StepTable
from inspector.model.run import Finding
from inspector.model.status import ENDED, FINISHED, Status
from inspector.model.step import OpenConstruct
from inspector.query.openprose.findings import name_of
from inspector.query.openprose.logs.header import Header
from inspector.query.openprose.logs.state import KEPT, MOST_EVENTS, LogState, Remark


def ending(status: Status, open_: Sequence[OpenConstruct]) -> Iterator[Finding]:
    """What the end line leaves open."""
    for construct in open_:
        name = name_of(construct)
        if status is Status.COMPLETED:
            message = f"The run says completed, but {name} has no recorded end."
            yield Finding("contradiction", message, construct.step)
        elif status in ENDED:
            message = f"{name[:1].upper()}{name[1:]} never ended."
            yield Finding("never_finished", message, construct.step)


def looks_finished(status: Status, open_: Sequence[OpenConstruct], state: LogState) -> bool:
    """Whether a run that was not closed has nothing left that began and did not end."""
    if status is not Status.RUNNING or open_ or not state.events:
        return False
    return state.steps.status_of(state.event_step[-1]) in (Status.COMPLETED, Status.SKIPPED)


LOOKS_FINISHED = Finding(
    "looks_finished",
    "Every recorded step ended and an output was written, but the log has no end line.",
)


def claims(header: Header, status: Status, state: LogState) -> Iterator[Finding]:
    """Where the front matter says something else than the lines of the log."""
    word = header.raw_status
    if word is None:
        return
    if header.claimed is None:
        yield Finding("unknown_status", f"The front matter has the status {word!r}.", "line:1")
    elif header.claimed is not status:
        said = "no end line says so" if state.ended is None else f"the log says {status.value}"
        yield Finding(
            "contradiction",
            f"The front matter says {word}, but {said}.",
            "line:1" if state.ended is None else f"line:{state.ended.line}",
        )


def errors(
    left: Mapping[str, str], nodes: Mapping[str, int], steps: StepTable
) -> Iterator[Finding]:
    """Nodes that left an error of which the log says nothing."""
    for node, words in left.items():
        step = nodes.get(node)
        if step is not None and steps.status_of(step) in FINISHED:
            continue
        yield Finding(
            "unrecorded_error",
            f"{node} left an error that the log does not tell of: {words}",
            None if step is None else steps.path(step),
        )


def remarks(state: LogState) -> Iterator[Finding]:
    """What the fold met."""
    for remark in state.remarks:
        yield Finding(remark.code, _sentence(remark), f"line:{remark.line}")
    for code, count in state.remark_counts.items():
        if code == "limit":
            message = f"The log has more than {MOST_EVENTS:,} events: {count:,} are kept as notes."
            yield Finding(code, message)
        elif count > KEPT:
            yield Finding(code, f"{count - KEPT} more of the same kind are not listed.")


def _sentence(remark: Remark) -> str:
    if remark.code == "re_opened":
        line, _, why = remark.detail.partition("\n")
        reason = f": {why}" if why else ""
        return f"The run went on after its end in line {line}{reason}."
    return f"A construct was begun again in line {remark.line} before its end was recorded."
