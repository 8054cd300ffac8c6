"""The step table: counts, spans, copies and paths under any sequence of changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.derive.steps import (
    KIND_CODE,
    MAX_SEGMENTS,
    NO_TIME,
    STATUS_CODE,
    STATUSES,
    StepTable,
    instant,
    levels_of,
)
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from tests.derive.tables import flat, nested

many = settings(max_examples=80, deadline=None)


@dataclass
class Plain:
    """The same table in the plainest way."""

    parents: list[int] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)

    def lies_in(self, step: int, around: int) -> bool:
        while step >= 0:
            if step == around:
                return True
            step = self.parents[step]
        return False


Doing = tuple[str, int, int]
DOINGS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "status", "move", "stretch", "touch"]),
        st.integers(-1, 30),
        st.integers(0, 30),
    ),
    max_size=40,
)


def do(table: StepTable, plain: Plain, doings: list[Doing], first_event: int = 1) -> None:
    """Does the same to both."""
    for event, (what, one, other) in enumerate(doings, first_event):
        count = len(table)
        status = STATUSES[other % len(STATUSES)]
        if what == "add":
            parent = one if one < count else -1
            table.add(parent, StepKind.STATEMENT, "x", status, str(status), event)
            plain.parents.append(parent)
            plain.statuses.append(status)
        elif not count:
            continue
        elif what == "status":
            table.set_status(one % count, status, str(status))
            plain.statuses[one % count] = status
        elif what == "move":
            step, parent = one % count, other % (count + 1) - 1
            if parent < 0 or not plain.lies_in(parent, step):
                table.move(step, parent)
                plain.parents[step] = parent
        elif what == "stretch":
            table.stretch(one % count, other * 1000)
        else:
            table.touch(one % count, event)


@many
@given(DOINGS)
def test_counts_of_leaves_equal_a_recount(doings: list[Doing]) -> None:
    table, plain = StepTable(), Plain()
    do(table, plain, doings)
    children = [plain.parents.count(step) for step in range(len(table))]
    assert list(table.children_of)[: len(table)] == children
    counts = [0] * len(STATUSES)
    for step, inside in enumerate(children):
        if not inside:
            counts[STATUS_CODE[plain.statuses[step]]] += 1
    assert table.leaf_counts == counts
    assert [table.status_of(step) for step in range(len(table))] == plain.statuses


@many
@given(DOINGS)
def test_children_are_inside_the_span_of_their_parents(doings: list[Doing]) -> None:
    table, plain = StepTable(), Plain()
    do(table, plain, doings)
    for step, parent in enumerate(plain.parents):
        if parent < 0:
            continue
        assert table.span_last[parent] >= table.span_last[step]
        if table.span_start[step] != NO_TIME:
            assert NO_TIME < table.span_start[parent] <= table.span_start[step]
            assert table.span_stop[parent] >= table.span_stop[step]


@many
@given(DOINGS, DOINGS)
def test_a_copy_does_not_change(first: list[Doing], later: list[Doing]) -> None:
    table, plain = StepTable(), Plain()
    do(table, plain, first)
    if len(table):
        table.more(0).ref["n"] = 1
    copied = table.copy()
    before = [copied.step(number) for number in range(len(copied))], copied.leaf_counts[:]
    do(table, plain, later, 100)
    if len(table):
        table.more(0).ref["n"] = 2
        table.more(0).attempts.append(Attempt(1, Status.FAILED))
    assert ([copied.step(number) for number in range(len(copied))], copied.leaf_counts) == before


@many
@given(DOINGS)
def test_levels_are_the_number_of_steps_around(doings: list[Doing]) -> None:
    table, plain = StepTable(), Plain()
    do(table, plain, doings)
    expected = [1 + len(list(table.ancestors(step))) for step in range(len(table))]
    assert list(levels_of(table)) == expected


def test_columns_are_long_enough_for_many_steps() -> None:
    table = flat(3000)
    assert len(table) == 3000
    assert table.started[2999] == NO_TIME
    assert table.children_of[2999] == 0


def test_a_copy_of_extra_facts_is_made_only_when_they_change() -> None:
    table = flat(2)
    table.more(0).error = "it broke"
    copied = table.copy()
    assert copied.extra[0] is table.extra[0]
    table.more(0).error = "again"
    assert copied.extra[0].error == "it broke"


def segments(*described: tuple[int, StepKind, object]) -> list[str]:
    """The paths of steps that are given as (parent, kind, segment)."""
    table = StepTable()
    for parent, kind, segment in described:
        number = table.add(parent, kind, "", Status.COMPLETED, None, 1)
        table.segment[number] = segment
    return [table.path(number) for number in range(len(table))]


class TestPaths:
    def test_a_loop_in_a_branch_in_a_loop(self) -> None:
        assert segments(
            (-1, StepKind.LOOP, "l1"), (0, StepKind.ITERATION, 2), (1, StepKind.PARALLEL, "p1"),
            (2, StepKind.BRANCH, "b"), (3, StepKind.LOOP, "l2"), (4, StepKind.ITERATION, 1),
            (5, StepKind.STATEMENT, 4),
        )[-1] == "l1[2]/p1.b/l2[1]/4"  # fmt: skip

    @pytest.mark.parametrize(
        ("segment", "path"),
        [
            (7, "7"), (-7, "-7"), ("7", "#7"), ("a/b", "a%2Fb"), ("a.b", "a%2Eb"),
            ("a[1]", "a%5B1%5D"), ("a#2", "a%232"), ("a@2", "a%402"), ("50%", "50%25"),
            (None, "?"), ("?", "%3F"), ("", "%"), (1.5, "1%2E5"), ("日本", "日本"),
        ],
    )  # fmt: skip
    def test_ambiguous_names_are_escaped(self, segment: object, path: str) -> None:
        assert segments((-1, StepKind.LOOP, segment)) == [path]

    @given(st.lists(st.text(alphabet="ab/.[]#@%?1", max_size=4), min_size=2, max_size=2))
    def test_two_names_never_give_one_path(self, names: list[str]) -> None:
        first, second = (segments((-1, StepKind.LOOP, name)) for name in names)
        assert (first == second) == (names[0] == names[1])

    def test_repeated_segments_are_numbered(self) -> None:
        table = flat(1)
        table.repeats[0] = "#2"
        assert table.path(0) == "0#2"
        assert table.copy().path(0) == "0#2"

    def test_two_hundred_levels_are_written_out(self) -> None:
        table = nested(200)
        assert table.path(199).count("/") == 199

    def test_the_deepest_are_cut_and_stay_apart(self) -> None:
        table = nested(2 * MAX_SEGMENTS)
        paths = {table.path(step) for step in range(len(table))}
        assert len(paths) == len(table)
        assert len(table.path(len(table) - 1)) < 40
        assert len(table.path(MAX_SEGMENTS - 1)) > 1000


def test_a_plain_step_with_a_row_has_one_attempt() -> None:
    table = StepTable()
    table.add(-1, StepKind.STATEMENT, "x", Status.FAILED, "failed", 3)
    table.started[0] = 5
    (only,) = table.attempts(0)
    assert (only.n, only.first_event, only.started_at, only.ended_at) == (1, 3, 5, None)


def test_a_step_without_a_row_was_not_tried() -> None:
    table = StepTable()
    table.add(-1, StepKind.BRANCH, "x", Status.PENDING, None, 0)
    assert table.attempts(0) == ()
    step = table.step(0)
    assert (step.first_event, step.last_event) == (None, None)


def test_the_short_way_to_add_is_the_same_as_the_long() -> None:
    one, other = flat(1), flat(1)
    one.add(0, StepKind.BLOCK, "x", Status.RUNNING, "executing", 2)
    other.append(0, KIND_CODE[StepKind.BLOCK], "x", STATUS_CODE[Status.RUNNING], "executing", 2)
    assert one.step(1) == other.step(1)
    assert one.leaf_counts == other.leaf_counts


def test_no_instant_is_none() -> None:
    assert instant(NO_TIME) is None
    assert instant(0) == 0


def test_moving_a_step_updates_leaf_counts_spans_and_the_tree_counter() -> None:
    table = StepTable()
    old = table.add(-1, StepKind.BLOCK, "old", Status.COMPLETED, None, 1)
    new = table.add(-1, StepKind.BLOCK, "new", Status.FAILED, None, 2)
    step = table.add(old, StepKind.STATEMENT, "moved", Status.RUNNING, None, 3)
    table.stretch(step, 500)
    table.move(step, new)
    counts = {status: table.leaf_counts[STATUS_CODE[status]] for status in STATUSES}
    assert (counts[Status.COMPLETED], counts[Status.FAILED], counts[Status.RUNNING]) == (1, 0, 1)
    assert (table.children_of[old], table.children_of[new]) == (0, 1)
    assert (table.span_last[new], table.span_start[new], table.span_stop[new]) == (3, 500, 500)
    assert table.reparented == 1


def test_an_older_event_does_not_move_the_span_back() -> None:
    table = StepTable()
    step = table.add(-1, StepKind.BLOCK, "block", Status.RUNNING, None, 5)
    table.touch(step, 3)
    assert table.span_last[step] == 5


def test_only_iterations_have_an_iteration_number() -> None:
    table = StepTable()
    for kind, segment, number in (
        (StepKind.ITERATION, 3, 3),
        (StepKind.ITERATION, "x", None),
        (StepKind.STATEMENT, 3, None),
    ):
        step = table.add(-1, kind, "", Status.RUNNING, None, 1)
        table.segment[step] = segment
        assert table.iteration(step) == number
