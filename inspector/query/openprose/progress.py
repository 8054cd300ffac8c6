"""The progress of a run: its innermost open parallel and loop, and the tokens it used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.derive.steps import Extra, StepTable
from inspector.model.run import Progress, Tokens
from inspector.model.status import Status
from inspector.model.step import StepKind

if TYPE_CHECKING:
    from inspector.query.openprose.receipts.ledger import Ledger

_NOTHING = Extra()


def progress(
    steps: StepTable,
    open_steps: Sequence[int],
    branches: Mapping[int, Mapping[str, int]],
    unconfirmed: int,
) -> Progress:
    """Return the progress of the open constructs; `branches` are those of each parallel."""
    parallel = _innermost(steps, open_steps, StepKind.PARALLEL)
    loop = _innermost(steps, open_steps, StepKind.LOOP)
    done = total = now = most = None
    if parallel is not None:
        named = branches.get(parallel, {}).values()
        done = sum(steps.status_of(step) is Status.COMPLETED for step in named)
        total = len(named)
    if loop is not None:
        extra = steps.extra.get(loop, _NOTHING)
        now, most = extra.ref.get("current_iteration"), extra.of
    return Progress(done, total, unconfirmed, now, most)


def _innermost(steps: StepTable, open_steps: Sequence[int], kind: StepKind) -> int | None:
    return next((step for step in reversed(open_steps) if steps.kind_of(step) is kind), None)


def tokens_of(ledger: Ledger | None) -> Tokens:
    """Return the tokens that the receipts record; reused tokens were read from a cache."""
    if ledger is None or not ledger.total.receipts:
        return Tokens()
    total = ledger.total
    return Tokens(cache_read=total.reused, total=total.fresh + total.reused)
