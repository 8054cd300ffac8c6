"""Tokens and cost of runs over all stores, by run, session, model and day, without duplicates."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.derive.spending import Spending, Sum, sum_of, sums_by, without_copies
from inspector.model.clock import rfc3339
from inspector.model.run import Run, Tokens
from inspector.query.workspace import Workspace

RECEIPTS = "receipts"
"""The source of a total that comes from a run's receipts."""

_FROM_RECEIPTS = "sum of the run's receipts; reused tokens are listed separately"


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage rows and how totals of them were computed."""

    rows: tuple[Spending, ...]
    copies: int
    """Rows left out because another database holds the same ones."""
    methods: Mapping[str, str]
    """Source of a total → explanation."""


@dataclass(frozen=True, slots=True)
class RunUsage:
    """The usage of one run, or of rows without a run in one session."""

    key: str | None
    run_id: str | None
    session: str | None
    model: str | None
    total: Sum
    source: str | None
    """The scope of the counted rows; None if none counts."""


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Totals of usage rows. Rows that do not count are in no total."""

    runs: tuple[RunUsage, ...]
    total: Sum
    by_session: Mapping[str | None, Sum]
    by_model: Mapping[str | None, Sum]
    by_day: Mapping[str | None, Sum]
    """By UTC date, `2026-03-01`."""
    rows: tuple[Spending, ...]
    not_counted: tuple[Spending, ...]
    copies: int
    methods: Mapping[str, str]


def usage_of(workspace: Workspace, runs: Sequence[Run]) -> Usage:
    """Collect the usage rows of every store; `runs` are the listed runs."""
    rows: list[Spending] = []
    methods: dict[str, str] = {}
    with_rows: set[str] = set()
    for candidate in workspace.candidates():
        reader = workspace.reader(candidate)
        recorded = None if reader is None else reader.usage()
        if reader is not None and recorded is not None:
            rows.extend(recorded)
            with_rows.add(candidate.path)
            counted = dict.fromkeys(one.scope for one in recorded if one.counts)
            methods.update({scope: reader.usage_method(scope) for scope in counted})
    for run in runs:
        if run.store.path not in with_rows:
            rows.extend(_usage_from_receipts(workspace, run))
    if any(one.scope == RECEIPTS for one in rows):
        methods[RECEIPTS] = _FROM_RECEIPTS
    unique, copies = without_copies(rows)
    return Usage(tuple(unique), copies, methods)


def _usage_from_receipts(workspace: Workspace, run: Run) -> Iterator[Spending]:
    """Yield the tokens of a run whose runtime keeps no usage rows, if it records any."""
    whole = workspace.completed(run)
    if whole.tokens != Tokens():
        yield Spending(
            row=None,
            run_key=whole.key,
            run_id=whole.run_id,
            session=whole.session,
            model=None,
            at=whole.last_activity_at,
            scope=RECEIPTS,
            tokens=whole.tokens,
        )


def report_usage(usage: Usage, *, only: Run | None = None) -> UsageReport:
    """Total the usage of all runs, or of one."""
    rows = [one for one in usage.rows if only is None or one.run_key == only.key]
    groups: dict[Hashable, list[Spending]] = {}
    if only is not None:
        groups[only.key] = []
    for one in rows:
        key = one.run_key or (None, one.run_id, one.session)
        groups.setdefault(key, []).append(one)
    return UsageReport(
        runs=tuple(_run_usage(key, of_run) for key, of_run in groups.items()),
        total=sum_of(rows),
        by_session=_sums(rows, lambda one: one.session),
        by_model=_sums(rows, lambda one: one.model),
        by_day=_sums(rows, _day),
        rows=tuple(rows),
        not_counted=tuple(one for one in rows if not one.counts),
        copies=usage.copies,
        methods=usage.methods,
    )


def _run_usage(key: Hashable, rows: Sequence[Spending]) -> RunUsage:
    first = rows[0] if rows else None
    return RunUsage(
        key=key if isinstance(key, str) else None,
        run_id=None if first is None else first.run_id,
        session=None if first is None else first.session,
        model=None if first is None else first.model,
        total=sum_of(rows),
        source=next((one.scope for one in rows if one.counts), None),
    )


def _sums(
    rows: Iterable[Spending], key: Callable[[Spending], str | None]
) -> Mapping[str | None, Sum]:
    sums = sums_by(rows, key)
    return {group if isinstance(group, str) else None: total for group, total in sums.items()}


def _day(one: Spending) -> str | None:
    instant = rfc3339(one.at)
    return None if instant is None else instant[:10]
