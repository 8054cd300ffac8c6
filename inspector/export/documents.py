"""The JSON documents: what the screen shows, as data. Fields may be added, never renamed.

Instants are RFC 3339 UTC with milliseconds; what is not recorded is null. Secrets are masked unless
revealed, and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inspector.model.clock import rfc3339
from inspector.query.masked import Masks

if TYPE_CHECKING:
    from inspector.model.run import Finding, Run
    from inspector.model.step import Attempt, Event, OpenConstruct, Step
    from inspector.model.store import Store
    from inspector.model.value import Attachment, Value
    from inspector.query.view import RunView, ValueList

if TYPE_CHECKING:
    from inspector.derive.spending import Spending, Sum
    from inspector.query.receipts import (
        ChainBreak,
        Cost,
        LedgerCosts,
        NodeChain,
        Receipt,
        ReceiptLedger,
        TokenSum,
    )
    from inspector.query.usage import UsageReport

Document = dict[str, Any]


def document(kind: str, content: Mapping[str, Any], *, reveal: bool) -> Document:
    """A whole document with its schema name; masked unless `reveal`, with the count of masks."""
    whole: Document = {"schema": f"inspector.{kind}/1"}
    if reveal:
        return {**whole, **content, "masked": 0}
    masks = Masks()
    masked = masks.content(content)
    return {**whole, **masked, "masked": masks.count}


def row_document(kind: str, content: Mapping[str, object], *, reveal: bool) -> Document:
    """One row of a `--jsonl` answer, masked like a document but without a schema name.

    `kind` is that of the document that the row would be a part of.
    """
    if reveal:
        return dict(content)
    (rows,) = Masks().content({_ROWS.get(kind, kind): [content]}).values()
    row: Document = rows[0]
    return row


_ROWS = {"record": "records", "show": "steps", "sql": "rows"}
"""Kind of document → the field that holds its rows."""


def runs(stores: Iterable[Store], listed: Iterable[Run]) -> Document:
    """The content of `inspector.runs/1`."""
    return {"stores": [store(one) for one in stores], "runs": [run(one) for one in listed]}


def store(one: Store) -> Document:
    """A store."""
    return {
        "path": one.path,
        "runtime": one.runtime,
        "variant": one.variant,
        "write_style": one.write_style,
        "health": one.health,
        "reason": one.reason,
        "verdict": one.verdict,
        "verdict_note": one.verdict_note,
    }


def run(one: Run) -> Document:
    """RUN: one execution with its head facts."""
    return {
        "key": one.key,
        "kind": one.kind,
        "runtime": one.runtime,
        "store": one.store.path,
        "run_id": one.run_id,
        "session": one.session,
        "parent_key": one.parent_key,
        "title": one.title,
        "status": one.status,
        "raw_status": one.raw_status,
        "findings": findings(one.findings),
        "started_at": rfc3339(one.started_at),
        "ended_at": rfc3339(one.ended_at),
        "last_activity_at": rfc3339(one.last_activity_at),
        "duration_ms": one.duration_ms,
        "order_only": one.order_only,
        "mode": one.mode,
        "steps": asdict(one.steps),
        "tokens": asdict(one.tokens),
        "cost": None if one.cost is None else dict(one.cost),
        "net": None if one.net is None else dict(one.net),
        "owner": dict(one.owner),
        "complete": one.complete,
    }


def findings(found: Iterable[Finding]) -> list[Document]:
    """Findings as they are listed."""
    return [finding(one) for one in found]


def finding(one: Finding) -> Document:
    """A finding."""
    return {"code": one.code, "message": one.message, "ref": one.ref}


def show(view: RunView, depth: int | None = None) -> Document:
    """The content of `inspector.show/1`: one run, its steps as a flat tree, what is open."""
    numbers = range(len(view.steps)) if depth is None else _down_to(view, depth)
    return {
        "run": run(view.run),
        "stores": [store(view.run.store)],
        "events": view.events,
        "total_events": view.total_events,
        "as_of": rfc3339(view.as_of),
        "steps": [step(view.describe(number)) for number in numbers],
        "open": [construct(one) for one in view.open],
        "findings": findings(view.run.findings),
    }


def _down_to(view: RunView, depth: int) -> Iterable[int]:
    from inspector.derive.steps import levels_of

    levels = levels_of(view.steps)
    return (number for number in range(len(view.steps)) if levels[number] <= depth)


def step(one: Step) -> Document:
    """STEP: one node of the timeline."""
    return {
        "id": one.id,
        "parent": one.parent,
        "kind": one.kind,
        "label": one.label,
        "status": one.status,
        "raw_status": one.raw_status,
        "started_at": rfc3339(one.started_at),
        "ended_at": rfc3339(one.ended_at),
        "duration_ms": one.duration_ms,
        "first_event": one.first_event,
        "last_event": one.last_event,
        "iteration": one.iteration,
        "of": one.of,
        "instance": one.instance,
        "error": one.error,
        "attempts": [attempt(each) for each in one.attempts],
        "max_attempts": one.max_attempts,
        "ref": dict(one.ref),
    }


def attempt(one: Attempt) -> Document:
    """One try of a step."""
    return {
        "n": one.n,
        "status": one.status,
        "raw_status": one.raw_status,
        "error": one.error,
        "first_event": one.first_event,
        "last_event": one.last_event,
        "started_at": rfc3339(one.started_at),
        "ended_at": rfc3339(one.ended_at),
    }


def construct(one: OpenConstruct) -> Document:
    """Something whose end is not recorded."""
    return {
        "kind": one.kind,
        "id": one.id,
        "instance": one.instance,
        "statement_index": one.statement_index,
        "step": one.step,
    }


def events(found: Sequence[Event]) -> Document:
    """The content of `inspector.events/1`."""
    return {"events": [event(one) for one in found]}


def event(one: Event) -> Document:
    """One recorded fact."""
    return {
        "n": one.n,
        "id": one.id,
        "kind": one.kind,
        "raw_status": one.raw_status,
        "at": rfc3339(one.at),
        "at_raw": one.at_raw,
        "text": one.text,
        "payload": dict(one.payload),
    }


def values(found: ValueList) -> Document:
    """The content of `inspector.values/1`."""
    return {
        "frame": found.frame,
        "at": found.at,
        "rows": found.rows,
        "values": [value(one) for one in found.values],
    }


def value(one: Value) -> Document:
    """A named value; `value` is null where only a preview was read or it is not text."""
    return {
        "name": one.name,
        "scope": one.scope,
        "kind": one.kind,
        "type": one.type,
        "size": one.size,
        "value": one.value,
        "preview": one.preview,
        "superseded": one.superseded,
        "source_statement": one.source_statement,
        "updated_at": rfc3339(one.updated_at),
        "attachment": None if one.attachment is None else attachment(one.attachment),
        "then": one.then,
        "written_event": one.written_event,
    }


def attachment(one: Attachment) -> Document:
    """A file named by a value."""
    return {"path": one.path, "verdict": one.verdict, "size": one.size}


def record(part: str, rows: Iterable[Mapping[str, object]]) -> Document:
    """The content of `inspector.record/1`: the runtime's own rows and field names."""
    return {"part": part, "records": [dict(row) for row in rows]}


def usage(report: UsageReport, *, with_rows: bool) -> Document:
    """The content of `inspector.usage/1`; `with_rows` for one run."""
    return {
        "runs": [
            {
                "key": one.key,
                "run_id": one.run_id,
                "session": one.session,
                "model": one.model,
                **_sum(one.total),
                "source": one.source,
            }
            for one in report.runs
        ],
        "total": _sum(report.total),
        "by": {
            name: [{name: group, **_sum(total)} for group, total in sums.items()]
            for name, sums in (
                ("session", report.by_session),
                ("model", report.by_model),
                ("day", report.by_day),
            )
        },
        "rows": [usage_row(one) for one in report.rows] if with_rows else [],
        "not_added": [usage_row(one) for one in report.not_counted],
        "copies_left_out": report.copies,
        "how": usage_methods(report),
    }


def usage_methods(report: UsageReport) -> dict[str, str]:
    """How the totals were computed, by source."""
    copies = {"copies": "rows copied to another database are counted once"}
    return {**report.methods, **(copies if report.copies else {})}


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


def usage_row(one: Spending) -> Document:
    """A row of usage."""
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


def receipts(ledger: ReceiptLedger, costs: LedgerCosts | None) -> Document:
    """The content of `inspector.receipts/1`."""
    total = ledger.tokens_total
    by_cause = ledger.tokens_by_surprise_cause
    return {
        "chain_ok": ledger.chain_ok,
        "nodes": [node_chain(one) for one in ledger.nodes],
        "dispositions": dict(ledger.dispositions),
        "failure_reasons": list(ledger.failure_reasons),
        "tokens_by_surprise_cause": {name: token_sum(one) for name, one in by_cause.items()},
        "tokens_by_node": {name: token_sum(one) for name, one in ledger.tokens_by_node.items()},
        "tokens_total": {"fresh": total.fresh, "reused": total.reused},
        "cost_unreadable": ledger.cost_unreadable,
        "receipts": [receipt(one) for one in ledger.receipts],
        "money": None if costs is None else ledger_costs(costs),
    }


def node_chain(one: NodeChain) -> Document:
    """The chain of one node."""
    return {
        "node": one.node,
        "verdict": one.verdict,
        "verdict_words": one.verdict_words,
        "receipts": one.receipts,
        "broken": [chain_break(each) for each in one.broken],
        "head_anchored": one.head_anchored,
    }


def chain_break(one: ChainBreak) -> Document:
    """A receipt at which a chain does not hold."""
    return {
        "receipt_id": one.receipt_id,
        "why_code": one.why_code,
        "why": one.why,
        "said": one.said,
    }


def token_sum(one: TokenSum) -> Document:
    """Receipts and their tokens."""
    return {"receipts": one.receipts, "fresh": one.fresh, "reused": one.reused}


def receipt(one: Receipt) -> Document:
    """One receipt."""
    tokens = one.tokens
    return {
        "id": one.id,
        "node": one.node,
        "address": one.address,
        "status": one.status,
        "prev": one.prev,
        "wake": one.wake,
        "input_fingerprints": one.input_fingerprints,
        "differing_inputs": list(one.differing_inputs),
        "fingerprints": one.fingerprints,
        "moved_facets": list(one.moved_facets),
        "semantic_diff": one.semantic_diff,
        "failure_reason": one.failure_reason,
        "surprise_cause": one.surprise_cause,
        "tokens": None if tokens is None else {"fresh": tokens.fresh, "reused": tokens.reused},
        "cost": one.cost,
        "contract_fingerprint": one.contract_fingerprint,
        "sig": one.sig,
        "trouble": list(one.trouble),
        "created_at": rfc3339(one.created_at),
        "content_hash": one.content_hash,
        "hash_matches": one.hash_matches,
        "before": one.before,
        "contract_changed": one.contract_changed,
        "input_changes": [
            {"position": each.position, "before": each.before, "after": each.after}
            for each in one.input_changes
        ],
        "facet_changes": [
            {"facet": each.facet, "before": each.before, "after": each.after}
            for each in one.facet_changes
        ],
        "propagates": one.propagates,
        "woken_by": [asdict(each) for each in one.woken_by],
        "woke": list(one.woke),
        "broken": list(one.broken),
    }


def ledger_costs(costs: LedgerCosts) -> Document:
    """The cost of a ledger; amounts are strings and never rounded."""
    by_cause = costs.by_surprise_cause
    return {
        **cost(costs.total),
        "by_surprise_cause": {name: cost(one) for name, one in by_cause.items()},
        "by_node": {name: cost(one) for name, one in costs.by_node.items()},
    }


def cost(one: Cost) -> Document:
    """Amounts by currency."""
    amounts = {currency: f"{amount:f}" for currency, amount in one.by_currency.items()}
    return {"cost": amounts, "unpriced": one.unpriced}
