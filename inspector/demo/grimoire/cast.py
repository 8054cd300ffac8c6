"""A cast and what the state store keeps of it: its run, its ledger and its spell's state.

Source: Grimoire's store. `simulate` and `cast` write at their end alone, in three transactions:
state, run, ledger. A run's `timestamp` is that of its receipt, its duration the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from inspector.demo.grimoire.ledger import Ledger
from inspector.demo.javascript import compact, digest, iso
from inspector.demo.player import Statement

MOST_RUNS = 100
"""Rows of `runs` that are kept of a spell."""

RPC = "https://mainnet.rpc.example/v3/00000000000000000000000000demo"


class Mode(StrEnum):
    """How a spell is run, as its provenance says."""

    SIMULATE = "simulate"
    DRY_RUN = "cast_dry_run"
    EXECUTE = "cast_execute"


@dataclass(slots=True)
class Cast:
    """One cast of a spell, once it is over. Instants in UTC ms."""

    ledger: Ledger
    mode: Mode
    state: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    chain: int = 1
    cross_chain: str | None = None
    manifest: Mapping[str, Any] | None = None

    def writes(self) -> tuple[list[Statement], ...]:
        """The three transactions, in their order."""
        ledger, state = self.ledger, compact(self.state)
        saved = (ledger.spell, state, iso(ledger.at + 2))
        run = (
            ledger.spell,
            ledger.run_id,
            iso(ledger.receipt_at),
            int(self.error is None),
            self.error,
            ledger.ended_at - ledger.receipt_at,
            compact(ledger.metrics()),
            compact(self.provenance()),
            self.cross_chain,
            state,
        )
        entries = (ledger.spell, ledger.run_id, compact(ledger.entries))
        return (
            [(_SAVE, saved)],
            [(_RUN, run), (_PRUNE, (ledger.spell, ledger.spell, MOST_RUNS))],
            [(_LEDGER, entries)],
        )

    def provenance(self) -> dict[str, Any]:
        """Where the run's inputs came from."""
        told: dict[str, Any] = {
            "schema_version": "grimoire.runtime.provenance.v1",
            "generated_at": iso(self.ledger.ended_at),
            "runtime_mode": self.mode.value,
            "chain_id": self.chain,
            "block_number": str(self.ledger.ended_at // 12_000 - 123_140_000),
            "rpc_url": RPC,
            "data_replay": "auto",
            "data_max_age_sec": 3600,
            "on_stale": "fail",
            "input_params_hash": f"sha256:{digest(compact(self.params))}",
            "unit_map": {},
            "source_count": 0,
            "stale_source_count": 0,
            "selection_policy": "not_specified",
            "fallback_used": "none",
            "rejected_count": 0,
            "sources": [],
            "resolved_params": dict(self.params),
        }
        return told if self.manifest is None else told | {"cross_chain": self.manifest}


_SAVE = (
    "INSERT INTO spell_state (spell_id, state, updated_at) VALUES (?, ?, ?) "
    "ON CONFLICT(spell_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at"
)
_RUN = (
    "INSERT INTO runs (spell_id, run_id, timestamp, success, error, duration, metrics, "
    "provenance, cross_chain, final_state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_PRUNE = (
    "DELETE FROM runs WHERE spell_id = ? AND id NOT IN "
    "(SELECT id FROM runs WHERE spell_id = ? ORDER BY id DESC LIMIT ?)"
)
_LEDGER = "INSERT INTO ledger (spell_id, run_id, entries) VALUES (?, ?, ?)"
