"""The exact canonical form of a receipt and its content address.

Source: OpenProse's receipt module: JSON with keys sorted by UTF-16 code unit, no spaces, numbers
and strings as `JSON.stringify` writes them, UTF-8, `sha256:` and 64 lower-case hex digits. JSON was
read by JavaScript before, so every number is a double: `1.0` is `1`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

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
"""What the address is taken over, beside the schema's name and the algorithm's."""

DEEPEST = 200
_SAFE = 2**53
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ADDRESS = re.compile(r"sha256:[a-f0-9]{64}")


class TooDeep(ValueError):
    """Nested so deep that no runtime would have written it."""


def is_address(value: object) -> bool:
    """Whether a value has the form of a content address."""
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def address_of(fields: Mapping[str, Any]) -> str:
    """The content address of a receipt whose JSON columns were parsed. Raises TooDeep."""
    envelope = {"schema": SCHEMA, "hash_algorithm": HASH_ALGORITHM}
    text = canonical({**envelope, **{name: fields[name] for name in FIELDS}})
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def canonical(value: object) -> str:
    """A parsed JSON value in canonical form. Raises TooDeep beyond 200 levels."""
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
    """A string as `JSON.stringify` writes it: lone surrogates escaped, the rest as it is."""
    return _LONE_SURROGATE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


def number(value: int | float) -> str:
    """A number as JavaScript prints the double that it is (ECMAScript, Number::toString)."""
    if isinstance(value, int) and -_SAFE <= value <= _SAFE:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(double):
        return "null"
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    digits, exponent = _shortest(abs(double))
    return sign + _place_point(digits, exponent)


def _shortest(double: float) -> tuple[str, int]:
    """The shortest digits that name the double, and the power of ten before its first digit."""
    mantissa, _, power = f"{double!r}e0".partition("e")
    power = power.removesuffix("e0") or "0"
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole.lstrip("0")) if whole.strip("0") else -_zeros(fraction)
    return digits.rstrip("0") or "0", leading + int(power)


def _zeros(fraction: str) -> int:
    return len(fraction) - len(fraction.lstrip("0"))


def _place_point(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    head = digits[0] + (f".{digits[1:]}" if count > 1 else "")
    return f"{head}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
