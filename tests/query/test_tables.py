"""A catalogue is read once for all databases that have the same, word for word."""

import sqlite3

import pytest

from inspector.query.tables import Tables, read_tables, remember


def tables_of(*statements: str) -> Tables:
    connection = sqlite3.connect(":memory:")
    try:
        for statement in statements:
            connection.execute(statement)
        return read_tables(connection)
    finally:
        connection.close()


def test_the_same_words_are_the_same_tables() -> None:
    statements = ("CREATE TABLE run(id, status)", "CREATE VIEW v AS SELECT id FROM run")
    known = tables_of(*statements)
    assert tables_of(*statements) is not known, "nothing is known before it is accepted"
    remember(known)
    assert tables_of(*statements) is known


@pytest.mark.parametrize(
    ("others", "columns"),
    [
        (("CREATE TABLE run(id, state)",), {"run": ("id", "state")}),
        (("CREATE TABLE run(id, status, x_note)",), {"run": ("id", "status", "x_note")}),
        (
            ("CREATE TABLE run(id, status)", "ALTER TABLE run ADD COLUMN x_note"),
            {"run": ("id", "status", "x_note")},
        ),
        (
            ("CREATE TABLE other(x)", "CREATE VIEW run AS SELECT * FROM other"),
            {"other": ("x",), "run": ("x",)},
        ),
        (
            ("CREATE TABLE other(x, y)", "CREATE VIEW run AS SELECT * FROM other"),
            {"other": ("x", "y"), "run": ("x", "y")},
        ),
    ],
)
def test_other_words_are_other_tables(
    others: tuple[str, ...], columns: dict[str, tuple[str, ...]]
) -> None:
    remember(tables_of("CREATE TABLE run(id, status)"))
    remember(tables_of("CREATE TABLE other(x)", "CREATE VIEW run AS SELECT * FROM other"))
    assert tables_of(*others).names() == columns


def test_what_a_virtual_table_has_is_asked_every_time() -> None:
    statement = " create  Virtual table t USING rtree(id, low, high)"
    known = tables_of(statement)
    remember(known)
    assert tables_of(statement) is not known
    assert tables_of(statement).names()["t"] == ("id", "low", "high")
