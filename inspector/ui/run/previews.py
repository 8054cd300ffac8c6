"""A value in a few cells: what it is, on one line, masked and safe."""

from __future__ import annotations

import json
from typing import Any

from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.query.attached import word_of
from inspector.text.mask import mask_named
from inspector.text.measure import cell_width, clip
from inspector.ui.glyphs import Glyphs
from inspector.ui.palette import Role

LOOKED_AT = 4_096
"""Characters of a value that are looked at for one line."""

PARSED = 65_536
"""Characters up to which a value is read as JSON for one line."""

GOOD = {
    AttachmentVerdict.OK,
    AttachmentVerdict.OK_BINARY,
    AttachmentVerdict.OK_TRUNCATED_PREVIEW,
    AttachmentVerdict.OK_REPLACEMENT_CHARS,
}
"""Verdicts on files that can be read."""


def size_of(value: Value) -> int | None:
    """Bytes of the content: of the file, where a file holds it."""
    attached = value.attachment
    if attached is not None and attached.verdict is not AttachmentVerdict.NONE:
        return attached.size
    return value.size


def is_set(value: Value) -> bool:
    """Whether there is a row for the name in this scope."""
    return value.row is not None or value.type != "null"


def verdict(attachment: Attachment) -> tuple[str, Role]:
    """What came of the file, in a word or two."""
    return word_of(attachment.verdict), Role.SUCCESS if attachment.verdict in GOOD else Role.WARNING


def one_line(value: Value, cells: int, glyphs: Glyphs) -> tuple[str, bool]:
    """The content in at most `cells` cells, and whether a secret in it was masked.

    Text stands in quotes, JSON with what is inside of its outermost level left out.
    """
    if value.type == "null":
        return "null", False
    text = value.value if value.value is not None else value.preview
    hidden = mask_named(value.name, text[:PARSED])
    if hidden.count:
        return clip(glyphs.safe(hidden.text[:LOOKED_AT]), cells, ellipsis=glyphs.cut), True
    if value.type != "text":
        return clip(glyphs.safe(text[:LOOKED_AT]), cells, ellipsis=glyphs.cut), False
    outline = _outline(text, glyphs) if text[:1] in "{[" else None
    if outline is not None:
        return clip(glyphs.safe(outline), cells, ellipsis=glyphs.cut), False
    return quoted(text, cells, glyphs), False


def quoted(text: str, cells: int, glyphs: Glyphs) -> str:
    """Text in quotes that both stay, however much of it is cut."""
    shown = glyphs.safe(text[:LOOKED_AT])
    if cell_width(shown) + 2 > cells or len(text) > LOOKED_AT:
        shown = clip(shown + glyphs.cut, cells - 2, ellipsis=glyphs.cut)
    return f'"{shown}"'


def _outline(text: str, glyphs: Glyphs) -> str | None:
    """The outermost level of a JSON text; None when it is none."""
    if len(text) > PARSED:
        return text[:LOOKED_AT]
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text[:LOOKED_AT]
    if isinstance(parsed, dict):
        inside = ", ".join(
            f"{json.dumps(str(key), ensure_ascii=False)}: {_short(item, glyphs)}"
            for key, item in list(parsed.items())[:50]
        )
        return f"{{{inside}}}"
    if isinstance(parsed, list):
        return "[" + ", ".join(_short(item, glyphs) for item in parsed[:50]) + "]"
    return None


def _short(item: Any, glyphs: Glyphs) -> str:
    if isinstance(item, dict):
        return f"{{{glyphs.cut}}}" if item else "{}"
    if isinstance(item, list):
        return f"[{glyphs.cut}]" if item else "[]"
    return json.dumps(item, ensure_ascii=False)
