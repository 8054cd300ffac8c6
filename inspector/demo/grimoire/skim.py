"""FundingSkim: takes what funding pays, every hour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.demo.grimoire.cast import Cast, Mode
from inspector.demo.grimoire.ledger import Action, Ledger
from inspector.demo.grimoire.treasury import ETHER, USDC

SPELL = "FundingSkim"


def skim(
    run_id: str, started: int, mode: Mode, gain: int, before: Mapping[str, Any] | None = None
) -> Cast:
    """A cast that comes out ahead by `gain` USDC base units, from the state `before` it."""
    number = 1 + int((before or {}).get("skims", 0))
    ledger = Ledger(SPELL, run_id, started)
    ledger.begins({"type": "schedule", "index": 0, "label": "hourly", "cron": "0 * * * *"})
    ledger.emit("guard_passed", guardId="funding_positive")
    ledger.computes("compute_1", "funding_rate", "0.000131", 0.9)
    size = 2_500 * USDC
    ledger.starts("cond_2", "conditional")
    ledger.ends(
        "cond_2", {"condition": True, "executedBranch": "then", "branchSteps": ["compute_3"]}
    )
    ledger.computes("compute_3", "size", str(size), 0.4)
    hedge = size * ETHER // (3_080 * USDC)
    ledger.acts("action_4", Action("swap", "uniswap_v3", "USDC", size, hedge, "WETH", slippage=30))
    out = size + gain
    ledger.acts("action_5", Action("swap", "uniswap_v3", "WETH", hedge, out, "USDC", slippage=30))
    ledger.tells("emit_6", "skimmed", {"asset": "USDC", "amount": str(gain)})
    ledger.emit("guard_passed", guardId="funding_positive")
    ledger.is_ready()
    if mode is Mode.EXECUTE:
        ledger.commits([3.1, 3.2])
    return Cast(ledger, mode, {"skims": number, "last_gain": str(gain)}, {"max_size": str(size)})
