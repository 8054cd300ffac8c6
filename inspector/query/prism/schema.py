"""Which databases are Prism's, and what their version and health are called.

Source: Prism 0.3.0: nothing but the tables' names tells (user_version and application_id are 0).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from inspector.model.store import Health
from inspector.query.prism.schema_model import NEWEST, SEARCH_TABLE, model_at
from inspector.query.prism.verdict import Verdict
from inspector.query.tables import Tables

CORE = (
    "prism_agent_events",
    "prism_runs",
    "prism_session_entries",
    "prism_sessions",
    "prism_tool_calls",
    "prism_usage",
)
"""Without these something of the runs is missing."""

_BESIDE = ("prism_checkpoints", "prism_leases")
_KNOWN = frozenset((*(table.name for table in model_at(NEWEST).tables), *_BESIDE))


def recognise(tables: Mapping[str, Sequence[str]]) -> bool:
    """Whether these tables are Prism's."""
    return not _KNOWN.isdisjoint(tables)


def documented_columns(name: str) -> Collection[str] | None:
    """The columns of a table as Prism makes it; none known of those beside the migrations."""
    model = next((one for one in model_at(NEWEST).tables if one.name == name), None)
    if model is not None:
        return [column.name for column in model.columns]
    return () if name in _BESIDE or name.startswith(SEARCH_TABLE) else None


def missing_tables(tables: Tables) -> tuple[str, ...]:
    """Core tables that are not there, sorted."""
    return tuple(name for name in CORE if tables.get(name) is None)


def variant_of(tables: Tables, verdict: Verdict) -> str:
    """`v8`, `v8-partial`; the version that the history tells, `v0` without one."""
    version = f"v{verdict.steps if verdict.word == 'newer' else verdict.version}"
    return f"{version}-partial" if missing_tables(tables) else version


def health_of(tables: Tables, damage: Sequence[str]) -> tuple[Health, str | None]:
    """How well it can be read, with a reason unless all is well."""
    if damage:
        return Health.PARTIAL, "; ".join(damage)
    missing = missing_tables(tables)
    if missing:
        return Health.PARTIAL, f"it lacks {', '.join(missing)}"
    return Health.OK, None
