"""Questions in SQL: a SELECT is answered, everything else is refused and changes nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inspector.model.clock import system_clock
from inspector.query.ask_sql import CannotAnswer, answer_sql, ask_sql, unique_names
from inspector.query.raw_pages import Cut
from inspector.store.read import ZeroTouchReader

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


@pytest.mark.parametrize(
    ("sql", "at"),
    [
        ("SELECT nope FROM run", 7),
        ("SELECT id FORM run", 15),
        ("SELEC 1", 0),
        ("SELECT id FROM gone", 15),
        ("SELECT id FROM", 14),
        ("SELECT x, x FROM run", None),
    ],
)
def test_what_is_wrong_is_said_with_its_place(database: Path, sql: str, at: int | None) -> None:
    with pytest.raises(CannotAnswer) as refused:
        ask_sql(str(database), sql, system_clock())
    assert refused.value.at == at
    assert (f"at character {(at or 0) + 1}" in str(refused.value)) == (at is not None)


def test_what_is_given_up_ends_at_once(database: Path) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    cancelled = threading.Event()
    cancelled.set()
    with ZeroTouchReader(str(database)) as source, pytest.raises(CannotAnswer, match="given up"):
        answer_sql(source, endless, seconds=60, cancelled=cancelled)


def test_cells_can_be_kept_in_part(database: Path) -> None:
    with ZeroTouchReader(str(database)) as source:
        sql = "SELECT printf('%.*c', 9000, 'x'), x'00ff', NULL, 'é', CAST(x'41ff' AS TEXT)"
        answer = answer_sql(source, sql, kept=10)
    assert answer.rows == ((Cut("x" * 10, 9000), b"\x00\xff", None, "é", "A\\xff"),)


def test_a_secret_is_known_by_where_it_came_from(database: Path) -> None:
    make = "CREATE TABLE s (password TEXT, name TEXT); INSERT INTO s VALUES ('hunter2', 'n')"
    writer = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    subprocess.run([sys.executable, "-c", writer, str(database), make], check=True)
    answer = ask_sql(str(database), "SELECT password AS x, name, password FROM s", system_clock())
    assert answer.secret == ("password", None, None)
    assert ask_sql(str(database), "SELECT name AS x FROM s", system_clock()).secret == (None,)


@pytest.mark.parametrize(
    ("sql", "secret"),
    [
        ("SELECT json_extract(provenance, '$.rpc_url') FROM runs", True),
        ("SELECT provenance ->> 'rpc_url' AS x FROM runs", True),
        ("SELECT provenance -> '$.resolved_params.vault' FROM runs", True),
        ("SELECT json_extract(provenance, '$.b[0].api_key[1]') FROM runs", True),
        ("SELECT substr(provenance, 3) AS x FROM runs", True),
        ("SELECT json_extract(provenance, '$.runtime_mode') FROM runs", False),
        ("SELECT substr(id, 1) AS x FROM runs", False),
        ("SELECT id, provenance FROM runs", False),
    ],
)
def test_a_secret_is_known_by_the_way_into_json(tmp_path: Path, sql: str, secret: bool) -> None:
    path = tmp_path / "grimoire.db"
    made = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "c.execute('CREATE TABLE runs (id TEXT, provenance TEXT)'); "
        """c.execute("INSERT INTO runs VALUES ('a', '{}')"); c.commit()"""
    )
    subprocess.run([sys.executable, "-c", made, str(path)], check=True)
    answer = ask_sql(str(path), sql, system_clock())
    assert any(answer.secret) is secret


def test_the_token_of_a_lease_is_never_read(database: Path) -> None:
    make = "CREATE TABLE prism_leases (key, token); CREATE VIEW v AS SELECT token AS t"
    make += " FROM prism_leases; INSERT INTO prism_leases VALUES ('a', 'hidden')"
    writer = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    subprocess.run([sys.executable, "-c", writer, str(database), make], check=True)
    for sql in ("SELECT * FROM prism_leases", "SELECT length(TOKEN) FROM prism_leases",
                "SELECT t FROM v", "SELECT 1 FROM prism_leases WHERE token > 'h'"):  # fmt: skip
        with pytest.raises(CannotAnswer, match="never read"):
            ask_sql(str(database), sql, system_clock())
    assert ask_sql(str(database), "SELECT key FROM prism_leases", system_clock()).rows == (("a",),)


def test_no_column_hides_another() -> None:
    assert unique_names(["a", "b", "a", "a (2)", "a"]) == ["a", "b", "a (2)", "a (2) (2)", "a (3)"]


def test_a_question_without_end_is_ended(database: Path) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    with pytest.raises(CannotAnswer, match="longer than"):
        ask_sql(str(database), endless, system_clock(), seconds=0.2)
