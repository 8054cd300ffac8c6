"""Questions in SQL: a SELECT is answered, everything else is refused and changes nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.model.clock import system_clock
from inspector.query.ask_sql import CannotAnswer, ask_sql

MAKE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE run (id TEXT, status TEXT)")
connection.executemany("INSERT INTO run VALUES (?, 'running')", [(str(n),) for n in range(50)])
connection.commit()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    subprocess.run([sys.executable, "-c", MAKE, str(path)], check=True)
    return path


def test_a_select_is_answered_with_columns_and_rows(database: Path) -> None:
    answer = ask_sql(str(database), "SELECT id, status FROM run ORDER BY 1 LIMIT 2", system_clock())
    assert answer.columns == ("id", "status")
    assert [tuple(row) for row in answer.rows] == [("0", "running"), ("1", "running")]
    assert not answer.cut


def test_more_rows_than_asked_for_are_cut_and_said(database: Path) -> None:
    answer = ask_sql(str(database), "SELECT id FROM run", system_clock(), limit=10)
    assert len(answer.rows) == 10
    assert answer.cut


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM run",
        "INSERT INTO run VALUES ('x', 'y')",
        "UPDATE run SET status = 'completed'",
        "DROP TABLE run",
        "CREATE TABLE mine (x)",
        "PRAGMA journal_mode = WAL",
        "ATTACH DATABASE 'other.db' AS other",
        "VACUUM",
        "BEGIN IMMEDIATE",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM run",
        "",
        "nonsense",
    ],
)
def test_nothing_else_is_allowed_and_nothing_changes(database: Path, sql: str) -> None:
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    with pytest.raises(CannotAnswer) as refused:
        ask_sql(str(database), sql, system_clock())
    assert str(refused.value)
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    assert sorted(entry.name for entry in database.parent.iterdir()) == ["state.db"]


def test_a_question_without_end_is_ended(database: Path) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    with pytest.raises(CannotAnswer, match="longer than"):
        ask_sql(str(database), endless, system_clock(), seconds=0.2)
