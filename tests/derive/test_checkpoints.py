"""Checkpoints: bounded in number, close together, never of changed events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.checkpoints import Checkpoints


def grown(to: int, *, spacing: int = 4, limit: int = 5, budget: int = 10**9) -> Checkpoints[int]:
    """Checkpoints of a fold that went on to an event; each state is its number."""
    saved: Checkpoints[int] = Checkpoints(spacing=spacing, limit=limit, budget=budget)
    due = saved.due(0)
    while due <= to:
        saved.save(due, due)
        due = saved.due(due)
    return saved


def test_without_checkpoints_nothing_is_found() -> None:
    assert Checkpoints[int]().before(10) is None


@pytest.mark.parametrize(("events", "due"), [(0, 4), (3, 4), (4, 8), (5, 8)])
def test_states_are_due_at_even_distances(events: int, due: int) -> None:
    assert Checkpoints[int](spacing=4).due(events) == due


@given(st.integers(0, 5000), st.integers(1, 9), st.integers(2, 9))
def test_there_are_never_more_than_allowed(to: int, spacing: int, limit: int) -> None:
    assert len(grown(to, spacing=spacing, limit=limit)) <= limit


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_a_found_checkpoint_has_no_later_events(to: int, at: int) -> None:
    found = grown(to).before(at)
    if found is not None:
        event, state = found
        assert event == state <= at


@given(st.integers(100, 5000), st.integers(0, 100))
def test_the_past_is_never_far(to: int, percent: int) -> None:
    """Of a long run some saved state lies within a fraction of its length."""
    at = to * percent // 100
    found = grown(to, limit=8).before(at)
    assert at - (found[0] if found else 0) <= to / 2


@given(st.integers(1, 3000), st.integers(1, 2000))
def test_all_together_they_tell_of_a_limited_number_of_events(to: int, budget: int) -> None:
    """Of a single long state more is kept than the budget, or there would be none at all."""
    saved = grown(to, limit=50, budget=budget)
    kept = [event for event in range(1, to + 1) if (saved.before(event) or (0,))[0] == event]
    assert len(kept) == len(saved)
    assert sum(kept) <= max(budget, 2 * max(kept, default=0))


@given(st.integers(0, 20_000), st.integers(1, 5000))
def test_with_a_known_length_no_state_is_saved_in_vain(to: int, budget: int) -> None:
    saved: Checkpoints[int] = Checkpoints(spacing=4, limit=5, budget=budget)
    saved.expect(to)
    saves, due = 0, saved.due(0)
    while due <= to:
        saved.save(due, due)
        saves, due = saves + 1, saved.due(due)
    assert saves == len(saved)
    assert to < 8 or saves


def test_states_of_events_that_changed_are_forgotten() -> None:
    saved = grown(20)
    saved.forget_after(13)
    assert saved.before(20) == (12, 12)
    saved.forget_after(3)
    assert len(saved) == 0
