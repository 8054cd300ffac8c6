"""Parses recorded instants: exactly one instant or none, never a guess."""

import math
import re
from datetime import date

_DAY_MS = 86_400_000
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_YEAR_2000_MS = (date(2000, 1, 1).toordinal() - _EPOCH_ORDINAL) * _DAY_MS
_YEAR_2100_MS = (date(2100, 1, 1).toordinal() - _EPOCH_ORDINAL) * _DAY_MS

_MAX_CHARS = 64
"""Longer texts are not parsed."""

_INSTANT = re.compile(
    r"\s*(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt]|[ ]{1,2})(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,12}))?)?"
    r"\s?(?:[Zz]|UTC|GMT|(?P<sign>[+-])(?P<off_hour>[0-9]{2}):?(?P<off_minute>[0-9]{2})?"
    r"(?:[ ]UTC)?)?\s*",
    re.ASCII,
)


def parse_instant(raw: object) -> int | None:
    """Parses `raw` as UTC ms since 1970, truncated; None unless it names exactly one instant.

    Text is a date and a time, joined by a space or `T`, with `Z`, an offset, or neither; without
    a zone it is UTC (OpenProse state document: `datetime('now')`). Numbers are epoch seconds,
    milli-, micro- or nanoseconds: the unit that gives an instant between 2000 and 2100. Numbers
    as text, dates or times alone, and words are not instants.
    """
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str):
        return _from_text(raw)
    if isinstance(raw, int):
        return _from_whole_number(raw)
    if isinstance(raw, float) and math.isfinite(raw):
        if _YEAR_2000_MS <= raw * 1000 < _YEAR_2100_MS:
            return round(raw * 1000)
        return _from_whole_number(math.floor(raw))
    return None


def plausible(ms: int | None, now_ms: int) -> bool:
    """True for instants from the year 2000 until a day after now."""
    return ms is not None and _YEAR_2000_MS <= ms <= now_ms + _DAY_MS


def _from_whole_number(number: int) -> int | None:
    for per_ms_above, per_ms_below in ((1000, 1), (1, 1), (1, 1000), (1, 1_000_000)):
        ms = number * per_ms_above // per_ms_below
        if _YEAR_2000_MS <= ms < _YEAR_2100_MS:
            return ms
    return None


def _from_text(text: str) -> int | None:
    match = _INSTANT.fullmatch(text) if len(text) <= _MAX_CHARS else None
    if match is None:
        return None
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    off_hour, off_minute = int(match["off_hour"] or 0), int(match["off_minute"] or 0)
    # A leap second is the start of the next minute.
    if hour > 23 or minute > 59 or second > 60 or off_hour > 23 or off_minute > 59:
        return None
    try:
        day = date(int(match["year"]), int(match["month"]), int(match["day"])).toordinal()
    except ValueError:
        return None
    offset = (off_hour * 60 + off_minute) * (-1 if match["sign"] == "-" else 1)
    ms = (day - _EPOCH_ORDINAL) * _DAY_MS
    ms += (hour * 60 + minute - offset) * 60_000 + second * 1000
    return ms + int((match["fraction"] or "0")[:3].ljust(3, "0"))
