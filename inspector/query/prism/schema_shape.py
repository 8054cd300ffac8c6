"""The schema that Prism's own check compares with, as of each migration step.

Source: Prism 0.3.0, persistence schema version 8 (`assertPersistenceSchemaShape`). Tables that it
does not check (checkpoints, leases, full-text search) are not here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from inspector.query.tables import Tables, quoted

NEWEST = 8
"""The newest schema version that is known."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: SQLite's type name, whether it may be null, its default as SQL."""

    name: str
    type: str
    nullable: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table with what of it is checked. Keys are column names in order."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    references: tuple[str, ...]
    """`columns > table columns`."""


@dataclass(frozen=True, slots=True)
class IndexModel:
    """An index with what of it is checked."""

    name: str
    table: str
    columns: tuple[str, ...]
    unique: bool


@dataclass(frozen=True, slots=True)
class SchemaModel:
    """Everything that is checked of one schema version."""

    version: int
    tables: tuple[TableModel, ...]
    indexes: tuple[IndexModel, ...]
    has_search: bool
    """Whether the store prepares statements on the full-text table."""


def _column(text: str) -> Column:
    """`name`, `name?` for one that may be null, then `:type` unless text, then `=default`."""
    declared, _, default = text.partition("=")
    name, _, kind = declared.partition(":")
    return Column(
        name.removesuffix("?"), kind.upper() or "TEXT", name.endswith("?"), default or None
    )


def _table(
    name: str,
    columns: str,
    *,
    key: str = "id",
    unique: tuple[str, ...] = (),
    references: tuple[str, ...] = (),
) -> TableModel:
    return TableModel(
        name,
        tuple(_column(one) for one in columns.split()),
        tuple(key.split()),
        tuple(tuple(one.split()) for one in unique),
        references,
    )


def _index(name: str, table: str, columns: str, *, unique: bool = False) -> IndexModel:
    return IndexModel(name, table, tuple(columns.split()), unique)


_TABLES = (
    _table(
        "prism_tenants",
        "id name created_at metadata?",
    ),
    _table(
        "prism_accounts",
        "id tenant_id name created_at metadata?",
        references=("tenant_id > prism_tenants id",),
    ),
    _table(
        "prism_users",
        "id tenant_id account_id? name created_at metadata?",
    ),
    _table(
        "prism_agent_definitions",
        "id name version source? agent_definition tenant_id? account_id? user_id? created_at "
        "created_by? metadata?",
        unique=("name version",),
    ),
    _table(
        "prism_sessions",
        "id tenant_id? account_id? user_id? parent_session_id? agent_definition_id? "
        "agent_definition_version? created_at updated_at expires_at? retention_policy_id? "
        "metadata? version:integer=0",
    ),
    _table(
        "prism_branches",
        "id session_id name? root_entry_id? parent_branch_id? leaf_entry_id? created_at metadata?",
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_session_entries",
        "id session_id parent_id? run_id? timestamp kind schema_version?:integer message? "
        "event? model? previous_model? label? summary? data? metadata?",
        references=(
            "session_id > prism_sessions id",
            "parent_id > prism_session_entries id",
        ),
    ),
    _table(
        "prism_session_append_idempotency",
        "session_id expected_parent_id idempotency_key entry_id created_at tenant_id? "
        "account_id? user_id?",
        key="session_id expected_parent_id idempotency_key",
        unique=("session_id expected_parent_id idempotency_key",),
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_runs",
        "id session_id branch_id? agent_definition_id? agent_definition_version? status? "
        "started_at finished_at? model? provider? idempotency_key? abort_reason? error? "
        "tenant_id? account_id? user_id? metadata?",
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_agent_events",
        "id session_id run_id? entry_id? sequence:integer type timestamp event redacted:integer "
        "tenant_id? account_id? user_id? metadata?",
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_agent_event_streams",
        "session_id run_id next_sequence:integer updated_at",
        key="session_id run_id",
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_tool_calls",
        "id session_id run_id? entry_id? tool_call_id name arguments result? status? reason? "
        "progress? progress_metadata? progress_at? started_at finished_at? redacted:integer "
        "tenant_id? account_id? user_id? metadata?",
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_usage",
        "id session_id run_id? entry_id? scope='run_total' turn?:integer attempt?:integer usage "
        "recorded_at tenant_id? account_id? user_id? metadata?",
        references=("session_id > prism_sessions id",),
    ),
    _table(
        "prism_run_feedback",
        "id run_id session_id trace_id? rating?:real comment? tags scorer_ids evaluation_ids "
        "created_at created_by? tenant_id account_id? user_id? metadata?",
        references=("run_id > prism_runs id",),
    ),
    _table(
        "prism_retention_policies",
        "id tenant_id? account_id? user_id? name? max_age_days?:integer "
        "max_entries_per_session?:integer max_total_bytes?:integer archive_store? "
        "applied_kinds? created_at metadata?",
    ),
    _table(
        "prism_legal_holds",
        "id tenant_id? account_id? user_id? resource_kind resource_id reason created_at "
        "created_by? metadata?",
    ),
    _table(
        "prism_tenant_quotas",
        "id tenant_id? account_id? user_id? resource_kind limit_count:integer "
        "used_count:integer updated_at",
        unique=("tenant_id account_id user_id resource_kind",),
    ),
    _table(
        "prism_migrations",
        "id name version applied_at applied_by? checksum? metadata?",
        unique=("name version",),
    ),
)

_INDEXES = (
    _index(
        "prism_sessions_tenant_created_idx",
        "prism_sessions",
        "tenant_id account_id user_id created_at",
    ),
    _index("prism_sessions_expires_idx", "prism_sessions", "expires_at"),
    _index("prism_branches_session_name_idx", "prism_branches", "session_id name"),
    _index("prism_branches_leaf_idx", "prism_branches", "leaf_entry_id"),
    _index(
        "prism_session_entries_session_parent_idx", "prism_session_entries", "session_id parent_id"
    ),
    _index(
        "prism_session_entries_session_kind_ts_idx",
        "prism_session_entries",
        "session_id kind timestamp",
    ),
    _index(
        "prism_session_entries_session_run_ts_idx",
        "prism_session_entries",
        "session_id run_id timestamp",
    ),
    _index(
        "prism_session_entries_session_ts_id_idx",
        "prism_session_entries",
        "session_id timestamp id",
    ),
    _index("prism_session_entries_session_id_idx", "prism_session_entries", "session_id id"),
    _index(
        "prism_session_append_idempotency_unique",
        "prism_session_append_idempotency",
        "session_id expected_parent_id idempotency_key",
    ),
    _index("prism_runs_session_started_idx", "prism_runs", "session_id started_at id"),
    _index("prism_runs_branch_started_idx", "prism_runs", "branch_id started_at id"),
    _index(
        "prism_runs_tenant_idempotency_unique",
        "prism_runs",
        "tenant_id idempotency_key",
        unique=True,
    ),
    _index(
        "prism_agent_events_run_sequence_idx", "prism_agent_events", "run_id sequence", unique=True
    ),
    _index("prism_agent_events_session_ts_id_idx", "prism_agent_events", "session_id timestamp id"),
    _index(
        "prism_agent_events_owner_timestamp_sequence_idx",
        "prism_agent_events",
        "tenant_id account_id user_id timestamp sequence id",
    ),
    _index(
        "prism_tool_calls_session_name_started_idx",
        "prism_tool_calls",
        "session_id name started_at",
    ),
    _index("prism_tool_calls_run_started_idx", "prism_tool_calls", "run_id started_at"),
    _index("prism_usage_run_recorded_idx", "prism_usage", "run_id recorded_at id"),
    _index("prism_usage_session_recorded_idx", "prism_usage", "session_id recorded_at"),
    _index("prism_usage_session_scope_recorded_idx", "prism_usage", "session_id scope recorded_at"),
    _index(
        "prism_run_feedback_owner_created_idx",
        "prism_run_feedback",
        "tenant_id account_id user_id created_at id",
    ),
    _index("prism_run_feedback_run_created_idx", "prism_run_feedback", "run_id created_at id"),
    _index("prism_run_feedback_trace_created_idx", "prism_run_feedback", "trace_id created_at id"),
    _index("prism_agent_definitions_name_version_idx", "prism_agent_definitions", "name version"),
    _index(
        "prism_legal_holds_owner_resource_idx",
        "prism_legal_holds",
        "tenant_id account_id user_id resource_kind resource_id",
    ),
    _index("prism_legal_holds_created_id_idx", "prism_legal_holds", "created_at id"),
    _index(
        "prism_tenant_quotas_owner_kind_idx",
        "prism_tenant_quotas",
        "tenant_id account_id user_id resource_kind",
    ),
    _index("prism_migrations_name_version_idx", "prism_migrations", "name version"),
)

_STEP_OF_TABLE = {
    "prism_run_feedback": 3,
    "prism_legal_holds": 5,
    "prism_tenant_quotas": 5,
    "prism_agent_event_streams": 6,
}
_STEP_OF_COLUMNS = {
    "prism_usage": (2, ("scope", "turn", "attempt")),
    "prism_sessions": (8, ("version",)),
}
_STEP_OF_INDEX = {
    "prism_usage_session_scope_recorded_idx": 2,
    "prism_agent_events_owner_timestamp_sequence_idx": 7,
}
_STEP_OF_UNIQUE = {"prism_agent_events_run_sequence_idx": 6}
"""Indexes that were there before, but not unique."""
_SEARCH_STEP = 4

SEARCH_TABLE = "prism_session_search_fts"

ADDED_COLUMNS: tuple[tuple[int, str, str], ...] = tuple(
    (step, table, columns[0]) for table, (step, columns) in _STEP_OF_COLUMNS.items()
)
"""Step, table and first column of the steps that fail when their column is there already."""


@cache
def model_at(version: int) -> SchemaModel:
    """The schema after the first `version` steps (1 to NEWEST)."""
    tables = tuple(
        replace(table, columns=_columns_at(table, version))
        for table in _TABLES
        if _STEP_OF_TABLE.get(table.name, 1) <= version
    )
    names = {table.name for table in tables}
    indexes = tuple(
        replace(index, unique=index.unique and _STEP_OF_UNIQUE.get(index.name, 1) <= version)
        for index in _INDEXES
        if index.table in names and _STEP_OF_INDEX.get(index.name, 1) <= version
    )
    return SchemaModel(version, tables, indexes, version >= _SEARCH_STEP)


def _columns_at(table: TableModel, version: int) -> tuple[Column, ...]:
    step, added = _STEP_OF_COLUMNS.get(table.name, (1, ()))
    if step <= version:
        return table.columns
    return tuple(column for column in table.columns if column.name not in added)


_PREFIX = "Persistence schema"


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table as it is."""

    columns: Mapping[str, Column]
    key: tuple[str, ...]
    unique: frozenset[tuple[str, ...]]
    references: frozenset[str]
    indexes: Mapping[str, IndexModel]


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference: what it is about, in words, and what Prism says (None = not known)."""

    table: str
    what: str
    """Column or index; the table itself where it is about neither."""
    message: str
    says: str | None = None


def read_shape(
    connection: sqlite3.Connection, tables: Tables, model: SchemaModel
) -> dict[str, TableShape]:
    """The shapes of those tables of the model that exist."""
    return {
        table.name: _table_shape(connection, table.name)
        for table in model.tables
        if tables.get(table.name) is not None
    }


def _table_shape(connection: sqlite3.Connection, name: str) -> TableShape:
    columns: dict[str, Column] = {}
    keyed: list[tuple[int, str]] = []
    for _, column, kind, required, default, place in connection.execute(
        f"PRAGMA table_info({quoted(name)})"
    ):
        columns[column] = Column(column, str(kind).upper(), not required, _default(default))
        if place:
            keyed.append((place, column))
    indexes, unique = _indexes(connection, name)
    return TableShape(
        columns,
        tuple(column for _, column in sorted(keyed)),
        frozenset(unique),
        frozenset(_references(connection, name)),
        indexes,
    )


def _default(value: object) -> str | None:
    """A default as it is compared: without space around it, case and cast."""
    if value is None:
        return None
    return str(value).strip().lower().partition("::")[0]


def _indexes(
    connection: sqlite3.Connection, table: str
) -> tuple[dict[str, IndexModel], set[tuple[str, ...]]]:
    found: dict[str, IndexModel] = {}
    unique: set[tuple[str, ...]] = set()
    for row in connection.execute(f"PRAGMA index_list({quoted(table)})").fetchall():
        name, is_unique = str(row[1]), bool(row[2])
        info = connection.execute(f"PRAGMA index_info({quoted(name)})").fetchall()
        columns = tuple(str(each[2]) for each in info)
        found[name] = IndexModel(name, table, columns, is_unique)
        if is_unique:
            unique.add(columns)
    return found, unique


def _references(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    keys: dict[int, list[tuple[int, str, str, str]]] = {}
    for row in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
        number, place, target, column, other = row[:5]
        keys.setdefault(number, []).append((place, str(target), str(column), str(other or "id")))
    for parts in keys.values():
        ordered = sorted(parts)
        own = " ".join(part[2] for part in ordered)
        others = " ".join(part[3] for part in ordered)
        yield f"{own} > {ordered[0][1]} {others}"


def drifts(model: SchemaModel, shapes: Mapping[str, TableShape], tables: Tables) -> list[Drift]:
    """Every difference, in the order in which Prism would meet it."""
    found: list[Drift] = []
    for table in model.tables:
        shape = shapes.get(table.name)
        if shape is None:
            found.append(
                Drift(
                    table.name,
                    table.name,
                    f"the table {table.name} is missing",
                    f"{_PREFIX} table {table.name} has unexpected columns",
                )
            )
        else:
            found.extend(_table_drifts(table, shape))
    for index in model.indexes:
        found.extend(_index_drifts(index, shapes))
    if model.has_search and tables.get(SEARCH_TABLE) is None:
        message = f"the full-text table {SEARCH_TABLE} is missing"
        says = f"no such table: {SEARCH_TABLE}"
        found.append(Drift(SEARCH_TABLE, SEARCH_TABLE, message, says))
    return found


def _table_drifts(table: TableModel, shape: TableShape) -> Iterator[Drift]:
    name = table.name
    expected = {column.name: column for column in table.columns}
    missing = [column for column in expected if column not in shape.columns]
    extra = [column for column in shape.columns if column not in expected]
    # Prism counts the columns first, so a column for a column is another message.
    counted = (
        f"{_PREFIX} table {name} has unexpected columns" if len(missing) != len(extra) else None
    )
    for column in extra:
        yield Drift(name, column, f"{name} has a column {column} that it should not have", counted)
    for column in missing:
        yield Drift(name, column, f"{name} lacks the column {column}", counted)
    for wanted in table.columns:
        actual = shape.columns.get(wanted.name)
        if actual is not None and actual != wanted:
            message = f"{name}.{wanted.name} is {_declared(actual)} instead of {_declared(wanted)}"
            yield Drift(name, wanted.name, message)
    if shape.key != table.key:
        yield Drift(name, name, f"the key of {name} is ({_listed(shape.key)})")
    for unique in table.unique:
        if unique not in shape.unique and unique != shape.key:
            yield Drift(name, name, f"({_listed(unique)}) is not unique in {name}")
    for reference in table.references:
        if reference not in shape.references:
            yield Drift(name, name, f"{name} lacks the reference {reference}")


def _index_drifts(index: IndexModel, shapes: Mapping[str, TableShape]) -> Iterator[Drift]:
    shape = shapes.get(index.table)
    if shape is None:
        return
    actual = shape.indexes.get(index.name)
    if actual == index:
        return
    if actual is None and not any(index.name in one.indexes for one in shapes.values()):
        message = f"the index {index.name} of {index.table} is missing"
        says = f"{_PREFIX} missing required index {index.name}"
        yield Drift(index.table, index.name, message, says)
        return
    message = f"the index {index.name} of {index.table} is defined otherwise"
    says = f"{_PREFIX} index {index.name} has incompatible definition"
    yield Drift(index.table, index.name, message, says)


def _declared(column: Column) -> str:
    null = "" if column.nullable else " NOT NULL"
    default = f" DEFAULT {column.default}" if column.default is not None else ""
    return f"{column.type}{null}{default}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
