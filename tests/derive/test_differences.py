"""Differences of JSON values: none is missed, none is invented."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.differences import Change, differences, same

LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.integers() | st.text(max_size=3)
    | st.floats(allow_nan=False, allow_infinity=False)
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMED = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)


def carried_over(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The earlier value with every difference made in it."""
    whole = copy.deepcopy(before)
    for one in differences(before, after):
        place = whole
        for name in one.path[:-1]:
            place = place[name]
        if one.change is Change.REMOVED:
            assert same(place.pop(one.path[-1]), one.before)
        else:
            assert (one.path[-1] in place) == (one.change is Change.CHANGED)
            place[one.path[-1]] = one.after
    return whole


@given(NAMED, NAMED)
def test_the_differences_lead_from_one_side_to_the_other(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert same(carried_over(before, after), after)


@given(NAMED, NAMED)
def test_there_is_none_exactly_where_both_are_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert (not list(differences(one, other))) == same(one, other)
    assert not list(differences(one, copy.deepcopy(one)))


def test_values_equal_in_python_but_not_in_json() -> None:
    for one, other in [(1, True), (0, False), ("1", 1), (None, False), ([], {}), ([1], [True])]:
        assert not same(one, other)
    assert same(1, 1.0)
    assert not same(2**300, 2**300 + 1)


def test_names_inside_of_names_and_lists_as_a_whole() -> None:
    before = {"a": {"x": 1, "y": [1, 2]}, "gone": 0}
    after = {"a": {"x": 1, "y": [2, 1]}, "came": {}}
    found = {one.name: one.change.value for one in differences(before, after)}
    assert found == {"a.y": "changed", "gone": "removed", "came": "added"}
