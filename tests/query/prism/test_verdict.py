"""Verdicts on databases and the messages of Prism."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.prism.backend import TABLES
from inspector.query.prism.schema_shape import (
    NEWEST,
    Index,
    TableShape,
    expected_shape,
    unique_constraints,
)
from inspector.query.prism.verdict import OLD_FIRST_STEPS, STEPS, WORDS, Verdict, judge
from inspector.query.tables import read_tables
from tests.case_archives import Cases
from tests.query.prism.builders import Statement, history, row, schema

BEFORE_0_0_13, BEFORE_0_2_2 = (one.checksum for one in OLD_FIRST_STEPS)


def verdict_of(
    version: int = NEWEST,
    *changes: Statement | str,
    rows: Sequence[Statement] | None = None,
) -> Verdict:
    """The verdict on a database of a version after one change to it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for one in (*schema(version), *(history(version) if rows is None else rows), *changes):
            if isinstance(one, str):
                connection.execute(one)
            else:
                connection.execute(*one)
        return judge(connection, read_tables(connection))


def later(
    version: int = NEWEST,
    *changes: Statement | str,
    rows: Sequence[Statement] | None = None,
) -> Callable[[], Verdict]:
    """The same, when it is asked for."""
    return partial(verdict_of, version, *changes, rows=rows)


def rebuilt(table: str, declared: str) -> list[str]:
    """Another table in the place of one, without its indexes."""
    return [f"DROP TABLE {table}", f"CREATE TABLE {table} ({declared})"]


# Every variant that Prism 0.3.0 was asked about, each by one change to a database of its model.
NINE = row(
    "prism_migrations",
    id="m9",
    name="009_next",
    version="9",
    applied_at="2030-01-01T00:00:00.000Z",
    checksum="0" * 64,
)
EXTRA_COLUMN = "ALTER TABLE prism_runs ADD COLUMN custom TEXT"
DROPPED_INDEX = "DROP INDEX prism_runs_session_started_idx"
OTHER_INDEX = (
    "DROP INDEX prism_usage_run_recorded_idx",
    "CREATE INDEX prism_usage_run_recorded_idx ON prism_usage (run_id)",
)
VARIANTS: dict[str, tuple[str, Callable[[], Verdict]]] = {
    **{
        f"schema_step_v{version}": ("verified_older", later(version))
        for version in range(1, NEWEST)
    },
    "schema_step_v8": ("verified_current", later()),
    "drift_extra_column": ("drifted", later(8, EXTRA_COLUMN)),
    "drift_missing_index": ("drifted", later(8, DROPPED_INDEX)),
    "drift_missing_table": ("drifted", later(8, "DROP TABLE prism_tenant_quotas")),
    "drift_index_redefined": ("drifted", later(8, *OTHER_INDEX)),
    "drift_extra_table": ("verified_current", later(8, "CREATE TABLE mine (id)")),
    "drift_fts_dropped": ("drifted", later(8, "DROP TABLE prism_session_search_fts")),
    "drift_sessions_updated_idx_dropped": (
        "verified_current",
        later(8, "DROP INDEX prism_sessions_updated_id_idx"),
    ),
    "tampered_checksum": (
        "tampered",
        later(8, "UPDATE prism_migrations SET checksum = 'x' WHERE name = '003_run_feedback'"),
    ),
    "checksum_partial_null": (
        "tampered",
        later(8, "UPDATE prism_migrations SET checksum = NULL WHERE version = '5'"),
    ),
    "checksum_all_null": (
        "legacy_unchecksummed",
        later(rows=history(checksums=False)),
    ),
    "migration_unknown_row": ("newer", later(8, NINE)),
    "migration_row_deleted": (
        "tampered",
        later(8, "DELETE FROM prism_migrations WHERE name = '004_session_search'"),
    ),
    "migration_tail_deleted": (
        "drifted",
        later(8, "DELETE FROM prism_migrations WHERE version = '8'"),
    ),
    "migrations_empty": ("drifted", later(8, "DELETE FROM prism_migrations")),
    "corrupt_json": (
        "verified_current",
        later(8, row("prism_tenants", id="t", name="t", created_at="", metadata="{bad")),
    ),
    "no_checkpoints_leases": (
        "verified_current",
        later(8, "DROP TABLE prism_checkpoints", "DROP TABLE prism_leases"),
    ),
    "schema_release_v0.0.4": (
        "legacy_unchecksummed",
        later(1, rows=history(1, checksums=False)),
    ),
    "schema_release_v0.0.5": (
        "legacy_unchecksummed",
        later(3, rows=history(3, checksums=False)),
    ),
    "schema_release_v0.0.6": (
        "legacy_genuine",
        later(3, rows=history(3, first=BEFORE_0_0_13)),
    ),
    "schema_release_v0.0.11": (
        "legacy_genuine",
        later(4, rows=history(4, first=BEFORE_0_0_13)),
    ),
    "schema_release_v0.0.13": (
        "legacy_genuine",
        later(5, rows=history(5, first=BEFORE_0_2_2)),
    ),
    "schema_release_v0.0.16": (
        "legacy_genuine",
        later(5, rows=history(5, first=BEFORE_0_2_2)),
    ),
    "schema_release_v0.0.24": (
        "legacy_genuine",
        later(7, rows=history(7, first=BEFORE_0_2_2)),
    ),
    "schema_release_v0.2.1": (
        "legacy_genuine",
        later(7, rows=history(7, first=BEFORE_0_2_2)),
    ),
    "schema_release_v0.2.2": ("verified_current", later()),
    "schema_release_v0.3.0": ("verified_current", later()),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_each_variant_has_its_verdict(name: str) -> None:
    word, judged = VARIANTS[name]
    verdict = judged()
    assert verdict.word == word
    assert verdict.word in WORDS
    assert verdict.opens == (verdict.says is None)
    assert verdict.advice


def test_messages_equal_the_recorded_ones_of_prism(cases: Cases) -> None:
    folder = cases.folder("prism")
    said = json.loads((folder / "OPEN_RESULTS.json").read_text())
    ours = {name: judged().says or "ok:8" for name, (_, judged) in VARIANTS.items()}
    print(f"\nPrism verdicts: {len(said)} variants compared")
    assert ours == said


def test_the_expected_schema_equals_the_recorded_model(cases: Cases) -> None:
    recorded = json.loads((cases.folder("prism") / "prism_schema_model_v8.json").read_text())
    ours = expected_shape(NEWEST)
    kinds = {"integer": "INTEGER", "boolean": "INTEGER", "number": "REAL"}
    assert [
        (
            table.name,
            [(c.name, c.type, c.nullable, c.default) for c in table.columns.values()],
            list(table.key),
            [list(unique) for unique in unique_constraints(table)],
            list(table.references),
        )
        for table in ours.tables
    ] == [
        (
            table["name"],
            [
                (
                    c["name"],
                    kinds.get(c["type"], "TEXT"),
                    c.get("nullable", False),
                    c.get("defaultValue"),
                )
                for c in table["columns"]
            ],
            table["primaryKey"],
            [key for key in table.get("uniqueKeys", []) if key != table["primaryKey"]],
            [
                f"{' '.join(f['columns'])} > {f['referencesTable']}"
                f" {' '.join(f['referencesColumns'])}"
                for f in table.get("foreignKeys", [])
            ],
        )
        for table in recorded["tables"]
    ]
    assert [(i.name, i.table, list(i.columns), i.unique) for i in ours.indexes] == [
        (i["name"], i["table"], i["columns"], i.get("unique", False)) for i in recorded["indexes"]
    ]


def test_checksums_are_of_the_step_descriptions() -> None:
    described = {
        1: {
            "table": "prism_usage",
            "columns": ["scope", "turn", "attempt"],
            "indexes": ["prism_usage_session_scope_recorded_idx"],
        },
        2: {
            "tables": ["prism_run_feedback"],
            "indexes": [
                i.name for i in expected_shape(3).indexes if i.table == "prism_run_feedback"
            ],
        },
        3: {
            "search": ["prism_session_search"],
            "indexes": ["prism_sessions_updated_id_idx"],
        },
        7: {"table": "prism_sessions", "columns": ["version"]},
    }
    for place, content in described.items():
        step = STEPS[place]
        told = {"version": int(step.version), "name": step.name, "content": content}
        text = json.dumps(told, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == step.checksum


@given(st.sampled_from(expected_shape(NEWEST).tables))
@settings(deadline=None, max_examples=12)
def test_a_missing_table_is_named(table: TableShape) -> None:
    if table.name == "prism_migrations":
        return
    verdict = verdict_of(8, f"DROP TABLE {table.name}")
    assert verdict.word == "drifted"
    assert verdict.drift[0].table == table.name
    assert verdict.says == f"Persistence schema table {table.name} has unexpected columns"


@given(st.sampled_from(expected_shape(NEWEST).indexes), st.booleans())
@settings(deadline=None, max_examples=20)
def test_a_missing_or_other_index_is_named(index: Index, other: bool) -> None:
    changes = [f"DROP INDEX {index.name}"]
    says = f"Persistence schema missing required index {index.name}"
    if other:
        unique = "" if index.unique else "UNIQUE"
        columns = ", ".join(index.columns)
        changes.append(f"CREATE {unique} INDEX {index.name} ON {index.table} ({columns})")
        says = f"Persistence schema index {index.name} has incompatible definition"
    verdict = verdict_of(8, *changes)
    assert verdict.word == "drifted"
    assert [one.what for one in verdict.drift] == [index.name]
    assert verdict.says == says


@pytest.mark.parametrize(
    ("declared", "what", "message"),
    [
        ("id TEXT NOT NULL PRIMARY KEY, name TEXT, created_at TEXT NOT NULL, metadata TEXT",
         "name", "TEXT instead of TEXT NOT NULL"),
        ("id TEXT NOT NULL PRIMARY KEY, name BLOB NOT NULL, created_at TEXT NOT NULL,"
         " metadata TEXT", "name", "BLOB NOT NULL instead of TEXT NOT NULL"),
        ("id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x', created_at TEXT NOT NULL,"
         " metadata TEXT", "name", "DEFAULT 'x' instead of TEXT NOT NULL"),
        ("id TEXT NOT NULL, name TEXT NOT NULL PRIMARY KEY, created_at TEXT NOT NULL,"
         " metadata TEXT", "prism_tenants", "the primary key of prism_tenants is (name)"),
        ("id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at TEXT NOT NULL, other TEXT",
         "other", "unexpected column other"),
    ],
)  # fmt: skip
def test_drift_names_the_difference_of_a_table(declared: str, what: str, message: str) -> None:
    verdict = verdict_of(8, *rebuilt("prism_tenants", declared))
    assert verdict.word == "drifted"
    assert what in [one.what for one in verdict.drift]
    assert any(message in one.message for one in verdict.drift)


def test_a_missing_reference_or_unique_key_is_drift() -> None:
    table = next(one for one in expected_shape(NEWEST).tables if one.name == "prism_branches")
    columns = ", ".join(
        f"{c.name} TEXT{'' if c.nullable else ' NOT NULL'}" for c in table.columns.values()
    )
    verdict = verdict_of(8, *rebuilt("prism_branches", f"{columns}, PRIMARY KEY (id)"))
    messages = " ".join(one.message for one in verdict.drift)
    assert "lacks the reference session_id > prism_sessions id" in messages


def test_an_old_first_checksum_needs_a_matching_number_of_steps() -> None:
    verdict = verdict_of(7, rows=history(7, first=BEFORE_0_0_13))
    assert verdict.word == "tampered"


def test_a_changed_schema_is_drift_despite_a_genuine_history() -> None:
    verdict = verdict_of(5, EXTRA_COLUMN, rows=history(5, first=BEFORE_0_2_2))
    assert verdict.word == "drifted"
    assert verdict.says == "Migration history checksum mismatch for 001_init"


def test_two_wrong_checksums_are_tampering() -> None:
    verdict = verdict_of(
        5,
        "UPDATE prism_migrations SET checksum = 'x' WHERE version = '3'",
        rows=history(5, first=BEFORE_0_2_2),
    )
    assert verdict.word == "tampered"


def test_a_database_with_only_checkpoints_is_genuine() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE prism_checkpoints (namespace, key, version, value)")
        verdict = judge(connection, read_tables(connection))
    assert (verdict.word, verdict.version, verdict.opens) == ("verified_older", 0, True)


def test_a_database_is_recognised_by_every_table_that_prism_creates() -> None:
    checked = {table.name for table in expected_shape(NEWEST).tables}
    assert checked | {"prism_checkpoints", "prism_leases"} == TABLES


@pytest.mark.parametrize(
    ("version", "table", "columns"),
    [
        (1, "prism_usage", {"scope", "turn", "attempt"}),
        (7, "prism_sessions", {"version"}),
    ],
)
def test_a_column_is_expected_from_its_step_on(version: int, table: str, columns: set[str]) -> None:
    before, after = (
        next(one for one in expected_shape(n).tables if one.name == table)
        for n in (version, version + 1)
    )
    assert set(after.columns) - set(before.columns) == columns


def test_event_sequences_are_unique_from_step_six_on() -> None:
    unique = [
        next(i.unique for i in expected_shape(n).indexes if i.name.endswith("run_sequence_idx"))
        for n in range(1, NEWEST + 1)
    ]
    assert unique == [False] * 5 + [True] * 3
