"""`record … table:NAME` and `sql`: every table of every runtime, in pages, as JSON and as lines."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.asking import Inspector
from tests.query.grimoire import building
from tests.query.openprose.databases import RUN_ID, make
from tests.query.prism import builders as prism

SECRET = "sk-ant-api03-" + "A1b2C3d4E5" * 8
ALSO = (
    "CREATE TABLE x_pairs (a TEXT, b INT, PRIMARY KEY (a, b DESC)) WITHOUT ROWID",
    "WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 24)"
    " INSERT INTO x_pairs SELECT 'k' || (n % 3), n FROM c",
    "CREATE VIEW x_view AS SELECT b FROM x_pairs",
    "CREATE TABLE x_none (a)",
    "CREATE VIEW x_odd AS SELECT no_such_function(1) AS a",
    'CREATE TABLE "x o""dd" (password TEXT, raw BLOB, bad TEXT)',
    "INSERT INTO \"x o\"\"dd\" VALUES ('hunter2!x', x'00ff', CAST(x'41ff' AS TEXT))",
)


@pytest.fixture
def run(tmp_path: Path) -> str:
    make(tmp_path, also=ALSO)
    return RUN_ID


def pages(inspector: Inspector, *words: str) -> list[Any]:
    """All rows of a table, page after page."""
    rows: list[Any] = []
    place: list[str] = []
    while True:
        found = inspector(*words, "--json", *place).json
        rows += found["records"]
        if found["next"] is None:
            return rows
        place = ["--after", found["next"]]


@pytest.mark.parametrize("table", ["x_pairs", "x_view"])
def test_pages_follow_each_other_without_a_gap(inspector: Inspector, run: str, table: str) -> None:
    every = inspector("record", run, f"table:{table}", "--json").json
    assert every["rows"] == 25 and every["next"] is None and every["part"] == f"table:{table}"
    for limit in ("1", "7", "25"):
        words = ("record", run, f"table:{table}", "--limit", limit)
        assert pages(inspector, *words) == every["records"]


def test_that_there_is_more_is_said_in_every_form(inspector: Inspector, run: str) -> None:
    words = ("record", run, "table:x_pairs", "--limit", "2")
    plain = inspector(*words)
    assert "More rows exist (25 in all)" in plain.out
    rows = inspector(*words, "--jsonl")
    assert len(rows.rows) == 2 and "More rows exist (25 in all)" in rows.err
    assert not inspector("record", run, "table:x_none", "--jsonl").err


def test_rows_as_csv_are_masked_and_have_a_header(inspector: Inspector, run: str) -> None:
    out = inspector("record", run, 'table:x o"dd', "--csv").out
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["password"].startswith("‹masked: password")
    assert (row["raw"], row["bad"]) == ('{"base64":"AP8="}', "A\\xff")
    question = "SELECT 1 AS a, NULL AS b, 'x' || char(10) || char(27) AS c"
    assert inspector("sql", run, question, "--csv").out == 'a,b,c\n1,,"x\n\\x1b"\n'


def test_cells_of_a_table_are_whole_and_masked(inspector: Inspector, run: str) -> None:
    (row,) = inspector("record", run, 'table:x o"dd', "--json").json["records"]
    assert row["password"].startswith("‹masked: password")
    assert row["raw"] == {"base64": "AP8="} and row["bad"] == "A\\xff"
    (row,) = inspector("record", run, 'table:x o"dd', "--json", "--reveal").json["records"]
    assert row["password"] == "hunter2!x"


@pytest.mark.parametrize(
    "words",
    [
        ("table:gone",), ("table:x_pairs", "--after", "x"), ("run", "--limit", "3"),
        ("agents", "--after", "1"), ("table:",),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(inspector: Inspector, run: str, words: tuple[str, ...]) -> None:
    answer = inspector("record", run, *words)
    assert answer.code == 2 and answer.err.count("\n") == 1


def test_tables_are_listed_with_what_is_declared(inspector: Inspector, run: str) -> None:
    records = inspector("record", run, "tables", "--json").json["records"]
    (pairs,) = [one for one in records if one["name"] == "x_pairs"]
    assert [(one["name"], one["type"], one["key"]) for one in pairs["declared"]] == [
        ("a", "TEXT", 1),
        ("b", "INT", 2),
    ]
    assert not pairs["documented"] and not pairs["missing"]


def test_prism_tables_without_the_token_of_a_lease(tmp_path: Path, inspector: Inspector) -> None:
    path = prism.make(
        tmp_path / "prism.db", prism.session(), prism.run(), "CREATE TABLE x_mine (a)",
        ("INSERT INTO prism_leases VALUES ('n', 'k', 'o', ?, 1, NULL, NULL, NULL, 'a', 'b', 'c')",
         [SECRET]),
    )  # fmt: skip
    tables = inspector("record", "r1", "tables", "--json").json["records"]
    beyond = [one["name"] for one in tables if not one["documented"]]
    assert beyond == ["x_mine"]
    for words in (("r1",), (str(path),)):
        answer = inspector("record", *words, "table:prism_leases", "--json", "--reveal")
        assert answer.json["records"][0]["token"] == "‹never read›"
        assert SECRET not in answer.out
    refused = inspector("sql", "r1", "SELECT * FROM prism_leases", "--reveal")
    assert refused.code == 2 and "never read" in refused.err


def test_grimoire_tables(tmp_path: Path, inspector: Inspector) -> None:
    building.write(
        tmp_path / ".grimoire" / "grimoire.db",
        ("CREATE TABLE runs (id INTEGER PRIMARY KEY, spell_id TEXT, run_id TEXT, timestamp TEXT,"
         " success INT, final_state TEXT)", []),
        ("INSERT INTO runs VALUES (1, 'S', 'r-1', '2026-01-01T00:00:00Z', 1, '{}')", []),
        ("CREATE TABLE x_mine (a)", []),
        ("INSERT INTO x_mine VALUES (7)", []),
    )  # fmt: skip
    tables = inspector("record", "r-1", "tables", "--json").json["records"]
    assert [(one["name"], one["documented"]) for one in tables if not one["missing"]] == [
        ("runs", True),
        ("x_mine", False),
    ]
    assert {"spell_state", "ledger"} <= {one["name"] for one in tables if one["missing"]}
    assert inspector("record", "r-1", "table:x_mine", "--json").json["records"] == [{"a": 7}]


def test_an_answer_says_how_long_it_took_and_hides_no_column(
    inspector: Inspector, run: str
) -> None:
    answer = inspector("sql", run, "SELECT b, b, a FROM x_pairs LIMIT 1", "--json").json
    assert answer["rows"] == [{"b": 24, "b (2)": 24, "a": "k0"}]
    assert answer["columns"] == ["b", "b", "a"] and answer["duration_ms"] >= 0
    assert "1 row in" in inspector("sql", run, "SELECT 1").out


@pytest.mark.parametrize("form", [(), ("--json",), ("--jsonl",)])
@pytest.mark.parametrize("name", ["x", "key", "path", "status"])
def test_a_secret_is_masked_under_every_name(
    inspector: Inspector, run: str, name: str, form: tuple[str, ...]
) -> None:
    sql = f'SELECT password AS "{name}" FROM "x o""dd"'
    answer = inspector("sql", run, sql, *form)
    assert "hunter2" not in answer.out and "masked: password" in answer.out
    if form == ("--json",):
        assert json.loads(answer.out)["masked"] == 1
    assert "hunter2" in inspector("sql", run, sql, *form, "--reveal").out
    direct = inspector("sql", run, f"SELECT '{SECRET}' AS \"{name}\"", *form)
    assert SECRET not in direct.out


def test_what_cannot_be_read_is_no_empty_table(inspector: Inspector, run: str) -> None:
    refused = inspector("record", run, "table:x_odd")
    assert refused.code == 4
    assert "no_such_function" in refused.err and not refused.out


def test_no_more_of_a_cell_is_looked_through_than_a_line_may_show(
    inspector: Inspector, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def seen(text: str, **_: Any) -> str:
        taken.append(len(text))
        return text

    monkeypatch.setattr("inspector.cli.sql.shown", seen)
    inspector("sql", run, "SELECT hex(zeroblob(1000000))")
    assert max(taken) < 100_000
