"""What holds for the fold of any rows whatever, as a database without constraints may hold them."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inspector.derive.steps import NO_TIME, STATUSES, StepTable
from inspector.export import documents
from inspector.query.openprose import findings, view
from inspector.query.openprose.events import Row
from inspector.query.openprose.fold import _apply_fact, fold
from inspector.query.openprose.position import position_of
from inspector.query.openprose.state import State
from inspector.text.escape import json_text
from tests.query.openprose.any_rows import ANY_ROWS
from tests.query.openprose.builders import branch, done

many = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
NAMES = frozenset("abc")


def everything(state: State) -> dict[str, object]:
    """All that a state says, comparable."""
    steps = state.steps
    length = len(steps)
    columns = {
        name: list(getattr(steps, name))[:length]
        for name in (
            "parent", "kind", "status", "children_of", "first", "last", "span_last", "started",
            "ended", "span_start", "span_stop", "label", "raw",
        )
    }  # fmt: skip
    return {
        **columns,
        "ids": [steps.path(step) for step in range(length)],
        "extra": {step: repr(steps.extra.get(step)) for step in range(length)},
        "leaf_counts": list(steps.leaf_counts),
        "events": state.events,
        "rows": list(state.rows.ids),
        "event_step": list(state.event_step),
        "index": [repr(one) for one in state.index],
        "waiting": {row: list(waiting) for row, waiting in state.waiting.items()},
        "remarks": [tuple(remark) for remark in state.remarks],
        "failures": list(state.failures),
        "signs": (state.instants, state.appended, state.updated, state.both_instants),
    }


def children(steps: StepTable) -> list[int]:
    found = [0] * len(steps)
    for parent in steps.parent:
        if parent >= 0:
            found[parent] += 1
    return found


@many
@given(ANY_ROWS)
def test_every_event_belongs_to_exactly_one_step(rows: list[Row]) -> None:
    state = fold(rows)
    assert state.events == len(state.event_step) == len(rows)
    assert all(0 <= step < len(state.steps) for step in state.event_step)
    for event, step in enumerate(state.event_step, 1):
        assert state.steps.first[step] <= event <= state.steps.last[step]


@many
@given(ANY_ROWS)
def test_ids_are_unique(rows: list[Row]) -> None:
    steps = fold(rows).steps
    paths = [steps.path(step) for step in range(len(steps))]
    assert len(set(paths)) == len(paths)
    assert all(paths)


@many
@given(ANY_ROWS)
def test_parents_make_a_tree(rows: list[Row]) -> None:
    steps = fold(rows).steps
    for step in range(len(steps)):
        assert step not in steps.ancestors(step)
        assert len(list(steps.ancestors(step))) < len(steps)


@many
@given(ANY_ROWS)
def test_counts_equal_a_recount(rows: list[Row]) -> None:
    steps = fold(rows).steps
    counted = children(steps)
    assert list(steps.children_of)[: len(steps)] == counted
    leaves = [0] * len(STATUSES)
    for step, inside in enumerate(counted):
        if not inside:
            leaves[steps.status[step]] += 1
    assert steps.leaf_counts == leaves


@many
@given(ANY_ROWS)
def test_a_span_reaches_around_what_is_inside(rows: list[Row]) -> None:
    steps = fold(rows).steps
    for step, parent in enumerate(steps.parent):
        if parent < 0:
            continue
        assert steps.span_last[parent] >= steps.span_last[step]
        if steps.span_start[step] != NO_TIME:
            assert NO_TIME < steps.span_start[parent] <= steps.span_start[step]
            assert steps.span_stop[parent] >= steps.span_stop[step]


@many
@given(ANY_ROWS, st.integers(0, 25))
def test_a_copy_is_never_reached_by_later_events(rows: list[Row], cut: int) -> None:
    state = fold(rows[:cut])
    copied = state.copy()
    before = everything(copied)
    fold(rows[cut:], state)
    assert everything(copied) == before


@many
@given(ANY_ROWS, st.integers(0, 25))
def test_folding_on_is_folding_all(rows: list[Row], cut: int) -> None:
    whole = everything(fold(rows))
    first = fold(rows[:cut])
    copied = first.copy()
    assert everything(fold(rows[cut:], first)) == whole
    assert everything(fold(rows[cut:], copied)) == whole


@many
@given(ANY_ROWS)
@example([(1, *done(1)), (2, *branch("1", "a"))])
@example([(1, *branch("1", "a")), (2, *done(1))])
def test_the_short_way_gives_the_same_state(rows: list[Row]) -> None:
    state = State()
    for row in rows:
        state.events += 1
        state.here = None
        _apply_fact(state, row)
    assert everything(state) == everything(fold(rows))


@many
@given(ANY_ROWS)
def test_what_is_shown_can_be_written_down(rows: list[Row]) -> None:
    """Steps, what is open, findings and the position are JSON, and nothing raises."""
    state = fold(rows)
    shown = view.show(state, NAMES)
    content = {
        "steps": [documents.step(shown.describe(step)) for step in range(len(shown.steps))],
        "open": [documents.construct(one) for one in shown.open],
        "findings": documents.findings(findings.oddities(state)),
    }
    for reveal in (False, True):
        text = json_text(documents.document("show", content, reveal=reveal))
        assert len(json.loads(text)["steps"]) == len(state.steps)
    position_of(state, shown.steps, shown.describe)


@many
@given(ANY_ROWS)
def test_showing_changes_nothing(rows: list[Row]) -> None:
    state = fold(rows)
    before = everything(state)
    shown = view.show(state, NAMES)
    for step in range(len(shown.steps)):
        shown.describe(step)
    assert everything(state) == before
