"""The tab of tables: every table in pages, questions in SQL, and what is copied from them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.query.view import RunView, Tab
from inspector.ui.panes.sql import History, completed
from inspector.ui.panes.tables import ANSWER, LIST, ROWS, TablesPane
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, shown
from tests.ui.waiting import wait_for

ROWS_MADE = 3000
HOSTILE = "a\x1b[2Jb\u202ec [red]d[/red]"
MAKE = f"""
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
x = connection.execute
x("CREATE TABLE many (id INTEGER PRIMARY KEY, name TEXT, note TEXT)")
connection.executemany(
    "INSERT INTO many VALUES (?, 'row ' || ?, ?)",
    [(n, n, None if n % 2 else '') for n in range(1, {ROWS_MADE} + 1)])
x("CREATE TABLE pairs (a TEXT, b INT, PRIMARY KEY (a, b DESC)) WITHOUT ROWID")
connection.executemany("INSERT INTO pairs VALUES (?, ?)", [("k", n) for n in range(300)])
x('CREATE TABLE "nothing" (a, b)')
x("CREATE TABLE secrets (password TEXT, long TEXT, raw BLOB)")
x("INSERT INTO secrets VALUES ('hunter2!x', ?, ?)", ("y" * 100000, bytes(70)))
x('CREATE TABLE "we ird ""1""\\n" ("a\\nb" TEXT)')
x('INSERT INTO "we ird ""1""\\n" VALUES (?)', ({HOSTILE!r},))
x("CREATE TABLE wide (" + ", ".join(f"c{{n}}" for n in range(2000)) + ")")
x("INSERT INTO wide VALUES (" + ", ".join(map(str, range(2000))) + ")")
x("CREATE VIEW broken AS SELECT nope FROM gone")
connection.commit()
"""
NAMES = ("many", "pairs", "nothing", "secrets", 'we ird "1"\n', "wide", "broken")
COLUMNS = {"many": ["id", "name", "note"], "secrets": ["password", "long", "raw"]}


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = tmp_path / "state.db"
    subprocess.run([sys.executable, "-c", MAKE, str(made)], check=True)
    return str(made)


def feed_of(path: str) -> RunFeed:
    def view(at: int | None = None) -> RunView:
        found = pictured.research(at)
        run = replace(found.run, store=replace(found.run.store, path=path))
        tabs = (Tab("timeline", "Timeline"), Tab("raw", "Raw"), Tab("tables", "Tables", len(NAMES)))
        return replace(found, run=run, tabs=tabs)

    reader = FakeReader(view)
    present = [
        {"name": name, "type": "table", "columns": COLUMNS.get(name, ["a"]), "missing": False}
        for name in NAMES
    ]
    absent = {"name": "imports", "type": "table", "columns": [], "missing": True}
    reader.records = {"tables": [*present, absent]}
    return RunFeed(view, reader)


@asynccontextmanager
async def tables(
    path: str, size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[Pilot[None], RunScreen, TablesPane]]:
    async with on_screen(feed_of(path), size) as (pilot, screen):
        await pilot.press("3")
        pane = await wait_for(pilot, lambda: screen.pane if screen.pane.ready else None)
        assert isinstance(pane, TablesPane)
        await wait_for(pilot, lambda: pane.tables.row_count)
        yield pilot, screen, pane


async def open_table(pilot: Pilot[None], pane: TablesPane, name: str) -> None:
    pane.tables.move_to(NAMES.index(name))
    await pilot.press("enter")
    await wait_for(pilot, lambda: pane.grid.columns or "SQLite" in bar(pane))


def bar(pane: TablesPane) -> str:
    return pane.query_one("#raw-bar").render_line(0).text


async def test_as_many_tables_are_listed_as_the_tab_says(path: str) -> None:
    async with tables(path) as (pilot, screen, pane):
        assert pane.tables.row_count == len(NAMES)
        assert "missing from this database: imports" in bar(pane)
        await wait_for(pilot, lambda: any("3,000" in line for line in shown(screen)))


async def test_the_end_of_a_long_table_is_one_key_away_and_pages_follow(path: str) -> None:
    async with tables(path) as (pilot, _, pane):
        await open_table(pilot, pane, "many")
        await wait_for(pilot, lambda: "3,000" in bar(pane))
        await pilot.press("G")
        await wait_for(pilot, lambda: pane.grid.selected)
        assert pane.grid.selected is not None and pane.grid.selected.cells[0] == ROWS_MADE
        seen = []
        for _ in range(120):
            row = await wait_for(pilot, lambda: pane.grid.selected)
            seen.append(row.cells[0])
            await pilot.press("k")
        assert seen == list(range(ROWS_MADE, ROWS_MADE - 120, -1))
        await pilot.press("g")
        await wait_for(pilot, lambda: getattr(pane.grid.selected, "cells", (0,))[0] == 1)
        for _ in range(12):
            await pilot.press("pagedown")
        row = await wait_for(pilot, lambda: pane.grid.selected)
        assert row.cells[0] == pane.grid.cursor + 1


async def test_rows_that_come_are_counted_and_the_cursor_stays_on_its_row(path: str) -> None:
    async with tables(path) as (pilot, _, pane):
        await open_table(pilot, pane, "pairs")
        await pilot.press("j", "j")
        row = pane.grid.selected
        assert row is not None and row.cells == ("k", 297)
        line = pane.grid.screen_line_of(pane.grid.cursor)
        more = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executemany("
        more += "'INSERT INTO pairs VALUES (?, ?)', [('a', 1), ('z', 1)]); c.commit()"
        subprocess.run([sys.executable, "-c", more, path], check=True)
        await wait_for(pilot, lambda: "302" in bar(pane))
        await wait_for(pilot, lambda: pane.grid.cursor == 3)
        assert pane.grid.selected is not None and pane.grid.selected.cells == ("k", 297)
        assert pane.grid.screen_line_of(pane.grid.cursor) == line


async def test_a_table_that_goes_leaves_what_was_read_and_one_that_changes_is_read(
    path: str,
) -> None:
    def change(sql: str) -> None:
        made = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        made += "c.executescript('PRAGMA legacy_alter_table=ON;' + sys.argv[2])"
        subprocess.run([sys.executable, "-c", made, path, sql], check=True)

    async with tables(path) as (pilot, _, pane):
        await open_table(pilot, pane, "pairs")
        columns = len(pane.grid.columns)
        await wait_for(pilot, lambda: pane.grid.row_count)
        change("ALTER TABLE pairs RENAME TO elsewhere")
        await wait_for(pilot, lambda: "no longer exists" in bar(pane))
        assert pane.grid.row_count
        change("ALTER TABLE elsewhere RENAME TO pairs")
        await wait_for(pilot, lambda: "no longer exists" not in bar(pane))
        change("ALTER TABLE pairs ADD COLUMN more TEXT")
        await wait_for(pilot, lambda: len(pane.grid.columns) == columns + 1)
        assert pane.grid.row_count


async def test_null_blobs_and_empty_text_are_told_apart_and_secrets_masked(path: str) -> None:
    async with tables(path) as (pilot, screen, pane):
        await open_table(pilot, pane, "many")
        lines = shown(screen)
        assert any("row 1 " in line and "NULL" in line for line in lines)
        assert any("row 2 " in line and "''" in line for line in lines)
        await pilot.press("escape")
        await open_table(pilot, pane, "secrets")
        await wait_for(pilot, lambda: any("blob 70 B" in line for line in shown(screen)))
        whole = "\n".join(shown(screen))
        assert "hunter2" not in whole and "masked: password" in whole


async def test_what_is_hostile_is_harmless(path: str) -> None:
    async with tables(path, (80, 24)) as (pilot, screen, pane):
        await open_table(pilot, pane, 'we ird "1"\n')
        whole = "\n".join(shown(screen))
        assert "\x1b" not in whole and "\u202e" not in whole
        assert "[red]d[/red]" in whole and "a\\nb" in whole
        await pilot.press("escape")
        await open_table(pilot, pane, "broken")
        assert "no such table" in bar(pane)
        await pilot.press("escape")
        await open_table(pilot, pane, "nothing")
        await wait_for(pilot, lambda: any("No rows." in line for line in shown(screen)))


async def test_two_thousand_columns_can_be_gone_through(path: str) -> None:
    async with tables(path, (80, 24)) as (pilot, screen, pane):
        await open_table(pilot, pane, "wide")
        for _ in range(30):
            await pilot.press("l")
        assert pane.grid.column == 30 and pane.grid.cell == 30
        assert any("c30" in line for line in shown(screen))
        assert "column 31 of 2,000" in bar(pane)
        pane.grid.move_column(5000)
        await pilot.pause()
        assert any("c1999" in line for line in shown(screen))


async def test_a_cell_a_row_and_its_place_are_copied(path: str) -> None:
    async with tables(path) as (pilot, _, pane):
        await open_table(pilot, pane, "many")
        await pilot.press("l")
        cell = pane.value_to_copy()
        assert cell is not None and cell.text == "row 1"
        await pilot.press("enter")
        row = pane.value_to_copy()
        assert row is not None and '"id": 1' in row.text and '"note": null' in row.text
        await pilot.press("escape")
        place = pane.location_to_copy()
        assert place is not None and "table many" in place.text and "rowid 1" in place.text
        await pilot.press("escape")
        await open_table(pilot, pane, "secrets")
        secret = pane.value_to_copy()
        assert secret is not None and "hunter2" not in secret.text
        await pilot.press("l", "enter")
        await wait_for(pilot, lambda: "y" * 99_000 in copied(pane))


def copied(pane: TablesPane) -> str:
    found = pane.value_to_copy()
    return found.text if found is not None else ""


async def ask(pilot: Pilot[None], pane: TablesPane, sql: str) -> None:
    pane.field.write(sql)
    await pilot.press("enter")
    await wait_for(pilot, lambda: not pane._parts.sql.running)


async def test_a_question_is_answered_and_what_was_asked_comes_back(path: str) -> None:
    async with tables(path) as (pilot, _, pane):
        await pilot.press("s")
        await wait_for(pilot, lambda: pane.level == ANSWER and pane.field.has_focus)
        await ask(pilot, pane, "SELECT id, name FROM many ORDER BY id DESC")
        assert pane.grid.has_focus and "first 1,000 rows, there are more" in bar(pane)
        assert pane.grid.selected is not None and pane.grid.selected.cells == (3000, "row 3000")
        await pilot.press("s")
        await ask(pilot, pane, "SELECT nope FROM many")
        assert "no such column: nope, at character 8" in bar(pane)
        assert pane.field.has_focus and pane.field.cursor_position == 7
        await pilot.press("up", "up")
        assert pane.field.value == "SELECT id, name FROM many ORDER BY id DESC"
        await pilot.press("down")
        assert pane.field.value == "SELECT nope FROM many"
        await pilot.press("escape")
        assert pane.level == LIST


async def test_nothing_but_a_select_is_taken(path: str) -> None:
    before = Path(path).read_bytes()
    async with tables(path) as (pilot, _, pane):
        await pilot.press("s")
        await wait_for(pilot, lambda: pane.field.has_focus)
        await ask(pilot, pane, "DELETE FROM many")
        assert "Only a SELECT is allowed" in bar(pane)
    assert Path(path).read_bytes() == before


async def test_a_secret_is_one_under_another_name(path: str) -> None:
    async with tables(path) as (pilot, screen, pane):
        await pilot.press("s")
        await wait_for(pilot, lambda: pane.field.has_focus)
        await ask(pilot, pane, "SELECT password AS x FROM secrets")
        assert "hunter2" not in "\n".join(shown(screen))
        assert pane.grid.selected is not None
        cell = pane.value_to_copy()
        assert cell is not None and "hunter2" not in cell.text
        await pilot.press("enter")
        assert "hunter2" not in copied(pane)


async def test_escape_gives_a_question_up_and_keys_answer_meanwhile(path: str) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    async with tables(path) as (pilot, _, pane):
        await pilot.press("s")
        await wait_for(pilot, lambda: pane.field.has_focus)
        pane.field.write(f"SELECT max(x) FROM ({endless})")
        await pilot.press("enter")
        assert pane._parts.sql.running and "Esc cancel" in bar(pane)
        await pilot.press("home", "escape")
        await wait_for(pilot, lambda: not pane._parts.sql.running)
        assert "given up" in bar(pane) and pane.level == ANSWER


async def test_a_table_proposes_its_own_question_and_escape_leads_back_to_it(path: str) -> None:
    async with tables(path, (40, 15)) as (pilot, _, pane):
        await open_table(pilot, pane, "pairs")
        await pilot.press("s")
        await wait_for(pilot, lambda: pane.field.has_focus)
        await pilot.press("enter")
        await wait_for(pilot, lambda: not pane._parts.sql.running)
        assert pane.field.value == "SELECT * FROM pairs LIMIT 100" and "100 rows" in bar(pane)
        await pilot.press("escape")
        assert pane.level == ROWS
        await pilot.press("escape")
        assert pane.level == LIST and not pane.back()


def test_names_are_completed() -> None:
    names = {"many": ["id", "name"], "x_other": ["ident"], "we ird": ["a b"]}
    assert completed("SELECT na", names) == "SELECT name"
    assert completed("SELECT id FROM x", names) == "SELECT id FROM x_other"
    assert completed("SELECT count(*) FROM x_other WHERE id", names) == (
        "SELECT count(*) FROM x_other WHERE ident"
    )
    assert completed("SELECT * FROM ord", {"order": ["a"]}) is None
    assert completed('SELECT * FROM "ord', {"order": ["a"]}) == 'SELECT * FROM "order"'
    assert completed('SELECT * FROM "w', names) == 'SELECT * FROM "we ird"'
    assert completed("sel", names) == "selECT"
    assert completed("SELECT 1 ", names) is None
    assert completed("", names) is None


def test_what_is_being_typed_is_the_newest_of_what_was_asked() -> None:
    history = History()
    for sql in ("one", "two", "one"):
        history.add(sql)
    assert history.step(-1, "typed") == "one"
    assert history.step(-1, "one") == "two"
    assert history.step(-1, "two") is None
    assert history.step(1, "two") == "one"
    assert history.step(1, "one") == "typed"
    assert history.step(1, "typed") is None
