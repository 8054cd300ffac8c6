"""What is known of one run from its rows and its folded ledger."""

from __future__ import annotations

from typing import Any

from inspector.model.store import Health, Store, WriteStyle
from inspector.query.grimoire import NAME, schema
from inspector.query.grimoire.heads import Known, late_state
from inspector.query.grimoire.records import parsed_columns
from inspector.query.grimoire.rows import RunRows, text_of
from inspector.query.grimoire.state import State
from inspector.query.grimoire.verdicts import mode_of


def known_of(spell: str, run_id: str | None, rows: RunRows, state: State) -> Known:
    """The run as the list knows it, with the instants of the ledger's own ends."""
    row = rows.row or {}
    parsed = parsed_columns(row)[0] if rows.row is not None else {}
    provenance = parsed.get("provenance")
    manifest = provenance.get("cross_chain") if isinstance(provenance, dict) else None
    known = Known(
        spell,
        run_id,
        has_row=rows.row is not None,
        has_ledger=rows.ledger is not None,
        timestamp=row.get("timestamp"),
        success=row.get("success"),
        error=text_of(row.get("error")),
        duration=row.get("duration"),
        mode=mode_of(provenance),
        timeout_s=manifest.get("handoff_timeout_sec") if isinstance(manifest, dict) else None,
        summary=parsed.get("cross_chain"),
        first_at=state.first_at,
        last_at=state.last_at,
        tracks=rows.tracks,
        handoffs=rows.handoffs,
    )
    return late_state(known, _saved(rows), newest=not rows.newer_runs)


def _saved(rows: RunRows) -> Any:
    return None if rows.state is None else rows.state.get("updated_at")


def store_of_run(path: str, rows: RunRows) -> Store:
    """The store as far as one run's rows tell."""
    health, reason = Health.OK, schema.newer(rows.version)
    if reason is not None:
        health = Health.PARTIAL
    if rows.damage:
        health, reason = Health.PARTIAL, "; ".join(one.sentence for one in rows.damage)
    variant = schema.variant_of(rows.tables, rows.version)
    return Store(path, NAME, variant, WriteStyle.APPEND, health, reason)
