"""Which Grimoire store a database is, told by its tables and `user_version`.

Source: the state store of Grimoire, 2026-01-30 (version 0, without provenance) to 2026-02-14 and
later (version 2). Columns that a migration added come last, so columns are read by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.query.tables import Tables

NEWEST = 2
"""The newest `user_version` whose meaning is known."""

CORE = ("spell_state", "runs", "ledger")
"""Tables of every version."""
CROSS_CHAIN = ("run_tracks", "run_handoffs", "run_step_results")
"""Tables from version 2 on."""

_SIGNS: Mapping[str, frozenset[str]] = {
    "spell_state": frozenset({"spell_id", "state"}),
    "runs": frozenset({"spell_id", "run_id", "final_state"}),
    "ledger": frozenset({"spell_id", "run_id", "entries"}),
}


def recognise(tables: Mapping[str, Sequence[str]]) -> bool:
    """Whether these tables are a Grimoire store's: any of its core tables will do."""
    if any(name.startswith("prism_") for name in tables):
        return False
    return any(signs.issubset(tables.get(name, ())) for name, signs in _SIGNS.items())


def missing_tables(tables: Tables, version: int) -> tuple[str, ...]:
    """Tables that a store of this version should have and this one has not."""
    expected = (*CORE, *CROSS_CHAIN) if version >= NEWEST else CORE
    return tuple(name for name in expected if tables.get(name) is None)


def variant_of(tables: Tables, version: int) -> str:
    """The `user_version`, with `-partial` when a table is missing."""
    return f"{version}-partial" if missing_tables(tables, version) else str(version)


def newer(version: int) -> str | None:
    """What to say of a store that a later Grimoire wrote; None for a known version."""
    if version <= NEWEST:
        return None
    return (
        f"its schema version {version} is newer than {NEWEST}, the newest that is known;"
        " it is shown as far as its columns are known"
    )
