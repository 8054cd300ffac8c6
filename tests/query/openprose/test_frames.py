"""Blocks, call stacks, and parents that are missing, later, circular or no rows at all."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.step import StepKind
from inspector.query.openprose import findings, view
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import KEPT_REMARKS, State
from tests.query.openprose.builders import (
    Cells,
    branch,
    cells,
    done,
    executing,
    failed,
    folded,
    joined,
    loop,
    number_of,
    numbered,
    parallel,
    remarks,
    round_,
    rows,
    told,
    tree,
)


def ref(state: State, path: str) -> dict[str, object]:
    """The references of a step as a view gives them."""
    shown = view.show(state, frozenset())
    return dict(shown.describe(number_of(state, path)).ref)


def block(index: int, name: str, **more: object) -> Cells:
    return executing(index, f"do {name}", block=name, **more)


def test_rows_of_a_block_name_its_start() -> None:
    state = folded(block(1, "process", depth=1), done(2, parent=1), done(1, "do process"))
    assert tree(state) == {"1": "completed", "1/2": "completed"}
    assert ref(state, "1") == {
        "statement_index": 1, "frame": 1, "depth": 1, "block": "process",
    }  # fmt: skip
    assert ref(state, "1/2")["frame"] == 1


def test_a_statement_that_others_name_as_parent_is_a_block() -> None:
    state = folded(executing(1, "session x"), done(2, parent=1))
    assert state.steps.kind_of(0) is StepKind.BLOCK
    assert ref(state, "1/2")["frame"] == 1


def test_one_block_called_twice_has_two_frames() -> None:
    state = folded(
        block(1, "b"), done(5, parent=1), done(1, "do b"),
        block(2, "b"), done(5, parent=4), done(2, "do b"),
    )  # fmt: skip
    assert [ref(state, path)["frame"] for path in ("1/5", "2/5")] == [1, 4]


@pytest.mark.parametrize("depth", [1, 200])
def test_recursion_of_any_depth(depth: int) -> None:
    calls = [block(1, "again", depth=level, parent=level - 1 or None)
             for level in range(1, depth + 1)]  # fmt: skip
    ends = [done(1, "do again", depth=level, parent=level - 1 or None)
            for level in range(depth, 0, -1)]  # fmt: skip
    state = folded(*calls, done(2, parent=depth), *ends)
    path = "/".join(["1"] * depth)
    assert ref(state, f"{path}/2")["depth"] == depth
    assert ref(state, f"{path}/2")["frame"] == depth
    assert set(tree(state).values()) == {"completed"}
    assert len(state.steps) == depth + 1


def test_the_end_of_a_block_may_name_the_block_as_its_parent() -> None:
    assert told(block(1, "b"), done(2, parent=1), done(1, "do b", parent=1)) == {
        "1": "completed",
        "1/2": "completed",
    }


def test_a_loop_and_a_parallel_inside_a_block() -> None:
    assert told(
        block(1, "b"), loop("l1", 2, parent=1), done(3, parent=2), round_("l1", 1, parent=1),
        parallel("p1", "a", parent=1), branch("p1", "a", parent=1), joined("p1", parent=1),
    ) == {
        "1": "executing",
        "1/l1": "iteration",
        "1/l1[1]": "iteration",
        "1/l1[1]/3": "completed",
        "1/l1[2]": "(running)",
        "1/l1[2]/p1": "joined",
        "1/l1[2]/p1.a": "completed",
    }  # fmt: skip


class TestParentsThatAreNot:
    """Nothing is dropped, everything is counted once, and it is said."""

    def test_missing(self) -> None:
        state = folded(done(1), done(2, parent=999))
        assert tree(state) == {"1": "completed", "2@1": "completed"}
        (finding,) = findings.oddities(state)
        assert (finding.code, finding.ref) == ("parent_missing", "execution:2")

    def test_missing_ones_are_not_taken_for_statements_of_the_root(self) -> None:
        state = folded(done(1, "x"), done(1, "x", parent=999))
        assert len(state.steps) == 2
        assert sum(state.steps.leaf_counts) == 2

    def test_two_rows_of_one_orphan_are_one_step_and_two_findings(self) -> None:
        state = folded(executing(1, parent=999), done(1, parent=999))
        assert len(state.steps) == 1

    @pytest.mark.parametrize("nobody", [0, None, "", "0"])
    def test_zero_and_nothing_are_the_run_itself(self, nobody: object) -> None:
        state = folded(executing(1), done(1, parent=nobody))
        assert tree(state) == {"1": "completed"}
        assert not list(findings.oddities(state))

    def test_itself(self) -> None:
        state = folded(done(1, parent=1))
        assert remarks(state) == [("parent_cycle", (1,))]

    def test_each_other(self) -> None:
        state = folded(done(1), done(2), done(3, parent=4), done(4, parent=3))
        assert remarks(state) == [("parent_cycle", (3, 4))]
        assert len(state.steps) == 4
        assert sum(1 for parent in state.steps.parent if parent < 0) == 3

    def test_a_ring_of_many_is_cut_once(self) -> None:
        ring = 50
        state = folded(*(done(n, parent=n % ring + 1) for n in range(1, ring + 1)))
        assert [code for code, _ in remarks(state)] == ["parent_cycle"]
        assert len(state.steps) == ring

    def test_later(self) -> None:
        state = folded(done(2, "inside", parent=2), block(1, "b"), done(3, parent=2))
        assert tree(state) == {"1/2": "completed", "1": "executing", "1/3": "completed"}
        assert not list(findings.oddities(state))
        assert ref(state, "1/2")["frame"] == 2

    def test_what_comes_after_its_late_parent_finds_it_there(self) -> None:
        state = folded(executing(2, "inside", parent=2), block(1, "b"), done(2, "inside", parent=2))
        assert tree(state) == {"1/2": "completed", "1": "executing"}

    def test_a_late_parent_has_what_is_inside_in_its_span(self) -> None:
        state = folded(done(2, parent=2, ended="2026-01-16 20:00:00"), block(1, "b"))
        parent = number_of(state, "1")
        assert state.steps.span_stop[parent] == 1_768_593_600_000
        assert state.steps.span_last[parent] == 2

    def test_late_parents_in_a_row(self) -> None:
        count = 100
        state = folded(*(done(n, parent=n + 1) for n in range(1, count)), done(count))
        assert len(list(state.steps.ancestors(0))) == count - 1

    def test_branches_stay_in_their_parallel(self) -> None:
        state = folded(
            parallel("p1", "a"), branch("p1", "a", parent=3), done(9), joined("p1", parent=3)
        )
        assert "p1.a" in tree(state)

    def test_the_index_of_a_statement_instead_of_a_row(self) -> None:
        """As the first state document has it."""
        state = folded(
            done(1),
            done(2),
            executing(5, "parallel:", parallel_id="p1", branches=["a", "b"]),
            done(6, "session a", parent=5, parallel_id="p1", branch="a"),
            done(7, "session b", parent=5, parallel_id="p1", branch="b"),
        )
        assert list(tree(state))[2:] == ["p1", "p1.a", "p1.b", "p1.a/6", "p1.b/7"]
        assert remarks(state) == [("parent_is_index", (4,))]

    def test_more_than_can_be_listed_are_counted(self) -> None:
        state = folded(*(done(n, parent=10_000 + n) for n in range(1, 301)))
        found = list(findings.oddities(state))
        assert len(found) == KEPT_REMARKS + 1
        assert found[-1].message == "200 more of the same kind are not listed."

    def test_many_rows_after_one_orphan_still_go_the_short_way(self) -> None:
        described = [done(1, parent=999), *(done(n) for n in range(2, 50))]
        state = folded(*described)
        assert state.here is not None


class TestRowsWithOtherIds:
    """A table that a writer made itself."""

    @pytest.mark.parametrize("kind", ["text", "numbers as text", "descending", "with gaps"])
    def test_the_tree_is_the_same(self, kind: str) -> None:
        described = (block(1, "b"), done(2, parent=1), loop("l1", 2, parent=1),
                     done(3, parent=3), done(9))  # fmt: skip
        kinds: dict[str, list[Any]] = {
            "text": ["one", "two", "three", "four", "five"],
            "numbers as text": ["1", "2", "3", "4", "5"],
            "descending": [50, 40, 30, 20, 10],
            "with gaps": [3, 8, 100, 2**40, 2**62],
        }
        names = kinds[kind]
        renamed = [
            (name, *one._replace(parent=names[one.parent - 1] if one.parent else None))
            for name, one in zip(names, described, strict=True)
        ]
        assert tree(fold(renamed)) == told(*described)

    def test_a_frame_is_named_as_it_was_recorded(self) -> None:
        described = (block(1, "b"), done(2, parent="first"))
        state = fold([("first", *described[0]), ("second", *described[1])])
        assert ref(state, "1/2")["frame"] == "first"

    def test_a_later_parent_may_have_a_name_too(self) -> None:
        state = fold([("a", *done(2, parent="b")), ("b", *block(1, "x"))])
        assert tree(state) == {"1/2": "completed", "1": "executing"}

    def test_rows_without_any_id_are_all_there(self) -> None:
        state = fold([(None, *done(n, parent=7)) for n in range(3)])
        assert len(state.steps) == 3
        found = list(findings.oddities(state))
        assert {one.message for one in found} == {
            "Row without an id names row 7 as its parent, which does not exist."
        }

    def test_an_id_that_repeats_means_the_newest_row(self) -> None:
        state = fold([(1, *block(1, "x")), (1, *block(2, "y")), (2, *done(3, parent=1))])
        assert "2/3" in tree(state)


def test_ids_are_stable_while_rows_are_only_added() -> None:
    described = [loop("l1", 3), done(1), round_("l1", 1), done(1), failed(2), parallel("p", "a b"),
                 branch("p", "a"), joined("p"), round_("l1", 2), block(4, "b"), done(5, parent=10),
                 cells(6, "odd")]  # fmt: skip
    whole = list(tree(folded(*described)))
    for count in range(len(described)):
        before = list(tree(fold(numbered(described[:count]))))
        assert before == whole[: len(before)]


def test_what_is_added_to_a_round_that_is_over_has_an_id_of_its_own() -> None:
    """A row names the row that ended a round as its parent: late, and yet not lost."""
    state = fold(rows(loop("l1", 3), done(1), round_("l1", 1), done(1, "late", parent=3)))
    paths = list(tree(state))
    assert paths[:3] == ["l1", "l1[1]", "l1[1]/1"]
    assert len(set(paths)) == len(paths)
