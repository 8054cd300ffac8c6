"""What people rely on: a number fits its column, keeps its order, and is never more than it was."""

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.measure import cell_width
from inspector.text.numbers import (
    age,
    amount,
    clock_time,
    count,
    date,
    duration,
    instant,
    size,
    tokens,
    zone_label,
)

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
LONDON, KOLKATA = ZoneInfo("Europe/London"), ZoneInfo("Asia/Kolkata")
ADELAIDE, ST_JOHNS = ZoneInfo("Australia/Adelaide"), ZoneInfo("America/St_Johns")
ANY = st.integers(-(10**20), 10**20)


def utc(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1000  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        *((0, "0ms"), (4, "4ms"), (999, "999ms"), (4000, "4.0s"), (18_799, "18.7s")),
        *((59_999, "59.9s"), (100_000, "1m 40s"), (HOUR - 1, "59m 59s"), (HOUR, "1h 00m")),
        *((11 * HOUR + 4 * MINUTE, "11h 04m"), (3 * DAY + 2 * HOUR, "3d 02h")),
        *(
            (49 * HOUR + 3 * MINUTE, "2d 01h"),
            (100 * DAY, "100d"),
            (10**15, ">9999d"),
            (-(10**15), "<-9999d"),
        ),
        *((-5000, "-5.0s"), (-4, "-4ms"), (-11 * HOUR - MINUTE, "-11h"), (None, "–")),
    ],
)
def test_durations(ms: int | None, expected: str) -> None:
    assert duration(ms) == expected


def test_a_clock_of_whole_seconds_claims_no_tenths() -> None:
    assert [duration(ms, clock_ms=1000) for ms in (0, 1000, 18_000, 100_000, -1000)] == [
        *("<1s", "1s", "18s", "1m 40s", "-1s")
    ]


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        *((0, "0"), (999, "999"), (1000, "1.0k"), (9_700, "9.7k"), (9_999, "9.9k")),
        *((48_100, "48.1k"), (121_400, "121k"), (999_999, "999k"), (1_250_000, "1.2M")),
        *((3 * 10**9, "3.0B"), (10**15, ">999T"), (-48_100, "-48.1k"), (None, "–")),
    ],
)
def test_tokens(n: int | None, expected: str) -> None:
    assert tokens(n) == expected


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        *((0, "0 B"), (12, "12 B"), (999, "999 B"), (1000, "1.0 KB"), (847_000, "847 KB")),
        *((1_200_000, "1.2 MB"), (34_000_000_000, "34 GB"), (10**18, ">999PB")),
        *((-1, "?"), (None, "–")),
    ],
)
def test_sizes(n: int | None, expected: str) -> None:
    assert size(n) == expected


@settings(deadline=None)
@given(ANY)
def test_each_fits_its_column(n: int) -> None:
    assert cell_width(duration(n)) <= 7
    assert cell_width(duration(n, clock_ms=1000)) <= 7
    assert cell_width(tokens(n)) <= 6
    assert cell_width(size(n)) <= 6
    assert not age(n).startswith("-")


@settings(deadline=None)
@given(
    ANY, ANY, st.sampled_from([None, UTC, LONDON, KOLKATA, ADELAIDE, timezone(timedelta(0, 75))])
)
def test_a_clock_time_fits_its_column_for_any_instant(
    ms: int, now: int, zone: ZoneInfo | timezone | None
) -> None:
    assert cell_width(clock_time(ms, now, zone)) <= 9
    assert instant(ms, zone)
    assert zone_label(ms, zone)


def milliseconds(text: str) -> float:
    """Reads a duration back, so that order can be compared."""
    scale = {"ms": 1, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
    total = 0.0
    for part in text.lstrip("<->").split():
        unit = part.lstrip("0123456789.")
        total += float(part.removesuffix(unit)) * scale[unit]
    return -total if "-" in text else total


@settings(deadline=None)
@given(st.integers(0, 10**14), st.integers(0, 10**14))
def test_longer_is_never_shown_as_shorter_nor_as_more_than_it_was(a: int, b: int) -> None:
    low, high = sorted((a, b))
    assert milliseconds(duration(low)) <= milliseconds(duration(high))
    assert milliseconds(duration(low)) <= low
    assert milliseconds(duration(-low)) == -milliseconds(duration(low)) or low >= 10 * MINUTE


def number(text: str) -> float:
    scale = {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}.get(text[-1], 1)
    return float(text.strip(">kMBT")) * scale


@settings(deadline=None)
@given(st.integers(0, 10**16), st.integers(0, 10**16))
def test_more_tokens_are_never_shown_as_fewer(a: int, b: int) -> None:
    low, high = sorted((a, b))
    assert number(tokens(low)) <= number(tokens(high))
    assert number(tokens(low)) <= low * (1 + 1e-9)


NOW = utc(2026, 1, 16, 15, 0)


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (utc(2026, 1, 16, 14, 30), "14:30"),
        (utc(2026, 1, 16, 0, 0), "00:00"),
        (utc(2026, 1, 16, 23, 59), "23:59"),
        (utc(2026, 1, 12, 9, 2), "Mon 09:02"),
        (utc(2026, 1, 10, 9, 2), "Sat 09:02"),
        (utc(2026, 1, 9, 23, 59), "9 Jan"),
        (utc(2026, 1, 17, 0, 0), "17 Jan"),
        (utc(2025, 12, 31, 0, 0), "31 Dec 25"),
        (utc(1970, 1, 1), "Jan 1970"),
        (utc(9999, 12, 31), "Dec 9999"),
        (10**18, "?"),
        (None, "–"),
    ],
)
def test_clock_times(ms: int | None, expected: str) -> None:
    assert clock_time(ms, NOW, UTC) == expected


def test_today_is_the_day_of_the_zone() -> None:
    evening = utc(2026, 1, 15, 20, 0)
    assert clock_time(evening, NOW, UTC) == "Thu 20:00"
    assert clock_time(evening, NOW, KOLKATA) == "01:30"
    assert date(evening, KOLKATA) == "2026-01-16"


def test_the_hour_repeated_by_summer_time_is_distinguished() -> None:
    first, second = utc(2026, 10, 25, 0, 30), utc(2026, 10, 25, 1, 30)
    noon = utc(2026, 10, 25, 12, 0)
    assert clock_time(first, noon, LONDON) == "01:30 1st"
    assert clock_time(second, noon, LONDON) == "01:30 2nd"
    assert instant(first, LONDON) == "01:30:00.000 UTC+1"
    assert instant(second, LONDON) == "01:30:00.000 UTC"
    assert instant(noon, LONDON) == "12:00:00.000"
    assert clock_time(utc(2026, 3, 29, 1, 30), noon, LONDON) == "29 Mar"
    assert instant(utc(2026, 3, 29, 1, 30), LONDON) == "02:30:00.000"
    assert clock_time(first, utc(2026, 10, 26, 0, 10), LONDON) == "Sun 01:30"


def test_this_machines_own_zone_knows_summer_time(monkeypatch: pytest.MonkeyPatch) -> None:
    noon = utc(2026, 10, 25, 12, 0)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/London")
        time.tzset()
        assert clock_time(utc(2026, 10, 25, 1, 30), noon, None) == "01:30 2nd"
        assert zone_label(utc(2026, 7, 1), None) == "UTC+1"
        assert zone_label(utc(2026, 1, 1), None) == "UTC"
    time.tzset()


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        (UTC, "UTC"),
        (KOLKATA, "UTC+5:30"),
        (ADELAIDE, "UTC+10:30"),
        (ST_JOHNS, "UTC-3:30"),
        (timezone(timedelta(minutes=-1, seconds=-15)), "UTC-0:01:15"),
    ],
)
def test_zone_labels(zone: ZoneInfo | timezone, expected: str) -> None:
    assert zone_label(NOW, zone) == expected


def test_instants_keep_their_milliseconds() -> None:
    assert instant(utc(2026, 1, 16, 14, 31, 55) + 204, UTC) == "14:31:55.204"
    assert instant(-1, UTC) == "23:59:59.999"
    assert instant(None, UTC) == "–"
    assert instant(10**18, UTC) == "?"


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        *((-5000, "<1 m"), (59_000, "<1 m"), (45 * MINUTE, "45 m"), (80 * MINUTE, "1 h 20 m")),
        *((9 * HOUR, "9 h"), (11 * HOUR + MINUTE, "11 h"), (26 * HOUR, "1 d 2 h"), (None, "–")),
        (3 * DAY + HOUR, "3 d"),
    ],
)
def test_ages(ms: int | None, expected: str) -> None:
    assert age(ms) == expected


def test_counts_keep_every_digit() -> None:
    assert [count(n) for n in (0, 999, 1204, -1204, 2**64, None)] == [
        *("0", "999", "1,204", "-1,204", "18,446,744,073,709,551,616", "–")
    ]
    assert len(count(10**6000)) == 6001 + 2000


@pytest.mark.parametrize(
    ("base_units", "decimals", "expected"),
    [
        (12_400_000_000, None, "12,400,000,000"),
        ("-42", None, "-42"),
        ("+42", None, "42"),
        ("0007", None, "7"),
        ("-0", None, "0"),
        (12_400_500_000, 6, "12,400.5"),
        (1, 18, "0.000000000000000001"),
        (-(10**18), 18, "-1"),
        (2**256 - 1, 0, f"{2**256 - 1:,}"),
        ("19876543210987654321", 18, "19.876543210987654321"),
        *(("0x1f", 6, "0x1f"), ("1e18", 6, "1e18"), ("1.5", 6, "1.5"), ("", None, "")),
        (None, 6, "–"),
    ],
)
def test_amounts(base_units: int | str | None, decimals: int | None, expected: str) -> None:
    assert amount(base_units, decimals=decimals) == expected


def test_the_sign_and_the_symbol_are_shown_when_asked_for() -> None:
    assert amount(5, sign=True, symbol="USDC") == "+5 USDC"
    assert amount(-5, sign=True) == "-5"
    assert amount(0, sign=True) == "0"


@settings(deadline=None)
@given(st.integers(-(2**300), 2**300), st.integers(0, 40))
def test_no_digit_of_an_amount_is_lost(base_units: int, decimals: int) -> None:
    shown = amount(base_units, decimals=decimals).replace(",", "")
    whole, _, fraction = shown.partition(".")
    assert int(whole + fraction.ljust(decimals, "0")) == base_units
    assert amount(str(base_units), decimals=decimals).replace(",", "") == shown
