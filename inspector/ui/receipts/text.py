"""What is said of one receipt: its chain, why its node woke, what moved, what it cost, its diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, tokens
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import wrapped
from inspector.ui.palette import STATUS_ROLE, Role, word_role
from inspector.ui.receipts.book import NOT_SIGNED, Book, Record, cost_words, spent, trouble_of
from inspector.ui.receipts.columns import MEMO, STATUS, sign_of
from inspector.ui.widgets.text_view import TextBuilder

LABEL = 12
MOST_LISTED = 12
MOST_DIFF = 400
"""Lines of a semantic diff."""
NOBODY = "none"
SHORT = 12
"""Characters of a fingerprint that tell it from another one."""


def write(page: TextBuilder, receipt: Record, book: Book, next_ref: int) -> None:
    """Writes all of it; `next_ref` is the place of the reference that Enter follows."""
    _title(page, receipt)
    _trouble(page, receipt)
    _link(page, receipt, book)
    for label, part in _parts(receipt, book, next_ref):
        _part(page, label, part)
    _diff(page, receipt)
    _addresses(page, receipt)


def _title(page: TextBuilder, receipt: Record) -> None:
    glyphs, line = page.ui.glyphs, page.line()
    word = receipt.get("status")
    status = STATUS.get(str(word))
    line.add(sign_of(receipt, glyphs), Role.MUTED if status is None else STATUS_ROLE[status])
    title = f"receipt {receipt.get('id')} of {receipt.get('node')}"
    line.add(clip(safe(title, glyphs), page.room - 14, ellipsis=glyphs.cut), Role.STRONG, skip=1)
    shown = NOT_RECORDED if word is None else safe(str(word), glyphs)
    line.add(shown, Role.MUTED if status is None else word_role(status), skip=3)
    if receipt.get("created_at"):
        line.add(safe(str(receipt["created_at"]), glyphs), Role.MUTED, skip=3)


def _trouble(page: TextBuilder, receipt: Record) -> None:
    said, glyphs = trouble_of(receipt), page.ui.glyphs
    if said is None:
        return
    role = Role.ERROR if receipt.get("status") == "failed" else Role.TEXT
    line = page.line()
    line.add(glyphs.finding, Role.WARNING)
    for part in wrapped(safe(said, glyphs), page.room - 2, 6, glyphs.cut):
        line.put(page.margin + 2, part, role)
        line = page.line()
    page.lines.pop()


def _link(page: TextBuilder, receipt: Record, book: Book) -> None:
    """Where a chain breaks, both ends of the link."""
    before = book.by_id(receipt.get("before"))
    if not receipt.get("broken") or before is None:
        return
    named, is_ = receipt.get("prev"), before.get("address")
    if named != is_:
        said = f"it names {_short(named)}, and receipt {before.get('id')} is {_short(is_)}"
        _part(page, "prev", [(said, Role.TEXT)])


Part = Sequence[tuple[str, Role]]


def _parts(receipt: Record, book: Book, next_ref: int) -> Iterator[tuple[str, Part]]:
    yield "chain", [(_chain(receipt, book), Role.TEXT)]
    yield "woken by", list(_woken(receipt, next_ref))
    yield "why", list(_why(receipt, book))
    yield "moved", list(_moved(receipt))
    woke = receipt.get("woke") or ()
    if woke:
        listed = ", ".join(_named(book.by_id(one)) for one in woke[:MOST_LISTED])
        more = f" and {len(woke) - MOST_LISTED:,} more" if len(woke) > MOST_LISTED else ""
        yield "woke", [(f"{listed}{more}", Role.TEXT)]
    yield "cost", [(_cost(receipt, book), Role.TEXT)]


def _named(receipt: Record | None) -> str:
    return "" if receipt is None else f"{receipt.get('id')} {receipt.get('node')}"


def _chain(receipt: Record, book: Book) -> str:
    chain = book.chain_of(str(receipt.get("node")))
    if chain is None:
        return NOT_RECORDED
    words = chain.get("verdict_words") or str(chain.get("verdict"))
    holds = str(chain.get("verdict")).startswith("verified")
    return f"of this node {words}" + (f": {NOT_SIGNED}" if holds else "")


def _woken(receipt: Record, next_ref: int) -> Iterator[tuple[str, Role]]:
    wake = receipt.get("wake")
    source = wake.get("source") if isinstance(wake, Mapping) else None
    yield str(NOT_RECORDED if source is None else source), Role.TEXT
    refs = receipt.get("woken_by") or ()
    for at, one in enumerate(refs[:MOST_LISTED]):
        if one.get("id") is None:
            yield f"  {_short(one.get('ref'))}, which is not in this ledger", Role.MUTED
        else:
            mark = "enter" if at == next_ref else ""
            yield f"→ receipt {one['id']} of {one['node']}   {mark}".rstrip(), Role.TEXT
    if len(refs) > MOST_LISTED:
        yield f"  and {len(refs) - MOST_LISTED:,} more", Role.MUTED


def _why(receipt: Record, book: Book) -> Iterator[tuple[str, Role]]:
    before = receipt.get("before")
    if before is None:
        yield "the first receipt of this node", Role.TEXT
        return
    if receipt.get("contract_changed"):
        yield f"its contract is another one than at receipt {before}", Role.TEXT
    changes = receipt.get("input_changes") or ()
    count = len(receipt.get("input_fingerprints") or ())
    for one in changes[:MOST_LISTED]:
        facet = book.facet_behind(receipt, one["after"])
        yield (
            f"input {one['position'] + 1} of {count} differs from receipt {before}: "
            f"{_short(one['before'])} → {_short(one['after'])}"
            + (f", {facet}" if facet is not None else ""),
            Role.TEXT,
        )
    if len(changes) > MOST_LISTED:
        yield f"and {len(changes) - MOST_LISTED:,} more inputs", Role.MUTED
    if not changes and not receipt.get("contract_changed"):
        memo = receipt.get("status") == MEMO
        same = f"neither contract nor inputs differ from receipt {before}"
        yield f"{same}: nothing had to be done" if memo else same, Role.MUTED


def _moved(receipt: Record) -> Iterator[tuple[str, Role]]:
    changes = receipt.get("facet_changes") or ()
    for one in changes[:MOST_LISTED]:
        yield f"{one['facet']}  {_short(one['before'])} → {_short(one['after'])}", Role.TEXT
    if len(changes) > MOST_LISTED:
        yield f"and {len(changes) - MOST_LISTED:,} more facets", Role.MUTED
    if receipt.get("propagates"):
        yield "so that whoever subscribes to it wakes", Role.MUTED
    elif not changes and receipt.get("woke"):
        yield "no facet, though a receipt names it as what woke it", Role.MUTED
    elif not changes:
        yield "no facet, so that nobody wakes", Role.MUTED
    else:
        yield "but only what is rendered wakes others", Role.MUTED


def _cost(receipt: Record, book: Book) -> str:
    found, cost = spent(receipt), receipt.get("cost")
    if found is None:
        return "it cannot be read"
    parts = [f"fresh {tokens(found[0])}", f"reused {tokens(found[1])}"]
    if isinstance(cost, Mapping):
        parts.append(_model(cost))
    priced = book.price_of(receipt)
    if priced is not None:
        parts.append(cost_words(priced))
    return "   ".join(part for part in parts if part)


def _model(cost: Record) -> str:
    """Who did it; a memo's receipt names nobody, in a word of its own."""
    named = [str(cost[key]) for key in ("provider", "model") if cost.get(key)]
    return "/".join(named) if any(one != NOBODY for one in named) else NOT_RECORDED


def _short(value: Any) -> str:
    if value is None:
        return NOT_RECORDED
    text = str(value).removeprefix("sha256:")
    return f"…{text[-SHORT:]}" if len(text) > 2 * SHORT else text


def _part(page: TextBuilder, label: str, part: Part) -> None:
    glyphs = page.ui.glyphs
    for number, (text, role) in enumerate(part):
        shown = safe(text, glyphs)
        for at, piece in enumerate(wrapped(shown, max(8, page.room - LABEL), 3, glyphs.cut)):
            line = page.line()
            if not number and not at:
                line.add(label, Role.MUTED)
            line.put(page.margin + LABEL, piece, role)


def _diff(page: TextBuilder, receipt: Record) -> None:
    diff = receipt.get("semantic_diff")
    if not diff:
        return
    page.blank()
    page.line().add("semantic diff", Role.MUTED)
    lines = record_content(diff).lines
    for one in lines[:MOST_DIFF]:
        line = page.line()
        line.add(one.lead)
        line.add(one.key, Role.MUTED)
        room = max(0, page.end - line.cells)
        line.add(clip(one.rest, room, ellipsis=page.ui.glyphs.cut))
    if len(lines) > MOST_DIFF:
        page.line().add(f"{len(lines) - MOST_DIFF:,} more lines", Role.MUTED)


def _addresses(page: TextBuilder, receipt: Record) -> None:
    page.blank()
    matches = receipt.get("hash_matches")
    recorded = {
        True: "as the writer recorded it",
        False: "the writer recorded another one",
        None: "recomputed; the writer recorded none",
    }[matches]
    for label, value, note in (
        ("address", receipt.get("address"), recorded),
        ("prev", receipt.get("prev"), ""),
        ("contract", receipt.get("contract_fingerprint"), ""),
    ):
        line, glyphs = page.line(), page.ui.glyphs
        line.add(label, Role.MUTED)
        shown = NOT_RECORDED if value is None else safe(str(value), glyphs)
        line.put(page.margin + LABEL, "")
        room = page.room - LABEL
        line.add(clip(shown, room, ellipsis=glyphs.cut))
        if note and value is not None and line.cells + 3 + cell_width(note) <= page.end:
            line.add(note, Role.WARNING if matches is False else Role.MUTED, skip=3)


def write_sum(page: TextBuilder, record: Record, book: Book) -> None:
    """What is said of a cause or a node."""
    glyphs, group = page.ui.glyphs, str(record["group"])
    page.line().add(clip(safe(group, glyphs), page.room, ellipsis=glyphs.cut), Role.STRONG)
    key = "node" if record["of"] == "node" else "surprise_cause"
    mine = [one for one in book.receipts if one.get(key) == group]
    counts: dict[str, int] = {}
    for one in mine:
        word = str(one.get("status"))
        counts[word] = counts.get(word, 0) + 1
    said = ", ".join(f"{count:,} {word}" for word, count in counts.items())
    _part(page, "receipts", [(said, Role.TEXT)])
    fresh, reused = tokens(record["fresh"]), tokens(record["reused"])
    costs = cost_words(record["cost"]) if record.get("cost") else ""
    _part(page, "spent", [(f"fresh {fresh}   reused {reused}   {costs}".rstrip(), Role.TEXT)])
    if key == "node" and mine:
        _part(page, "chain", [(_chain(mine[-1], book), Role.TEXT)])
        failed = [one for one in mine if one.get("status") == "failed"]
        reasons = dict.fromkeys(str(trouble_of(one)) for one in failed)
        _part(page, "failures", [(one, Role.ERROR) for one in list(reasons)[:MOST_LISTED]])
