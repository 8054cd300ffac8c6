"""Numbers as JavaScript writes them."""

from __future__ import annotations

import math

_SAFE = 2**53 - 1
"""Integers up to this size are doubles exactly."""
_PLAIN_DIGITS = 21
"""Numbers with more digits before the point are written with an exponent."""


def number_text(value: int | float) -> str:
    """Return what `String(value)` gives for the nearest double: `1e-7`, `123456789012345680000`.

    Source: ECMAScript, Number::toString.
    """
    if isinstance(value, int) and -_SAFE <= value <= _SAFE:
        return str(int(value))
    try:
        double = float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"
    if math.isnan(double):
        return "NaN"
    sign = "-" if double < 0 else ""
    if math.isinf(double):
        return f"{sign}Infinity"
    return "0" if double == 0 else sign + _with_point(*_shortest(abs(double)))


def _shortest(double: float) -> tuple[str, int]:
    """Return the shortest digits that name a double, and the position of its decimal point."""
    mantissa, _, exponent = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) - (len(whole + fraction) - len(digits)) + int(exponent or 0)
    return digits.rstrip("0"), point


def _with_point(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= _PLAIN_DIGITS:
        return digits + "0" * (point - count)
    if 0 < point <= _PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    head = digits[0] + (f".{digits[1:]}" if count > 1 else "")
    return f"{head}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
