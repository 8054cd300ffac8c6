"""Token usage: which rows of `prism_usage` count, so that no turn is counted twice.

Source: Prism 0.3.0, the usage ledger. A row is a provider turn or a run's total. Totals exist only
for runs that succeeded, and a resumed run's total covers only its last segment; so turns are added
up, and a total counts only where a run has no turns. Schema version 1 has no scope: its rows are
turns, and the last row of a run that succeeded repeats the turn before it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from inspector.derive.spending import Spending
from inspector.model.run import Tokens
from inspector.query.prism.cells import (
    JsonObject,
    Malformed,
    instant_of,
    json_of,
    mapping,
    name_of,
    text_of,
    text_or_none,
    whole_number,
)
from inspector.query.tables import Tables

TURN, TOTAL, UNSCOPED = "provider_turn", "run_total", "unscoped"

REPEATS = "repeats counted turns"
LAST_TURN_AGAIN = "repeats the previous turn, as schema version 1 does"
NO_RUN = "has no run and may repeat usage counted for one"

HOW = {
    TURN: "sum of provider turns, without the run's own total, which repeats them",
    TOTAL: "the run's own total, since no turns are recorded",
    UNSCOPED: "sum of turns in schema version 1, whose last row may repeat one",
}
"""Explanations of totals, by their source."""

_COLUMNS = ("id", "session_id", "run_id", "scope", "turn", "attempt", "usage", "recorded_at")


@dataclass(frozen=True, slots=True)
class UsageRow:
    """A parsed row of `prism_usage`."""

    rowid: int
    id: str
    session: str | None
    run: str | None
    scope: str
    turn: int | None
    attempt: int | None
    tokens: Tokens
    cost: Decimal | None
    currency: str | None
    at: int | None
    readable: bool


def usage_rows(
    connection: sqlite3.Connection,
    tables: Tables,
    *,
    after: int = -1,
    run_id: str | None = None,
) -> Iterator[UsageRow]:
    """Yield rows in the order written: after a rowid, of one run or of all."""
    table = tables.get("prism_usage")
    if table is None or not table.has_rowid:
        return
    listed = ", ".join(table.column(name) for name in _COLUMNS)
    where, values = ("", [after]) if run_id is None else ("AND run_id = ?", [after, run_id])
    sql = f"SELECT rowid, {listed} FROM prism_usage WHERE rowid > ? {where} ORDER BY rowid"
    scoped = table.has("scope")
    for rowid, *cells in connection.execute(sql, values):
        yield _usage_row(rowid, cells, scoped)


def _usage_row(rowid: int, cells: Sequence[object], scoped: bool) -> UsageRow:
    id_, session, run, scope, turn, attempt, usage, recorded = cells
    readable = True
    try:
        parsed = mapping(json_of(usage, exact=True))
    except Malformed:
        parsed, readable = {}, False
    return UsageRow(
        rowid,
        text_of(id_),
        text_or_none(session),
        text_or_none(run),
        text_of(scope) if scoped else UNSCOPED,
        whole_number(turn),
        whole_number(attempt),
        tokens_of(parsed),
        cost_of(parsed.get("cost")),
        name_of(parsed.get("currency")),
        instant_of(recorded),
        readable,
    )


def tokens_of(usage: JsonObject) -> Tokens:
    """Return the tokens of a usage object; a missing total is the sum of input and output."""
    counts = [
        _count(usage.get(name))
        for name in (
            "inputTokens",
            "outputTokens",
            "cacheReadTokens",
            "cacheWriteTokens",
            "totalTokens",
        )
    ]
    spent, given, read, written, total = counts
    if total is None and (spent is not None or given is not None):
        total = (spent or 0) + (given or 0)
    return Tokens(spent, given, read, written, total)


def _count(value: object) -> int | None:
    number = whole_number(value)
    return number if number is not None and number >= 0 else None


def cost_of(value: object) -> Decimal | None:
    """Return a price; None (unknown) if missing, negative or not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        cost = Decimal(str(value))
    except InvalidOperation:
        return None
    return cost if cost.is_finite() and cost >= 0 and cost.adjusted() < 50 else None


def judged_run(
    rows: Sequence[UsageRow], key: str | None, model: str | None, succeeded: bool
) -> list[Spending]:
    """Return the rows of one run, marking those that count."""
    why = _why_not(rows, succeeded) if rows else []
    return [_spending(row, key, model, reason) for row, reason in zip(rows, why, strict=True)]


def judged_without_run(rows: Sequence[UsageRow], busy: Collection[str | None]) -> list[Spending]:
    """Return rows without a run; `busy` are the sessions with usage of runs."""
    turns = {row.session for row in rows if row.scope == TURN}
    return [
        _spending(
            row,
            None,
            None,
            NO_RUN if row.scope != TURN and (row.session in turns or row.session in busy) else None,
        )
        for row in rows
    ]


def source_of(rows: Iterable[Spending]) -> str | None:
    """Return the source of a run's total: turns, its own total or unscoped rows."""
    counted = {one.scope for one in rows if one.counts}
    for scope in (TURN, UNSCOPED, TOTAL):
        if scope in counted:
            return scope
    return next(iter(counted), None)


def _why_not(group: Sequence[UsageRow], succeeded: bool) -> list[str | None]:
    """Return per row of a run the reason why it does not count; None if it does."""
    if any(row.scope == TURN for row in group):
        return [REPEATS if row.scope != TURN else None for row in group]
    unscoped = group[-1].scope == UNSCOPED
    relabelled = len(group) > 1 and all(row.turn is None for row in group)
    if not (unscoped or relabelled) or len(group) < 2:
        return [None] * len(group)
    last, before = group[-1], group[-2]
    again = succeeded and (last.tokens, last.cost) == (before.tokens, before.cost)
    return [None] * (len(group) - 1) + [LAST_TURN_AGAIN if again else None]


def _spending(row: UsageRow, key: str | None, model: str | None, why: str | None) -> Spending:
    one = Spending(
        row=row.id,
        run_key=key,
        run_id=row.run,
        session=row.session,
        model=model,
        at=row.at,
        scope=row.scope,
        turn=row.turn,
        attempt=row.attempt,
        tokens=row.tokens,
        cost=row.cost,
        currency=row.currency,
    )
    return one if why is None else replace(one, counts=False, why_not=why)
