"""What is said of a version: its address and bytes, its files, and what differs from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED, size
from inspector.ui.content import content_of
from inspector.ui.labels import safe
from inspector.ui.lines import wrapped
from inspector.ui.models.columns import IN_WORDS, trouble_of
from inspector.ui.palette import Role
from inspector.ui.widgets.text_view import TextBuilder

Record = Mapping[str, Any]
LABEL = 12
SIZE_END = 20
MOST_FILES = 200
MOST_LINES = 5_000
_ROLES = {"+": Role.SUCCESS, "-": Role.ERROR, "@": Role.MUTED}


def write(page: TextBuilder, record: Record, told: str) -> None:
    """The version itself; `told` says what stands below it."""
    glyphs = page.ui.glyphs
    line = page.line()
    line.add(
        clip(safe(str(record.get("node")), glyphs), page.room, ellipsis=glyphs.cut), Role.STRONG
    )
    line.add("published" if record.get("published") else "", skip=3)
    line.add("canonical: what its node committed", Role.MUTED, skip=3)
    trouble = trouble_of(record)
    word = str(record.get("integrity"))
    if trouble is not None:
        _said(page, glyphs.finding, trouble, Role.WARNING)
    else:
        is_proved = word == "verified"
        sign = glyphs.completed if is_proved else glyphs.unknown
        _said(page, sign, IN_WORDS.get(word, word), Role.SUCCESS if is_proved else Role.MUTED)
    _fact(page, "version", record.get("version"))
    if record.get("address") not in (None, record.get("version")):
        _fact(page, "recomputed", record.get("address"))
    if "order" in record:
        _fact(page, "made at", _made_at(record))
    _fact(page, "kept in", record.get("store") or record.get("attachment_path"))
    if record.get("receipts") is not None:
        chain = record.get("chain") or "of several nodes"
        _fact(page, "receipts", f"{record['receipts']:,} beside it, the chain {chain}")
    if told:
        page.blank()
        page.line().add(clip(told, page.room, ellipsis=glyphs.cut), Role.MUTED)


def _made_at(record: Record) -> str:
    """What the version's place in the list follows."""
    receipt, again = record.get("receipt"), record.get("receipt_again")
    if receipt is None:
        rows = record.get("order") == "rows"
        follows = "its row" if rows else "when its file was written"
        return f"no receipt names it: its place here is by {follows}"
    back = "" if again is None else f", and receipt {again} came back to it"
    return f"receipt {receipt}, the first that names it{back}"


def _said(page: TextBuilder, sign: str, text: str, role: Role) -> None:
    glyphs = page.ui.glyphs
    for number, part in enumerate(wrapped(safe(text, glyphs), page.room - 2, 4, glyphs.cut)):
        line = page.line()
        if not number:
            line.add(sign, role)
        line.put(page.margin + 2, part)


def _fact(page: TextBuilder, label: str, value: Any) -> None:
    line, glyphs = page.line(), page.ui.glyphs
    line.add(label, Role.MUTED)
    line.put(page.margin + LABEL, "")
    text = NOT_RECORDED if value is None else safe(str(value), glyphs)
    line.add(clip(text, page.room - LABEL, ellipsis=glyphs.cut))


def write_diff(page: TextBuilder, changes: Sequence[Record]) -> None:
    """File by file: what became of it, and the lines that differ."""
    if not changes:
        page.line().add("no file differs", Role.MUTED)
    written = 0
    for one in changes[:MOST_FILES]:
        page.blank()
        _file(page, str(one["path"]), str(one["change"]), _sizes(one))
        lines = one.get("lines")
        if lines is None:
            page.line().add("no text, or more of it than is set side by side", Role.MUTED)
        for text in (lines or ())[: max(0, MOST_LINES - written)]:
            written += 1
            shown = page.ui.glyphs.safe(text)
            role = _ROLES.get(text[:1], Role.TEXT)
            page.line().add(clip(shown, page.room, ellipsis=page.ui.glyphs.cut), role)
    if len(changes) > MOST_FILES or written >= MOST_LINES:
        page.line().add("and more than is shown here", Role.MUTED)


def _sizes(one: Record) -> str:
    before, after = one.get("before_size"), one.get("after_size")
    if before is None or after is None:
        return size(after if before is None else before)
    return f"{size(before)} → {size(after)}"


def _file(page: TextBuilder, path: str, word: str, sizes: str) -> None:
    line, glyphs = page.line(), page.ui.glyphs
    room = max(8, page.room - 30)
    line.add(clip(safe(path, glyphs), room, ellipsis=glyphs.cut), Role.STRONG)
    line.add(word, Role.MUTED, skip=3)
    line.add(glyphs.plain(sizes), Role.MUTED, skip=3)


def write_files(page: TextBuilder, files: Sequence[Record]) -> None:
    """The files of a version with what is in them."""
    if not files:
        page.line().add("it has no files", Role.MUTED)
    left = MOST_LINES
    for one in files[:MOST_FILES]:
        page.blank()
        _file(page, str(one["path"]), "", size(one["size"]))
        text = one.get("text")
        if text is None:
            page.line().add("no text, or too long to be shown", Role.MUTED)
            continue
        for each in content_of(str(one["path"]), text, "text").lines[:left]:
            left -= 1
            line = page.line()
            line.add(each.lead)
            line.add(each.key, Role.MUTED)
            room = max(0, page.end - line.cells)
            line.add(clip(each.rest, room, ellipsis=page.ui.glyphs.cut))
