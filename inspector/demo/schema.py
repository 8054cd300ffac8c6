"""The tables of OpenProse's state database, in the variants that are found in the wild.

Source: OpenProse state document and its history; how `bindings` is repaired differs from writer
to writer, because SQLite refuses the primary key that the document gives it.
"""

from __future__ import annotations

from enum import StrEnum


class Variant(StrEnum):
    """A generation of the tables."""

    V2 = "v2"
    V4 = "v4"
    V5 = "v5"


class Repair(StrEnum):
    """How a writer came by a `bindings` table that SQLite accepts."""

    LOOSE = "loose"
    """No key at all: every assignment leaves one more row."""
    KEYED = "keyed"
    """A key over name and frame: rows of the root scope are never replaced, NULLs differ."""
    INDEXED = "indexed"
    """A unique index over an expression: works as it was meant."""


_NOW = "TEXT DEFAULT (datetime('now'))"

_EXECUTION = """CREATE TABLE execution (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    statement_index INTEGER,
    statement_text TEXT,
    status TEXT,
    started_at TEXT,
    completed_at TEXT,
    error_message TEXT,
    parent_id INTEGER REFERENCES execution(id),
    metadata TEXT
)"""

_LEDGER = (
    f"""CREATE TABLE world_model_version (
    version TEXT PRIMARY KEY,
    node TEXT,
    artifact BLOB,
    attachment_path TEXT,
    created_at {_NOW}
)""",
    f"""CREATE TABLE world_model_published (
    node TEXT PRIMARY KEY,
    version TEXT REFERENCES world_model_version(version),
    updated_at {_NOW}
)""",
    f"""CREATE TABLE receipt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    node TEXT,
    contract_fingerprint TEXT,
    wake TEXT,
    input_fingerprints TEXT,
    fingerprints TEXT,
    semantic_diff TEXT,
    prev TEXT,
    status TEXT,
    cost TEXT,
    sig TEXT,
    created_at {_NOW}
)""",
)

AGENTS = (
    f"""CREATE TABLE agents (
    name TEXT PRIMARY KEY,
    scope TEXT,
    memory TEXT,
    created_at {_NOW},
    updated_at {_NOW}
)""",
    f"""CREATE TABLE agent_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_name TEXT REFERENCES agents(name),
    segment_number INTEGER,
    timestamp {_NOW},
    prompt TEXT,
    summary TEXT,
    UNIQUE(agent_name, segment_number)
)""",
)


def kind_column(variant: Variant) -> str:
    """The column of `bindings` that says input, output, let or const."""
    return "kind" if variant is Variant.V2 else "binding"


def source_columns(variant: Variant) -> tuple[str, str]:
    """The columns of `run` that hold the program's path and text."""
    if variant is Variant.V2:
        return "program_path", "program_source"
    return "root_path", "root_source"


def import_columns(variant: Variant) -> tuple[str, str]:
    """The columns of `imports` that hold where a program came from and when."""
    if variant is Variant.V2:
        return "source_url", "fetched_at"
    return "source_ref", "resolved_at"


def tables(variant: Variant, repair: Repair) -> tuple[str, ...]:
    """The statements that make an empty state database."""
    ledger = _LEDGER if variant is Variant.V5 else ()
    return (
        _run(variant),
        _EXECUTION,
        *ledger,
        *_bindings(variant, repair),
        *AGENTS,
        _imports(variant),
    )


def _run(variant: Variant) -> str:
    path, source = source_columns(variant)
    return f"""CREATE TABLE run (
    id TEXT PRIMARY KEY,
    {path} TEXT,
    {source} TEXT,
    started_at {_NOW},
    updated_at {_NOW},
    status TEXT DEFAULT 'running',
    state_mode TEXT DEFAULT 'sqlite'
)"""


def _bindings(variant: Variant, repair: Repair) -> tuple[str, ...]:
    key = ",\n    PRIMARY KEY (name, execution_id)" if repair is Repair.KEYED else ""
    table = f"""CREATE TABLE bindings (
    name TEXT,
    execution_id INTEGER,
    {kind_column(variant)} TEXT,
    value TEXT,
    source_statement TEXT,
    created_at {_NOW},
    updated_at {_NOW},
    attachment_path TEXT{key}
)"""
    if repair is not Repair.INDEXED:
        return (table,)
    index = "CREATE UNIQUE INDEX bindings_scope ON bindings (name, IFNULL(execution_id, -1))"
    return table, index


def _imports(variant: Variant) -> str:
    source, when = import_columns(variant)
    asks, gives = (
        ("inputs_schema", "outputs_schema")
        if variant is Variant.V2
        else ("requires_schema", "ensures_schema")
    )
    return f"""CREATE TABLE imports (
    alias TEXT PRIMARY KEY,
    {source} TEXT,
    {when} TEXT,
    {asks} TEXT,
    {gives} TEXT
)"""
