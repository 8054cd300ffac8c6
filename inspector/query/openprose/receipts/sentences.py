"""What is wrong with a receipt, in plain words; what it means stands behind a colon. Pure."""

from __future__ import annotations

from inspector.query.openprose.receipts.receipt import Trouble

NO_COLUMN = "no such column"


def sentence(receipt: int, before: int | None, trouble: Trouble) -> str:
    """Without its full stop; `before` is the node's receipt before, None at the first."""
    code, _, field = trouble.code.partition(":")
    this = f"receipt {receipt}"
    if code == "prev_mismatch":
        return (
            f"{this} does not follow from receipt {before}: one of them was changed, or one"
            " between was removed"
        )
    if code == "first_has_prev":
        return f"{this} follows one that is not here: what came before it was removed or not kept"
    if code == "content_hash_mismatch":
        return f"{this} is not as it was written: it was changed, or its address was wrong"
    if code == "bad_prev":
        return f"{this} does not say which receipt it follows: what it names is no receipt"
    if code == "missing":
        why = f"no {field} is recorded"
        if NO_COLUMN in trouble.words:
            why = f"this database has no column {field}"
        return f"{this} cannot be checked: {why}"
    if code == "malformed":
        return f"{this} cannot be checked: its {field} cannot be read"
    return f"{this}: {trouble.words}"
