"""Stores of spells, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.query.grimoire.building import EXECUTE, Book, Ledger

HUGE = 2**300 + 1


def states(tmp_path: Path) -> Path:
    book = Book().state("S", json.dumps({"n": HUGE, "keep": 1, "late": "x"}))
    for n, state in enumerate([{"n": 0, "gone": 5}, {"n": 1, "gone": 5}, {"n": 2, "keep": 1}]):
        ledger = Ledger(f"r{n}", "S").begin().ready()
        book.whole(ledger, final_state=json.dumps(state))
    return book.save(tmp_path / "grimoire.db")


def provenance(*sources: dict[str, Any], **given: Any) -> str:
    return json.dumps({"runtime_mode": "simulate", "sources": sources, **given})


def sources(tmp_path: Path) -> Path:
    """Two runs that went by other data."""
    rate = {"path": "params.rate", "snapshot_at": "2026-11-29T19:00:00Z", "venue": "aave"}
    gone = {"path": "params.old", "snapshot_age_sec": 5, "dataset": "pools"}
    book = Book().run("S", "r0", provenance=provenance(gone, rate, chain_id=1))
    old = {**rate, "snapshot_age_sec": 4000, "stale": True}
    given = provenance(old, chain_id=8453, rpc_url="http://10.0.0.5:8545")
    return book.run("S", "r1", provenance=given).save(tmp_path / "grimoire.db")


def crossing(tmp_path: Path, status: str = "submitted", **handoff: Any) -> Path:
    ledger = Ledger("r1", "Src").begin().action("bridge", "300000", type="bridge", asset="USDC")
    summary = {"tracks": [{"trackId": "destination", "status": "waiting"}]}
    book = Book().whole(
        ledger.ready().commit("bridge"), provenance=EXECUTE, cross_chain=json.dumps(summary)
    )
    book.whole(Ledger("r1", "Dst").begin().ready())
    book.track("r1", "source", "Src", "completed").track("r1", "destination", "Dst", "completed")
    book.handoff("r1", status, **handoff)
    book.row(
        "run_step_results", run_id="r1", track_id="source", step_id="bridge", status="confirmed",
        idempotency_key="k", reference="0xabc",
    )  # fmt: skip
    return book.save(tmp_path / "grimoire.db")
