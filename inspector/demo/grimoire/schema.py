"""The tables of Grimoire's state store, as its newest release makes them.

Source: Grimoire's state store, `user_version` 2.
"""

from __future__ import annotations

USER_VERSION = 2

_ID = "id INTEGER PRIMARY KEY AUTOINCREMENT"

TABLES = (
    """CREATE TABLE spell_state (
    spell_id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    updated_at TEXT NOT NULL
)""",
    f"""CREATE TABLE runs (
    {_ID},
    spell_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    success INTEGER NOT NULL,
    error TEXT,
    duration INTEGER NOT NULL,
    metrics TEXT NOT NULL,
    provenance TEXT,
    cross_chain TEXT,
    final_state TEXT NOT NULL,
    UNIQUE(spell_id, run_id)
)""",
    f"""CREATE TABLE ledger (
    {_ID},
    spell_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    entries TEXT NOT NULL,
    UNIQUE(spell_id, run_id)
)""",
    f"""CREATE TABLE run_tracks (
    {_ID},
    run_id TEXT NOT NULL,
    track_id TEXT NOT NULL,
    role TEXT NOT NULL,
    spell_id TEXT NOT NULL,
    chain_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    last_step_id TEXT,
    error TEXT,
    updated_at TEXT NOT NULL,
    UNIQUE(run_id, track_id)
)""",
    f"""CREATE TABLE run_handoffs (
    {_ID},
    run_id TEXT NOT NULL,
    handoff_id TEXT NOT NULL,
    source_track_id TEXT NOT NULL,
    destination_track_id TEXT NOT NULL,
    source_step_id TEXT NOT NULL,
    origin_chain_id INTEGER NOT NULL,
    destination_chain_id INTEGER NOT NULL,
    asset TEXT NOT NULL,
    submitted_amount TEXT NOT NULL,
    settled_amount TEXT,
    status TEXT NOT NULL,
    reference TEXT,
    origin_tx_hash TEXT,
    reason TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    expires_at TEXT,
    UNIQUE(run_id, handoff_id)
)""",
    f"""CREATE TABLE run_step_results (
    {_ID},
    run_id TEXT NOT NULL,
    track_id TEXT NOT NULL,
    step_id TEXT NOT NULL,
    status TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    reference TEXT,
    error TEXT,
    updated_at TEXT NOT NULL,
    UNIQUE(run_id, track_id, step_id),
    UNIQUE(idempotency_key)
)""",
)
