"""What runs used, over all stores: by run, session, model and day; nothing counted twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.derive.spending import Spending, Sum, sum_of, sums_by, without_copies
from inspector.model.clock import rfc3339
from inspector.model.run import Run, Tokens
from inspector.query.workspace import Workspace

RECEIPTS = "receipts"
"""The source of a run whose tokens come from its receipts."""

_HOW_RECEIPTS = "what the run's receipts say was spent; tokens that were reused stand apart"
_COPIES = "rows that another database holds a copy of are counted once"


Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Rows of use, and how the sums of them were computed."""

    rows: tuple[Spending, ...]
    copies: int
    """Rows that were left out because another database holds the same."""
    how: dict[str, str]
    """Source → in words."""


def usage_of(found: Workspace, runs: Sequence[Run]) -> Usage:
    """Every row of every store; `runs` are those that were listed."""
    rows: list[Spending] = []
    how: dict[str, str] = {}
    kept: set[str] = set()
    for candidate in found.candidates():
        reader = found.reader(candidate)
        own = None if reader is None else reader.usage()
        if reader is not None and own is not None:
            rows.extend(own)
            kept.add(candidate.path)
            how.update({one.scope: reader.usage_method(one.scope) for one in own if one.counts})
    for run in runs:
        if run.store.path not in kept:
            rows.extend(_from_run(found, run))
    if any(one.scope == RECEIPTS for one in rows):
        how[RECEIPTS] = _HOW_RECEIPTS
    unique, copies = without_copies(rows)
    return Usage(tuple(unique), copies, how)


def _from_run(found: Workspace, run: Run) -> Iterator[Spending]:
    """A run whose runtime keeps no rows: what it says of itself, where it says anything."""
    whole = found.completed(run)
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


def document(usage: Usage, *, only: Run | None = None) -> Document:
    """The content of `inspector.usage/1`, of all runs or of one."""
    rows = [one for one in usage.rows if only is None or one.run_key == only.key]
    groups: dict[Hashable, list[Spending]] = {}
    if only is not None:
        groups[only.key] = []
    for one in rows:
        place = one.run_key or (None, one.run_id, one.session)
        groups.setdefault(place, []).append(one)
    return {
        "runs": [_run(key, of_run) for key, of_run in groups.items()],
        "total": _sum(sum_of(rows)),
        "by": {
            "session": _by(rows, "session", lambda one: one.session),
            "model": _by(rows, "model", lambda one: one.model),
            "day": _by(rows, "day", _day),
        },
        "rows": [row_document(one) for one in rows] if only is not None else [],
        "not_added": [row_document(one) for one in rows if not one.counts],
        "copies_left_out": usage.copies,
        "how": {**usage.how, **({"copies": _COPIES} if usage.copies else {})},
    }


def _run(key: Hashable, rows: Sequence[Spending]) -> Document:
    first = rows[0] if rows else None
    return {
        "key": key if isinstance(key, str) else None,
        "run_id": None if first is None else first.run_id,
        "session": None if first is None else first.session,
        "model": None if first is None else first.model,
        **_sum(sum_of(rows)),
        "source": _source(rows),
    }


def _source(rows: Iterable[Spending]) -> str | None:
    """What of a run is added: there is only one sort of it."""
    return next((one.scope for one in rows if one.counts), None)


def _sum(total: Sum) -> Document:
    return {
        "input_tokens": total.input,
        "output_tokens": total.output,
        "cache_read_tokens": total.cache_read,
        "cache_write_tokens": total.cache_write,
        "total_tokens": total.total,
        "cost": total.amounts(),
        "unpriced": total.unpriced,
        "rows": total.rows,
    }


def _by(rows: Iterable[Spending], name: str, key: object) -> list[Document]:
    assert callable(key)
    return [{name: value, **_sum(total)} for value, total in sums_by(rows, key).items()]


def _day(one: Spending) -> str | None:
    moment = rfc3339(one.at)
    return None if moment is None else moment[:10]


def row_document(one: Spending) -> Document:
    """Return one row of usage with the field names of `inspector.usage/1`."""
    return {
        "id": one.row,
        "key": one.run_key,
        "run_id": one.run_id,
        "session": one.session,
        "scope": one.scope,
        "turn": one.turn,
        "attempt": one.attempt,
        "at": rfc3339(one.at),
        "input_tokens": one.tokens.input,
        "output_tokens": one.tokens.output,
        "cache_read_tokens": one.tokens.cache_read,
        "cache_write_tokens": one.tokens.cache_write,
        "total_tokens": one.tokens.total,
        "cost": None if one.cost is None else f"{one.cost:f}",
        "currency": one.currency,
        "counts": one.counts,
        "why_not": one.why_not,
    }
