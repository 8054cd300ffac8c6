"""The detail of a receipt or a sum: chain, trigger, moved facets, cost, diff, addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from inspector.model.clock import rfc3339
from inspector.query.receipts import ChainVerdict, Receipt
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, tokens
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import wrapped
from inspector.ui.palette import STATUS_ROLE, Role, word_role
from inspector.ui.panes.receipt_ledger import (
    FAILED,
    NOT_SIGNED,
    SKIPPED,
    STATUSES,
    LedgerModel,
    LedgerSum,
    cost_text,
    problem_of,
    row_title,
    status_glyph,
)
from inspector.ui.widgets.text_view import TextBuilder

LABEL_CELLS = 12
MAX_LISTED = 12
MAX_DIFF_LINES = 400
NO_MODEL = "none"
"""The provider and model that a skipped receipt names."""
FINGERPRINT_CELLS = 12
"""Last characters of a fingerprint that are shown."""

Piece = tuple[str, Role]


def write_receipt(page: TextBuilder, receipt: Receipt, model: LedgerModel, next_ref: int) -> None:
    """Writes a receipt; `next_ref` is the index of the reference that Enter follows, or -1."""
    _title(page, receipt)
    _problem(page, receipt)
    _broken_link(page, receipt, model)
    for label, pieces in _facts(receipt, model, next_ref):
        _fact(page, label, pieces)
    _semantic_diff(page, receipt)
    _addresses(page, receipt)


def _title(page: TextBuilder, receipt: Receipt) -> None:
    glyphs, line = page.ui.glyphs, page.line()
    word = receipt.status
    status = STATUSES.get(word or "")
    glyph_role = Role.MUTED if status is None else STATUS_ROLE[status]
    line.add(status_glyph(receipt, glyphs), glyph_role)
    title = clip(safe(row_title(receipt), glyphs), page.room - 14, ellipsis=glyphs.cut)
    line.add(title, Role.STRONG, skip=1)
    shown = NOT_RECORDED if word is None else safe(word, glyphs)
    line.add(shown, Role.MUTED if status is None else word_role(status), skip=3)
    created = rfc3339(receipt.created_at)
    if created:
        line.add(created, Role.MUTED, skip=3)


def _problem(page: TextBuilder, receipt: Receipt) -> None:
    problem, glyphs = problem_of(receipt), page.ui.glyphs
    if problem is None:
        return
    role = Role.ERROR if receipt.status == FAILED else Role.TEXT
    for number, part in enumerate(wrapped(safe(problem, glyphs), page.room - 2, 6, glyphs.cut)):
        line = page.line()
        if not number:
            line.add(glyphs.finding, Role.WARNING)
        line.put(page.margin + 2, part, role)


def _broken_link(page: TextBuilder, receipt: Receipt, model: LedgerModel) -> None:
    """Both addresses of a link at which the chain breaks."""
    before = model.by_id(receipt.before)
    if not receipt.broken or before is None or receipt.prev == before.address:
        return
    named, actual = _short(receipt.prev), _short(before.address)
    _fact(page, "prev", [(f"{named}, but receipt {before.id} is {actual}", Role.TEXT)])


def _facts(
    receipt: Receipt, model: LedgerModel, next_ref: int
) -> Iterator[tuple[str, Sequence[Piece]]]:
    yield "chain", [(_chain(receipt.node, model), Role.TEXT)]
    yield "woken by", list(_woken(receipt, next_ref))
    yield "why", list(_why(receipt, model))
    yield "moved", list(_moved(receipt))
    if receipt.woke:
        woke = [model.by_id(one) for one in receipt.woke[:MAX_LISTED]]
        listed = ", ".join(f"{one.id} {one.node}" for one in woke if one is not None)
        yield "woke", [(listed + _more(len(receipt.woke), ""), Role.TEXT)]
    yield "cost", [(_cost(receipt, model), Role.TEXT)]


def _more(count: int, noun: str) -> str:
    """` and 3 more`; empty if all are listed."""
    return f" and {count - MAX_LISTED:,} more{noun}" if count > MAX_LISTED else ""


def _chain(node: str, model: LedgerModel) -> str:
    chain = model.chain_of(node)
    if chain is None:
        return NOT_RECORDED
    verified = chain.verdict in (ChainVerdict.VERIFIED, ChainVerdict.VERIFIED_EXCEPT_HEAD)
    return f"{chain.verdict_words}: {NOT_SIGNED}" if verified else chain.verdict_words


def _woken(receipt: Receipt, next_ref: int) -> Iterator[Piece]:
    source = receipt.wake.get("source") if isinstance(receipt.wake, Mapping) else None
    yield str(NOT_RECORDED if source is None else source), Role.TEXT
    for index, one in enumerate(receipt.woken_by[:MAX_LISTED]):
        if one.id is None:
            yield f"  {_short(one.ref)}, not in this ledger", Role.MUTED
        else:
            mark = "enter" if index == next_ref else ""
            yield f"→ receipt {one.id} of {one.node}   {mark}".rstrip(), Role.TEXT
    if len(receipt.woken_by) > MAX_LISTED:
        yield _more(len(receipt.woken_by), ""), Role.MUTED


def _why(receipt: Receipt, model: LedgerModel) -> Iterator[Piece]:
    before, changes = receipt.before, receipt.input_changes
    if before is None:
        yield "first receipt of this node", Role.TEXT
        return
    if receipt.contract_changed:
        yield f"contract changed since receipt {before}", Role.TEXT
    inputs = receipt.input_fingerprints
    count = len(inputs) if isinstance(inputs, Sequence) else 0
    for one in changes[:MAX_LISTED]:
        source = model.input_source(receipt, one.after)
        change = f"{_short(one.before)} → {_short(one.after)}"
        more = "" if source is None else f", {source}"
        text = f"input {one.position + 1} of {count} changed since receipt {before}: {change}{more}"
        yield text, Role.TEXT
    if len(changes) > MAX_LISTED:
        yield _more(len(changes), " inputs").lstrip(), Role.MUTED
    if not changes and not receipt.contract_changed:
        same = f"contract and inputs unchanged since receipt {before}"
        yield f"{same}: nothing to do" if receipt.status == SKIPPED else same, Role.MUTED


def _moved(receipt: Receipt) -> Iterator[Piece]:
    changes = receipt.facet_changes
    for one in changes[:MAX_LISTED]:
        yield f"{one.facet}  {_short(one.before)} → {_short(one.after)}", Role.TEXT
    if len(changes) > MAX_LISTED:
        yield _more(len(changes), " facets").lstrip(), Role.MUTED
    if receipt.propagates:
        yield "wakes the subscribers of these facets", Role.MUTED
    elif not changes and receipt.woke:
        yield "no facet changed, but a receipt names this one as its trigger", Role.MUTED
    elif not changes:
        yield "no facet changed, no subscriber woken", Role.MUTED
    else:
        yield "no subscriber woken: only rendered receipts wake others", Role.MUTED


def _cost(receipt: Receipt, model: LedgerModel) -> str:
    if receipt.tokens is None:
        return "not readable"
    parts = [f"fresh {tokens(receipt.tokens.fresh)}", f"reused {tokens(receipt.tokens.reused)}"]
    if isinstance(receipt.cost, Mapping):
        parts.append(_model_name(receipt.cost))
    cost = model.cost_of(receipt)
    if cost is not None:
        parts.append(cost_text(cost))
    return "   ".join(part for part in parts if part)


def _model_name(cost: Mapping[object, object]) -> str:
    named = [str(cost[key]) for key in ("provider", "model") if cost.get(key)]
    return "/".join(named) if any(one != NO_MODEL for one in named) else NOT_RECORDED


def _short(value: object) -> str:
    if value is None:
        return NOT_RECORDED
    text = str(value).removeprefix("sha256:")
    return f"…{text[-FINGERPRINT_CELLS:]}" if len(text) > 2 * FINGERPRINT_CELLS else text


def _fact(page: TextBuilder, label: str, pieces: Sequence[Piece]) -> None:
    glyphs = page.ui.glyphs
    room = max(8, page.room - LABEL_CELLS)
    for number, (text, role) in enumerate(pieces):
        for index, part in enumerate(wrapped(safe(text, glyphs), room, 3, glyphs.cut)):
            line = page.line()
            if not number and not index:
                line.add(label, Role.MUTED)
            line.put(page.margin + LABEL_CELLS, part, role)


def _semantic_diff(page: TextBuilder, receipt: Receipt) -> None:
    if not receipt.semantic_diff:
        return
    page.blank()
    page.line().add("semantic diff", Role.MUTED)
    lines = record_content(receipt.semantic_diff).lines
    for one in lines[:MAX_DIFF_LINES]:
        line = page.line()
        line.add(one.lead)
        line.add(one.key, Role.MUTED)
        room = max(0, page.end - line.cells)
        line.add(clip(one.rest, room, ellipsis=page.ui.glyphs.cut))
    if len(lines) > MAX_DIFF_LINES:
        page.line().add(f"{len(lines) - MAX_DIFF_LINES:,} more lines", Role.MUTED)


_HASH_NOTES = {
    True: "same as recorded",
    False: "differs from the recorded address",
    None: "recomputed; no address recorded",
}


def _addresses(page: TextBuilder, receipt: Receipt) -> None:
    page.blank()
    differs = receipt.hash_matches is False
    for label, value, note in (
        ("address", receipt.address, _HASH_NOTES[receipt.hash_matches]),
        ("prev", receipt.prev, ""),
        ("contract", receipt.contract_fingerprint, ""),
    ):
        line, glyphs = page.line(), page.ui.glyphs
        line.add(label, Role.MUTED)
        line.put(page.margin + LABEL_CELLS, "")
        shown = NOT_RECORDED if value is None else safe(value, glyphs)
        line.add(clip(shown, page.room - LABEL_CELLS, ellipsis=glyphs.cut))
        if note and value is not None and line.cells + 3 + cell_width(note) <= page.end:
            line.add(note, Role.WARNING if differs else Role.MUTED, skip=3)


def write_sum(page: TextBuilder, one: LedgerSum, model: LedgerModel) -> None:
    """Writes the receipts, tokens and costs of a surprise cause or node."""
    glyphs = page.ui.glyphs
    page.line().add(clip(safe(one.name, glyphs), page.room, ellipsis=glyphs.cut), Role.STRONG)
    receipts = [receipt for receipt in model.receipts if one.includes(receipt)]
    counts = Counter(str(receipt.status) for receipt in receipts)
    listed = ", ".join(f"{count:,} {word}" for word, count in counts.items())
    _fact(page, "receipts", [(listed, Role.TEXT)])
    spent = f"fresh {tokens(one.tokens.fresh)}   reused {tokens(one.tokens.reused)}"
    _fact(page, "spent", [(f"{spent}   {cost_text(one.cost)}".rstrip(), Role.TEXT)])
    if one.by_node and receipts:
        _fact(page, "chain", [(_chain(one.name, model), Role.TEXT)])
        failed = (problem_of(receipt) for receipt in receipts if receipt.status == FAILED)
        reasons = list(dict.fromkeys(reason for reason in failed if reason is not None))
        _fact(page, "failures", [(reason, Role.ERROR) for reason in reasons[:MAX_LISTED]])
