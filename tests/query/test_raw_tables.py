"""Tables as records: columns, indexes, triggers and foreign keys."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from inspector.query.raw_tables import table_records
from inspector.query.tables import read_tables


def test_a_table_names_its_indexes_triggers_and_foreign_keys() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (name TEXT, parent_id INTEGER REFERENCES parent);
            CREATE UNIQUE INDEX child_name ON child (name, parent_id);
            CREATE TRIGGER noted AFTER INSERT ON child BEGIN SELECT 1; END;
            CREATE VIEW both AS SELECT * FROM child;
            """
        )
        records = table_records(connection, read_tables(connection), lambda name: None)
    by_name = {record["name"]: record for record in records}
    child = by_name["child"]
    assert child["indexes"] == [
        {"name": "child_name", "unique": True, "columns": ["name", "parent_id"]}
    ]
    assert child["triggers"] == ["noted"]
    assert child["foreign_keys"] == [
        {"columns": ["parent_id"], "table": "parent", "references": ["id"]}
    ]
    assert "indexes" not in by_name["both"]


@pytest.mark.parametrize("target", ["missing", "a_view", '"we""ird"'])
def test_a_foreign_key_may_lead_anywhere(target: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            f"""
            CREATE VIEW a_view AS SELECT 1 AS x;
            CREATE TABLE child (parent_id INTEGER REFERENCES {target});
            """
        )
        records = table_records(connection, read_tables(connection), lambda name: None)
    (child,) = (record for record in records if record["name"] == "child")
    assert child["columns"] == ["parent_id"]
