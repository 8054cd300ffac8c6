"""Recorded facts one by one: a marker line as it stands, with the lines that follow it."""

from __future__ import annotations

from typing import Any

from inspector.model.step import Event, StepKind
from inspector.query.openprose.logs.events import decoded
from inspector.query.openprose.logs.lines import Marker, read_line
from inspector.text.parse_time import parse_instant

MOST_NOTES = 1 << 20
"""Bytes of notes that are given with one event; `record lines` gives all of them."""


def event(n: int, line: int, kind: StepKind, block: bytes, size: int, *, whole: bool) -> Event:
    """The event whose lines are `block`: the marker's own and those up to the next marker.

    `size` is how long they are in bytes, `whole` is False while the marker is being written.
    """
    first, _, rest = block.partition(b"\n")
    text = decoded(first)
    marker = read_line(text)
    payload: dict[str, Any] = {"line": line}
    if marker is not None:
        payload.update(_said(marker))
    if not whole:
        payload["half_written"] = True
    if rest:
        payload["notes"] = notes_of(rest)
    if size > len(block):
        payload["notes_omitted_bytes"] = size - len(block)
    at = None if marker is None else marker.at
    return Event(
        n=n,
        id=line,
        kind=kind.value,
        raw_status=None if marker is None else marker.recorded,
        at=parse_instant(at),
        at_raw=at,
        text=text.strip(),
        payload=payload,
    )


def notes_of(rest: bytes) -> list[str]:
    """Lines as they stand, blank ones too, but for the end of the last one."""
    lines = rest.decode("utf-8", "replace").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def _said(marker: Marker) -> dict[str, Any]:
    """What the line says, under names of its own; what it does not say is left out."""
    numbered = "attempt" if marker.verb == "retry" else "iteration"
    said = {
        "verb": marker.verb.value,
        "statement": marker.statement,
        "letter": marker.letter or None,
        "block": marker.scope,
        "name": marker.name or None,
        "tag": marker.tag,
        "status": marker.status.value,
        "error": marker.error,
        "note": marker.note,
        "names": list(marker.names) or None,
        numbered: marker.number,
        "max": marker.most,
        "delegate": marker.target,
        "delegate_id": marker.delegate,
    }
    return {key: value for key, value in said.items() if value is not None}
