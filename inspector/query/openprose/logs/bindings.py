"""Values that lie in files: bindings, published world models, working files of a node.

Source: OpenProse filesystem state document, "bindings/{name}.md": a heading, `kind:` (later
`binding:`), perhaps `execution_id:` and the source, a rule, and the value below it. A file without
such a head is all value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from inspector.model.value import AttachmentVerdict, Value
from inspector.query.openprose.logs.folder import Beside, Surroundings, is_content, split_name
from inspector.query.view import ValueList
from inspector.store.attachment import inspect_attachment

WHOLE_BYTES = 64 * 1024
"""Contents up to this size are read at once, larger ones only when asked for."""
LARGEST_BYTES = 256 << 20
"""Even then no more than this is read of one file."""
PREVIEW_CHARS = 1024
MOST_HEADS = 64
"""Bindings that are looked into for the program's output."""
HEAD_BYTES = 16 * 1024
"""A head ends before this or there is none."""
ROOT_SCOPE = "root"

_PAIR = re.compile(r"([a-z_]{1,30}):[ \t]*(.*)")
_TEXT = frozenset(
    (
        AttachmentVerdict.OK,
        AttachmentVerdict.OK_REPLACEMENT_CHARS,
        AttachmentVerdict.OK_TRUNCATED_PREVIEW,
    )
)


class Head(NamedTuple):
    """What stands above a value in its file."""

    size: int = 0
    """Bytes up to the value."""
    kind: str | None = None
    frame: int | None = None
    source: str | None = None


def read_head(data: bytes) -> Head:
    """Reads the head of a binding's file; an empty one where there is none."""
    fields: dict[str, str] = {}
    source: list[str] = []
    fenced = False
    at = 0
    for number, raw in enumerate(data[:HEAD_BYTES].split(b"\n")):
        line = raw.decode("utf-8", "replace").rstrip("\r")
        at += len(raw) + 1
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            source.append(line)
        elif line.strip() == "---" and number:
            known = fields.get("kind") or fields.get("binding")
            return _head(data, at, known, fields, source) if known else Head()
        elif (pair := _PAIR.fullmatch(line.strip())) is not None:
            fields.setdefault(pair[1], pair[2].strip())
    return Head()


def _head(
    data: bytes, at: int, kind: str, fields: Mapping[str, str], source: Sequence[str]
) -> Head:
    while data[at : at + 1] in (b"\n", b"\r"):
        at += 1
    frame = fields.get("execution_id", "")
    said = "\n".join(source) or fields.get("source") or None
    return Head(at, kind, int(frame) if frame.isdigit() and len(frame) < 19 else None, said)


@dataclass(frozen=True, slots=True)
class _Found:
    frame: int | None
    value: Value


def read_values(
    root: str,
    seen: Surroundings,
    *,
    frame: str | None = None,
    chain: Sequence[int] = (),
    full: bool = False,
) -> ValueList:
    """Values of every scope, or as one frame resolves them: `chain` is it and those around it."""
    found = [_binding(root, one, full) for one in seen.bindings]
    found += [_other(root, one, "world_model", full) for one in seen.models if is_content(one)]
    found += [_other(root, one, "workspace", full) for one in seen.workspace]
    rows = len(found)
    if frame is not None:
        found = _resolved(found, {number: at for at, number in enumerate(chain)})
    return ValueList(frame, rows, tuple(one.value for one in found))


def has_output(root: str, seen: Surroundings) -> bool:
    """Whether the program's output has been written, as far as its heads say so."""
    for one in seen.bindings[:MOST_HEADS]:
        if one.node or one.size > WHOLE_BYTES:
            continue
        _, data = inspect_attachment(root, one.path, preview_bytes=HEAD_BYTES)
        if read_head(data).kind == "output":
            return True
    return False


def _resolved(found: Iterable[_Found], distance: Mapping[int, int]) -> list[_Found]:
    far = len(distance)
    nearest: dict[tuple[str | None, str | None], _Found] = {}
    for one in found:
        if one.frame is not None and one.frame not in distance:
            continue
        kind = one.value.kind if one.value.kind in ("workspace", "world_model") else None
        known = nearest.get((one.value.name, kind))
        at = far if one.frame is None else distance[one.frame]
        if known is None or at < (far if known.frame is None else distance[known.frame]):
            nearest[one.value.name, kind] = one
    return list(nearest.values())


def _binding(root: str, one: Beside, full: bool) -> _Found:
    stem, ending = os.path.splitext(one.name)
    name, frame = split_name(stem)
    name = name if ending in (".md", "") else f"{name}{ending}"
    value, head = _read(root, one, full)
    frame = head.frame if frame is None else frame
    dotted = name.replace("/", ".")
    named = replace(
        value,
        name=f"{one.node}.{dotted}" if one.node else name,
        scope=ROOT_SCOPE if frame is None else str(frame),
    )
    return _Found(frame, named)


def _other(root: str, one: Beside, kind: str, full: bool) -> _Found:
    """A file of a node. What the caller gave is an input like any other."""
    value, head = _read(root, one, full)
    if kind == "world_model" and one.node == "caller" and head.kind is not None:
        return _Found(None, replace(value, name=os.path.splitext(one.name)[0]))
    name = f"{one.node}/{one.name}" if one.node else one.name
    return _Found(None, replace(value, name=name, kind=kind))


def _read(root: str, one: Beside, full: bool) -> tuple[Value, Head]:
    wanted = LARGEST_BYTES if full else WHOLE_BYTES
    attachment, data = inspect_attachment(root, one.path, preview_bytes=wanted + HEAD_BYTES)
    is_text = attachment.verdict in _TEXT
    head = read_head(data) if is_text else Head()
    size = max(0, (attachment.size or 0) - head.size)
    content = data[head.size :]
    whole = is_text and len(content) == size and (full or size <= WHOLE_BYTES)
    text = content.decode("utf-8", "replace") if is_text else ""
    value = Value(
        name=one.name,
        scope=ROOT_SCOPE,
        kind=head.kind,
        type="text" if is_text else "blob",
        size=size,
        value=text if whole else None,
        preview=text[:PREVIEW_CHARS] if is_text else content[:32].hex(" "),
        source_statement=head.source,
        updated_at=one.mtime_ns // 1_000_000,
        attachment=attachment,
    )
    return value, head
