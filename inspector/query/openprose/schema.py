"""The version of a database's state schema, from its tables and columns.

Source: the history of the OpenProse state document (v1 2026-01-16 … v5 2026-05-29). The schema is
openly extensible: further tables, columns and views are allowed and shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inspector.model.store import WriteStyle
from inspector.query.tables import Tables

CORE = {
    "v1": ("run", "execution", "bindings", "agents", "agent_segments", "imports"),
    "v5": (
        "run",
        "execution",
        "bindings",
        "agents",
        "agent_segments",
        "imports",
        "world_model_version",
        "world_model_published",
        "receipt",
    ),
}
"""Tables that the state document creates; v2 to v4 have those of v1."""

DOCUMENTED: Mapping[str, Sequence[str]] = {
    "run": (
        "id", "program_path", "program_source", "root_path", "root_source",
        "started_at", "updated_at", "status", "state_mode",
    ),
    "execution": (
        "id", "statement_index", "statement_text", "status", "started_at", "completed_at",
        "error_message", "parent_id", "metadata",
    ),
    "bindings": (
        "name", "execution_id", "kind", "binding", "value", "source_statement",
        "created_at", "updated_at", "attachment_path",
    ),
    "agents": ("name", "scope", "memory", "created_at", "updated_at"),
    "agent_segments": ("id", "agent_name", "segment_number", "timestamp", "prompt", "summary"),
    "imports": (
        "alias", "source_url", "fetched_at", "inputs_schema", "outputs_schema",
        "source_ref", "resolved_at", "requires_schema", "ensures_schema",
    ),
    "world_model_version": ("version", "node", "artifact", "attachment_path", "created_at"),
    "world_model_published": ("node", "version", "updated_at"),
    "receipt": (
        "id", "node", "contract_fingerprint", "wake", "input_fingerprints", "fingerprints",
        "semantic_diff", "prev", "status", "cost", "sig", "created_at", "content_hash",
    ),
}  # fmt: skip
"""Columns of any version of the document; others are extensions."""


class StyleSigns(NamedTuple):
    """What the rows of `execution` reveal about their writer."""

    events: int = 0
    appended: int = 0
    """Rows with a word used only by appending writers."""
    updated: int = 0
    """Rows with a key used only by updating writers."""
    both_instants: int = 0
    """Rows with a start and an end, so that they were updated when they ended."""


def recognise(tables: Mapping[str, Sequence[str]]) -> bool:
    """Return whether these are tables of an OpenProse run."""
    if any(name.startswith("prism_") for name in tables):
        return False
    execution, run = tables.get("execution"), tables.get("run")
    if execution is not None and "statement_index" in execution:
        return True
    if run is not None and not {"state_mode", "program_path", "root_path"}.isdisjoint(run):
        return True
    receipt = tables.get("receipt")
    return receipt is not None and "contract_fingerprint" in receipt


def is_agents_store(tables: Mapping[str, Sequence[str]]) -> bool:
    """Return whether these are tables of persistent agents of a project or user."""
    return "agent_segments" in tables and "execution" not in tables and "run" not in tables


def variant_of(tables: Tables, style: WriteStyle) -> str:
    """Return `v1` to `v5`, with `-partial` if a core table is missing; `empty` without tables."""
    if not tables.by_name:
        return "empty"
    version = _version(tables, style)
    return f"{version}-partial" if missing_tables(tables, version) else version


def missing_tables(tables: Tables, version: str) -> tuple[str, ...]:
    """Return the core tables of a version that the database lacks, sorted."""
    core = CORE["v5"] if version.startswith("v5") else CORE["v1"]
    return tuple(sorted(name for name in core if tables.get(name) is None))


def _version(tables: Tables, style: WriteStyle) -> str:
    if any(tables.get(name) for name in ("receipt", "world_model_version")):
        return "v5"
    bindings, run, imports = (tables.get(name) for name in ("bindings", "run", "imports"))
    if (
        (run is not None and run.has("root_path"))
        or (bindings is not None and bindings.has("binding"))
        or (imports is not None and imports.has("source_ref"))
    ):
        return "v4"
    if bindings is not None and not bindings.has("execution_id"):
        return "v1"
    # v2 and v3 have one schema and differ only in how rows are written.
    return "v3" if style in (WriteStyle.APPEND, WriteStyle.MIXED) else "v2"


def style_of(signs: StyleSigns, tables: Tables) -> WriteStyle:
    """Return how the rows were written; without evidence, as their schema's document says."""
    if not signs.events:
        return WriteStyle.NONE
    if signs.appended and signs.updated:
        return WriteStyle.MIXED
    if signs.appended or signs.updated:
        return WriteStyle.APPEND if signs.appended else WriteStyle.UPDATE
    run = tables.get("run")
    is_old = run is not None and run.has("program_path")
    return WriteStyle.UPDATE if is_old and signs.both_instants else WriteStyle.APPEND
