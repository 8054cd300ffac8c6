"""Labels of steps and values: name, progress and duration as escaped text for one row."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from inspector.derive.progress import Counted, Progress
from inspector.model.step import Step, StepKind
from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.query.attached import word_of
from inspector.text.escape import json_text
from inspector.text.mask import mask, mask_named
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import CANNOT_BE_KNOWN
from inspector.ui.glyphs import Glyphs
from inspector.ui.palette import Role

LONGEST = 500
"""Characters of a recorded text considered for a single line."""

_NUMBERED = {
    StepKind.STATEMENT,
    StepKind.PARALLEL,
    StepKind.LOOP,
    StepKind.BLOCK,
}


class Name(NamedTuple):
    """Name of a step in parts, escaped."""

    sign: str
    """Kind of step; empty if the tree already shows it."""
    text: str
    short: str
    """For a loop only the keyword; the detail has the condition."""
    note: str
    """Muted text, three cells after the label."""


def written(value: object) -> str:
    """Formats a cell: text as is, other types as JSON if possible."""
    if isinstance(value, str):
        return value
    try:
        return json_text(value)
    except TypeError:
        return str(value)


def safe(text: str, glyphs: Glyphs) -> str:
    """Formats a recorded text for one line: clipped, masked, escaped."""
    key = (glyphs.ascii, glyphs.letters)
    _SETS.setdefault(key, glyphs)
    return _safe(text[:LONGEST], key)


@lru_cache(maxsize=8192)
def _safe(text: str, key: tuple[bool, bool]) -> str:
    return _SETS[key].safe(mask(text).text)


_SETS: dict[tuple[bool, bool], Glyphs] = {}
"""Glyph sets by what distinguishes them, because hashing a whole set is slow."""


def kind_glyph(kind: StepKind, glyphs: Glyphs) -> str:
    """Returns the glyph of a kind; empty if it has none."""
    name = _SIGNED.get(kind)
    sign: str = getattr(glyphs, name) if name is not None else ""
    return sign


_SIGNED = {
    StepKind.MODEL_CALL: "model_call",
    StepKind.ADVISORY: "model_call",
    StepKind.TOOL_CALL: "tool",
    StepKind.ACTION: "action",
}


def name_of(step: Step, inner: Step | None, segment: object, glyphs: Glyphs) -> Name:
    """Returns the label of a row; `inner` is the step that shares it, `segment` ends its path."""
    label = step.label or (inner.label if inner else "")
    text = safe(label, glyphs) if label else ""
    if step.kind is StepKind.BRANCH:
        text = f"{glyphs.branch(safe(str(segment), glyphs))} {text}".rstrip()
    elif step.kind is StepKind.ITERATION:
        text = f"[{safe(str(segment), glyphs)}] {text}".rstrip()
    elif step.kind in _NUMBERED:
        index = step.ref.get("statement_index")
        if index is not None:
            text = f"{safe(str(index), glyphs)} {text}".rstrip()
    note = step.ref.get("note")
    short = ""
    if step.kind is StepKind.LOOP and " " in label:
        short = text[: len(text) - len(safe(label, glyphs))] + safe(label.split()[0], glyphs)
    return Name(
        kind_glyph(step.kind, glyphs),
        text or step.kind.value.replace("_", " "),
        short,
        safe(str(note), glyphs) if note else "",
    )


def progress_text(progress: Progress | None, glyphs: Glyphs, *, bare: bool = False) -> str:
    """Formats progress: `∥ 2/3`, `↻ 3/5`, `×2`; `bare` omits the construct's glyph."""
    if progress is None:
        return ""
    if progress.what is Counted.TRIES:
        return f"{glyphs.attempt}{progress.done}"
    numbers = f"{progress.done:,}"
    if progress.total is not None:
        numbers += f"/{progress.total:,}"
    elif progress.what is Counted.BRANCHES:
        numbers += f"/{CANNOT_BE_KNOWN}"
    if bare:
        return numbers
    sign = glyphs.parallel if progress.what is Counted.BRANCHES else glyphs.loop
    return f"{sign} {numbers}"


LOOKED_AT = 4_096
"""Characters of a value considered for one line."""

PARSED = 65_536
"""Maximum characters of a value parsed as JSON for one line."""

GOOD = {
    AttachmentVerdict.OK,
    AttachmentVerdict.OK_BINARY,
    AttachmentVerdict.OK_TRUNCATED_PREVIEW,
    AttachmentVerdict.OK_REPLACEMENT_CHARS,
}
"""Verdicts on readable files."""


def size_of(value: Value) -> int | None:
    """Bytes of the content, or of the file that holds it."""
    attached = value.attachment
    if attached is not None and attached.verdict is not AttachmentVerdict.NONE:
        return attached.size
    return value.size


def is_set(value: Value) -> bool:
    """True if the name has a row in this scope."""
    return value.row is not None or value.type != "null"


def verdict(attachment: Attachment) -> tuple[str, Role]:
    """The state of an attached file in a word or two, and its role."""
    return word_of(attachment.verdict), Role.SUCCESS if attachment.verdict in GOOD else Role.WARNING


def one_line(value: Value, cells: int, glyphs: Glyphs) -> tuple[str, bool]:
    """Formats content in at most `cells` cells; also returns whether a secret was masked.

    Text is quoted; JSON is reduced to its outermost level.
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
    """Quotes a text; clipping keeps both quotes."""
    shown = glyphs.safe(text[:LOOKED_AT])
    if cell_width(shown) + 2 > cells or len(text) > LOOKED_AT:
        shown = clip(shown + glyphs.cut, cells - 2, ellipsis=glyphs.cut)
    return f'"{shown}"'


def _outline(text: str, glyphs: Glyphs) -> str | None:
    """Returns the outermost level of a JSON text; None if it is not JSON."""
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
