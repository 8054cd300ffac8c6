"""Formats numbers and times for the screen, never wider than their column."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal

Zone = tzinfo | None

NOT_RECORDED = "–"
CANNOT_BE_KNOWN = "?"

DURATION_CELLS = 7
CLOCK_TIME_CELLS = 9
TOKENS_CELLS = 6
SIZE_CELLS = 6

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
_MAX_DAYS = 9_999
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WHOLE_NUMBER = re.compile(r"\s*([+-]?)0*([0-9]+)\s*", re.ASCII)


def duration(ms: int | None, *, clock_ms: int = 1) -> str:
    """Formats a length of time in at most 7 cells: `4ms 4.0s 18.7s 1m 40s 11h 04m 3d 02h`."""
    if ms is None:
        return NOT_RECORDED
    units = _length_in_units(abs(ms), clock_ms)
    if ms >= 0:
        return " ".join(units)
    if units[0].startswith(">"):
        return f"<-{units[0][1:]}"
    whole = "-" + " ".join(units)
    return whole if len(whole) <= DURATION_CELLS else "-" + units[0]


def _length_in_units(ms: int, clock_ms: int) -> list[str]:
    """Formats the larger unit and, if there is one, the smaller."""
    if ms < _MINUTE:
        return [_short_length(ms, clock_ms)]
    if ms < _HOUR:
        return [f"{ms // _MINUTE}m", f"{ms % _MINUTE // _SECOND:02d}s"]
    if ms < _DAY:
        return [f"{ms // _HOUR}h", f"{ms % _HOUR // _MINUTE:02d}m"]
    days = ms // _DAY
    if days > _MAX_DAYS:
        return [f">{_MAX_DAYS}d"]
    return [f"{days}d", f"{ms % _DAY // _HOUR:02d}h"] if days < 100 else [f"{days}d"]


def _short_length(ms: int, clock_ms: int) -> str:
    if clock_ms >= _SECOND:
        return f"{ms // _SECOND}s" if ms >= _SECOND else "<1s"
    if ms < _SECOND:
        return f"{ms}ms"
    return f"{ms // _SECOND}.{ms % _SECOND // 100}s"


def local_moment(ms: int, zone: Zone) -> datetime | None:
    """Converts UTC ms to an aware datetime in `zone`; None outside of the calendar's years."""
    try:
        return (_EPOCH + timedelta(milliseconds=ms)).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def clock_time(ms: int | None, now_ms: int, zone: Zone) -> str:
    """Formats an instant in at most 9 cells: `14:30`, `Mon 09:02` within a week, else the day.

    The day is `12 Jan`, in another year `12 Jan 24` (`Jan 1970` outside of 2000 to 2099). In the
    hour that the end of summer time repeats, today's times say `1st` or `2nd`.
    """
    if ms is None:
        return NOT_RECORDED
    moment, now = local_moment(ms, zone), local_moment(now_ms, zone)
    if moment is None or now is None:
        return CANNOT_BE_KNOWN
    days_ago = now.date().toordinal() - moment.date().toordinal()
    if days_ago == 0:
        return f"{moment:%H:%M}{_which_of_two(moment, zone)}"
    if 0 < days_ago < 7:
        return f"{_WEEKDAYS[moment.weekday()]} {moment:%H:%M}"
    month = _MONTHS[moment.month - 1]
    if moment.year == now.year:
        return f"{moment.day} {month}"
    if 2000 <= moment.year <= 2099:
        return f"{moment.day} {month} {moment.year % 100:02d}"
    return f"{month} {moment.year:04d}"


def instant(ms: int | None, zone: Zone) -> str:
    """Formats the time of day, `14:31:55.204`; followed by the zone in a repeated hour."""
    if ms is None:
        return NOT_RECORDED
    moment = local_moment(ms, zone)
    if moment is None:
        return CANNOT_BE_KNOWN
    text = f"{moment:%H:%M:%S}.{ms % 1000:03d}"
    return f"{text} {zone_label(ms, zone)}" if _which_of_two(moment, zone) else text


def date(ms: int | None, zone: Zone) -> str:
    """Formats the day in `zone`: `2026-01-12`."""
    if ms is None:
        return NOT_RECORDED
    moment = local_moment(ms, zone)
    return moment.date().isoformat() if moment else CANNOT_BE_KNOWN


def zone_label(ms: int, zone: Zone) -> str:
    """Formats the UTC offset of `zone` at an instant: `UTC`, `UTC+1`, `UTC-3:30`."""
    moment = local_moment(ms, zone)
    offset = moment.utcoffset() if moment else None
    if offset is None:
        return CANNOT_BE_KNOWN
    seconds = round(offset.total_seconds())
    if seconds == 0:
        return "UTC"
    sign = "-" if seconds < 0 else "+"
    minutes, seconds = divmod(abs(seconds), 60)
    label = f"UTC{sign}{minutes // 60}"
    if minutes % 60 or seconds:
        label += f":{minutes % 60:02d}"
    return f"{label}:{seconds:02d}" if seconds else label


def _which_of_two(moment: datetime, zone: Zone) -> str:
    """Returns ` 1st` or ` 2nd` if the clock of `zone` shows this time twice, else an empty text."""
    if zone is None:
        naive = moment.replace(tzinfo=None)
        try:
            first = naive.replace(fold=0).astimezone()
            second = naive.replace(fold=1).astimezone()
        except (OverflowError, ValueError, OSError):
            return ""
        offsets = (first.utcoffset(), second.utcoffset())
    else:
        offsets = (moment.replace(fold=0).utcoffset(), moment.replace(fold=1).utcoffset())
    if offsets[0] == offsets[1]:
        return ""
    return " 1st" if moment.utcoffset() == offsets[0] else " 2nd"


def age(ms_diff: int | None) -> str:
    """Formats an age for a sentence: `<1 m`, `45 m`, `1 h 20 m`, `3 d`; never negative.

    It changes once a minute at most.
    """
    if ms_diff is None:
        return NOT_RECORDED
    minutes = max(0, ms_diff) // _MINUTE
    if minutes == 0:
        return "<1 m"
    if minutes < 60:
        return f"{minutes} m"
    hours = minutes // 60
    if hours < 24:
        rest = minutes % 60
        return f"{hours} h {rest} m" if rest and hours < 10 else f"{hours} h"
    days, rest = hours // 24, hours % 24
    return f"{days} d {rest} h" if rest and days < 3 else f"{days} d"


def tokens(n: int | None) -> str:
    """Formats a number of tokens in at most 6 cells: `950 9.7k 48.1k 121k 1.2M`."""
    if n is None:
        return NOT_RECORDED
    sign, value = ("-" if n < 0 else ""), abs(n)
    if value < 1000:
        return f"{sign}{value}"
    for unit, scale in (("k", 10**3), ("M", 10**6), ("B", 10**9), ("T", 10**12)):
        if value < scale * 1000:
            whole = value // scale
            tenth = value % scale * 10 // scale
            return f"{sign}{whole}.{tenth}{unit}" if whole < 100 else f"{sign}{whole}{unit}"
    return f"{sign or '>'}999T"


def size(bytes_: int | None) -> str:
    """Formats a size in at most 6 cells, in powers of 1000: `12 B 847 KB 1.2 MB`."""
    if bytes_ is None:
        return NOT_RECORDED
    if bytes_ < 0:
        return CANNOT_BE_KNOWN
    if bytes_ < 1000:
        return f"{bytes_} B"
    for exponent, unit in enumerate(("KB", "MB", "GB", "TB", "PB"), start=1):
        scale = 1000**exponent
        if bytes_ < scale * 1000:
            whole = bytes_ // scale
            tenth = bytes_ % scale * 10 // scale
            return f"{whole}.{tenth} {unit}" if whole < 10 else f"{whole} {unit}"
    return ">999PB"


def count(n: int | None) -> str:
    """Formats an integer with every digit: `1,204`."""
    if n is None:
        return NOT_RECORDED
    # Decimal, because Python refuses to print ints of more than 4,300 digits.
    return f"{Decimal(n):,f}"


def amount(
    base_units: int | str | None,
    *,
    decimals: int | None = None,
    symbol: str | None = None,
    sign: bool = False,
) -> str:
    """Formats an amount with every digit: `12,400,000,000`, or with `decimals` known `12,400.5`.

    `base_units` is an int or its decimal text; other text (`0x…`, `1e18`) is returned unchanged,
    since guessing its meaning could be wrong by orders of magnitude. With `sign`, gains show `+`.
    """
    if base_units is None:
        return NOT_RECORDED
    text = base_units if isinstance(base_units, str) else f"{Decimal(base_units):f}"
    match = _WHOLE_NUMBER.fullmatch(text)
    if match is None:
        return text
    number = _with_point(match[2], decimals or 0)
    if match[1] == "-" and match[2] != "0":
        number = "-" + number
    elif sign and match[2] != "0":
        number = "+" + number
    return f"{number} {symbol}" if symbol else number


def _with_point(digits: str, decimals: int) -> str:
    """Moves the decimal point of `digits` left by `decimals`; drops trailing zeros."""
    if decimals <= 0:
        return _grouped(digits)
    padded = digits.rjust(decimals + 1, "0")
    fraction = padded[-decimals:].rstrip("0")
    whole = _grouped(padded[:-decimals])
    return f"{whole}.{fraction}" if fraction else whole


def _grouped(digits: str) -> str:
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    groups += [digits[index : index + 3] for index in range(head, len(digits), 3)]
    return ",".join(groups)
