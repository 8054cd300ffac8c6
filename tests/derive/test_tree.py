"""Rows of the timeline: correct for any expansion, growth and time travel."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.derive import tree
from inspector.derive.steps import StepTable
from inspector.derive.tree import DEEP, WIDE, Row, TreeIndex
from inspector.model.status import Status
from inspector.model.step import StepKind
from tests.derive.tables import Spec, flat, naive_children, naive_inner, nested, table_of
from tests.growth import assert_grows_at_most

KINDS = [
    StepKind.STATEMENT,
    StepKind.STATEMENT,
    StepKind.BLOCK,
    StepKind.LOOP,
    StepKind.ITERATION,
    StepKind.PARALLEL,
    StepKind.BRANCH,
]


@st.composite
def histories(draw: st.DrawFn, failures: bool = True) -> list[Spec]:
    """Steps in the order in which a run would record them."""
    specs: list[Spec] = []
    for step in range(draw(st.integers(0, 40))):
        parent = draw(st.integers(-1, step - 1))
        kind = draw(st.sampled_from(KINDS))
        failed = failures and draw(st.integers(0, 9)) == 0
        status = Status.FAILED if failed else Status.COMPLETED
        specs.append(Spec(parent, kind, status, draw(st.booleans())))
    return specs


def expected_rows(table: StepTable, index: TreeIndex) -> list[Row]:
    children = naive_children(table)
    rows: list[Row] = []

    def visit(container: int, depth: int) -> None:
        for step in children.get(container, ()):
            inner = naive_inner(table, dict(children), step)
            inside = bool(children.get(inner))
            is_open = index.is_open(step) if inside else None
            rows.append(Row(step, depth, inner, is_open))
            if is_open:
                visit(inner, depth + 1)

    visit(-1, 0)
    return rows


def check(index: TreeIndex, table: StepTable) -> None:
    rows = expected_rows(table, index)
    assert index.rows == len(rows)
    if rows:
        assert list(index.walk(0)) == rows
    visible = {row.step: number for number, row in enumerate(rows)}
    for step in range(len(table)):
        canonical = index.canonical(step)
        assert index.row_of(step) == visible.get(canonical)
        shown = index.shown(step)
        assert shown in visible
        assert shown == canonical or shown in index.around(step)
    for number, row in enumerate(rows):
        assert next(index.walk(number)) == row


@given(histories())
def test_every_row_is_found_from_its_step_and_back(specs: list[Spec]) -> None:
    table = table_of(specs)
    check(TreeIndex(table), table)


@given(histories(), st.data())
def test_rows_stay_right_while_a_person_folds_and_unfolds(
    specs: list[Spec], data: st.DataObject
) -> None:
    table = table_of(specs)
    index = TreeIndex(table)
    for _ in range(data.draw(st.integers(0, 8)) if specs else 0):
        row = data.draw(st.integers(0, index.rows - 1))
        step = index.step_at(row)
        (index.fold if index.is_open(step) else index.unfold)(step)
        check(index, table)


@settings(deadline=None)
@given(histories(), st.data())
def test_rows_stay_right_while_the_run_grows_and_is_travelled(
    specs: list[Spec], data: st.DataObject
) -> None:
    index = TreeIndex()
    for _ in range(data.draw(st.integers(1, 6))):
        table = table_of(specs[: data.draw(st.integers(0, len(specs)))])
        index.update(table)
        check(index, table)
        if index.rows and data.draw(st.booleans()):
            step = index.step_at(data.draw(st.integers(0, index.rows - 1)))
            (index.fold if index.is_open(step) else index.unfold)(step)
            check(index, table)


@given(histories(failures=False), st.integers(1, 7))
def test_growing_step_by_step_equals_a_fresh_index(specs: list[Spec], portion: int) -> None:
    index = TreeIndex()
    for size in range(0, len(specs) + portion, portion):
        index.update(table_of(specs[:size]))
    late = TreeIndex(table_of(specs))
    assert [row.step for row in _rows(index)] == [row.step for row in _rows(late)]


def _rows(index: TreeIndex) -> list[Row]:
    return list(index.walk(0)) if index.rows else []


@given(histories())
def test_revealing_a_step_brings_it_to_a_row(specs: list[Spec]) -> None:
    table = table_of(specs)
    index = TreeIndex(table)
    for step in range(len(table)):
        row = index.reveal(step)
        assert index.step_at(row) == index.canonical(step)
    check(index, table)


def loop_of(rounds: int, failed: int | None = None) -> list[Spec]:
    specs = [Spec(kind=StepKind.LOOP)]
    for number in range(rounds):
        specs.append(Spec(0, StepKind.ITERATION))
        around = len(specs) - 1
        status = Status.FAILED if number == failed else Status.COMPLETED
        specs += [Spec(around, status=status), Spec(around)]
    return specs


def open_rounds(index: TreeIndex) -> list[int]:
    rounds = index.children(0)
    return [number for number, step in enumerate(rounds) if index.is_open(step)]


def test_of_a_loop_only_the_newest_and_failed_iterations_are_expanded() -> None:
    assert open_rounds(TreeIndex(table_of(loop_of(6, failed=2)))) == [2, 5]


def test_an_iteration_collapses_when_the_next_one_starts() -> None:
    index = TreeIndex(table_of(loop_of(3)))
    index.update(table_of(loop_of(4)))
    assert open_rounds(index) == [3]


def test_an_iteration_with_the_cursor_or_expanded_by_hand_stays_expanded() -> None:
    index = TreeIndex(table_of(loop_of(3)))
    index.unfold(index.children(0)[0])
    index.kept = index.children(0)[2] + 1
    index.update(table_of(loop_of(4)))
    assert open_rounds(index) == [0, 2, 3]


def test_choices_survive_a_rebuilt_index() -> None:
    specs = loop_of(4)
    index = TreeIndex(table_of(specs))
    index.unfold(index.children(0)[1])
    index.fold(index.children(0)[3])
    moved = table_of([*specs, Spec()])
    moved.move(len(specs), 0)
    index.update(moved)
    check(index, moved)
    assert open_rounds(index) == [1]


def test_a_wide_parallel_is_one_row_until_it_is_unfolded() -> None:
    wide = [Spec(kind=StepKind.PARALLEL), *(Spec(0, StepKind.BRANCH) for _ in range(5000))]
    index = TreeIndex(table_of(wide))
    assert index.rows == 1
    index.unfold(0)
    assert index.rows == 5001
    assert index.step_at(4711) == 4711


def test_a_branch_and_its_only_statement_are_one_row() -> None:
    specs = [
        Spec(kind=StepKind.PARALLEL),
        Spec(0, StepKind.BRANCH, has_row=False),
        Spec(1, StepKind.STATEMENT),
    ]
    index = TreeIndex(table_of(specs))
    assert _rows(index) == [Row(0, 0, 0, True), Row(1, 1, 2, None)]
    assert (index.row_of(2), index.canonical(2)) == (1, 1)
    table = table_of([*specs, Spec(1, StepKind.STATEMENT)])
    index.update(table)
    assert [row.step for row in _rows(index)] == [0, 1, 2, 3]
    check(index, table)


def test_a_round_and_its_only_parallel_are_one_row() -> None:
    specs = [
        Spec(kind=StepKind.LOOP),
        Spec(0, StepKind.ITERATION),
        Spec(1, StepKind.PARALLEL),
        Spec(2, StepKind.BRANCH),
        Spec(2, StepKind.BRANCH),
    ]
    index = TreeIndex(table_of(specs))
    assert _rows(index)[1] == Row(1, 1, 2, True)
    assert [row.step for row in _rows(index)] == [0, 1, 3, 4]
    table = table_of([*specs, Spec(1)])
    index.update(table)
    assert [row.step for row in _rows(index)] == [0, 1, 2, 3, 4, 5]
    check(index, table)
    index.update(table_of(specs))
    assert [row.step for row in _rows(index)] == [0, 1, 3, 4]


@pytest.mark.parametrize("first", [3, 2], ids=["own row", "the row of its statement"])
def test_a_merged_branch_is_checked_again_when_it_gets_a_row_of_its_own(first: int) -> None:
    specs = [
        Spec(kind=StepKind.PARALLEL),
        Spec(0, StepKind.BRANCH, has_row=False),
        Spec(1, StepKind.STATEMENT),
    ]
    index = TreeIndex(table_of(specs))
    assert [row.step for row in _rows(index)] == [0, 1]
    table = table_of(specs)
    table.first[2] = table.last[2] = 2
    table.first[1] = table.last[1] = first
    index.update(table)
    assert [row.step for row in _rows(index)] == ([0, 1, 2] if first == 3 else [0, 1])
    check(index, table)


def test_a_parallel_wider_than_the_limit_starts_collapsed() -> None:
    for branches, is_open in ((WIDE, True), (WIDE + 1, False)):
        specs = [Spec(kind=StepKind.PARALLEL), *[Spec(0, StepKind.BRANCH)] * branches]
        assert TreeIndex(table_of(specs)).is_open(0) is is_open


def test_a_wide_parallel_merged_into_an_iteration_starts_collapsed() -> None:
    specs = [
        Spec(kind=StepKind.LOOP),
        Spec(0, StepKind.ITERATION),
        Spec(1, StepKind.PARALLEL),
        *[Spec(2, StepKind.BRANCH)] * (WIDE + 1),
    ]
    index = TreeIndex(table_of(specs))
    assert index.inner(1) == 2 and not index.is_open(1)


def test_containers_start_collapsed_from_a_depth_on() -> None:
    index = TreeIndex(nested(DEEP + 3))
    assert index.is_open(DEEP - 1) and not index.is_open(DEEP)


def test_an_older_iteration_starts_expanded_if_anything_inside_it_failed() -> None:
    def loop(status: Status) -> list[Spec]:
        return [
            Spec(kind=StepKind.LOOP),
            Spec(0, StepKind.ITERATION),
            Spec(1, StepKind.BLOCK),
            Spec(2, StepKind.STATEMENT, status),
            Spec(0, StepKind.ITERATION),
            Spec(4, StepKind.BLOCK),
        ]

    assert not TreeIndex(table_of(loop(Status.COMPLETED))).is_open(1)
    assert TreeIndex(table_of(loop(Status.FAILED))).is_open(1)
    assert TreeIndex(table_of(loop(Status.COMPLETED))).is_open(4)


def test_only_the_newest_containers_start_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_IN_PLACE", 0)
    monkeypatch.setattr(tree, "MAX_EXPANDED", 4)
    specs = [spec for block in range(6) for spec in (Spec(kind=StepKind.BLOCK), Spec(2 * block))]
    index = TreeIndex(table_of(specs))
    # The root is one of the four.
    assert [step for step in range(0, 12, 2) if index.is_open(step)] == [6, 8, 10]


def test_only_the_newest_children_are_considered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_IN_PLACE", 0)
    monkeypatch.setattr(tree, "MAX_SCANNED", 2)
    specs = [Spec(kind=StepKind.BLOCK) for _ in range(4)] + [Spec(step) for step in range(4)]
    index = TreeIndex(table_of(specs))
    assert [index.is_open(step) for step in range(4)] == [False, False, True, True]


def test_a_large_change_is_made_in_chunks_and_shows_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "MAX_IN_PLACE", 3)
    monkeypatch.setattr(tree, "CHUNK", 4)
    index = TreeIndex(flat(2))
    grown = flat(15)
    before = [index.rows for _ in index.updating(grown)]
    assert before == [2] * 4
    check(index, grown)


def test_a_reparented_step_moves_with_its_children() -> None:
    specs = [Spec(kind=StepKind.BLOCK), Spec(kind=StepKind.BLOCK), Spec(1), Spec(0)]
    index = TreeIndex(table_of(specs))
    table = table_of(specs)
    table.move(1, 0)
    index.update(table)
    assert [(row.step, row.depth) for row in _rows(index)] == [(0, 0), (1, 1), (2, 2), (3, 1)]
    check(index, table)


def test_collapsing_is_forgotten_for_another_step_of_the_same_number() -> None:
    index = TreeIndex(table_of([Spec(kind=StepKind.BLOCK), Spec(0)]))
    index.fold(0)
    other = table_of([Spec(kind=StepKind.BLOCK), Spec(0)])
    other.segment[0] = "another"
    other.reparented = 1
    index.update(other)
    assert index.is_open(0)


def test_two_hundred_levels_need_no_recursion_and_stay_folded_deep_inside() -> None:
    index = TreeIndex(nested(200))
    assert index.rows == 13
    assert index.reveal(199) == 199
    assert index.rows == 200
    deep = TreeIndex(nested(1000))
    assert deep.reveal(999) == 999


def test_asking_beyond_the_rows_is_an_error() -> None:
    index = TreeIndex(flat(3))
    with pytest.raises(IndexError):
        index.step_at(3)
    with pytest.raises(IndexError):
        index.step_at(-1)


def test_finding_a_row_does_not_depend_on_the_length_of_the_run() -> None:
    def parallels(count: int) -> TreeIndex:
        specs: list[Spec] = []
        for _ in range(count):
            at = len(specs)
            specs += [Spec(kind=StepKind.PARALLEL), Spec(at, StepKind.BRANCH)] + [Spec(at)] * 2
        return TreeIndex(table_of(specs))

    def look(index: TreeIndex) -> None:
        for part in range(200):
            step = index.step_at(index.rows * part // 200)
            index.row_of(step)

    small, large = parallels(100), parallels(10_000)
    assert_grows_at_most(8, lambda: look(small), lambda: look(large))
