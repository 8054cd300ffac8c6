"""State and provenance of two runs beside each other, and what cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from tests.query.grimoire.building import SIMULATE, Book
from tests.store.builders import untouched

HUGE = 2**300 + 1


@pytest.fixture
def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str], set_now: Any) -> Any:
    set_now("2026-11-29T21:00:00Z")

    def ask(*words: str, code: int = 0, json_: bool = True, reveal: bool = True) -> Any:
        form = (("--json",) if json_ else ()) + (("--reveal",) if reveal else ())
        with untouched(tmp_path):
            assert main(["record", *words, "--in", str(tmp_path), *form]) == code
        out, err = capsys.readouterr()
        return err if code else json.loads(out) if json_ else out

    return ask


def source(path: str, **given: Any) -> dict[str, Any]:
    return {"path": path, "snapshot_at": "t", "snapshot_age_sec": 1, "warnings": [], **given}


def provenance(*sources: dict[str, Any], **given: Any) -> str:
    told = {"runtime_mode": "simulate", "generated_at": "now", "data_max_age_sec": 60}
    return json.dumps({**told, "sources": sources, **given})


def by_name(told: Any) -> dict[str, Any]:
    return {one["name"]: one for one in told["records"]}


def test_a_state_against_the_run_before_and_against_another(tmp_path: Path, asked: Any) -> None:
    book = Book()
    for n, state in enumerate([{"n": 0, "gone": 1}, {"n": 1}, {"n": HUGE, "deep": {"a": [1]}}]):
        book.run("S", f"r{n}", final_state=json.dumps(state))
    book.save(tmp_path / "grimoire.db")
    told = asked("r2", "state", "--against", "previous")
    assert (told["before"], told["after"]) == ("r1", "r2")
    found = by_name(told)
    assert found["n"]["before"] == {"n": 1} and found["n"]["after"] == {"n": str(HUGE)}
    assert found["deep"] == {"name": "deep", "change": "added", "after": {"deep": {"a": [1]}}}
    found = by_name(asked("r2", "--against", "r0"))
    assert found["gone"]["change"] == "removed"
    told = asked("r1", "state", "--against", "r1")
    assert told["records"] == [] and told["notes"] == ["The final state is the same in both runs."]


def test_sources_that_came_went_changed_and_are_stale(tmp_path: Path, asked: Any) -> None:
    before = [source("p.same", snapshot_age_sec=3), source("p.gone"), source("p.rate", dataset="a")]
    after = [
        source("p.same", snapshot_age_sec=9), source("p.rate", dataset="b", stale=True),
        source("p.new", snapshot_age_sec=61),
    ]  # fmt: skip
    book = Book().run("S", "r0", provenance=provenance(*before))
    book.run("S", "r1", provenance=provenance(*after, chain_id=10)).save(tmp_path / "grimoire.db")
    found = by_name(asked("r1", "provenance", "--against", "r0"))
    assert {name: one["change"] for name, one in found.items()} == {
        "p.gone": "removed", "p.rate": "changed", "p.new": "added", "chain_id": "added",
    }  # fmt: skip
    assert found["p.rate"]["before"] == {"dataset": "a"}
    assert found["p.rate"]["after"] == {"dataset": "b", "stale": True}
    assert [found[name].get("stale") for name in ("p.gone", "p.rate", "p.new")] == [
        None, True, True,
    ]  # fmt: skip


def test_sources_that_are_none_are_told_apart(tmp_path: Path, asked: Any) -> None:
    book = Book().run("S", "r0", provenance=provenance(source("a"), source("a")))
    odd = json.dumps({"sources": [3, {"path": 4}, source("a")]})
    book.run("S", "r1", provenance=odd).save(tmp_path / "grimoire.db")
    assert by_name(asked("r1", "provenance", "--against", "r0"))["a'"]["change"] == "removed"
    odd_ones = Book().run("S", "r2", provenance=json.dumps({"sources": "none"}))
    odd_ones.save(tmp_path / "grimoire.db")
    assert asked("r2", "provenance", "--against", "r1")["records"]


def test_addresses_and_parameters_are_masked_in_a_difference_too(
    tmp_path: Path, asked: Any
) -> None:
    book = Book()
    for n in range(2):
        given = {"rpc_url": f"http://10.0.0.{n}:8545", "resolved_params": {"vault": f"0xfeed{n}"}}
        book.run("S", f"r{n}", provenance=provenance(**given))
    book.save(tmp_path / "grimoire.db")
    for words in (("r1", "provenance", "--against", "r0"), ("r1", "provenance")):
        for json_ in (True, False):
            shown = str(asked(*words, json_=json_, reveal=False))
            assert "10.0.0" not in shown and "0xfeed" not in shown
            assert "masked: rpc address" in shown and "masked: parameter" in shown
    assert "10.0.0.1" in str(asked("r1", "provenance", "--against", "r0"))


@pytest.mark.parametrize(
    ("state", "why"),
    [("{", "cannot be read"), ("3", "is not an object: 3"), ("[" * 100_000, "cannot be read")],
)
def test_what_cannot_be_compared_is_said(state: str, why: str, tmp_path: Path, asked: Any) -> None:
    Book().run("S", "r0", final_state=state).run("S", "r1").save(tmp_path / "grimoire.db")
    told = asked("r1", "state", "--against", "r0")
    assert told["records"] == [] and why in told["notes"][0]
    assert why in asked("r1", "state", "--against", "previous", json_=False)


def test_a_run_without_a_row_and_the_first_of_all(tmp_path: Path, asked: Any) -> None:
    Book().run("S", "r0").text("S", "orphan", "[]").save(tmp_path / "grimoire.db")
    assert asked("orphan", "state", "--against", "r0")["notes"] == [
        "orphan has no row, so its final state is not recorded."
    ]
    said = asked("r0", "state", "--against", "previous")["notes"]
    assert said == ["This is the first recorded run of the spell."]


def test_stores_from_before_there_was_provenance(tmp_path: Path, asked: Any) -> None:
    book = Book("2026-01-30").run("S", "r0").run("S", "r1", final_state='{"a": 1}')
    book.save(tmp_path / "grimoire.db")
    assert asked("r1", "provenance", "--against", "r0")["notes"]
    assert by_name(asked("r1", "state", "--against", "r0"))["a"]["change"] == "added"


def test_runs_of_two_spells_and_of_two_stores(tmp_path: Path, asked: Any) -> None:
    Book().run("S", "r0", final_state='{"a": 1}').save(tmp_path / "one" / "grimoire.db")
    Book().run("T", "r9", final_state='{"a": 2}').save(tmp_path / "two" / "grimoire.db")
    found = by_name(asked("r9", "state", "--against", "r0"))
    assert found["a"]["before"] == {"a": 1} and found["a"]["after"] == {"a": 2}


def test_what_is_asked_wrongly_is_a_sentence(tmp_path: Path, asked: Any) -> None:
    Book().run("S", "r0", provenance=SIMULATE).save(tmp_path / "grimoire.db")
    assert "Part 'tracks' of a grimoire run cannot be compared" in asked(
        "r0", "tracks", "--against", "r0", code=2
    )
    assert "No run matches" in asked("r0", "state", "--against", "nothing", code=3)
    assert "Only runs can be compared" in asked("S", "state", "--against", "r0", code=2)


def test_what_a_state_is_stands_above_it(tmp_path: Path, asked: Any) -> None:
    Book().run("S", "r0", final_state='{"a": 1}').save(tmp_path / "grimoire.db")
    first = asked("r0", "state", json_=False).splitlines()[0]
    assert "kept from run to run" in first and "Ephemeral" in first
