"""What resuming an OpenProse run would do. Pure.

Source: OpenProse state documents, "Resuming", and the language: there is no command that resumes a
run; a host with the skill is asked in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
from inspector.model.preflight import Caution, Position, PreFlight, refused
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health
from inspector.model.value import Value
from inspector.query.openprose.prompt import Subject, prompt
from inspector.text.numbers import age

RECENT_MS = 10 * 60_000
"""A running run that was written so recently is only resumed after its id was typed."""
MOST_NAMED = 12
"""Names that one sentence lists."""

_TYPEABLE = re.compile(r"[!-~]{1,80}")
_TOLD_AGAIN = frozenset(
    {
        "contradiction", "chain_broken", "damaged", "parent_cycle", "unknown_status", "re_opened",
        "gate_pending", "gate_expired", "run_row_missing", "several_run_rows", "looks_finished",
    }
)  # fmt: skip
"""Findings that somebody who resumes must have read."""


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a pre-flight is made of, read before."""

    run: Run
    folder: str
    project: str
    """The project that the run belongs to: where a host is started."""
    position: Position | None
    steps: StepTable
    newest: int | str | None
    """The last recorded row or line."""
    events: int
    column: str | None
    """`kind` or `binding`: what the table calls a value's kind; None for a log."""
    values: Sequence[Value]
    agents: Sequence[Mapping[str, Any]]
    heads: Mapping[str, str]
    """Node → address of its newest receipt: the `prev` of the next one."""
    sources: Sequence[Mapping[str, Any]]
    now: int


def preflight(material: Material) -> PreFlight:
    """The whole answer but for the command, which depends on the host that is chosen."""
    run, position = material.run, material.position
    record = _record(material)
    reason = _why_not(run)
    if reason is not None or position is None:
        reason = reason or "nothing is left to resume"
        return refused(run.key, reason, record=record, outcome=run.status)
    silent = None if run.last_activity_at is None else material.now - run.last_activity_at
    return PreFlight(
        run_key=run.key,
        resumable=True,
        reason=None,
        position=position,
        stands=stands_in(position),
        done=tuple(_done(material, position)),
        will_run=tuple(_will_run(position)),
        unknown=tuple(_unknown(material.steps, position)),
        warnings=tuple(_warnings(material, position, silent)),
        needs=("a host that has the open-prose skill",),
        prompt=prompt(_subject(material, position)),
        folder=material.project,
        liveness=_liveness(run, silent),
        confirm=_to_type(run) if _may_live(run, silent) else None,
        judged="A host's exit code says little: what counts is what was recorded when it is over.",
        record=record,
        outcome=run.status,
    )


def _record(material: Material) -> Mapping[str, str]:
    run = material.run
    word = "not recorded" if run.raw_status is None else run.raw_status
    return {"run": word, "events": str(material.events), "values": str(len(material.values))}


def _why_not(run: Run) -> str | None:
    if run.store.health in (Health.UNREADABLE, Health.GONE, Health.DENIED):
        return f"its state cannot be read: {run.store.reason}"
    if run.store.health is Health.EMPTY:
        return "nothing was recorded yet: there is nothing to resume, it would be started anew"
    if run.status is Status.COMPLETED:
        return "it says that it is completed: there is nothing to resume"
    return None


def _may_live(run: Run, silent: int | None) -> bool:
    lives = run.status in (Status.RUNNING, Status.WAITING)
    return lives and silent is not None and silent < RECENT_MS


def _to_type(run: Run) -> str:
    """The run's id, unless nobody could type it."""
    return run.run_id if run.run_id and _TYPEABLE.fullmatch(run.run_id) else "resume"


def _liveness(run: Run, silent: int | None) -> str:
    if silent is None:
        return "unknown, when it was last written is not known"
    if _may_live(run, silent):
        return f"written {age(silent)} ago and says {run.status}: somebody may be running it now"
    return f"unknown, nothing written for {age(silent)}"


def stands_in(position: Position) -> str:
    """Where it stands, in a few words."""
    kind = position.kind
    if kind == "parallel":
        words = f"parallel {position.parallel_id or ''}".rstrip()
        if position.instance is not None and position.instance > 1:
            words += f", its {ordinal(position.instance)} time"
        words += f", statement {position.statement_index}"
    elif kind == "loop":
        words = (
            f"loop {position.loop_id or ''}".rstrip() + f", statement {position.statement_index}"
        )
    elif kind == "block":
        words = f"block, statement {position.statement_index}"
    elif kind == "statement":
        words = f"statement {position.statement_index}"
        if position.attempt is not None and (position.attempt > 1 or position.max_attempts):
            most = f" of {position.max_attempts}" if position.max_attempts else ""
            words += f", attempt {position.attempt}{most}"
    elif position.after_statement_index is None:
        words = "the beginning: nothing has finished"
    else:
        words = f"after statement {position.after_statement_index}"
    if position.iteration is not None and position.loop_id is not None:
        words += f", iteration {position.iteration} of loop {position.loop_id}"
    elif position.iteration is not None:
        words += f", iteration {position.iteration}"
    if position.frame is not None:
        words += f", in frame {position.frame}"
    return words


def ordinal(number: int) -> str:
    """2nd, 3rd, 11th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def _done(material: Material, position: Position) -> Iterator[str]:
    finished = _of_the_run(material.steps, Status.COMPLETED)
    if finished:
        yield f"{_plural('statement', finished)} {_paths(material.steps, finished)}"
    if position.keep:
        yield f"{_plural('branch', position.keep)} {listed(position.keep)}"


def _of_the_run(steps: StepTable, status: Status) -> list[int]:
    """The run's own statements that stand like this; lines that say how it ended are none."""
    code, mark = STATUS_CODE[status], KIND_CODE[StepKind.SEGMENT]
    parent, kind = steps.parent, steps.kind
    return [
        step
        for step, found in enumerate(steps.status)
        if found == code and parent[step] < 0 and kind[step] != mark
    ]


def _paths(steps: StepTable, numbers: Sequence[int]) -> str:
    """The ids of steps in a sentence; only of those that it names they are made."""
    more = len(numbers) - MOST_NAMED
    shown = ", ".join(steps.path(step) for step in numbers[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def _will_run(position: Position) -> Iterator[str]:
    if position.kind == "parallel":
        if position.rerun:
            yield f"{_plural('branch', position.rerun)} {listed(position.rerun)}"
        yield "then the join"
    elif position.kind == "statement":
        tries = f", attempt {(position.attempt or 0) + 1}" if position.attempt else ""
        yield f"statement {position.statement_index}{tries}"
    elif position.kind == "loop":
        name = f" of loop {position.loop_id}" if position.loop_id is not None else " of the loop"
        if position.after_statement_index is not None:
            name += f" after statement {position.after_statement_index}"
        yield f"iteration {position.iteration}{name}"
    elif position.kind == "block":
        yield f"the rest of the block in frame {position.frame}"
    elif position.after_statement_index is not None:
        yield f"the statement after {position.after_statement_index}"
    else:
        yield "the program from its first statement"
    yield "then what the source says"


def _unknown(steps: StepTable, position: Position) -> Iterator[str]:
    for branch in position.unconfirmed[:MOST_NAMED]:
        yield f"branch {branch}: its value exists, its end was never recorded; it may run again"
    more = len(position.unconfirmed) - MOST_NAMED
    if more > 0:
        yield f"and {more} more branches like that"
    skipped = _of_the_run(steps, Status.SKIPPED)
    if skipped:
        verb = "was" if len(skipped) == 1 else "were"
        yield (
            f"{_plural('statement', skipped)} {_paths(steps, skipped)} {verb} skipped; whether to"
            " run now is for the source to say"
        )


def _warnings(material: Material, position: Position, silent: int | None) -> Iterator[Caution]:
    run = material.run
    yield from _repeats(position)
    if run.status in (Status.RUNNING, Status.WAITING):
        yield Caution(
            "may_live",
            f"It was written {age(silent)} ago: make sure that nobody runs it any more."
            if _may_live(run, silent)
            else "Another process may still hold this run; no lock says so, none says otherwise.",
        )
    if run.parent_key is not None:
        yield Caution(
            "part_of",
            "It is part of another run, which may run it again by itself when that is resumed.",
        )
    for finding in run.findings:
        if finding.code in _TOLD_AGAIN:
            yield Caution(finding.code, finding.message)
    for source in material.sources:
        if source.get("changed_since"):
            yield Caution(
                "source_changed",
                f"The source has changed since {source['path']} was kept; the run goes by what"
                " was kept.",
            )
    if position.kind == "next" and position.after_statement_index is None:
        yield Caution("start_over", "Nothing has finished: resuming is the same as starting over.")


def _repeats(position: Position) -> Iterator[Caution]:
    unsure = [*position.unconfirmed, *position.rerun]
    if position.kind == "parallel" and unsure:
        what = f"{_plural('branch', unsure)} {listed(unsure)}"
        does, ran = ("does", "it ran, it") if len(unsure) == 1 else ("do", "they ran, they")
        yield Caution(
            "may_repeat", f"What {what} {does} outside is not recorded: if {ran} may run twice."
        )
    elif position.kind == "statement":
        yield Caution(
            "may_repeat",
            f"What statement {position.statement_index} did outside is not recorded: it runs"
            " again.",
        )
        most, tried = position.max_attempts, position.attempt
        if most is not None and tried is not None and tried >= most:
            yield Caution(
                "attempts_used", f"All {most} of its attempts were made; this is one more."
            )
    elif position.kind in ("loop", "block", "next"):
        yield Caution(
            "may_repeat",
            "A statement leaves its row when it has finished: one that was under way runs again.",
        )


def _plural(word: str, names: Sequence[object]) -> str:
    if len(names) == 1:
        return word
    return f"{word}es" if word.endswith("ch") else f"{word}s"


def listed(names: Sequence[object]) -> str:
    """Names in a sentence, so many that it stays one."""
    shown = ", ".join(str(name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _subject(material: Material, position: Position) -> Subject:
    return Subject(
        run=material.run,
        folder=material.folder,
        project=material.project,
        position=position,
        steps=material.steps,
        newest=material.newest,
        column=material.column,
        values=material.values,
        agents=material.agents,
        heads=material.heads,
        sources=[str(source["path"]) for source in material.sources],
    )
