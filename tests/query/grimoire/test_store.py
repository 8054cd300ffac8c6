"""A store's list: all real shapes, what was pruned, what is corrupt, what is still arriving."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.export import documents
from inspector.model.clock import parse_now
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Health, Store
from inspector.query.grimoire.backend import Grimoire
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.text.escape import json_text
from tests.query.grimoire.building import (
    DRY_RUN,
    EXECUTE,
    SCHEMAS,
    STAMP,
    START,
    Book,
    Ledger,
    write,
)
from tests.store.builders import untouched

NOW = parse_now("2026-11-29T21:00:00Z")
Opened = Callable[..., GrimoireStore]


@pytest.fixture
def opened() -> Iterator[Opened]:
    stores: list[GrimoireStore] = []

    def open_(path: Path, now: int = NOW) -> GrimoireStore:
        stores.append(GrimoireStore(str(path), lambda: now))
        return stores[-1]

    yield open_
    for store in stores:
        store.close()


def listed(store: GrimoireStore) -> tuple[Store, dict[str, Run]]:
    found, runs = store.summarize()
    return found, {f"{run.session}/{run.run_id}": run for run in runs}


def codes(run: Run) -> set[str]:
    return {finding.code for finding in run.findings}


def path_in(tmp_path: Path) -> Path:
    return tmp_path / ".grimoire" / "grimoire.db"


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_schema_is_read(schema: str, tmp_path: Path, opened: Opened) -> None:
    ledger = Ledger().begin().step("a").ready()
    path = Book(schema).state("Spell").whole(ledger).save(path_in(tmp_path))
    with untouched(path.parent):
        store, runs = listed(opened(path))
    assert (store.health, store.reason) == (Health.OK, None)
    assert store.variant == str(SCHEMAS[schema][0])
    run = runs[f"Spell/{ledger.run_id}"]
    assert (run.status, run.raw_status) == (Status.COMPLETED, "success=1")
    assert (run.started_at, run.ended_at) == (START, ledger.at - 1)
    assert run.mode == (None if schema == "2026-01-30" else "simulate")
    assert run.findings == ()


def test_a_newer_schema_is_shown_as_far_as_it_is_known(tmp_path: Path, opened: Opened) -> None:
    path = Book(version=3).run("Spell", "r1").save(path_in(tmp_path))
    store, runs = listed(opened(path))
    assert store.health is Health.PARTIAL
    assert "version 3 is newer than 2" in (store.reason or "")
    assert runs["Spell/r1"].status is Status.COMPLETED


def test_a_store_without_its_later_tables_says_so(tmp_path: Path, opened: Opened) -> None:
    path = Book("2026-01-30", version=2).run("Spell", "r1").save(path_in(tmp_path))
    assert listed(opened(path))[0].variant == "2-partial"


@pytest.mark.parametrize(
    ("tables", "is_one"),
    [
        ({"runs": ["spell_id", "run_id", "final_state"]}, True),
        ({"ledger": ["entries", "run_id", "spell_id", "more"]}, True),
        ({"spell_state": ["spell_id", "state"]}, True),
        ({"runs": ["id", "run_id"]}, False),
        ({"ledger": ["account", "amount"]}, False),
        ({"prism_runs": [], "runs": ["spell_id", "run_id", "final_state"]}, False),
        ({}, False),
    ],
)
def test_what_is_a_store(tables: dict[str, list[str]], is_one: bool) -> None:
    assert Grimoire().recognise(tables) is is_one


@pytest.mark.parametrize(
    ("success", "status"),
    [(1, "completed"), (1.0, "completed"), (0, "failed"), (2, "failed"), ("1", "failed")],
)
def test_only_one_is_success(success: object, status: str, tmp_path: Path, opened: Opened) -> None:
    path = Book().run("Spell", "r1", success=success).save(path_in(tmp_path))
    # A column of integer affinity makes the text "1" an integer.
    expected = "completed" if success == "1" else status
    assert listed(opened(path))[1]["Spell/r1"].status.value == expected


def test_how_a_run_was_run(tmp_path: Path, opened: Opened) -> None:
    book = Book().run("S", "a", provenance=DRY_RUN).run("S", "b", provenance=EXECUTE)
    book.run("S", "c", provenance=None).run("S", "d", provenance='{"runtime_mode":"replay"}')
    resumed = '{"resumed_from_run_id":"x","cross_chain":{"mode":"execute"}}'
    _, runs = listed(opened(book.run("S", "e", provenance=resumed).save(path_in(tmp_path))))
    modes = {key[-1]: run.mode for key, run in runs.items()}
    assert modes == {"a": "dry run", "b": "execute", "c": None, "d": "replay", "e": "execute"}


def test_newest_rows_come_first_whatever_their_instants_say(tmp_path: Path, opened: Opened) -> None:
    book = Book().run("S", "one", timestamp="2030-01-01T00:00:00.000Z").run("S", "two")
    _, runs = opened(book.save(path_in(tmp_path))).summarize()
    assert [run.run_id for run in runs] == ["two", "one"]


def test_what_was_pruned_is_listed(tmp_path: Path, opened: Opened) -> None:
    old = Ledger("20261128T000000-old").begin().ready()
    book = Book().ledger(old).whole(Ledger().begin().ready())
    _, runs = listed(opened(book.save(path_in(tmp_path))))
    assert list(runs) == ["Spell/20261129T200047-aaaaaa", "Spell/20261128T000000-old"]
    orphan = runs["Spell/20261128T000000-old"]
    assert (orphan.status, orphan.raw_status) == (Status.UNKNOWN, None)
    assert codes(orphan) == {"orphan"}
    assert orphan.started_at == START


def test_spells_with_only_a_state_a_ledger_or_tracks(tmp_path: Path, opened: Opened) -> None:
    book = Book().state("OnlyState").ledger(Ledger(spell="OnlyLedger").begin())
    book.track("r9", "source", "OnlyTracks", "completed")
    store = opened(book.save(path_in(tmp_path)))
    _, runs = listed(store)
    assert {key: codes(run) for key, run in runs.items()} == {
        "OnlyLedger/20261129T200047-aaaaaa": {"orphan"},
        "OnlyTracks/r9": {"orphan"},
        "OnlyState/None": {"state_only"},
    }
    assert {run.status for run in runs.values()} == {Status.UNKNOWN}
    assert list(store.sessions()) == ["OnlyLedger", "OnlyState", "OnlyTracks"]


def test_the_same_id_under_two_spells_is_two_runs(tmp_path: Path, opened: Opened) -> None:
    book = Book().whole(Ledger("r1", "A").begin()).whole(Ledger("r1", "B").begin())
    store, runs = opened(book.save(path_in(tmp_path))).summarize()
    assert [run.key for run in runs] == [f"grimoire:{store.path}#{s}/r1" for s in "BA"]


def test_a_row_that_is_corrupt_costs_only_itself(tmp_path: Path, opened: Opened) -> None:
    book = Book().run("S", "good").run("S", "bad", metrics="{oops", provenance="{", final_state="")
    book.text("S", "good", "[]").text("S", "bad", "[{")
    book.run("S", "odd", timestamp="never", duration="x", success="maybe", error="\x1b[2J")
    store = opened(book.save(path_in(tmp_path)))
    found, runs = listed(store)
    assert found.health is Health.OK
    assert runs["S/good"].findings == ()
    assert runs["S/bad"].status is Status.COMPLETED
    reader = store.open(runs["S/bad"])
    try:
        whole = reader.refresh().run
    finally:
        reader.close()
    assert codes(whole) == {"unreadable", "damaged"}
    assert runs["S/odd"].status is Status.FAILED


def test_between_the_three_writes_of_a_run(tmp_path: Path, opened: Opened) -> None:
    """State, row and ledger are three transactions; what is there is shown as still arriving."""
    now = parse_now("2026-11-29T20:01:00Z")
    path = path_in(tmp_path)
    Book().state("S").whole(Ledger("r1", "S").begin().ready()).save(path)
    store = opened(path, now)
    assert codes(listed(store)[1]["S/r1"]) == set()
    later = "2026-11-29T20:00:58.000Z"
    write(path, ("UPDATE spell_state SET updated_at = ?", [later]))
    assert codes(listed(store)[1]["S/r1"]) == {"arriving"}
    Book().run("S", "r2", timestamp=later).save(path)
    runs = listed(store)[1]
    assert (codes(runs["S/r1"]), codes(runs["S/r2"])) == (set(), {"arriving"})
    Book().ledger(Ledger("r2", "S").begin().ready()).save(path)
    assert codes(listed(store)[1]["S/r2"]) == set()


def test_what_never_arrived(tmp_path: Path, opened: Opened) -> None:
    book = Book().state("S", updated_at="2026-11-29T20:30:00.000Z").run("S", "r1")
    assert codes(listed(opened(book.save(path_in(tmp_path))))[1]["S/r1"]) == {
        "ledger_missing",
        "state_newer",
    }


def test_a_start_without_a_ledger_is_what_the_id_spells(tmp_path: Path, opened: Opened) -> None:
    book = Book().run("S", "20261129T195959-abcdef").run("S", "20261129T195959.250Z-abcdef")
    book.run("S", "preview_1795983198226").run("S", "99999999T999999-x")
    _, runs = listed(opened(book.save(path_in(tmp_path))))
    starts = [run.started_at for run in runs.values()]
    assert starts == [None, None, parse_now("2026-11-29T19:59:59.250Z"),
                      parse_now("2026-11-29T19:59:59Z")]  # fmt: skip


def test_errors_are_told_with_their_code(tmp_path: Path, opened: Opened) -> None:
    book = Book().run("S", "r1", success=0, error="[STEP_FAILED] Step 'a' failed\nat line 3")
    run = listed(opened(book.save(path_in(tmp_path))))[1]["S/r1"]
    assert run.findings[0].message == "STEP_FAILED: Step 'a' failed\nat line 3"


def test_a_list_is_told_again_only_when_something_was_written(
    tmp_path: Path, opened: Opened
) -> None:
    path = Book().run("S", "r1").save(path_in(tmp_path))
    store = opened(path)
    first = store.summarize()
    assert not store.changed()
    assert store.summarize() is first
    Book().run("S", "r2").save(path)
    assert store.changed()
    again = store.summarize()
    assert [run.run_id for run in again[1]] == ["r2", "r1"]
    assert again[1][1] is first[1][0]


def test_rows_that_were_replaced_are_read_anew(tmp_path: Path, opened: Opened) -> None:
    """Nothing that was remembered by row number outlives the database that it was read from."""
    path = path_in(tmp_path)
    Book().whole(Ledger("r1", "S").begin(), provenance=DRY_RUN).save(path)
    store = opened(path)
    assert listed(store)[1]["S/r1"].mode == "dry run"
    for name in ("", "-wal", "-shm"):
        Path(f"{path}{name}").unlink(missing_ok=True)
    Book().whole(Ledger("r2", "S", at=START + 99).begin(), provenance=EXECUTE).save(path)
    run = listed(store)[1]["S/r2"]
    assert (run.mode, run.started_at) == ("execute", START + 99)


def test_a_store_that_is_gone_says_so(tmp_path: Path, opened: Opened) -> None:
    path = Book().run("S", "r1").save(path_in(tmp_path))
    store = opened(path)
    store.summarize()
    for name in ("", "-wal", "-shm"):
        Path(f"{path}{name}").unlink(missing_ok=True)
    found, runs = store.summarize()
    assert (found.health, list(runs)) == (Health.GONE, [])


def test_the_stores_own_record(tmp_path: Path, opened: Opened) -> None:
    book = Book("2026-02-07").state("B").state("A").run("A", "r1", timestamp=STAMP)
    book.ledger(Ledger("gone", "C"))
    part, (record,) = opened(book.save(path_in(tmp_path))).record_of(None, None)
    assert part == "store"
    assert record["user_version"] == 0
    assert record["counts"]["runs"] == 1 and record["counts"]["run_tracks"] == 0
    assert (record["spells"], record["all_spell_ids"]) == (["A", "B"], ["A", "B", "C"])
    assert record["orphans"] == [{"spellId": "C", "runId": "gone"}]
    assert "run_tracks" in record["missing_tables"]


def test_a_spells_records(tmp_path: Path, opened: Opened) -> None:
    book = Book().state("S", '{"n": 1}').state("Odd", "{").run("S", "r1").run("S", "r2")
    store = opened(book.save(path_in(tmp_path)))
    assert store.record_of("S", None) == ("state", [{"n": 1}])
    assert [row["runId"] for row in store.record_of("S", "run")[1]] == ["r2", "r1"]
    assert store.record_of("Odd", "state")[1][0]["text"] == "{"
    assert store.record_of("None", "state")[1] == []
    for subject in (None, "S"):
        with pytest.raises(KeyError):
            store.record_of(subject, "agents")


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_any_journal_mode(journal: str, tmp_path: Path, opened: Opened) -> None:
    path = Book().whole(Ledger("r1", "S").begin()).save(path_in(tmp_path), journal=journal)
    with untouched(path.parent):
        assert listed(opened(path))[1]["S/r1"].started_at == START


_COLUMNS = {
    "runs": ("timestamp", "success", "error", "duration"),
    "run_tracks": ("track_id", "role", "spell_id", "chain_id", "status", "error", "updated_at"),
    "run_handoffs": ("handoff_id", "asset", "submitted_amount", "status", "reason", "expires_at"),
}


@pytest.mark.parametrize("cell", ["x'ff00'", "9e999", "-9223372036854775808", "''"])
@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table in _COLUMNS for column in _COLUMNS[table]]
)
def test_whatever_stands_in_a_column_the_list_is_read(
    table: str, column: str, cell: str, tmp_path: Path, opened: Opened
) -> None:
    ledger = Ledger().begin().fail("a")
    book = Book().whole(ledger, success=0, error="[E1] boom").state(ledger.spell)
    book.track(ledger.run_id, "source", ledger.spell, "waiting")
    path = book.handoff(ledger.run_id, "submitted").save(path_in(tmp_path))
    write(path, (f"UPDATE {table} SET {column} = {cell}", []))
    _, runs = listed(opened(path))
    run = runs[f"{ledger.spell}/{ledger.run_id}"]
    assert all(isinstance(one.message, str) for one in run.findings)
    json_text(documents.document("runs", {"runs": [documents.run(run)]}, reveal=False))
