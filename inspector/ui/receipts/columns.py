"""The columns of receipts, and of what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.model.status import Status
from inspector.query.presentation import Column, Format, RecordTable, Tone
from inspector.text.numbers import NOT_RECORDED, tokens
from inspector.ui.glyphs import Glyphs
from inspector.ui.receipts.book import Record, cost_words, spent, trouble_of

BAR_CELLS = 12
STATUS = {
    "rendered": Status.COMPLETED,
    "skipped": Status.SKIPPED,
    "failed": Status.FAILED,
}
"""Exact; any other word is unknown."""
MEMO = "skipped"
"""The word of a receipt that nothing had to be done for: neither contract nor inputs differ."""


def sign_of(receipt: Record, glyphs: Glyphs) -> str:
    """The sign of how a receipt came out."""
    return glyphs.of(STATUS.get(str(receipt.get("status")), Status.UNKNOWN))


def receipts_table(records: Sequence[Record], glyphs: Glyphs) -> RecordTable:
    """Receipts, each with what it spent beside the dearest of them."""
    most = max((sum(spent(one) or (0, 0)) for one in records), default=0)
    columns = (
        Column("receipt", 7, "id", right=True),
        Column("node", 20, "node", tone=Tone.TEXT, grows=True, from_end=True),
        Column("status", 11, _status(glyphs)),
        Column("fresh", 6, _tokens(0), tone=Tone.TEXT, right=True),
        Column("reused", 6, _tokens(1), right=True),
        Column("woken by", 12, _woken, narrow=False),
        Column("moved", 16, _moved, narrow=False),
        Column("spent", BAR_CELLS, _bar(most, glyphs), tone=Tone.DONE, narrow=False),
    )
    return RecordTable(
        columns,
        lambda one: f"receipt {one.get('id')} of {one.get('node')}",
        problem=trouble_of,
    )


def _status(glyphs: Glyphs) -> Callable[[Record], str]:
    def text(receipt: Record) -> str:
        word = receipt.get("status")
        return f"{sign_of(receipt, glyphs)} {NOT_RECORDED if word is None else word}"

    return text


def _woken(receipt: Record) -> str:
    """The cause, and the receipt that woke it where the ledger has it."""
    cause = receipt.get("surprise_cause")
    ids = [one.get("id") for one in receipt.get("woken_by", ()) if one.get("id") is not None]
    more = f" {ids[0]}" + ("+" if len(ids) > 1 else "") if ids else ""
    return f"{NOT_RECORDED if cause is None else cause}{more}"


def _moved(receipt: Record) -> str:
    facets = receipt.get("moved_facets")
    return " ".join(map(str, facets)) if isinstance(facets, Sequence) else NOT_RECORDED


def _tokens(which: int) -> Callable[[Record], str]:
    def text(receipt: Record) -> str:
        found = spent(receipt)
        return tokens(None if found is None else found[which])

    return text


def _bar(most: int, glyphs: Glyphs) -> Callable[[Record], str]:
    """Fresh tokens as a solid bar, reused ones behind it as a thin one."""

    def text(receipt: Record) -> str:
        fresh, reused = spent(receipt) or (0, 0)
        return bar(fresh, reused, most, glyphs)

    return text


def bar(fresh: int, reused: int, most: int, glyphs: Glyphs) -> str:
    """What was spent beside the most that was; something is never nothing."""
    if not most or not fresh + reused:
        return ""
    whole = max(1, round((fresh + reused) * BAR_CELLS / most))
    solid = min(whole, max(1, round(fresh * BAR_CELLS / most))) if fresh else 0
    return glyphs.bar * solid + glyphs.parent_bar * (whole - solid)


def sums_table(records: Sequence[Record], glyphs: Glyphs, *, money: bool) -> RecordTable:
    """Tokens by surprise cause and by node."""
    most: dict[str, int] = {}
    for one in records:
        group = str(one["of"])
        most[group] = max(most.get(group, 0), one["fresh"] + one["reused"])
    columns = (
        Column("by", 5, "of"),
        Column("", 20, "group", tone=Tone.TEXT, grows=True, from_end=True),
        Column("receipts", 8, "receipts", right=True),
        Column("fresh", 6, "fresh", Format.TOKENS, tone=Tone.TEXT, right=True),
        Column("reused", 6, "reused", Format.TOKENS, right=True),
        *((Column("cost", 16, _cost, tone=Tone.TEXT, right=True),) if money else ()),
        Column("spent", BAR_CELLS, _share(most, glyphs), tone=Tone.DONE, narrow=False),
    )
    return RecordTable(columns, lambda one: f"{one['of']} {one['group']}")


def _cost(one: Record) -> str:
    found: Any = one.get("cost")
    return cost_words(found) if isinstance(found, Mapping) else NOT_RECORDED


def _share(most: Mapping[str, int], glyphs: Glyphs) -> Callable[[Record], str]:
    return lambda one: bar(one["fresh"], one["reused"], most[str(one["of"])], glyphs)
