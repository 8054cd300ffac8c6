"""One receipt, read from its row: its fields, what is wrong with it, and its address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.query.openprose.events import text_of
from inspector.query.openprose.receipts.canonical import FIELDS, TooDeep, address_of, is_address

JSON_FIELDS = (
    "wake",
    "input_fingerprints",
    "fingerprints",
    "semantic_diff",
    "cost",
    "sig",
)
TEXT_FIELDS = ("node", "contract_fingerprint", "status")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why something about a receipt does not hold: a code for programs, words for people."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A commit record. Fields that could not be read are None and named in `trouble`."""

    id: int
    node: str
    fields: Mapping[str, Any]
    trouble: tuple[Trouble, ...]
    address: str | None
    """The recomputed content address; None when a field is missing or malformed."""
    created_at: str | None
    content_hash: str | None
    """The address that the writer recorded, where the table has such a column."""

    @property
    def prev(self) -> str | None:
        """The address of the node's receipt before, None at its first."""
        value = self.fields.get("prev")
        return value if isinstance(value, str) else None

    @property
    def status(self) -> str | None:
        """rendered, skipped or failed, as it stands."""
        value = self.fields.get("status")
        return value if isinstance(value, str) else None

    @property
    def cause(self) -> str | None:
        """What its cost was booked under (`surprise_cause`)."""
        cost = self.fields.get("cost")
        value = cost.get("surprise_cause") if isinstance(cost, Mapping) else None
        return value if isinstance(value, str) else None

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Tokens (fresh, reused), or None when the cost cannot be read."""
        cost = self.fields.get("cost")
        tokens = cost.get("tokens") if isinstance(cost, Mapping) else None
        if not isinstance(tokens, Mapping):
            return None
        fresh, reused = _whole(tokens.get("fresh")), _whole(tokens.get("reused"))
        return None if fresh is None or reused is None else (fresh, reused)

    @property
    def refs(self) -> tuple[str, ...]:
        """Addresses of the receipts that woke it."""
        wake = self.fields.get("wake")
        refs = wake.get("refs") if isinstance(wake, Mapping) else None
        return tuple(ref for ref in refs if isinstance(ref, str)) if isinstance(refs, list) else ()

    @property
    def failure_reason(self) -> str | None:
        """Why it failed, where the writer said so."""
        diff = self.fields.get("semantic_diff")
        reason = diff.get("failure_reason") if isinstance(diff, Mapping) else None
        return None if reason is None else text_of(reason)

    @property
    def facets(self) -> Mapping[str, Any]:
        """Facet → token."""
        value = self.fields.get("fingerprints")
        return value if isinstance(value, Mapping) else {}


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 0 and value == int(value) else None


def read_receipt(row: Mapping[str, Any], number: int) -> Receipt:
    """A row of `receipt` (columns by name); `number` stands in where the row has no id."""
    fields: dict[str, Any] = {}
    trouble: list[Trouble] = []
    for name in FIELDS:
        if name in JSON_FIELDS:
            fields[name] = _json(name, row, trouble)
        elif name == "prev":
            fields[name] = None if row.get(name) is None else text_of(row[name])
        else:
            fields[name] = _text(name, row.get(name), trouble)
    _check_types(fields, trouble)
    if fields["prev"] is not None and not is_address(fields["prev"]):
        trouble.append(Trouble("bad_prev", "prev is not a content address"))
    recorded = row.get("content_hash")
    identity = row.get("id")
    created = row.get("created_at")
    return Receipt(
        id=identity if isinstance(identity, int) else number,
        node=fields["node"] or "",
        fields=fields,
        trouble=tuple(trouble),
        address=_address(fields, trouble),
        created_at=None if created is None else text_of(created),
        content_hash=None if recorded is None else text_of(recorded),
    )


def _text(name: str, value: Any, trouble: list[Trouble]) -> str | None:
    if value is None or value == "":
        trouble.append(Trouble(f"missing:{name}", f"{name}: missing"))
        return None
    return text_of(value)


def _json(name: str, row: Mapping[str, Any], trouble: list[Trouble]) -> Any:
    if name not in row:
        trouble.append(Trouble(f"missing:{name}", f"{name}: no such column"))
        return None
    try:
        return json.loads(text_of(row[name]), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        trouble.append(Trouble(f"malformed:{name}", f"{name}: malformed JSON"))
        return None


def _no_constant(word: str) -> None:
    raise ValueError(word)


_SHAPES: Mapping[str, type] = {
    "wake": dict,
    "input_fingerprints": list,
    "fingerprints": dict,
    "semantic_diff": dict,
    "cost": dict,
    "sig": dict,
}


def _check_types(fields: Mapping[str, Any], trouble: list[Trouble]) -> None:
    known = {one.code.partition(":")[2] for one in trouble}
    for name, shape in _SHAPES.items():
        if name not in known and not isinstance(fields[name], shape):
            words = "an object" if shape is dict else "a list"
            trouble.append(Trouble(f"malformed:{name}", f"{name}: not {words}"))


def _address(fields: Mapping[str, Any], trouble: list[Trouble]) -> str | None:
    if any(one.code != "bad_prev" for one in trouble):
        return None
    try:
        return address_of(fields)
    except TooDeep as error:
        trouble.append(Trouble("malformed:semantic_diff", str(error)))
        return None
