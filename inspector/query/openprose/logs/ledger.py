"""Receipts that lie in files: one a line (`receipts/{node}.jsonl`), or all in one array.

Source: OpenProse filesystem state document, "receipts/". A line that is no receipt is kept as one
that cannot be verified; a last line that is not finished is a receipt to come.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspector.query.openprose.logs.folder import Beside
from inspector.query.openprose.receipts.ledger import Ledger, ledger_of
from inspector.query.openprose.receipts.receipt import JSON_FIELDS, Receipt, read_receipt
from inspector.store.attachment import inspect_attachment
from inspector.text.parse_time import parse_instant

MOST_BYTES = 256 << 20
"""Bytes of one file of receipts."""
MOST_RECEIPTS = 200_000

_NO_ROW: Mapping[str, Any] = {}


def read_files(root: str, files: Sequence[Beside]) -> Ledger:
    """The ledger of a run: every node's file in its own order."""
    receipts: list[Receipt] = []
    for one in files:
        if len(receipts) >= MOST_RECEIPTS:
            break
        _, data = inspect_attachment(root, one.path, preview_bytes=MOST_BYTES)
        node = os.path.splitext(os.path.basename(one.path))[0]
        receipts += rows_to_receipts(_rows(one.path, data), len(receipts) + 1, node)
    return ledger_of(_in_order(receipts))


def rows_to_receipts(
    rows: Iterable[Mapping[str, Any]], first: int, node: str | None = None
) -> list[Receipt]:
    """Parsed receipts, numbered from `first`; one that names no node is told by its file."""
    return [
        read_receipt(_as_row(row, node), number)
        for number, row in zip(range(first, MOST_RECEIPTS + 1), rows, strict=False)
    ]


def _rows(path: str, data: bytes) -> Iterator[Mapping[str, Any]]:
    if path.endswith(".json"):
        yield from array_rows(data) or ()
        return
    lines = data.split(b"\n")
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        row = _parsed(line)
        if row is None and at == len(lines) - 1:
            return
        yield row if isinstance(row, dict) else _NO_ROW


def array_rows(data: bytes) -> list[Mapping[str, Any]] | None:
    """The receipts of a file that is one JSON array; None when it is none."""
    rows = _parsed(data)
    if not isinstance(rows, list):
        return None
    return [row if isinstance(row, dict) else _NO_ROW for row in rows]


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _as_row(row: Mapping[str, Any], node: str | None) -> Mapping[str, Any]:
    """A receipt's fields as columns hold them: what has structure is JSON text."""
    shown = {key: _as_json(row[key]) if key in JSON_FIELDS else row[key] for key in row}
    shown.pop("id", None)
    if node is not None:
        shown.setdefault("node", node)
    return shown


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        return ""


def _in_order(receipts: list[Receipt]) -> list[Receipt]:
    """By instant where every receipt has one; else file by file. Nodes keep their own order."""
    instants = [parse_instant(one.created_at) for one in receipts]
    if not receipts or any(instant is None for instant in instants):
        return receipts
    order: dict[str, int] = {}
    keyed = []
    for receipt, instant in zip(receipts, instants, strict=True):
        order[receipt.node] = max(order.get(receipt.node, 0), instant or 0)
        keyed.append((order[receipt.node], receipt.id, receipt))
    return [receipt for _, _, receipt in sorted(keyed, key=lambda key: key[:2])]
