"""The one clock: what `now` is can be set, so that every answer can be repeated."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], int]
"""Returns now in UTC ms since 1970."""


def system_clock() -> Clock:
    """The wall clock, or the instant that INSPECTOR_NOW names (RFC 3339 or UTC ms).

    Raises ValueError with a sentence when INSPECTOR_NOW is neither.
    """
    fixed = os.environ.get("INSPECTOR_NOW", "").strip()
    if not fixed:
        return lambda: time.time_ns() // 1_000_000
    instant = parse_now(fixed)
    return lambda: instant


def parse_now(text: str) -> int:
    """Reads the value of INSPECTOR_NOW as UTC ms; a time without a zone is UTC."""
    if text.lstrip("-").isdigit():
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"INSPECTOR_NOW is {text!r}: give an RFC 3339 instant or UTC milliseconds."
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def rfc3339(instant: int | None) -> str | None:
    """UTC ms as RFC 3339 with milliseconds and `Z`; None stays None, as does what has no date."""
    if instant is None:
        return None
    try:
        moment = datetime.fromtimestamp(instant // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment.replace(tzinfo=None).isoformat()}.{instant % 1000:03d}Z"
