"""Stores of unusual make: another encoding, no rowids, views, texts that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.model.run import Run
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.view import RunView
from tests.query.grimoire.building import SCHEMAS, Book, Ledger, write
from tests.store.builders import untouched

LEDGER = Ledger("r1", "Spéll").begin().add("binding_set", name="é", value="日本").step("a").ready()
Look = Callable[..., tuple[Run, RunView, list[Any]]]


@pytest.fixture
def look() -> Iterator[Look]:
    stores: list[GrimoireStore] = []

    def look_(path: Path) -> tuple[Run, RunView, list[Any]]:
        store = GrimoireStore(str(path), lambda: 0)
        stores.append(store)
        with untouched(path.parent):
            (run,) = store.summarize()[1]
            reader = store.open(run)
            view = reader.refresh()
            events = [event.payload for event in reader.events(1, 100)]
            assert store.session("Spéll", 0).ledger.total == 1
            reader.close()
        return run, view, events

    yield look_
    for store in stores:
        store.close()


def tables(**changed: str) -> list[tuple[str, list[Any]]]:
    """The newest schema with some tables made otherwise."""
    statements: list[tuple[str, list[Any]]] = []
    for sql in SCHEMAS["2026-02-14"][1]:
        name = sql.split("(")[0].split()[-1]
        statements += [(part, []) for part in changed.get(name, sql).split(";") if part.strip()]
    return statements


def rows(text: Any = None) -> list[tuple[str, list[Any]]]:
    book = Book().run("Spéll", "r1")
    return book.text("Spéll", "r1", LEDGER.text() if text is None else text).rows


def is_whole(events: list[Any]) -> bool:
    return events == [one["event"] for one in LEDGER.entries]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_any_encoding(encoding: str, tmp_path: Path, look: Look) -> None:
    path = write(
        tmp_path / "g.db", (f"PRAGMA encoding='{encoding}'", []), *tables(), *rows(),
        journal="delete",
    )  # fmt: skip
    _, view, events = look(path)
    assert is_whole(events)
    assert view.total_events == len(events)


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TABLE ledger(spell_id TEXT, run_id TEXT, entries TEXT, id INTEGER,"
        " PRIMARY KEY(spell_id, run_id)) WITHOUT ROWID",
        "CREATE TABLE ledger(entries TEXT, run_id TEXT, spell_id TEXT)",
        "CREATE TABLE ledger(id INTEGER PRIMARY KEY, spell_id, run_id, entries BLOB, more)",
    ],
)
def test_any_make_of_the_ledger(made: str, tmp_path: Path, look: Look) -> None:
    path = write(tmp_path / "g.db", *tables(ledger=made), *rows(), journal="delete")
    _, view, events = look(path)
    if "WITHOUT ROWID" in made:
        # Without an id nothing names the row; its run is listed all the same.
        assert view.run.run_id == "r1"
    else:
        assert is_whole(events)


def test_a_view_in_the_place_of_a_table(tmp_path: Path, look: Look) -> None:
    path = write(
        tmp_path / "g.db",
        *tables(runs=SCHEMAS["2026-02-14"][1][1].replace("TABLE runs", "TABLE kept")),
        ("CREATE VIEW runs AS SELECT * FROM kept", []),
        *((sql.replace("INTO runs", "INTO kept"), values) for sql, values in rows()),
        journal="delete",
    )
    run, _, events = look(path)
    assert run.raw_status == "success=1"
    assert is_whole(events)


@pytest.mark.parametrize("text", [5, 1.5, "", "7", '"x"'])
def test_a_text_that_is_no_ledger(text: Any, tmp_path: Path, look: Look) -> None:
    path = write(tmp_path / "g.db", *tables(), *rows(text), journal="delete")
    _, view, events = look(path)
    assert (view.total_events, events) == (0, [])
    assert {finding.code for finding in view.run.findings} == {"damaged"}


def test_more_columns_and_tables_than_are_known(tmp_path: Path, look: Look) -> None:
    path = write(
        tmp_path / "g.db",
        *tables(),
        ("ALTER TABLE runs ADD COLUMN note TEXT", []),
        ("CREATE TABLE run_approvals(id)", []),
        *rows(),
        journal="delete",
    )
    assert is_whole(look(path)[2])


def test_columns_that_are_missing(tmp_path: Path, look: Look) -> None:
    runs = "CREATE TABLE runs(id INTEGER PRIMARY KEY, spell_id TEXT, run_id TEXT, success)"
    path = write(
        tmp_path / "g.db",
        *tables(runs=runs),
        ("INSERT INTO runs(spell_id, run_id, success) VALUES('Spéll', 'r1', 1)", []),
        rows()[1],
        journal="delete",
    )
    run, _, events = look(path)
    assert (run.status.value, run.mode) == ("completed", None)
    assert is_whole(events)
