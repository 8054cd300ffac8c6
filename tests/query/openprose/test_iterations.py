"""`iteration` rows that end iterations, and ones that begin them: both ways of writing one run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inspector.model.status import Status
from inspector.query.openprose import view
from inspector.query.openprose.fold import fold
from inspector.query.openprose.position import position_of
from inspector.query.openprose.state import State
from tests.query.openprose.builders import (
    Cells,
    branch,
    cells,
    done,
    exited,
    folded,
    joined,
    loop,
    number_of,
    parallel,
    round_,
    rows,
    told,
    tree,
)

ENDS, BEGINS = False, True
WAYS = pytest.mark.parametrize("begins", [ENDS, BEGINS])


def written(bodies: list[list[Cells]], *, begins: bool, name: str = "l1", index: int = 10,
            over: bool = True) -> list[Cells]:  # fmt: skip
    """One loop with a body for each round, as either kind of VM appends it."""
    found = [loop(name, 9, index)]
    for number, body in enumerate(bodies, 1):
        row = round_(name, number, index)
        found += [row, *body] if begins else [*body, row]
    return [*found, exited(name, index=index)] if over else found


def shape(state: State) -> dict[str, list[str]]:
    """Round → the ids of what is in it."""
    steps = state.steps
    return {
        path: [one for one in tree(state) if one.startswith(f"{path}/")]
        for step in range(len(steps))
        if (path := steps.path(step)).endswith("]")
    }


def ref(state: State, path: str) -> dict[str, Any]:
    return dict(state.steps.step(number_of(state, path)).ref)


@WAYS
def test_each_round_holds_its_own_body(begins: bool) -> None:
    state = folded(*written([[done(11)], [done(11), done(12)], [done(12)]], begins=begins))
    assert shape(state) == {
        "l1[1]": ["l1[1]/11"],
        "l1[2]": ["l1[2]/11", "l1[2]/12"],
        "l1[3]": ["l1[3]/12"],
    }
    assert ref(state, "l1")["iterations_completed"] == 3
    assert {state.steps.status_of(number_of(state, path)) for path in shape(state)} == {
        Status.COMPLETED
    }


def test_a_row_that_begins_a_round_leaves_it_running() -> None:
    state = folded(loop("l1", 5), round_("l1", 1), done(11), round_("l1", 2), done(11))
    assert tree(state)["l1[2]"] == "iteration"
    assert state.steps.status_of(number_of(state, "l1[1]")) is Status.COMPLETED
    assert state.steps.status_of(number_of(state, "l1[2]")) is Status.RUNNING
    told_of_loop = ref(state, "l1")
    assert told_of_loop["iterations_completed"] == 1
    assert told_of_loop["current_iteration"] == 2
    assert told_of_loop["iteration_rows"] == "begin a round"


def test_a_run_interrupted_in_the_middle_is_resumed_in_the_round_that_it_was_in() -> None:
    middle = [[done(11), done(12)], [done(11)]]
    for begins, number in ((BEGINS, 2), (ENDS, 3)):
        state = folded(*written(middle, begins=begins, over=False))
        shown = view.show(state, frozenset())
        position = position_of(state, shown.steps, shown.describe)
        assert (position.kind, position.iteration) == ("loop", number)
        assert position.after_statement_index == (11 if begins else 10)


def test_a_round_that_has_only_begun_is_the_one_under_way() -> None:
    state = folded(*written([[done(11)], []], begins=BEGINS, over=False))
    assert shape(state) == {"l1[1]": ["l1[1]/11"], "l1[2]": []}
    assert ref(state, "l1")["current_iteration"] == 2
    assert state.steps.status_of(number_of(state, "l1[2]")) is Status.RUNNING


SHIFTED = {"l1[1]": [], "l1[2]": ["l1[2]/11"], "l1[3]": ["l1[3]/11"]}
FIRST_EMPTY: list[list[Cells]] = [[], [done(11)], [done(11)]]


def test_an_empty_first_round_of_a_vm_that_ends_rounds() -> None:
    state = folded(*written(FIRST_EMPTY, begins=ENDS))
    assert shape(state) == SHIFTED
    assert ref(state, "l1")["iterations_completed"] == 3
    assert "iteration_rows" not in ref(state, "l1")


def test_an_empty_first_round_of_a_vm_that_is_known_to_begin_rounds() -> None:
    earlier = written([[done(31)]], begins=BEGINS, name="l0", index=30)
    state = folded(*earlier, *written(FIRST_EMPTY, begins=BEGINS))
    assert {path: inside for path, inside in shape(state).items() if path[:2] == "l1"} == SHIFTED
    assert ref(state, "l1")["iterations_completed"] == 3


def test_where_either_way_leaves_rounds_empty_the_document_decides() -> None:
    state = folded(loop("l1", 5), round_("l1", 1), round_("l1", 2), done(11))
    assert shape(state) == {"l1[1]": [], "l1[2]": [], "l1[3]": ["l1[3]/11"]}
    assert ref(state, "l1")["current_iteration"] == 3


def test_a_round_in_which_nothing_was_recorded_is_over_as_the_document_has_it() -> None:
    state = folded(loop("l1", 5), round_("l1", 1), round_("l1", 2))
    assert shape(state) == {"l1[1]": [], "l1[2]": []}
    assert ref(state, "l1")["iterations_completed"] == 2


def test_a_loop_that_is_left_in_the_middle_of_a_round() -> None:
    """A `break`: one VM has said that the round began, the other never says that it ended."""
    for begins in (ENDS, BEGINS):
        state = folded(
            *written([[done(11)]], begins=begins, over=False),
            *([round_("l1", 2)] if begins else []),
            done(11),
            exited("l1", "break"),
        )
        assert shape(state) == {"l1[1]": ["l1[1]/11"], "l1[2]": ["l1[2]/11"]}


def nested(begins: bool, iterations: int = 3) -> list[Cells]:
    """A loop with a parallel in it, each branch a loop of its own."""
    bodies = []
    for _ in range(iterations):
        body = [parallel("p1", "a b", 12)]
        for which in ("a", "b"):
            inner = written([[done(14)], [done(14)]], begins=begins, name="l2", index=13)
            first = inner[0]._replace(
                metadata=json.dumps({"loop_id": "l2", "parallel_id": "p1", "branch": which})
            )
            body += [first, *inner[1:], branch("p1", which, index=12)]
        bodies.append([*body, joined("p1", 12)])
    return written(bodies, begins=begins)


def test_nested_loops_are_the_same_tree_either_way() -> None:
    assert set(told(*nested(BEGINS))) == set(told(*nested(ENDS)))
    assert "l1[3]/p1.b/l2[2]/14" in told(*nested(BEGINS))


def test_a_vm_goes_on_as_it_began() -> None:
    """Which way it writes is certain from one loop; another one that tells nothing is read so."""
    silent = [loop("l2", 5, 30), round_("l2", 1, 30)]
    begun = folded(*written([[done(11)]], begins=BEGINS), *silent)
    assert begun.steps.status_of(number_of(begun, "l2[1]")) is Status.RUNNING
    ended = folded(*written([[done(11)]], begins=ENDS), *silent)
    assert ended.steps.status_of(number_of(ended, "l2[1]")) is Status.COMPLETED
    assert shape(folded(*written([[done(11)]], begins=ENDS), *silent, done(31)))["l2[2]"]
    assert shape(folded(*written([[done(11)]], begins=BEGINS), *silent, done(31)))["l2[1]"]


@pytest.mark.parametrize(
    ("instants", "status"),
    [
        ({"started": "2026-01-16 20:00:00"}, Status.RUNNING),
        ({"ended": "2026-01-16 20:00:00"}, Status.COMPLETED),
        ({"started": "2026-01-16 20:00:00", "ended": "2026-01-16 20:00:09"}, Status.COMPLETED),
    ],
)
def test_instants_of_the_row_say_which(instants: dict[str, str], status: Status) -> None:
    row = cells(10, "iteration", "loop", loop_id="l1", iteration=1, **instants)
    state = folded(loop("l1", 5), row)
    assert state.steps.status_of(number_of(state, "l1[1]")) is status


def test_two_rows_for_a_round_begin_and_end_it() -> None:
    state = folded(
        loop("l1", 5), round_("l1", 1), done(11), round_("l1", 1),
        round_("l1", 2), done(11), round_("l1", 2), exited("l1"),
    )  # fmt: skip
    assert shape(state) == {"l1[1]": ["l1[1]/11"], "l1[2]": ["l1[2]/11"]}


def test_a_loop_without_a_start_is_read_as_the_document_has_it() -> None:
    state = folded(round_("l1", 3), done(11, loop_id="l1"), round_("l1", 4), exited("l1"))
    assert shape(state) == {"l1[3]": [], "l1[4]": ["l1[4]/11"]}


_BODIES = st.lists(
    st.lists(st.sampled_from([done(11), done(12)]), max_size=2, unique=True),
    min_size=1, max_size=6,
)  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(_BODIES, st.booleans())
def test_a_whole_loop_is_told_rightly_either_way(bodies: list[list[Cells]], begins: bool) -> None:
    """Except for iterations that are empty at either end, for which the document decides."""
    assume(not begins or (bodies[0] and bodies[-1]) or not any(bodies))
    found = shape(folded(*written(bodies, begins=begins)))
    assert list(found) == [f"l1[{number}]" for number in range(1, len(bodies) + 1)]
    for (path, inside), body in zip(found.items(), bodies, strict=True):
        assert inside == [f"{path}/{one.statement_index}" for one in body]


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(_BODIES, st.booleans(), st.integers(0, 20))
def test_stopping_anywhere_and_going_on_is_the_same(
    bodies: list[list[Cells]], begins: bool, cut: int
) -> None:
    every = rows(*written(bodies, begins=begins))
    first = fold(every[:cut])
    assert tree(fold(every[cut:], first)) == tree(fold(every))
