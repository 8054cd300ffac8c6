"""YieldRotation: takes money to the chain where it earns more, and goes on there.

Source: Grimoire's cross-chain store. Without `--watch` a cast is saved as soon as the handoff is
sent, and waits; an expiry is written only when one has passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.demo.grimoire.cast import Cast, Mode
from inspector.demo.grimoire.ledger import VAULT, Action, Ledger
from inspector.demo.grimoire.treasury import ETHER, PRICE, USDC
from inspector.demo.javascript import compact, iso
from inspector.demo.player import Statement

SOURCE, DESTINATION = "YieldRotation", "Base"
SOURCE_PATH, DESTINATION_PATH = "spells/yield-rotation.spell", "spells/base.spell"
ORIGIN_CHAIN, TARGET_CHAIN = 42161, 8453
BRIDGED = 18_400 * USDC
BRIDGE_STEP = "action_3"
TIMEOUT_SECONDS = 3600


@dataclass(slots=True)
class Crossing:
    """A cast across chains: the source, and the destination once it has run."""

    source: Cast
    destination: Cast | None
    settled: int | None
    """What arrived; None while it is under way."""

    def writes(self) -> list[Statement]:
        """All of it at its end."""
        casts = [self.source] if self.destination is None else [self.source, self.destination]
        statements = [one for cast in casts for part in cast.writes() for one in part]
        return [*statements, *self._tracks(), *self._handoff(), *self._results()]

    @property
    def _run(self) -> str:
        return self.source.ledger.run_id

    @property
    def _stamp(self) -> str:
        return iso(self.source.ledger.at)

    def _tracks(self) -> list[Statement]:
        arrived = "waiting" if self.destination is None else "completed"
        rows = (
            ("source", SOURCE, ORIGIN_CHAIN, "completed"),
            ("destination", DESTINATION, TARGET_CHAIN, arrived),
        )
        sql = (
            "INSERT INTO run_tracks (run_id, track_id, role, spell_id, chain_id, status, "
            "updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        return [
            (sql, (self._run, role, role, spell, chain, status, self._stamp))
            for role, spell, chain, status in rows
        ]

    def _handoff(self) -> list[Statement]:
        sent = self.source.ledger.transaction(BRIDGE_STEP)
        row = {
            "run_id": self._run,
            "handoff_id": f"handoff:{BRIDGE_STEP}",
            "source_track_id": "source",
            "destination_track_id": "destination",
            "source_step_id": BRIDGE_STEP,
            "origin_chain_id": ORIGIN_CHAIN,
            "destination_chain_id": TARGET_CHAIN,
            "asset": "USDC",
            "submitted_amount": str(BRIDGED),
            "settled_amount": None if self.settled is None else str(self.settled),
            "status": "submitted" if self.settled is None else "settled",
            "reference": sent,
            "origin_tx_hash": sent,
            "created_at": self._stamp,
            "updated_at": self._stamp,
        }
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        return [(f"INSERT INTO run_handoffs ({names}) VALUES ({marks})", tuple(row.values()))]

    def _results(self) -> list[Statement]:
        sql = (
            "INSERT INTO run_step_results (run_id, track_id, step_id, status, idempotency_key, "
            "reference, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        ledgers = [("source", self.source.ledger)]
        if self.destination is not None:
            ledgers.append(("destination", self.destination.ledger))
        return [
            (
                sql,
                (
                    self._run,
                    track,
                    step,
                    "confirmed",
                    f"{self._run}:{track}:{step}",
                    ledger.transaction(step),
                    self._stamp,
                ),
            )
            for track, ledger in ledgers
            for step, _ in ledger.sent
        ]


def rotation(run_id: str, started: int, number: int, settled: int | None) -> Crossing:
    """A cast of YieldRotation; with `settled` it was watched until all was done."""
    ledger = Ledger(SOURCE, run_id, started)
    ledger.begins()
    ledger.emit("guard_passed", guardId="yield_is_better")
    ledger.computes("compute_1", "rotations", number, 0.3)
    taken = Action("withdraw", "aave_v3", "USDC", BRIDGED, BRIDGED, chain=ORIGIN_CHAIN, gas=198_000)
    ledger.acts("action_2", taken, 0.6)
    over = Action(
        "bridge", "across", "USDC", BRIDGED, BRIDGED, to_chain=TARGET_CHAIN, chain=ORIGIN_CHAIN,
        gas=104_000,
    )  # fmt: skip
    ledger.acts(BRIDGE_STEP, over, 0.6)
    ledger.tells("emit_4", "bridged", {"asset": "USDC", "to_chain": TARGET_CHAIN})
    ledger.emit("guard_passed", guardId="yield_is_better")
    ledger.is_ready()
    ledger.commits([3.4, 4.1])
    _sent(ledger)
    destination = None if settled is None else _arrives(ledger, number, settled)
    manifest = _manifest(run_id, watched=settled is not None)
    summary = compact(_summary(ledger, settled))
    crossed: dict[str, Any] = {"cross_chain": summary, "manifest": manifest}
    source = Cast(ledger, Mode.EXECUTE, {"rotations": number}, chain=ORIGIN_CHAIN, **crossed)
    if destination is None:
        return Crossing(source, None, settled)
    state = {"arrivals": number}
    arrived = Cast(destination, Mode.EXECUTE, state, chain=TARGET_CHAIN, **crossed)
    return Crossing(source, arrived, settled)


def _sent(ledger: Ledger) -> None:
    sent = ledger.transaction(BRIDGE_STEP)
    ledger.emit_late(
        "handoff_submitted",
        handoffId=f"handoff:{BRIDGE_STEP}",
        trackId="source",
        stepId=BRIDGE_STEP,
        originChainId=ORIGIN_CHAIN,
        destinationChainId=TARGET_CHAIN,
        asset="USDC",
        submittedAmount=str(BRIDGED),
        reference=sent,
        txHash=sent,
    )
    ledger.emit_late(
        "track_waiting",
        trackId="destination",
        chainId=TARGET_CHAIN,
        reason="waiting_for_handoff_settlement",
    )


def _arrives(source: Ledger, number: int, settled: int) -> Ledger:
    """The destination's cast; the source's ledger tells of it at the same time as of its end."""
    ledger = Ledger(DESTINATION, source.run_id, source.at + 94_000)
    ledger.begins()
    ledger.computes("compute_1", "arrivals", number, 0.3)
    bought = settled * ETHER // (PRICE * USDC)
    put = Action("swap", "uniswap_v3", "USDC", settled, bought, "WETH", chain=TARGET_CHAIN)
    ledger.acts("action_2", put, 0.5)
    ledger.is_ready()
    ledger.commits([2.2])
    source.at = ledger.at + 40
    for entry in source.entries[-2:]:
        entry["timestamp"] = source.at
    to = {"trackId": "destination"}
    source.emit_late(
        "handoff_settled",
        handoffId=f"handoff:{BRIDGE_STEP}",
        **to,
        originChainId=ORIGIN_CHAIN,
        destinationChainId=TARGET_CHAIN,
        settledAmount=str(settled),
        reference=source.transaction(BRIDGE_STEP),
    )
    source.emit_late("track_resumed", **to, chainId=TARGET_CHAIN)
    source.emit_late("track_completed", **to, chainId=TARGET_CHAIN, success=True)
    return ledger


def _summary(ledger: Ledger, settled: int | None) -> Mapping[str, Any]:
    arrived = "waiting" if settled is None else "completed"
    sent = ledger.transaction(BRIDGE_STEP)
    handoff = {
        "handoffId": f"handoff:{BRIDGE_STEP}",
        "sourceTrackId": "source",
        "destinationTrackId": "destination",
        "sourceStepId": BRIDGE_STEP,
        "originChainId": ORIGIN_CHAIN,
        "destinationChainId": TARGET_CHAIN,
        "asset": "USDC",
        "submittedAmount": str(BRIDGED),
        "status": "submitted" if settled is None else "settled",
        "reference": sent,
        "originTxHash": sent,
    }
    if settled is not None:
        handoff["settledAmount"] = str(settled)
    tracks = (
        ("source", SOURCE, ORIGIN_CHAIN, "completed"),
        ("destination", DESTINATION, TARGET_CHAIN, arrived),
    )
    return {
        "runId": ledger.run_id,
        "sourceSpellId": SOURCE,
        "destinationSpellId": DESTINATION,
        "sourceChainId": ORIGIN_CHAIN,
        "destinationChainId": TARGET_CHAIN,
        "tracks": [
            {"trackId": role, "role": role, "spellId": spell, "chainId": chain, "status": status}
            for role, spell, chain, status in tracks
        ],
        "handoffs": [handoff],
    }


def _manifest(run_id: str, *, watched: bool) -> Mapping[str, Any]:
    return {
        "schema_version": "grimoire.cross_chain.phase1.v1",
        "run_id": run_id,
        "source_spell_path": SOURCE_PATH,
        "destination_spell_path": DESTINATION_PATH,
        "source_spell_id": SOURCE,
        "destination_spell_id": DESTINATION,
        "source_chain_id": ORIGIN_CHAIN,
        "destination_chain_id": TARGET_CHAIN,
        "mode": "execute",
        "watch": watched,
        "handoff_timeout_sec": TIMEOUT_SECONDS,
        "poll_interval_sec": 15,
        "rpc_by_chain": {
            str(TARGET_CHAIN): "https://base.rpc.example",
            str(ORIGIN_CHAIN): "https://arbitrum.rpc.example",
        },
        "params": {},
        "vault": VAULT,
        "morpho_market_ids": {},
    }
