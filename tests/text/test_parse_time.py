"""What people rely on: every way to write one instant gives that instant, and no guess is made."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.parse_time import parse_instant, plausible

BASE = 1_768_593_600_000  # 2026-01-16T20:00:00Z
NOW = BASE + 3_600_000


@pytest.mark.parametrize(
    "raw",
    [
        *("2026-01-16 20:00:00", "2026-01-16T20:00:00", "2026-01-16T20:00:00Z", "2026-01-16 20:00"),
        *("2026-01-16T20:00:00.000Z", "2026-01-16T22:00:00+02:00", "2026-01-16T22:00:00+0200"),
        *("2026-01-16t20:00:00z", "2026-01-17T01:30:00+05:30", "2026-01-16T10:30:00-09:30"),
        *(" 2026-01-16 20:00:00\n", "2026-01-16 20:00:00 UTC", "2026-01-16 22:00:00 +0200"),
        *("2026-01-16T22:00:00+02", "2026-01-16 20:00:00 +0000 UTC", "2026-01-16T19:59:60Z"),
        *(BASE, BASE // 1000, BASE * 1000, BASE * 1_000_000, float(BASE), BASE / 1000),
    ],
)
def test_one_instant_in_many_forms(raw: object) -> None:
    assert parse_instant(raw) == BASE


@pytest.mark.parametrize(
    ("raw", "ms"),
    [
        ("2026-01-16T20:00:00.123456", BASE + 123),
        ("2026-01-16 20:00:00,9", BASE + 900),
        ("2026-01-16T20:00:00.1234567+00:00", BASE + 123),
        (BASE / 1000 + 0.123, BASE + 123),
        ("1970-01-01 00:00:00", 0),
        ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ("0001-01-01T00:00:00+14:00", -62_135_596_800_000 - 14 * 3_600_000),
    ],
)
def test_fractions_and_years_far_away(raw: object, ms: int) -> None:
    assert parse_instant(raw) == ms


@pytest.mark.parametrize(
    "raw",
    [
        *(None, True, b"2026-01-16 20:00:00", [], object(), float("nan"), float("inf"), 0, 1, -1),
        *("", " ", "1768593600", "1768593600000", "20:00:00", "yesterday", "now", "2026-01-16"),
        *("2026-13-01 00:00:00", "2026-02-30 00:00:00", "0000-01-01 00:00:00", "26-01-16 20:00"),
        *("2026-01-16 24:00:00", "2026-01-16 20:60:00", "2026-01-16T20:00:00+24:00", 10**30),
        *("2026-01-16T20:00:00Zjunk", "２０２６-01-16 20:00:00", "x" * 100_000, "2026-01-16T20"),
        *(12_345, 4_102_444_800, 946_684_799),
    ],
)
def test_ambiguous_texts_are_no_instant(raw: object) -> None:
    assert parse_instant(raw) is None


@settings(deadline=None)
@given(
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])),
    st.sampled_from(["T", " "]),
)
def test_iso_text_of_any_moment(moment: datetime, separator: str) -> None:
    expected = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    assert parse_instant(moment.isoformat(sep=separator)) == expected


@settings(deadline=None)
@given(st.text() | st.integers() | st.floats() | st.from_regex(r"\A\d{4}-\d\d-\d\d[ T]\d\d:\d\d"))
def test_nothing_raises(raw: object) -> None:
    found = parse_instant(raw)
    assert found is None or isinstance(found, int)


def test_only_plausible_instants_go_on_an_axis() -> None:
    assert plausible(BASE, NOW)
    assert plausible(NOW + 86_400_000, NOW)
    assert plausible(946_684_800_000, NOW)
    assert not plausible(NOW + 86_400_001, NOW)
    assert not plausible(946_684_799_999, NOW)
    assert not plausible(0, NOW)
    assert not plausible(None, NOW)
