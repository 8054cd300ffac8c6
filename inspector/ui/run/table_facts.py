"""What the list of tables tells of the one under the cursor: its columns as they are declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.text.measure import cell_width, clip
from inspector.ui.glyphs import Glyphs
from inspector.ui.run.content import Content, ContentLine
from inspector.ui.run.content_view import Titled
from inspector.ui.run.label import safe
from inspector.ui.run.record_columns import Record

WIDEST = 30
"""Cells of the names, so that types stand below each other."""


def facts_of(record: Record, glyphs: Glyphs) -> Titled:
    """A table with its columns, each with its type and what else is declared of it."""
    declared = record.get("declared") or [{"name": one} for one in record["columns"]]
    number = len(declared)
    facts = [str(record.get("type")), f"{number:,} {'column' if number == 1 else 'columns'}"]
    if not record.get("documented", True):
        facts.append("beyond the document")
    extra = record.get("extra_columns") or ()
    lines = tuple(_lines(declared, extra, glyphs))
    return Titled(safe(str(record["name"]), glyphs), tuple(facts), Content(lines, "columns"))


def _lines(
    declared: Sequence[Mapping[str, Any]], extra: Sequence[str], glyphs: Glyphs
) -> Iterator[ContentLine]:
    names = [safe(str(one["name"]), glyphs) for one in declared]
    wide = min(WIDEST, max(map(cell_width, names), default=0))
    for name, one in zip(names, declared, strict=True):
        told = " ".join(
            word
            for word, holds in (
                (safe(str(one.get("type") or ""), glyphs), True),
                ("primary key", one.get("key")),
                ("not null", one.get("not_null")),
                ("generated", one.get("generated")),
                (
                    f"default {safe(str(one.get('default')), glyphs)}",
                    one.get("default") is not None,
                ),
                ("never read", one.get("withheld")),
                ("beyond the document", one["name"] in extra),
            )
            if holds and word
        )
        shown = clip(name, WIDEST, ellipsis=glyphs.cut)
        yield ContentLine("", shown + " " * (wide - cell_width(shown) + 2), told)
