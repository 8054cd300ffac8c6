"""Which group a run is in, in which order, and how many there are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from inspector.derive.groups import (
    Calendar,
    Group,
    Sort,
    arrange,
    count,
    elapsed_ms,
    group_of,
    newest_of_title,
)
from inspector.model.run import Run
from inspector.model.status import Status
from tests.ui.fakes import run

NOON = int(datetime(2026, 1, 16, 12, tzinfo=UTC).timestamp() * 1000)
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


def group(of: Run, *others: Run, now: int = NOON) -> Group:
    return group_of(of, Calendar(now, UTC), newest_of_title([of, *others]))


def failed(ago: int, title: str = "a", run_id: str = "1") -> Run:
    return run(title, run_id, Status.FAILED, started=NOON - ago - SECOND, ended=NOON - ago)


def test_waiting_needs_someone_however_old_it_is() -> None:
    assert group(run(status=Status.WAITING, started=NOON - 90 * DAY)) is Group.NEEDS_YOU


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (HOUR, Group.NEEDS_YOU),
        (DAY - 1, Group.NEEDS_YOU),
        (DAY, Group.YESTERDAY),
        (3 * DAY, Group.EARLIER),
    ],
)
def test_failure_needs_someone_for_a_day(ago: int, expected: Group) -> None:
    assert group(failed(ago)) is expected


def test_failure_needs_no_one_when_a_newer_run_of_the_title_exists() -> None:
    newer = run("a", "2", Status.RUNNING, started=NOON - MINUTE, written=NOON)
    assert group(failed(HOUR), newer) is Group.TODAY
    other_title = replace(newer, title="b")
    assert group(failed(HOUR), other_title) is Group.NEEDS_YOU


def test_failure_without_an_end_counts_from_its_last_write() -> None:
    lost = run(status=Status.FAILED, started=NOON - 9 * DAY, written=NOON - HOUR)
    assert group(lost) is Group.NEEDS_YOU


@pytest.mark.parametrize(
    ("ago", "expected"),
    [(0, Group.ACTIVE), (MINUTE - 1, Group.ACTIVE), (MINUTE, Group.QUIET), (DAY, Group.QUIET)],
)
def test_running_is_active_for_a_minute_after_its_last_write(ago: int, expected: Group) -> None:
    assert group(run(status=Status.RUNNING, written=NOON - ago)) is expected


def test_running_without_any_write_is_quiet() -> None:
    assert group(run(status=Status.RUNNING)) is Group.QUIET


def test_days_are_those_of_the_zone() -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    just_today = int(datetime(2026, 1, 16, 0, 10, tzinfo=zone).timestamp() * 1000)
    done = run(started=just_today, ended=just_today + SECOND)
    assert group_of(done, Calendar(NOON, zone), {}) is Group.TODAY
    assert group_of(done, Calendar(NOON, UTC), {}) is Group.YESTERDAY


def test_a_day_of_23_hours_is_still_one_day() -> None:
    zone = ZoneInfo("Europe/London")
    now = int(datetime(2026, 3, 29, 23, 30, tzinfo=zone).timestamp() * 1000)
    calendar = Calendar(now, zone)
    assert calendar.today == int(datetime(2026, 3, 29, tzinfo=zone).timestamp() * 1000)
    first = int(datetime(2026, 3, 29, 0, 5, tzinfo=zone).timestamp() * 1000)
    before = int(datetime(2026, 3, 28, 23, 55, tzinfo=zone).timestamp() * 1000)
    assert group_of(run(started=first), calendar, {}) is Group.TODAY
    assert group_of(run(started=before), calendar, {}) is Group.YESTERDAY


def test_future_runs_are_today_and_runs_without_times_earlier() -> None:
    assert group(run(started=NOON + 3 * DAY)) is Group.TODAY
    assert group(run()) is Group.EARLIER


def test_groups_come_in_their_order_and_only_where_there_are_runs() -> None:
    runs = [
        run(run_id="old", started=NOON - 9 * DAY),
        run(run_id="on", status=Status.RUNNING, started=NOON, written=NOON),
        run(run_id="wait", status=Status.WAITING, started=NOON - HOUR),
    ]
    arranged = arrange(runs, NOON, UTC)
    assert list(arranged.groups) == [Group.NEEDS_YOU, Group.ACTIVE, Group.EARLIER]
    assert arranged.in_order() == [runs[2].key, runs[1].key, runs[0].key]


def test_waiting_comes_before_newer_failures() -> None:
    waits = run(run_id="w", status=Status.WAITING, started=NOON - 5 * HOUR)
    arranged = arrange([failed(HOUR), waits], NOON, UTC)
    assert arranged.groups[Group.NEEDS_YOU][0] == waits.key


def test_order_within_a_group() -> None:
    runs = [
        run("b", "1", started=NOON - 3 * HOUR, ended=NOON - HOUR, tokens=5),
        run("a", "2", started=NOON - 2 * HOUR, ended=NOON - HOUR, tokens=None),
        run("C", "3", started=NOON - HOUR, ended=NOON - HOUR + 1, tokens=9),
    ]

    def ids(sort: Sort) -> list[str]:
        by_key = {each.key: each.run_id or "" for each in runs}
        return [by_key[key] for key in arrange(runs, NOON, UTC, sort).in_order()]

    assert ids(Sort.STARTED) == ["3", "2", "1"]
    assert ids(Sort.ELAPSED) == ["1", "2", "3"]
    assert ids(Sort.TOKENS) == ["3", "1", "2"]
    assert ids(Sort.TITLE) == ["2", "1", "3"]


def test_equal_starts_have_a_stable_order() -> None:
    runs = [run(run_id=name, started=NOON) for name in "cab"]
    assert arrange(runs, NOON, UTC).in_order() == arrange(runs[::-1], NOON, UTC).in_order()


def test_every_run_is_in_exactly_one_group() -> None:
    runs = [
        run(run_id=f"{status}{hours}", status=status, started=NOON - hours * HOUR)
        for status in Status
        for hours in (0, 1, 20, 30, 100)
    ]
    keys = arrange(runs, NOON, UTC).in_order()
    assert sorted(keys) == sorted(each.key for each in runs)


def test_elapsed_is_counted_only_while_life_is_proved() -> None:
    alive = run(status=Status.RUNNING, started=NOON - MINUTE, written=NOON - 1)
    assert elapsed_ms(alive, NOON) == MINUTE
    assert elapsed_ms(replace(alive, last_activity_at=NOON - HOUR), NOON) is None
    assert elapsed_ms(replace(alive, started_at=NOON + 1), NOON) is None
    assert elapsed_ms(run(started=5, ended=9), NOON) == 4
    assert elapsed_ms(run(started=9, ended=5), NOON) is None
    waits = replace(run(started=5, ended=9), status=Status.WAITING)
    assert elapsed_ms(waits, NOON) is None, "what waits has not ended"


def test_counts() -> None:
    runs = [
        run(run_id="1", status=Status.WAITING),
        run(run_id="2", status=Status.FAILED, started=NOON, ended=NOON),
        run(run_id="3", status=Status.FAILED, started=NOON - DAY, ended=NOON - DAY),
        run(run_id="4", status=Status.RUNNING, written=NOON),
        run(run_id="5", status=Status.RUNNING, written=NOON - HOUR),
        run(run_id="6"),
    ]
    counts = count(runs, NOON, UTC)
    assert (counts.waiting, counts.failed_today, counts.active, counts.quiet, counts.runs) == (
        1,
        1,
        1,
        1,
        6,
    )
