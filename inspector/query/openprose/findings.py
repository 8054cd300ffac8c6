"""Findings about an OpenProse run, in sentences.

Whether a run is still alive is not recorded, so no finding claims it.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from inspector.derive.steps import STATUS_CODE
from inspector.model.run import Finding, Run
from inspector.model.status import ENDED, Status
from inspector.model.step import OpenConstruct, StepKind
from inspector.query.openprose.rows import RunRow
from inspector.query.openprose.state import KEPT_REMARKS, Remark, State
from inspector.text.numbers import age
from inspector.text.parse_time import plausible

if TYPE_CHECKING:
    from inspector.query.openprose.receipts.ledger import Ledger

QUIET_MS = 15 * 60_000
"""A session may think for minutes, so a shorter silence is not worth a finding."""

_WORD_CHARS = 80


def run_rows(
    rows: Sequence[RunRow], head: Run, has_tables: bool, words: Container[str]
) -> Iterable[Finding]:
    """Report where the table `run` does not have exactly one row with a status of `words`."""
    if rows and head.raw_status not in words:
        raw = head.raw_status
        word = "no status" if raw is None else f"the status {_quoted(raw)}"
        yield Finding("unknown_status", f"The run has {word}, which is not documented.")
    if not rows and has_tables:
        yield Finding("run_row_missing", "The table run has no row: status unknown.", "run")
    if len(rows) > 1:
        folder = os.path.basename(os.path.dirname(head.store.path))
        named = any(row.id == folder for row in rows)
        chosen = "the one named like the folder" if named else "the newest one"
        yield Finding("several_run_rows", f"{len(rows)} run rows; {chosen} is shown.", "run")


def run_instants(run: Run, now: int) -> Iterable[Finding]:
    """Report implausible times of the run itself."""
    for moment, which in ((run.started_at, "start"), (run.ended_at, "end")):
        if moment is not None and not plausible(moment, now):
            yield Finding("implausible_time", f"The run's {which} time is implausible.", "run")
    if run.started_at is not None and run.ended_at is not None and run.ended_at < run.started_at:
        yield Finding("clock_skew", "The run ends before it starts; no duration is given.", "run")


def orphans(found: Iterable[tuple[str, int | str]]) -> Iterable[Finding]:
    """Report values (name, frame) whose frame is not recorded."""
    for name, frame in found:
        yield Finding(
            "orphan_binding",
            f"The value {_quoted(name)} names row {frame} as its frame, which does not exist.",
            name,
        )


def _quoted(text: str) -> str:
    """Return a word from the data, quoted, at most 80 characters of it."""
    return repr(text if len(text) <= _WORD_CHARS else text[:_WORD_CHARS] + "…")


def liveness(status: Status, last_activity_at: int | None, now: int) -> Iterable[Finding]:
    """Report a run that says running and writes nothing."""
    if status is not Status.RUNNING or last_activity_at is None:
        return
    silent = now - last_activity_at
    if silent >= QUIET_MS:
        yield Finding("quiet", f"Nothing written for {age(silent)}; liveness unknown.")


def ending(
    status: Status, open_: Sequence[OpenConstruct], state: State, has_output: bool
) -> Iterable[Finding]:
    """Report contradictions between the run's own status and its events."""
    if status is Status.COMPLETED:
        for construct in open_:
            yield Finding(
                "contradiction",
                f"The run says completed, but {name_of(construct)} has no recorded end.",
                construct.step,
            )
    elif status in ENDED:
        for construct in open_:
            yield Finding(
                "never_finished", f"{_capital(name_of(construct))} never ended.", construct.step
            )
    elif status is Status.RUNNING and has_output and not open_ and _all_finished(state):
        yield Finding(
            "looks_finished",
            "Every recorded step ended and an output was written, but the run was not closed.",
        )


def _all_finished(state: State) -> bool:
    if not state.events:
        return False
    counts = state.steps.leaf_counts
    if any(counts[STATUS_CODE[one]] for one in (Status.RUNNING, Status.PENDING, Status.UNKNOWN)):
        return False
    return state.steps.status_of(state.event_step[-1]) is not Status.FAILED


def name_of(construct: OpenConstruct) -> str:
    """Return a construct in words, such as `parallel p1 (instance 3)` or `statement 2`."""
    name = construct.id if construct.id is not None else construct.statement_index
    words = f"{construct.kind} {name}" if name is not None else f"a {construct.kind}"
    repeated = construct.kind is StepKind.PARALLEL and (construct.instance or 1) > 1
    return f"{words} (instance {construct.instance})" if repeated else words


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def unconfirmed(branches: Sequence[tuple[str, str]]) -> Iterable[Finding]:
    """Report branches (name, step id) that have a value but no row."""
    for name, step in branches:
        yield Finding(
            "unconfirmed",
            f"Branch {name} has a value but no recorded end: probably finished, unconfirmed.",
            step,
        )


def source(snapshot: str | None) -> Iterable[Finding]:
    """Report a program that changed after the run began; the run uses the snapshot."""
    if snapshot is not None:
        yield Finding("source_changed", f"The source has changed since {snapshot} was taken.")


def chains(ledger: Ledger | None) -> Iterable[Finding]:
    """Report receipts whose chain does not hold."""
    for chain in () if ledger is None else ledger.chains:
        for broken in chain.broken[:1]:
            yield Finding(
                "chain_broken",
                f"{broken.said[0].upper()}{broken.said[1:]}"
                f" (node {chain.node or 'without a name'}).",
                f"receipt:{broken.receipt_id}",
            )


def oddities(state: State) -> Iterable[Finding]:
    """Report anomalies of the fold: missing or circular parents, unknown words, bad metadata."""
    orphans = ((row, step) for row, steps in state.waiting.items() for step in steps)
    for count, (row, step) in enumerate(orphans, 1):
        if count > KEPT_REMARKS:
            more = sum(map(len, state.waiting.values())) - KEPT_REMARKS
            yield Finding("parent_missing", _more(more))
            break
        first = _name(state, state.first_row(step))
        yield Finding(
            "parent_missing",
            f"Row {first} names row {_name(state, row)} as its parent, which does not exist.",
            f"execution:{first}",
        )
    for remark in state.remarks:
        names = [_name(state, row) for row in remark.rows]
        yield Finding(remark.code, _sentence(remark, names), f"execution:{','.join(names)}")
    for code, count in state.remark_counts.items():
        if count > KEPT_REMARKS:
            yield Finding(code, _more(count - KEPT_REMARKS))


def _more(count: int) -> str:
    return f"{count} more of the same kind {'is' if count == 1 else 'are'} not listed."


def _name(state: State, row: int | None) -> str:
    """Return the recorded id of a row, for a sentence."""
    known = None if row is None else state.rows.id_of(row)
    return "without an id" if known is None else str(known)


def _sentence(remark: Remark, names: Sequence[str]) -> str:
    row = names[0]
    if remark.code == "parent_cycle":
        if len(names) == 1:
            return f"Row {row} names itself as its parent."
        return f"Rows {' and '.join(names)} name each other as parents; the cycle is broken once."
    if remark.code == "unknown_status":
        return f"Row {row} has the status {_quoted(remark.detail)}, which is not documented."
    return _SENTENCES[remark.detail or remark.code].format(row=row)


_SENTENCES = {
    "malformed_metadata": "Row {row} has metadata that is not a JSON object; it is shown raw.",
    "clock_skew": "Row {row} ends before it starts; its duration is unknown.",
    "too_deep": "Row {row} is nested too deeply; it is shown beside its parent.",
    "before_parent": "Row {row} starts before its parent; the clock may have been set.",
    "implausible_time": "Row {row} has an implausible time, which the time axis ignores.",
    "superseded": "Row {row} starts a construct again before its end was recorded.",
    "start_missing": "Row {row} belongs to a construct whose start is not recorded.",
    "parent_is_index": "Row {row} names a statement number as its parent, not a row.",
}
