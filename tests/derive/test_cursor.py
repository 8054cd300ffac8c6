"""Where a run opens, where `f` and `}` lead, and how far a container says it is."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.cursor import (
    find_in_whole,
    initial_cursor,
    next_failure,
    next_step_event,
    previous_failure,
    previous_step_event,
)
from inspector.derive.progress import (
    ChildCounts,
    Counted,
    Progress,
    begin_event,
    count_children,
    progress,
)
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from tests.derive.tables import Spec, table_of

FAILED, RUNNING, COMPLETED = Status.FAILED, Status.RUNNING, Status.COMPLETED


def test_it_opens_on_the_first_failure_that_nothing_overcame() -> None:
    specs = [
        Spec(-1, StepKind.TURN, COMPLETED),
        Spec(0, StepKind.TOOL_CALL, FAILED),
        Spec(-1, StepKind.PARALLEL, RUNNING),
        Spec(2, StepKind.BRANCH, FAILED),
        Spec(2, StepKind.BRANCH, FAILED),
    ]
    assert (
        initial_cursor(table_of(specs), array("i", range(5)), array("i", [2, 4, 5]), over=False)
        == 3
    )


def test_without_a_failure_it_opens_on_the_live_step_or_at_the_start() -> None:
    specs = [Spec(), Spec(status=RUNNING), Spec(status=COMPLETED)]
    events = array("i", range(3))
    assert initial_cursor(table_of(specs), events, array("i"), over=False) == 1
    assert initial_cursor(table_of(specs), events, array("i"), over=True) == 0
    assert initial_cursor(table_of([]), array("i"), array("i"), over=False) == -1


def test_a_failure_that_a_retry_made_good_is_none() -> None:
    specs = [Spec(), Spec(status=COMPLETED), Spec(status=RUNNING)]
    assert initial_cursor(table_of(specs), array("i", range(3)), array("i", [2]), over=False) == 2


@given(st.sets(st.integers(1, 50), max_size=9), st.integers(0, 51))
def test_failures_come_round(events: set[int], event: int) -> None:
    failures = sorted(events)
    later = [number for number in failures if number > event] or failures
    earlier = [number for number in failures if number < event] or failures
    assert next_failure(failures, event) == (later[0] if later else None)
    assert previous_failure(failures, event) == (earlier[-1] if earlier else None)


def test_steps_are_walked_from_beginning_to_beginning() -> None:
    table = table_of([Spec(), Spec(), Spec()])
    table.first[1], table.first[2] = 3, 6
    steps = array("i", [0, 0, 1, 1, 0, 2])
    assert [next_step_event(table, steps, event) for event in range(7)] == [1, 3, 3, 6, 6, 6, 6]
    assert [previous_step_event(table, steps, event) for event in range(1, 8)] == [
        1,
        1,
        1,
        3,
        3,
        3,
        6,
    ]


def test_a_parallel_counts_completed_branches_and_a_loop_its_rounds() -> None:
    specs = [
        Spec(-1, StepKind.PARALLEL, RUNNING),
        *(Spec(0, StepKind.BRANCH, status) for status in (COMPLETED, FAILED, RUNNING)),
        Spec(-1, StepKind.LOOP, RUNNING),
        *(Spec(4, StepKind.ITERATION) for _ in range(3)),
    ]
    table = table_of(specs)
    table.more(4).of = 5
    branches, rounds = array("i", [1, 2, 3]), array("i", [5, 6, 7])
    assert progress(table, 0, branches) == Progress(Counted.BRANCHES, 1, 3)
    assert progress(table, 4, rounds) == Progress(Counted.ROUNDS, 3, 5)
    assert count_children(table, branches) == ChildCounts(1, 1, 1, 3)
    assert count_children(table, array("i", [1, 3, 5])) == ChildCounts(2, 0, 1, 3)
    assert progress(table, 1, array("i")) is None


def test_tries_are_counted_by_their_number() -> None:
    table = table_of([Spec()])
    table.more(0).attempts = [Attempt(1, FAILED), Attempt(2, COMPLETED)]
    assert progress(table, 0, array("i")) == Progress(Counted.TRIES, 2)


def test_an_iteration_starts_with_its_first_child() -> None:
    specs = [Spec(has_row=False), Spec(0, has_row=False), Spec(0), Spec(0)]
    table = table_of(specs)
    assert begin_event(table, 0, array("i", [1, 2, 3])) == 3
    table.first[0] = 9
    assert begin_event(table, 0, array("i", [1, 2, 3])) == 3
    assert begin_event(table, 1, array("i")) == 0


class TestFoundAgain:
    """A step of the end of a run, in the whole of it."""

    PART = table_of([Spec(label="c"), Spec(label="d"), Spec(label="e", status=RUNNING)])

    def found(self, step: int, *whole: Spec) -> int:
        events = array("i", range(len(whole)))
        return find_in_whole(self.PART, step, array("i", range(3)), table_of(whole), events)

    def test_it_has_the_same_distance_from_the_end(self) -> None:
        whole = [Spec(label=label) for label in "abcde"]
        assert [self.found(step, *whole) for step in range(3)] == [2, 3, 4]

    def test_events_that_were_added_meanwhile_are_passed_over(self) -> None:
        whole = [Spec(label=label) for label in "abcdefgh"]
        assert [self.found(step, *whole) for step in range(3)] == [2, 3, 4]

    def test_a_missing_step_becomes_the_live_step(self) -> None:
        whole = [Spec(label="x"), Spec(label="y", status=RUNNING), Spec(label="z")]
        assert self.found(0, *whole) == 1


@given(st.lists(st.sampled_from("ab"), max_size=12), st.integers(1, 4), st.data())
def test_it_always_finds_some_step(labels: list[str], end: int, data: st.DataObject) -> None:
    part = table_of(Spec(label=label) for label in labels[-end:])
    if not len(part):
        return
    step = data.draw(st.integers(0, len(part) - 1))
    whole = table_of(Spec(label=label) for label in labels)
    events, ends = array("i", range(len(whole))), array("i", range(len(part)))
    assert find_in_whole(part, step, ends, whole, events) == len(whole) - len(part) + step
