"""Parses one receipt from its row: fields, problems, content address.

Source: OpenProse's receipt module. The address is over canonical JSON: keys sorted by UTF-16 code
unit, no spaces, numbers and strings as `JSON.stringify` writes them, UTF-8; `sha256:` and 64
lower-case hex digits. JavaScript parsed the JSON before, so every number is a double: `1.0` is `1`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.query.openprose.events import text_of
from inspector.text.javascript import number_text

SCHEMA = "openprose.receipt"
HASH_ALGORITHM = "sha256"
FIELDS = (
    "node",
    "contract_fingerprint",
    "wake",
    "input_fingerprints",
    "fingerprints",
    "semantic_diff",
    "prev",
    "status",
    "cost",
    "sig",
)
"""Fields that the address covers, besides the names of schema and algorithm."""

DEEPEST = 200
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ADDRESS = re.compile(r"sha256:[a-f0-9]{64}")


class TooDeep(ValueError):
    """Nested more deeply than any runtime would write."""


def is_address(value: object) -> bool:
    """Return whether a value has the form of a content address."""
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def address_of(fields: Mapping[str, object]) -> str:
    """Return the content address of a receipt with parsed JSON columns. Raises TooDeep."""
    envelope = {"schema": SCHEMA, "hash_algorithm": HASH_ALGORITHM}
    text = canonical({**envelope, **{name: fields[name] for name in FIELDS}})
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def canonical(value: object) -> str:
    """Return a parsed JSON value in canonical form. Raises TooDeep beyond 200 levels."""
    parts: list[str] = []
    _write(value, parts, 0)
    return "".join(parts)


def _write(value: object, parts: list[str], depth: int) -> None:
    if depth > DEEPEST:
        raise TooDeep("nested more than 200 levels deep")
    if isinstance(value, Mapping):
        parts.append("{")
        for at, key in enumerate(sorted(value, key=_utf16)):
            parts.append(("," if at else "") + string(key) + ":")
            _write(value[key], parts, depth + 1)
        parts.append("}")
    elif isinstance(value, list):
        parts.append("[")
        for at, item in enumerate(value):
            if at:
                parts.append(",")
            _write(item, parts, depth + 1)
        parts.append("]")
    else:
        parts.append(_scalar(value))


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _scalar(value: object) -> str:
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return number(value)
    return string(str(value))


def string(text: str) -> str:
    """Return a string as `JSON.stringify` writes it: only lone surrogates are escaped."""
    return _LONE_SURROGATE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


def number(value: int | float) -> str:
    """Return a number as `JSON.stringify` writes it: `null` if it is not finite."""
    text = number_text(value)
    return text if text[-1].isdigit() else "null"


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
    """Why a receipt does not hold: a code for programs, words for people."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """A parsed row. Fields that could not be read are None and named in `trouble`."""

    id: int
    node: str
    fields: Mapping[str, Any]
    trouble: tuple[Trouble, ...]
    address: str | None
    """The recomputed content address; None if a field is missing or malformed."""
    created_at: str | None
    content_hash: str | None
    """The address that the writer recorded, where the table has such a column."""

    @property
    def prev(self) -> str | None:
        """The address of the node's previous receipt; None at its first."""
        value = self.fields.get("prev")
        return value if isinstance(value, str) else None

    @property
    def status(self) -> str | None:
        """`rendered`, `skipped` or `failed`, or another word as recorded."""
        value = self.fields.get("status")
        return value if isinstance(value, str) else None

    @property
    def cause(self) -> str | None:
        """The cause that its cost is attributed to (`surprise_cause`)."""
        cost = self.fields.get("cost")
        value = cost.get("surprise_cause") if isinstance(cost, Mapping) else None
        return value if isinstance(value, str) else None

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Tokens (fresh, reused); None if the cost cannot be read."""
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
        """Why it failed, if recorded."""
        diff = self.fields.get("semantic_diff")
        reason = diff.get("failure_reason") if isinstance(diff, Mapping) else None
        return None if reason is None else text_of(reason)

    @property
    def facets(self) -> Mapping[str, object]:
        """Facet → token."""
        value = self.fields.get("fingerprints")
        return value if isinstance(value, Mapping) else {}


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 0 and value == int(value) else None


def read_receipt(row: Mapping[str, object], number: int) -> CommitRecord:
    """Return a row of `receipt` (columns by name) as a record; `number` if it has no id."""
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
    return CommitRecord(
        id=identity if isinstance(identity, int) else number,
        node=fields["node"] or "",
        fields=fields,
        trouble=tuple(trouble),
        address=_address(fields, trouble),
        created_at=None if created is None else text_of(created),
        content_hash=None if recorded is None else text_of(recorded),
    )


def _text(name: str, value: object, trouble: list[Trouble]) -> str | None:
    if value is None or value == "":
        trouble.append(Trouble(f"missing:{name}", f"{name}: missing"))
        return None
    return text_of(value)


def _json(name: str, row: Mapping[str, object], trouble: list[Trouble]) -> object:
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


def _check_types(fields: Mapping[str, object], trouble: list[Trouble]) -> None:
    known = {one.code.partition(":")[2] for one in trouble}
    for name, shape in _SHAPES.items():
        if name not in known and not isinstance(fields[name], shape):
            words = "an object" if shape is dict else "a list"
            trouble.append(Trouble(f"malformed:{name}", f"{name}: not {words}"))


def _address(fields: Mapping[str, object], trouble: list[Trouble]) -> str | None:
    if any(one.code != "bad_prev" for one in trouble):
        return None
    try:
        return address_of(fields)
    except TooDeep as error:
        trouble.append(Trouble("malformed:semantic_diff", str(error)))
        return None
