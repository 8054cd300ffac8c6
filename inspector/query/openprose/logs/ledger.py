"""Receipts that lie in files: one a line (`receipts/{node}.jsonl`), or all in one array.

Source: OpenProse filesystem state document, "receipts/". A line that is no receipt is kept as one
that cannot be verified; a last line that is not finished is a receipt to come.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from inspector.query.openprose.logs.folder import Beside
from inspector.query.openprose.receipts.files import MOST_RECEIPTS, file_rows, rows_to_receipts
from inspector.query.openprose.receipts.ledger import Ledger, ledger_of
from inspector.query.openprose.receipts.receipt import Receipt
from inspector.store.attachment import inspect_attachment
from inspector.text.parse_time import parse_instant

MOST_BYTES = 256 << 20
"""Bytes of one file of receipts."""


def read_files(root: str, files: Sequence[Beside]) -> Ledger:
    """The ledger of a run: every node's file in its own order."""
    receipts: list[Receipt] = []
    for one in files:
        if len(receipts) >= MOST_RECEIPTS:
            break
        _, data = inspect_attachment(root, one.path, preview_bytes=MOST_BYTES)
        node = os.path.splitext(os.path.basename(one.path))[0]
        receipts += rows_to_receipts(file_rows(one.path, data), len(receipts) + 1, node)
    return ledger_of(_in_order(receipts))


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
