"""The schema that Prism's own check compares with, as of each migration step.

Source: Prism 0.3.0, persistence schema version 8 (`assertPersistenceSchemaShape`). Tables that it
does not check (checkpoints, leases, full-text search) are not here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

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
