"""Reads receipts from files: one per line, or all in one array. Pure.

A line that is not a receipt becomes one that cannot be verified; an incomplete last line is still
being written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from inspector.query.openprose.receipts.receipt import JSON_FIELDS, CommitRecord, read_receipt

MOST_RECEIPTS = 200_000

_NO_ROW: Mapping[str, object] = {}


def rows_to_receipts(
    rows: Iterable[Mapping[str, object]], first: int, node: str | None = None
) -> list[CommitRecord]:
    """Return receipts numbered from `first`; `node` is the default, from the file's name."""
    return [
        read_receipt(_as_row(row, node), number)
        for number, row in zip(range(first, MOST_RECEIPTS + 1), rows, strict=False)
    ]


def file_rows(path: str, data: bytes) -> Iterator[Mapping[str, object]]:
    """Yield the parsed receipts of a file: one per line, or those of one array."""
    if path.endswith(".json"):
        yield from array_rows(data) or ()
        return
    lines = data.split(b"\n")
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        row = parsed(line)
        if row is None and at == len(lines) - 1:
            return
        yield row if isinstance(row, dict) else _NO_ROW


def array_rows(data: bytes) -> list[Mapping[str, object]] | None:
    """Return the receipts of a file that is one JSON array; None if it is not."""
    rows = parsed(data)
    if not isinstance(rows, list):
        return None
    return [row if isinstance(row, dict) else _NO_ROW for row in rows]


def parsed(data: bytes) -> object:
    """Return parsed JSON; None if it is not JSON."""
    try:
        return json.loads(data.decode("utf-8", "replace")) if data else None
    except (ValueError, RecursionError):
        return None


def _as_row(row: Mapping[str, object], node: str | None) -> Mapping[str, object]:
    """Return a receipt's fields as a row has them: structures as JSON text."""
    shown = {key: _as_json(row[key]) if key in JSON_FIELDS else row[key] for key in row}
    shown.pop("id", None)
    if node is not None:
        shown.setdefault("node", node)
    return shown


def _as_json(value: object) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        return ""
