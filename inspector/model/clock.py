"""The clock, which INSPECTOR_NOW can stop to make output reproducible."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], int]
"""Returns now in UTC ms since 1970."""


def system_clock() -> Clock:
    """Returns the wall clock, or one stopped at INSPECTOR_NOW (RFC 3339 or UTC ms).

    Raises ValueError with a sentence if INSPECTOR_NOW is invalid.
    """
    fixed = os.environ.get("INSPECTOR_NOW", "").strip()
    if not fixed:
        return lambda: time.time_ns() // 1_000_000
    instant = parse_now(fixed)
    return lambda: instant


def parse_now(text: str) -> int:
    """Parses INSPECTOR_NOW as UTC ms; a time without a zone is UTC. Raises ValueError."""
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
    """Formats UTC ms as RFC 3339 with milliseconds and `Z`; None if there is no such date."""
    if instant is None:
        return None
    try:
        moment = datetime.fromtimestamp(instant // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment.replace(tzinfo=None).isoformat()}.{instant % 1000:03d}Z"
