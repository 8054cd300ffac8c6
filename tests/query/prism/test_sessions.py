"""Transcripts of any shape: complete, and linear in the number of entries."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.prism.sessions import Link, Transcript, missing_parents


def chain(count: int) -> list[Link]:
    return [Link(f"e{n}", f"e{n - 1}" if n else None, f"{n:09d}") for n in range(count)]


def comb(count: int) -> list[Link]:
    """A backbone with a fork at every entry: half of them are leaves, each deeper than the last."""
    links = [Link("e0", None, "0")]
    for n in range(1, count // 2):
        links.append(Link(f"e{n}", f"e{n - 1}", f"{n:09d}"))
        links.append(Link(f"f{n}", f"e{n - 1}", f"{n:09d}"))
    return links


def backwards(count: int) -> list[Link]:
    """Children are written before their parents."""
    return list(reversed(chain(count)))


def scattered(count: int) -> list[Link]:
    rng = random.Random(7)
    return [Link(f"e{n}", f"e{rng.randrange(n)}" if n else None, f"{n:09d}") for n in range(count)]


SHAPES: tuple[Callable[[int], list[Link]], ...] = (chain, comb, backwards, scattered)


@pytest.mark.parametrize("shape", SHAPES)
def test_visited_entries_grow_linearly(
    shape: Callable[[int], list[Link]],
) -> None:
    steps = []
    for count in (10_000, 100_000):
        links = shape(count)
        transcript = Transcript(links)
        assert sum(1 for _ in transcript.branches()) == len(transcript.leaves())
        transcript.longest_path()
        steps.append(transcript.steps / len(links))
    small, large = steps
    print(f"\n{shape.__name__}: {small:.1f} looks an entry at 10,000, {large:.1f} at 100,000")
    assert large < 1.5 * small
    assert large < 12


def test_the_longest_path_of_a_hundred_thousand() -> None:
    transcript = Transcript(chain(100_000))
    path_to = transcript.longest_path()
    assert (path_to[0], path_to[-1], len(path_to)) == (0, 99_999, 100_000)


def test_roots_leaves_and_the_latest_leaf() -> None:
    links = [
        Link("a", None, "1"),
        Link("b", "a", "2"),
        Link("c", "a", "3"),
        Link("d", "b", "3"),
        Link("z", None, "0"),
    ]
    transcript = Transcript(links)
    ids = transcript.ids
    assert [ids[n] for n in transcript.roots()] == ["a", "z"]
    assert [ids[n] for n in transcript.leaves()] == ["c", "d", "z"]
    # Of two leaves of one instant the greater id counts, as in the store.
    latest = transcript.latest_leaf()
    assert latest is not None
    assert ids[latest] == "d"
    assert transcript.path(latest) == ["a", "b", "d"]


def test_a_parent_in_another_session_is_not_followed() -> None:
    transcript = Transcript([Link("x", "far", "1"), Link("y", "x", "2")], {"far": "s2"})
    assert transcript.path(1) == ["far", "x", "y"]
    assert transcript.parent_of(0) == "far"
    assert transcript.roots() == [0]


def test_an_entry_with_a_deleted_parent_is_a_root() -> None:
    links = [Link("x", "gone", "1"), Link("y", "x", "2")]
    assert missing_parents(links) == ["gone"]
    transcript = Transcript(links)
    assert transcript.path(1) == ["x", "y"]
    assert transcript.parent_of(0) == "gone"


def test_a_circle_is_broken_once_and_keeps_its_entries() -> None:
    links = [Link("a", "c", "1"), Link("b", "a", "2"), Link("c", "b", "3"), Link("d", "d", "4")]
    transcript = Transcript(links)
    assert len(transcript.cut) == 2
    reached = {n for leaf in transcript.leaves() for n in transcript.path_to(leaf)}
    assert reached == {0, 1, 2, 3}


@st.composite
def links_of_any_kind(draw: st.DrawFn) -> list[Link]:
    count = draw(st.integers(0, 25))
    names = [f"e{n}" for n in range(count)]
    parents = st.sampled_from([*names, "far", "gone", None]) if names else st.none()
    return [Link(name, draw(parents), draw(st.sampled_from("123"))) for name in names]


@given(links_of_any_kind())
@settings(deadline=None)
def test_branches_cover_every_entry_once(links: list[Link]) -> None:
    transcript = Transcript(links, {"far": "s2"})
    branches = list(transcript.branches())
    reached = {n for branch in branches for n in transcript.path_to(branch.leaf)}
    assert reached == set(range(len(links)))
    assert sum(branch.own for branch in branches) == len(links)
    depth = transcript.depths()
    for branch in branches:
        path_to = transcript.path_to(branch.leaf)
        assert (len(path_to), path_to[0]) == (branch.length, branch.root)
        assert [depth[n] for n in path_to] == list(range(1, len(path_to) + 1))
    longest_path = transcript.longest_path()
    assert len(longest_path) == max(depth, default=0)
