"""What holds for every log, whatever stands in it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.steps import STATUSES
from inspector.query.openprose.logs import events as events_module
from inspector.query.openprose.logs import fold as fold_module
from inspector.query.openprose.logs import view
from inspector.query.openprose.logs.events import Scanner
from inspector.query.openprose.logs.fold import fold
from inspector.query.openprose.logs.folder import Surroundings
from inspector.query.openprose.logs.lines import read_any_line
from inspector.query.openprose.logs.state import DEEPEST
from inspector.query.openprose.logs.view import standing
from tests.query.openprose.logs.folding import facts, folded
from tests.query.openprose.logs.shapes import LINES, LOGS


@given(LOGS, st.integers(1, 64))
def test_fed_in_pieces_or_at_once(lines: list[str], pieces: int) -> None:
    assert facts(folded(lines, pieces=pieces)) == facts(folded(lines))


@given(LOGS, st.integers(0, 40))
def test_the_beginning_of_a_log_is_the_beginning_of_its_events(lines: list[str], cut: int) -> None:
    before, whole = folded(lines[:cut]), folded(lines)
    n, steps = before.events, len(before.steps)
    assert list(before.event_step) == list(whole.event_step)[:n]
    assert list(before.lines) == list(whole.lines)[:n]
    ids = [whole.steps.path(step) for step in range(steps)]
    assert [before.steps.path(step) for step in range(steps)] == ids
    assert list(before.failures) == [event for event in whole.failures if event <= n]


@given(LOGS, st.integers(0, 40))
def test_a_checkpoint_is_not_reached_by_what_follows(lines: list[str], cut: int) -> None:
    state = folded(lines[:cut])
    saved, before = state.copy(), facts(state)
    scanner = Scanner()
    fold(
        scanner.feed("".join(f"{line}\n" for line in lines[cut:]).encode("utf-8", "replace")), state
    )
    assert facts(saved) == before
    fold(
        Scanner().feed("".join(f"{line}\n" for line in lines[cut:]).encode("utf-8", "replace")),
        saved,
    )
    assert facts(saved) == facts(state)


@given(LOGS)
def test_every_step_has_a_place_of_its_own(lines: list[str]) -> None:
    state = folded(lines)
    steps = state.steps
    ids = [steps.path(step) for step in range(len(steps))]
    assert len(set(ids)) == len(ids)
    assert all(steps.parent[step] < step for step in range(len(steps)))
    leaves = Counter(
        steps.status_of(step) for step in range(len(steps)) if not steps.children_of[step]
    )
    assert [leaves[status] for status in STATUSES] == steps.leaf_counts
    assert len(state.event_step) == len(state.lines) == state.events
    assert all(0 <= step < len(steps) for step in state.event_step)


@given(LOGS, st.sets(st.sampled_from("abc")))
def test_every_state_can_be_shown(lines: list[str], names: set[str]) -> None:
    state = folded(lines)
    before = facts(state)
    shown = view.show(state, Surroundings(names=frozenset(names), errors={"a": "x", "b": "y"}))
    for step in range(len(shown.steps)):
        assert shown.describe(step).id == state.steps.path(step)
    assert facts(state) == before, "what is laid over the steps must not reach the fold"


@given(LOGS, st.booleans(), st.integers(0, 400))
def test_the_tail_tells_what_the_fold_tells(lines: list[str], ended: bool, size: int) -> None:
    text = "\n".join(lines) + ("\n" if ended else "")
    data = text.encode("utf-8", "surrogatepass")
    state = folded(text)
    told = standing(data[max(0, len(data) - size) :], is_whole=size >= len(data))
    if told.decided:
        ours = None if state.ended is None else (state.ended.status, state.ended.at)
        assert (None if told.ended is None else (told.ended.status, told.ended.at)) == ours
    assert standing(data, is_whole=True).decided


def test_nesting_has_an_end() -> None:
    blocks = [f"1→ #{n} block:x#{n + 1}" for n in range(1, 3000)]
    loops = [f"{n}→ loop:1/{n}" for n in range(1, 3000)]
    for lines in (blocks, loops):
        state = folded(lines)
        assert state.events == len(lines)
        assert max(state.depth) <= DEEPEST
        assert max(state.steps.path(step).count("/") for step in range(len(state.steps))) <= DEEPEST


_PLAINER = st.lists(
    st.one_of(
        LINES,
        st.builds(
            lambda number, name: f"{number}→ {name} ✓",
            st.integers(1, 9), st.sampled_from(["a", "b", "node-1"]),
        ),
    ),
    max_size=40,
)  # fmt: skip


@given(_PLAINER)
def test_the_short_way_leads_to_the_same_place(lines: list[str]) -> None:
    short = folded(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold_module, "_apply_plain", lambda state, marker: False)
        patch.setattr(events_module, "read_line", read_any_line)
        long = folded(lines)
    assert facts(short) == facts(long)
