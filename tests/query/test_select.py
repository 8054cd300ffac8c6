"""Which run a person means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.model.run import Run
from inspector.query.select import AmbiguousRun, NoSuchRun, select
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
    assert select(RUNS, text, "/w") is meant


@pytest.mark.parametrize("text", ["", "nope", "/w", "/w/runs", "6", "2026-01-16"])
def test_what_names_none(text: str) -> None:
    with pytest.raises(NoSuchRun):
        select((A,), text, "/w")


def test_latest_of_none() -> None:
    with pytest.raises(NoSuchRun, match="no runs here"):
        select((), "latest", "/w")


def test_several_are_listed_newest_first() -> None:
    with pytest.raises(AmbiguousRun) as error:
        select(RUNS, "2026", "/w")
    assert error.value.candidates == (B, A)


def test_an_exact_id_wins_over_one_that_only_begins_so() -> None:
    longer = run_of("/w/runs/20260116-a7b3c9-again")
    assert select((longer, A), "20260116-a7b3c9", "/w") is A


def test_the_same_id_in_two_places_is_told_apart_by_its_key() -> None:
    elsewhere = run_of("/v/runs/20260116-a7b3c9")
    with pytest.raises(AmbiguousRun):
        select((A, elsewhere), "20260116-a7b3c9", "/w")
    assert select((A, elsewhere), elsewhere.key, "/w") is elsewhere


def test_a_folder_without_a_record_is_its_own_run(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "empty"
    folder.mkdir(parents=True)
    run = run_of(str(folder), store=store_of(str(folder)))
    assert select((run,), str(folder), "/") is run
    with pytest.raises(NoSuchRun):
        select((run,), str(tmp_path / "runs"), "/")


def test_a_title_names_a_run_that_alone_has_it_and_ids_come_first() -> None:
    titled, other = replace(A, title="nightly-audit"), replace(B, title="20260116")
    assert select((titled, other), "nightly-audit", "/w") is titled
    assert select((titled, other), "20260116", "/w") is titled
    again = replace(B, title="nightly-audit")
    with pytest.raises(AmbiguousRun) as error:
        select((titled, again), "nightly-audit", "/w")
    assert error.value.candidates == (again, titled)
    with pytest.raises(NoSuchRun):
        select((replace(A, title=""),), "nightly", "/w")
