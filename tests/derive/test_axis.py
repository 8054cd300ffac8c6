"""Positions of events and instants: as in the pictures, and valid for every run."""

from dataclasses import replace
from datetime import UTC
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.derive import axis
from inspector.derive.axis import (
    LABELS_APART,
    NARROW_CUT,
    PIECE_CELLS,
    Axis,
    OrderAxis,
    Span,
    TimeAxis,
    span_of,
    steady,
    use_times,
)
from inspector.derive.bars import (
    BarGlyphs,
    Mark,
    bar_text,
    closed_bar,
    dashed_bar,
    failure_cells,
    open_bar,
    scrubber,
)
from inspector.derive.steps import KIND_CODE, StepTable
from inspector.model.run import Run, RunKind
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health, Store, WriteStyle

GLYPHS = BarGlyphs("━", "╺", "╸", "╍")
ASCII = BarGlyphs("=", "=", "=", "~")
PICTURE = OrderAxis(38, 37)
NOW = 1_768_573_927_000


def text(axis: Axis, begin: int, end: int) -> str:
    bar = closed_bar(axis, begin, end)
    return " " * bar.cell + bar_text(bar, GLYPHS)


def test_ticks_and_labels_are_those_of_the_picture() -> None:
    assert [tuple(tick) for tick in PICTURE.labels] == [
        (0, "1"),
        (8, "10"),
        (18, "20"),
        (28, "30"),
        (35, "38"),
    ]


@pytest.mark.parametrize(
    ("begin", "end", "start", "stop"),
    [(1, 1, 0, 2), (2, 8, 2, 16), (3, 10, 4, 19), (4, 11, 6, 21), (13, 19, 23, 37)],
)
def test_bars_are_where_the_picture_has_them(begin: int, end: int, start: int, stop: int) -> None:
    bar = closed_bar(PICTURE, begin, end)
    assert (bar.start, bar.solid) == (start, stop)


def test_half_cells_at_both_ends() -> None:
    assert bar_text(closed_bar(PICTURE, 13, 19), GLYPHS) == "╺━━━━━━╸"
    assert bar_text(closed_bar(PICTURE, 13, 19), ASCII) == "========"


def test_an_open_bar_ends_in_two_dashes_at_now() -> None:
    assert bar_text(open_bar(PICTURE, 33, 38), GLYPHS) == "━━━━╍╍"
    assert bar_text(open_bar(PICTURE, 13, 16), GLYPHS) == "╺━━╍╍"
    assert open_bar(PICTURE, 13, 16).stop == 16


def test_an_open_bar_shorter_than_its_dashes_is_dashed() -> None:
    bar = open_bar(OrderAxis(38, 10), 33, 38)
    assert (bar.cell, bar_text(bar, GLYPHS)) == (8, "╍╍")


def test_an_unconfirmed_bar_is_dashed_all_along() -> None:
    assert bar_text(dashed_bar(PICTURE, 2, 8), GLYPHS) == "╍" * 7


def test_the_scrubber_has_failures_and_position_in_the_columns_of_the_bars() -> None:
    marks = scrubber(PICTURE, [30, 36], 38, travelling=False)
    assert [cell for cell, mark in enumerate(marks) if mark is Mark.FAILURE] == [28, 34]
    assert marks[36] is Mark.POSITION
    assert marks.count(Mark.LINE) == 34


def test_the_scrubber_distinguishes_before_and_after_in_the_past() -> None:
    marks = scrubber(PICTURE, [30, 36], 16, travelling=True)
    assert marks.index(Mark.POSITION) == 15
    assert set(marks[:15]) == {Mark.BEFORE}
    assert set(marks[16:]) == {Mark.AFTER, Mark.FAILURE}


ORDER = st.builds(OrderAxis, st.integers(0, 10**7), st.integers(1, 200))


@st.composite
def spans(draw: st.DrawFn) -> Span:
    marks = sorted(draw(st.sets(st.integers(NOW, NOW + 10**8), min_size=2, max_size=8)))
    idle = tuple(zip(marks[1:-1:2], marks[2:-1:2], strict=False))
    return Span(marks[0], marks[-1], idle)


TIME = st.builds(TimeAxis, spans(), st.integers(1, 200))


@given(st.one_of(ORDER, TIME), st.data())
def test_every_bar_is_on_the_axis_and_at_least_half_a_cell(axis: Axis, data: st.DataObject) -> None:
    base = 0 if isinstance(axis, OrderAxis) else NOW
    positions = st.integers(base - 10, base + 10**8 + 10)
    begin, end = sorted((data.draw(positions), data.draw(positions)))
    bar = closed_bar(axis, begin, end)
    assert 0 <= bar.start < bar.solid <= 2 * axis.cells
    for made in (bar, open_bar(axis, begin, end), dashed_bar(axis, begin, end)):
        assert 1 <= len(bar_text(made, GLYPHS)) == made.stop - made.cell
        assert 0 <= made.cell < made.stop <= axis.cells
    assert 0 <= axis.cell(begin) <= axis.cell(end) < axis.cells


@given(st.one_of(ORDER, TIME))
def test_labels_never_touch_and_stay_on_the_axis(axis: Axis) -> None:
    labels = axis.labels
    for label, following in pairwise(labels):
        assert following.cell - label.end >= min(LABELS_APART, following.cell)
    assert all(label.cell >= 0 and label.end <= axis.cells for label in labels[1:])


@given(TIME)
def test_cuts_are_on_the_axis_in_order_and_apart(axis: TimeAxis) -> None:
    reached = -1
    for cut in axis.cuts:
        assert reached < cut.first < cut.last < axis.cells
        reached = cut.last
    if axis.cuts:
        scrubber(axis, [], axis.span.stop, travelling=True)


@given(st.integers(3, 10**6), st.integers(20, 120))
def test_ticks_change_only_when_the_span_doubles(events: int, cells: int) -> None:
    power = 1 << (events - 1).bit_length()
    every = {tick.label for tick in OrderAxis(power, 400).ticks}
    assert {tick.label for tick in OrderAxis(events, cells).ticks} <= every


@given(st.integers(1, 10**9))
def test_an_axis_has_a_little_room_and_changes_seldom(span: int) -> None:
    roomy = steady(span)
    assert span <= roomy < span + max(1, span / 32)
    assert steady(roomy) == roomy
    assert span > 64 or roomy == span


@given(ORDER, st.lists(st.integers(1, 10**7), max_size=30))
def test_failures_are_found_cell_by_cell(axis: OrderAxis, failures: list[int]) -> None:
    failures.sort()
    assert failure_cells(axis, failures) == sorted({axis.cell(event) for event in failures})


@given(ORDER, st.data())
def test_a_cell_leads_to_the_first_event_in_it(axis: OrderAxis, data: st.DataObject) -> None:
    cell = data.draw(st.integers(0, axis.cells - 1))
    event = axis.event_at(cell)
    assert axis.cell(event) >= cell or event == max(1, axis.events)
    assert event == 1 or axis.cell(event - 1) < cell


def axis_of_picture() -> TimeAxis:
    start = NOW - 542_000
    return TimeAxis(Span(start, NOW, ((start + 63_500, start + 520_000),)), 51, UTC)


def test_idle_time_is_cut_out_as_in_the_picture() -> None:
    axis = axis_of_picture()
    (cut,) = axis.cuts
    assert (cut.first, cut.last, cut.label) == (34, 39, "idle 7m 36s")
    assert axis.begin(axis.span.start + 63_500) == 67
    assert axis.begin(axis.span.start + 520_000) == 79
    assert axis.begin(axis.span.stop) == 102
    assert [tick.label for tick in axis.labels] == ["14:23:05", "+20s", "+40s", "+8m 40s"]
    assert [tick.cell for tick in axis.labels] == [0, 10, 21, 39]


def test_a_repeated_hour_names_its_zone() -> None:
    london = ZoneInfo("Europe/London")
    first, second = 1_792_888_200_000, 1_792_891_800_000
    labels = [TimeAxis(Span(at, at + 60_000), 50, london).labels[0].label for at in (first, second)]
    assert labels == ["01:30:00 UTC+1", "01:30:00 UTC"]


@pytest.mark.parametrize("name", ["Asia/Kolkata", "Australia/Adelaide", "America/St_Johns"])
def test_zones_of_half_hours_move_no_tick(name: str) -> None:
    span = Span(NOW, NOW + 7_200_000)
    here, there = TimeAxis(span, 60, UTC), TimeAxis(span, 60, ZoneInfo(name))
    assert here.ticks == there.ticks
    assert here.labels[0].label != there.labels[0].label
    assert there.labels[0].label.split(":")[1] != here.labels[0].label.split(":")[1]


RUN_STORE = Store("/runs/a/state.db", "prism", "8", WriteStyle.UPDATE, Health.OK)


def run(status: Status = Status.RUNNING) -> Run:
    return Run("prism:/a#b", RunKind.AGENT, RUN_STORE, "b", "b", status, None, order_only=False)


def timed(*times: tuple[int | None, int | None], status: Status = Status.COMPLETED) -> StepTable:
    table = StepTable()
    for begin, end in times:
        step = table.add(-1, StepKind.TURN, "turn", status, None, len(table) + 1)
        for column, moment in ((table.started, begin), (table.ended, end)):
            if moment is not None:
                column[step] = moment
                table.stretch(step, moment)
    return table


def test_a_running_run_reaches_until_now_and_an_ended_one_until_its_last_instant() -> None:
    table = timed((NOW - 60_000, NOW - 50_000))
    assert span_of(table, run(), NOW) == Span(NOW - 60_000, NOW, ((NOW - 50_000, NOW),))
    ended = span_of(table, run(Status.COMPLETED), NOW)
    assert ended == Span(NOW - 60_000, NOW - 50_000)


def test_instants_that_cannot_be_stay_off_the_axis() -> None:
    table = timed((NOW - 60_000, NOW - 30_000), (0, 9_999 * 31_556_952_000), (NOW - 20_000, NOW))
    assert span_of(table, run(Status.COMPLETED), NOW) == Span(NOW - 60_000, NOW)
    assert span_of(timed((None, None)), run(), NOW) is None


def test_a_long_call_is_busy_and_waiting_is_idle() -> None:
    hour = 3_600_000
    busy = timed((NOW - 2 * hour, NOW - hour), (NOW - hour, NOW - 1000), (NOW - 1000, NOW))
    assert span_of(busy, run(Status.COMPLETED), NOW) == Span(NOW - 2 * hour, NOW)
    waits = timed((NOW - 2 * hour, NOW - 2 * hour + 60_000), (NOW - hour, None))
    waits.set_status(1, Status.WAITING, "suspended")
    span = span_of(waits, run(Status.WAITING), NOW)
    assert span is not None
    assert [end - begin for begin, end in span.idle] == [hour - 60_000, hour]


def test_a_clock_that_cannot_tell_instants_apart_makes_no_axis() -> None:
    second = replace(run(Status.COMPLETED), clock_ms=1000)
    for length, tells in ((3_000, False), (5_000, True)):
        table = timed((NOW - length, NOW))
        span = span_of(table, second, NOW)
        assert span is not None
        assert use_times(table, second, span) is tells
    seldom = timed((NOW - 60_000, NOW), (None, None), (None, None))
    span = span_of(seldom, second, NOW)
    assert span is not None
    assert not use_times(seldom, second, span)


def test_an_end_before_its_start_freezes_nothing() -> None:
    table = timed((NOW - 10_000, NOW - 15_000), (NOW - 10_000, NOW))
    span = span_of(table, run(Status.COMPLETED), NOW)
    assert span is not None
    bar = closed_bar(TimeAxis(span, 40), NOW - 10_000, NOW - 15_000)
    assert bar.solid - bar.start == 1


def idle_of(*times: tuple[int, int]) -> list[int]:
    """Lengths of the idle gaps between steps, in seconds; times in seconds before now."""
    table = timed(*((NOW - begin * 1000, NOW - end * 1000) for begin, end in times))
    span = span_of(table, run(Status.COMPLETED), NOW)
    assert span is not None
    return [(end - begin) // 1000 for begin, end in span.idle]


@pytest.mark.parametrize(("gap", "idle"), [(29, []), (30, [30])])
def test_a_gap_is_idle_from_half_a_minute_on(gap: int, idle: list[int]) -> None:
    assert idle_of((gap + 2, gap + 1), (1, 0)) == idle


@pytest.mark.parametrize(("gap", "idle"), [(39, []), (40, [40])])
def test_a_gap_is_idle_from_a_fifth_of_the_busy_time_on(gap: int, idle: list[int]) -> None:
    assert idle_of((gap + 200, gap + 100), (100, 0)) == idle


def test_only_the_longest_gaps_are_cut() -> None:
    ends = (0, 100, 300, 600, 1000)
    steps = [(end + 1, end) for end in ends]
    assert idle_of(*steps) == [399, 299, 199]


def test_a_step_that_only_waits_is_idle_between_its_ends() -> None:
    table = timed((NOW - 100_000, NOW))
    table.kind[0] = KIND_CODE[StepKind.WAIT]
    span = span_of(table, run(Status.COMPLETED), NOW)
    assert span is not None and span.idle == ((NOW - 100_000, NOW),)


@pytest.mark.parametrize(
    ("status", "idle"),
    [(Status.RUNNING, False), (Status.UNCONFIRMED, False), (Status.COMPLETED, True)],
)
def test_an_open_step_is_busy_until_the_end_of_the_span(status: Status, idle: bool) -> None:
    table = timed((NOW - 100_000, None), (NOW, NOW))
    table.set_status(0, status, None)
    span = span_of(table, run(Status.COMPLETED), NOW)
    assert span is not None and bool(span.idle) is idle


def test_containers_do_not_make_a_span_busy() -> None:
    table = timed((NOW - 100_000, NOW))
    for begin in (NOW - 100_000, NOW):
        step = table.add(0, StepKind.STATEMENT, "inside", Status.COMPLETED, None, 0)
        table.started[step] = table.ended[step] = begin
    span = span_of(table, run(Status.COMPLETED), NOW)
    assert span is not None and span.idle == ((NOW - 100_000, NOW),)


def test_of_a_long_run_only_the_outermost_steps_are_scanned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(axis, "MAX_SCANNED", 2)
    table = timed((NOW - 100_000, NOW))
    for moment in (NOW - 100_000, NOW):
        step = table.add(0, StepKind.STATEMENT, "inside", Status.COMPLETED, None, 0)
        table.started[step] = table.ended[step] = moment
    span = span_of(table, run(Status.COMPLETED), NOW)
    assert span == Span(NOW - 100_000, NOW)


def test_half_of_the_steps_need_instants_for_a_time_axis() -> None:
    for known, tells in ((2, True), (1, False)):
        times: list[tuple[int | None, int | None]] = [(NOW - 60_000, NOW)] * known
        table = timed(*times, *[(None, None)] * (4 - known))
        span = span_of(table, run(Status.COMPLETED), NOW)
        assert span is not None
        assert use_times(table, run(Status.COMPLETED), span) is tells


def test_a_gap_that_leaves_too_few_cells_is_not_cut() -> None:
    span = Span(0, 100_000, ((10_000, 40_000), (50_000, 90_000)))
    assert len(TimeAxis(span, NARROW_CUT * 2 + PIECE_CELLS * 3).cuts) == 2
    (kept,) = TimeAxis(span, NARROW_CUT * 2 + PIECE_CELLS * 3 - 1).cuts
    assert kept.label == "idle 40.0s"
