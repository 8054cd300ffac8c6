"""The tables of Prism's session store, with the history of its migrations.

Source: Prism 0.3.0, persistence schema version 8. Its columns, keys and indexes are those that
`inspector.query.prism.schema_model` compares with; beside them stand the tables that Prism makes
without a migration.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.demo.javascript import iso, uuid_of
from inspector.demo.player import Statement
from inspector.query.prism.migrations import STEPS
from inspector.query.prism.schema_model import (
    NEWEST,
    SEARCH_TABLE,
    Column,
    IndexModel,
    TableModel,
    model_at,
)

_PARTIAL = {
    "prism_runs_tenant_idempotency_unique": (
        "tenant_id IS NOT NULL AND idempotency_key IS NOT NULL"
    ),
    "prism_agent_events_owner_timestamp_sequence_idx": "redacted = 1",
}

_OWNER = "tenant_id TEXT, account_id TEXT, user_id TEXT"

_BESIDE = (
    f"""CREATE VIRTUAL TABLE {SEARCH_TABLE} USING fts5(
    session_id UNINDEXED, entry_id UNINDEXED, label, summary, body, tokenize = 'porter unicode61'
)""",
    "CREATE INDEX prism_sessions_updated_id_idx ON prism_sessions (updated_at, id)",
    f"""CREATE TABLE prism_checkpoints (
    namespace TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, fencing_token INTEGER,
    category TEXT, {_OWNER}, value TEXT NOT NULL, metadata TEXT, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, PRIMARY KEY (namespace, key)
)""",
    "CREATE INDEX prism_checkpoints_list_idx ON prism_checkpoints "
    "(namespace, category, tenant_id, updated_at DESC, key)",
    f"""CREATE TABLE prism_leases (
    namespace TEXT NOT NULL, key TEXT NOT NULL, owner_id TEXT NOT NULL, token TEXT NOT NULL,
    fencing_token INTEGER NOT NULL, {_OWNER}, acquired_at TEXT NOT NULL, expires_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, PRIMARY KEY (namespace, key)
)""",
    "CREATE INDEX prism_leases_expiry_idx ON prism_leases (namespace, expires_at)",
)


def tables(at: int) -> Iterator[Statement]:
    """What makes an empty store, as of an instant (UTC ms)."""
    model = model_at(NEWEST)
    for table in model.tables:
        yield _table(table), ()
    for index in model.indexes:
        yield _index(index), ()
    for sql in _BESIDE:
        yield sql, ()
    sql = (
        "INSERT INTO prism_migrations (id, name, version, applied_at, applied_by, checksum) "
        "VALUES (?, ?, ?, ?, 'prism-session-store-sqlite', ?)"
    )
    for place, step in enumerate(STEPS):
        name = uuid_of("migration", step.name, at)
        yield sql, (name, step.name, step.version, iso(at + place), step.checksum)


def _table(table: TableModel) -> str:
    parts = [_column(column) for column in table.columns]
    parts.append(f"PRIMARY KEY ({', '.join(table.key)})")
    parts += [f"UNIQUE ({', '.join(columns)})" for columns in table.unique]
    for reference in table.references:
        own, _, target = reference.partition(" > ")
        other, *columns = target.split()
        parts.append(f"FOREIGN KEY ({own}) REFERENCES {other}({', '.join(columns)})")
    body = ",\n    ".join(parts)
    return f"CREATE TABLE {table.name} (\n    {body}\n)"


def _column(column: Column) -> str:
    null = "" if column.nullable else " NOT NULL"
    default = "" if column.default is None else f" DEFAULT {column.default}"
    return f"{column.name} {column.type}{null}{default}"


def _index(index: IndexModel) -> str:
    unique = "UNIQUE " if index.unique else ""
    where = _PARTIAL.get(index.name)
    rest = "" if where is None else f" WHERE {where}"
    columns = ", ".join(index.columns)
    return f"CREATE {unique}INDEX {index.name} ON {index.table} ({columns}){rest}"
