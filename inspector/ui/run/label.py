"""What a step is called, how far it is, and what it took: safe text for one row."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from inspector.derive.progress import Counted, Progress
from inspector.model.step import Step, StepKind
from inspector.text.escape import json_text
from inspector.text.mask import mask
from inspector.text.numbers import CANNOT_BE_KNOWN
from inspector.ui.glyphs import Glyphs

LONGEST = 500
"""Characters of a recorded text that are looked at for a single line."""

_NUMBERED = {
    StepKind.STATEMENT,
    StepKind.PARALLEL,
    StepKind.LOOP,
    StepKind.BLOCK,
}


class Name(NamedTuple):
    """The name of a step in parts, safe to show."""

    sign: str
    """Of what kind it is; empty for what the tree tells already."""
    text: str
    short: str
    """Of a loop the word alone; its condition is told in the detail."""
    note: str
    """What follows three cells apart, muted."""


def written(value: object) -> str:
    """A cell as text: words as they are, whatever else as JSON, as far as it has a form there."""
    if isinstance(value, str):
        return value
    try:
        return json_text(value)
    except TypeError:
        return str(value)


def safe(text: str, glyphs: Glyphs) -> str:
    """A recorded text on one line: cut to what a line can hold, masked, made visible."""
    key = (glyphs.ascii, glyphs.letters)
    _SETS.setdefault(key, glyphs)
    return _safe(text[:LONGEST], key)


@lru_cache(maxsize=8192)
def _safe(text: str, key: tuple[bool, bool]) -> str:
    return _SETS[key].safe(mask(text).text)


_SETS: dict[tuple[bool, bool], Glyphs] = {}
"""Sets of signs by what makes them different; a whole set is slow to look up by."""


def kind_sign(kind: StepKind, glyphs: Glyphs) -> str:
    """The sign of a kind that has one."""
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
    """What a row is called; `inner` is the step that shares the row, `segment` ends its path."""
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
        kind_sign(step.kind, glyphs),
        text or step.kind.value.replace("_", " "),
        short,
        safe(str(note), glyphs) if note else "",
    )


def progress_text(progress: Progress | None, glyphs: Glyphs, *, bare: bool = False) -> str:
    """`∥ 2/3`, `↻ 3/5`, `×2`; `bare` = without the sign of the construct."""
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
