"""Timelines: appending, replaying the past, and the order of events."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from inspector.query.prism.events import Row
from inspector.query.prism.fold import fold
from inspector.query.prism.timeline import Timeline, has_repeats
from tests.query.prism.builders import Story, at
from tests.query.prism.test_fold import tree


def event(rowid: int, sequence: object, kind: str = "queue_updated") -> Row:
    return (rowid, sequence, kind, at(rowid), "{}")


def long_story(turns: int = 40) -> list[Row]:
    story = Story().start()
    for number in range(1, turns + 1):
        story.turn(number, "a", deltas=3).tool("a", "error" if number % 7 == 0 else "finished")
    return [*story.rows()]


def timeline_of(rows: Sequence[Row]) -> Timeline:
    timeline = Timeline()
    timeline.append(rows)
    return timeline


def test_a_timeline_knows_the_rows_and_steps_of_its_events() -> None:
    timeline = timeline_of([event(5, 1, "agent_started"), event(3, 2), event(9, 3)])
    assert (len(timeline), list(timeline.rows)) == (3, [5, 3, 9])
    assert (timeline.last, timeline.newest_row) == ((3, 9), 9)
    assert list(timeline.step_of) == [0, 0, 0]


def test_appending_nothing_changes_nothing() -> None:
    timeline = timeline_of([event(5, 1)])
    timeline.append([])
    assert (len(timeline), timeline.last, timeline.newest_row) == (1, (1, 5), 5)


def test_the_newest_row_is_the_greatest_even_if_it_is_not_the_last() -> None:
    assert timeline_of([event(9, 1), event(4, 2)]).newest_row == 9


@pytest.mark.parametrize("parts", [1, 3, 50])
def test_the_past_equals_a_fold_of_the_first_events(parts: int) -> None:
    rows = long_story()
    timeline = Timeline()
    size = -(-len(rows) // parts)
    for start in range(0, len(rows), size):
        timeline.append(rows[start : start + size])
    by_rowid = {row[0]: row for row in rows}
    for number in (0, 1, 2, 57, 200, len(rows)):
        past = timeline.at(number, lambda rowids: [by_rowid[one] for one in rowids])
        expected = fold(rows[:number])
        expected.flush_deltas()
        assert past.events == number
        assert tree(past) == tree(expected)


def test_going_back_does_not_change_the_newest_state() -> None:
    rows = long_story(10)
    timeline = timeline_of(rows)
    before = tree(timeline.state)
    by_rowid = {row[0]: row for row in rows}
    timeline.at(20, lambda rowids: [by_rowid[one] for one in rowids])
    assert tree(timeline.state) == before


def test_the_past_is_replayed_from_a_snapshot_and_not_from_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = long_story(400)
    timeline = timeline_of(rows)
    by_rowid = {row[0]: row for row in rows}
    read: list[int] = []

    def reread(rowids: Sequence[int]) -> list[Row]:
        read.extend(rowids)
        return [by_rowid[one] for one in rowids]

    timeline.at(len(rows) - 1, reread)
    assert 0 < len(read) < len(rows) - 1


def test_failures_are_those_up_to_an_event() -> None:
    timeline = timeline_of(long_story())
    failures = list(timeline.state.failures)
    assert len(failures) > 3
    assert list(timeline.failures_until(failures[1])) == failures[:2]
    assert list(timeline.failures_until(failures[1] - 1)) == failures[:1]


@pytest.mark.parametrize(
    ("rows", "follow"),
    [
        ([], True),
        ([event(11, 3)], True),
        ([event(4, 3)], True),
        ([event(11, 3), event(12, 4)], True),
        ([event(11, 2)], False),
        ([event(11, 1)], False),
        ([event(11, 4), event(12, 3)], False),
        ([event(11, None)], False),
        ([event(11, "3")], False),
    ],
)
def test_events_follow_by_sequence(rows: list[Row], follow: bool) -> None:
    assert timeline_of([event(9, 1), event(10, 2)]).follows(rows) is follow


@pytest.mark.parametrize(
    ("rows", "follow"),
    [
        ([event(11, 1)], True),
        ([event(11, 1), event(12, 1)], True),
        ([event(10, 3)], False),
        ([event(12, 3), event(11, 4)], False),
    ],
)
def test_events_with_repeated_sequences_follow_by_rowid(rows: list[Row], follow: bool) -> None:
    timeline = timeline_of([event(9, 1), event(10, 2)])
    timeline.repeats = True
    assert timeline.follows(rows) is follow


@pytest.mark.parametrize(
    ("sequences", "last", "repeats"),
    [
        ([1, 2, 3], None, False),
        ([1, 1], None, True),
        ([3, 4], (2, 9), False),
        ([2, 3], (2, 9), True),
        ([1, None], None, True),
        ([1, "2"], None, True),
        ([], (2, 9), False),
    ],
)
def test_repeats_are_found_within_and_before_the_events(
    sequences: list[object], last: tuple[int, int] | None, repeats: bool
) -> None:
    rows = [event(n, sequence) for n, sequence in enumerate(sequences, 1)]
    assert has_repeats(rows, last) is repeats
