"""Tables in pages: every row once, in order, whatever the key, and bounded whatever is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.raw_pages import (
    WITHHELD_CELL,
    Cut,
    Range,
    Row,
    key_text,
    page_rows,
    range_after,
    read_page,
    read_row,
)
from inspector.query.raw_tables import Shape, read_shape

TABLES = (
    "CREATE TABLE t (a TEXT, b)",
    "CREATE TABLE t (a TEXT, b INTEGER PRIMARY KEY)",
    "CREATE TABLE t (a TEXT, b, PRIMARY KEY (a, b)) WITHOUT ROWID",
    "CREATE TABLE t (a TEXT, b, PRIMARY KEY (a, b DESC)) WITHOUT ROWID",
    "CREATE TABLE t (a TEXT, b, PRIMARY KEY (a DESC, b DESC)) WITHOUT ROWID",
    "CREATE TABLE t (a TEXT COLLATE NOCASE, b, PRIMARY KEY (a COLLATE BINARY, b)) WITHOUT ROWID",
    "CREATE TABLE t (a TEXT, b, PRIMARY KEY (a COLLATE NOCASE, b)) WITHOUT ROWID",
    "CREATE TABLE t (rowid TEXT, _rowid_ INT, oid INT, PRIMARY KEY (rowid)) WITHOUT ROWID",
)
TEXTS = st.text(alphabet="aAbB\x00é🦜", max_size=3)
ROWS = st.lists(st.tuples(TEXTS, st.integers(-3, 200)), max_size=60)


@contextmanager
def database(*statements: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements:
            connection.execute(statement)
        yield connection


def walk(connection: sqlite3.Connection, shape: Shape, count: int, *, back: bool) -> list[Row]:
    """All rows, page by page, each page from the key of the one before."""
    found: list[Row] = []
    wanted = Range(backward=back)
    while True:
        page = read_page(connection, shape, wanted, count)
        found = [*page.rows, *found] if back else [*found, *page.rows]
        if not page.more:
            return found
        assert page.rows
        edge = page.rows[0] if back else page.rows[-1]
        assert edge.key is not None
        wanted = Range(high=(edge.key, False), backward=True) if back else Range((edge.key, False))


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=40, deadline=None)
@given(rows=ROWS, count=st.integers(1, 9))
def test_pages_hold_every_row_once_in_either_direction(
    table: str, rows: Sequence[tuple[str, int]], count: int
) -> None:
    with database(table) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(t)")][:2]
        into = f"INSERT OR IGNORE INTO t ({', '.join(names)}) VALUES (?, ?)"
        connection.executemany(into, rows)
        shape = read_shape(connection, "t")
        assert shape.key
        forward = walk(connection, shape, count, back=False)
        assert walk(connection, shape, count, back=True) == forward
        assert len({row.key for row in forward}) == len(forward)
        (number,) = connection.execute("SELECT count(*) FROM t").fetchone()
        assert len(forward) == number
        for place, row in enumerate(forward):
            assert read_row(connection, shape, row.key, place, 100) == row


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=20, deadline=None)
@given(rows=ROWS)
def test_a_place_that_was_written_down_is_found_again(
    table: str, rows: Sequence[tuple[str, int]]
) -> None:
    with database(table) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(t)")][:2]
        connection.executemany(f"INSERT OR IGNORE INTO t ({', '.join(names)}) VALUES (?, ?)", rows)
        shape = read_shape(connection, "t")
        every = read_page(connection, shape, Range(), 100).rows
        for place, row in enumerate(every):
            after = range_after(shape, key_text(row.key, place + 1))
            assert read_page(connection, shape, after, 100).rows == every[place + 1 :]


def test_a_page_stays_the_same_page_while_rows_come() -> None:
    with database("CREATE TABLE t (id INTEGER PRIMARY KEY, a)") as connection:
        connection.executemany("INSERT INTO t VALUES (?, 0)", [(n,) for n in range(10, 100)])
        shape = read_shape(connection, "t")
        page = read_page(connection, shape, Range(low=((20,), False)), 5)
        connection.executemany("INSERT INTO t VALUES (?, 1)", [(n,) for n in (1, 2, 200, 201)])
        assert read_page(connection, shape, Range(low=((20,), False)), 5) == page


def test_a_view_is_counted_from_its_first_row() -> None:
    with database(
        "CREATE TABLE t (id INTEGER PRIMARY KEY)", "CREATE VIEW v AS SELECT id, id * 2 AS b FROM t"
    ) as connection:
        connection.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(10)])
        shape = read_shape(connection, "v")
        assert shape.is_view and not shape.key
        page = read_page(connection, shape, Range(skip=7), 2)
        assert [row.cells for row in page.rows] == [(7, 14), (8, 16)]
        assert page.more
        assert range_after(shape, key_text(None, 9)) == Range(skip=9)


def test_generated_columns_are_shown_and_said_to_be() -> None:
    with database("CREATE TABLE t (a INT, b INT AS (a * 2), c INT AS (a * 3) STORED)") as opened:
        opened.execute("INSERT INTO t (a) VALUES (5)")
        shape = read_shape(opened, "t")
        assert [column.generated for column in shape.columns] == [False, True, True]
        assert read_page(opened, shape, Range(), 5).rows[0].cells == (5, 10, 15)


def test_as_many_columns_as_there_can_be() -> None:
    names = ", ".join(f"c{n}" for n in range(2000))
    with database(f"CREATE TABLE t ({names})") as connection:
        for n in range(30):
            values = ", ".join([str(n)] * 2000)
            connection.execute(f"INSERT INTO t VALUES ({values})")
        shape = read_shape(connection, "t")
        count = page_rows(shape)
        assert count < 30
        rows = walk(connection, shape, count, back=False)
        assert [row.cells[1999] for row in rows] == list(range(30))
        assert [row.key for row in rows] == [(n,) for n in range(1, 31)]


def test_large_cells_are_kept_in_part_and_end_a_page() -> None:
    with database("CREATE TABLE t (a)") as connection:
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 2_000_000,)] * 9)
        shape = read_shape(connection, "t")
        page = read_page(connection, shape, Range(), 128, most_bytes=5_000_000)
        assert page.more and 1 <= len(page.rows) < 9
        assert page.rows[0].cells == (Cut("x" * 512, 2_000_000),)
        assert len(walk(connection, shape, 128, back=False)) == 9


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, None), (7, 7), (0.5, 0.5), ("", ""), ("é" * 512, "é" * 512), (b"\xff", b"\xff"),
        ("é" * 600, Cut("é" * 512, 1200)), (b"\x00" * 600, Cut(b"\x00" * 512, 600)),
    ],
)  # fmt: skip
def test_cells_are_file_type(value: Any, cell: Any) -> None:
    with database("CREATE TABLE t (a)") as connection:
        connection.execute("INSERT INTO t VALUES (?)", (value,))
        page = read_page(connection, read_shape(connection, "t"), Range(), 1)
        assert page.rows[0].cells == (cell,)


def test_text_that_is_not_utf_8_shows_its_bytes() -> None:
    with database("CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID") as connection:
        connection.execute("INSERT INTO t VALUES (CAST(x'41ff42' AS TEXT)), ('z')")
        shape = read_shape(connection, "t")
        first = read_page(connection, shape, Range(), 1).rows[0]
        assert first.cells == ("A\\xffB",)
        assert first.key is not None
        assert read_page(connection, shape, Range((first.key, False)), 9).rows[0].cells == ("z",)
        again = range_after(shape, key_text(first.key, 1))
        assert read_page(connection, shape, again, 9).rows[0].cells == ("z",)


def test_the_token_of_a_lease_is_never_read() -> None:
    with database("CREATE TABLE prism_leases (key TEXT, token TEXT)") as connection:
        connection.execute("INSERT INTO prism_leases VALUES ('a', 'hidden'), ('b', NULL)")
        shape = read_shape(connection, "prism_leases")
        page = read_page(connection, shape, Range(), 9)
        assert [row.cells for row in page.rows] == [("a", WITHHELD_CELL), ("b", None)]


def test_what_is_made_of_the_token_of_a_lease_is_never_read() -> None:
    made = "CREATE TABLE prism_leases (key TEXT, token TEXT, own TEXT AS (token || key))"
    with database(made) as connection:
        connection.execute("INSERT INTO prism_leases VALUES ('a', 'hidden')")
        connection.execute(
            "CREATE VIEW v AS SELECT key, token AS t, substr(token, 1, 3) AS u FROM prism_leases"
        )
        connection.execute("CREATE VIEW w AS SELECT t AS key2, key FROM v")
        for name in ("prism_leases", "v", "w"):
            row = read_page(connection, read_shape(connection, name), Range(), 9).rows[0]
            assert set(row.cells) == {"a", WITHHELD_CELL}


def test_what_cannot_be_expanded_has_no_columns() -> None:
    with database("CREATE VIEW v AS SELECT nope FROM gone") as connection:
        shape = read_shape(connection, "v")
        assert not shape.columns
        assert not read_page(connection, shape, Range(), 5).rows
        with pytest.raises(KeyError):
            read_shape(connection, "V")


@pytest.mark.parametrize("text", ["x", "[1, 2]", "null", '[{"blob": "zz"}]', "[[1]]", "[true]"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with database("CREATE TABLE t (a)") as connection, pytest.raises(ValueError):
        range_after(read_shape(connection, "t"), text)
