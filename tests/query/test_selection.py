"""Which run a person means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.model.run import Run
from inspector.query.selection import Ambiguous, NoMatch, only_match, select_run
from tests.live.fakes import run_of, store_of

A = run_of("/w/runs/20260116-a7b3c9", started_at=1_768_500_000_000)
B = run_of("/w/runs/20260117-c0ffee", started_at=1_768_600_000_000)
RUNS = (A, B)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (A.key, A), ("20260116-a7b3c9", A), ("20260116", A), ("c0ffee", B), ("latest", B),
        ("/w/runs/20260116-a7b3c9", A), ("/w/runs/20260116-a7b3c9/", A),
        ("/w/runs/20260117-c0ffee/state.db", B), ("runs/20260116-a7b3c9", A),
        ("../w/runs/20260116-a7b3c9", A), ("openprose:/w/runs/20260117", B),
    ],
)  # fmt: skip
def test_many_ways_to_say_it(text: str, meant: Run) -> None:
    assert select_run(RUNS, text, "/w") is meant


@pytest.mark.parametrize("text", ["", "nope", "/w", "/w/runs", "6", "2026-01-16"])
def test_what_names_none(text: str) -> None:
    with pytest.raises(NoMatch):
        select_run((A,), text, "/w")


def test_latest_of_none() -> None:
    with pytest.raises(NoMatch, match="No runs found"):
        select_run((), "latest", "/w")


def test_several_are_listed_newest_first() -> None:
    with pytest.raises(Ambiguous) as error:
        select_run(RUNS, "2026", "/w")
    assert error.value.names == (B.key, A.key)


def test_an_exact_id_wins_over_one_that_only_begins_so() -> None:
    longer = run_of("/w/runs/20260116-a7b3c9-again")
    assert select_run((longer, A), "20260116-a7b3c9", "/w") is A


def test_the_same_id_in_two_places_is_told_apart_by_its_key() -> None:
    elsewhere = run_of("/v/runs/20260116-a7b3c9")
    with pytest.raises(Ambiguous):
        select_run((A, elsewhere), "20260116-a7b3c9", "/w")
    assert select_run((A, elsewhere), elsewhere.key, "/w") is elsewhere


def test_a_folder_without_a_record_is_its_own_run(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "empty"
    folder.mkdir(parents=True)
    run = run_of(str(folder), store=store_of(str(folder)))
    assert select_run((run,), str(folder), "/") is run
    with pytest.raises(NoMatch):
        select_run((run,), str(tmp_path / "runs"), "/")


def test_a_title_names_a_run_that_alone_has_it_and_ids_come_first() -> None:
    titled, other = replace(A, title="nightly-audit"), replace(B, title="20260116")
    assert select_run((titled, other), "nightly-audit", "/w") is titled
    assert select_run((titled, other), "20260116", "/w") is titled
    again = replace(B, title="nightly-audit")
    with pytest.raises(Ambiguous) as error:
        select_run((titled, again), "nightly-audit", "/w")
    assert error.value.names == (again.key, titled.key)
    with pytest.raises(NoMatch):
        select_run((replace(A, title=""),), "nightly", "/w")


def test_a_title_is_the_last_thing_that_is_tried() -> None:
    titled = replace(run_of("/w/runs/x1"), title="x2")
    named = run_of("/w/runs/x2")
    assert select_run((titled, named), "x2", "/w") is named
    assert select_run((titled,), "x2", "/w") is titled


def test_the_first_rank_with_a_match_decides() -> None:
    words = ("go", "gone", "ago")
    ranks = (lambda word: word == "go", lambda word: word.startswith("go"))

    def pick(among: tuple[str, ...]) -> str:
        return only_match(among, "go", ranks, noun="words", name=str, hint="none")

    assert pick(words) == "go"
    assert pick(("gone", "ago")) == "gone"
    with pytest.raises(Ambiguous, match="matches 2 words"):
        pick(("gone", "goes"))
    with pytest.raises(NoMatch, match="none"):
        pick(("ago",))
