"""Receipts and world models of the demonstration are addressed as OpenProse addresses them."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.demo.language import Commit
from inspector.demo.receipts import Ledger, address, world_model
from inspector.demo.workspace import DemoWorkspace
from tests.demo.made import folder_of

JSON_COLUMNS = ("wake", "input_fingerprints", "fingerprints", "semantic_diff", "cost", "sig")


def test_an_address_that_openprose_itself_gave() -> None:
    """A receipt from the examples of OpenProse, and the address by which the next one names it."""
    inbox = "sha256:0d347a3656cbf09e7e918bbf56b3207d39dbadbb5b5bd58f368cd523750e5c19"
    receipt = {
        "node": "gateway.signal-inbox",
        "contract_fingerprint": (
            "sha256:8952f792589f9f2051b5d352844a1558d0886d67bda5e12e13d4042fa8bd6c3b"
        ),
        "wake": {"refs": [], "source": "external"},
        "input_fingerprints": [inbox],
        "fingerprints": {
            "@atomic": "sha256:048fd7c8df224aae10dd7ca8a99b338a25ff00574bdae948e35c7c69cd174374",
            "ledger": inbox,
        },
        "semantic_diff": {},
        "prev": None,
        "status": "rendered",
        "cost": {
            "model": "deterministic-fake",
            "provider": "fixture",
            "surprise_cause": "external",
            "tokens": {"fresh": 180, "reused": 280},
        },
        "sig": {"null_reason": "no-signer-adapter-configured", "scheme": "none"},
    }
    expected = "sha256:2d67b882245e89b852c7b94f20d54f8096be0eaaaba2618bbdd6a32cca81b96a"
    assert address(receipt) == expected


def test_a_world_model_is_framed_in_the_order_of_its_paths() -> None:
    framed = world_model({"b": "ü", "a/x": ""})
    assert framed == (b"OPWM1\x02\0\0\0\x03\0\0\0a/x\0\0\0\0\x01\0\0\0b\x02\0\0\0" + "ü".encode())


def test_a_skip_moves_nothing_and_costs_nothing() -> None:
    ledger = Ledger("p")
    first = ledger.issue(Commit("n", fresh=9, facets=("f",), truth={"x": "1"}))
    skip = ledger.issue(Commit("n", reused=3, status="skipped"))
    assert skip.receipt["fingerprints"] == first.receipt["fingerprints"]
    assert skip.receipt["cost"]["tokens"] == {"fresh": 0, "reused": 3}
    assert skip.receipt["prev"] == address(first.receipt)
    assert skip.version is None


def receipts_of(folder: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(folder / "state.db")) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute("SELECT * FROM receipt ORDER BY id")]
    for row in rows:
        row.update({name: json.loads(row[name]) for name in JSON_COLUMNS})
    return rows


def broken_chains(receipts: list[dict[str, Any]]) -> dict[str, list[int]]:
    heads: dict[str, str] = {}
    broken: dict[str, list[int]] = {}
    for row in receipts:
        number, node = row.pop("id"), row["node"]
        row.pop("created_at")
        if row["prev"] != heads.get(node):
            broken.setdefault(node, []).append(number)
        heads[node] = address(row)
    return broken


@pytest.mark.parametrize("suffix", ["a7b3c9", "9d01aa", "c0ffee", "77d0e1", "0a71e5", "a0d171"])
def test_chains_hold(made: DemoWorkspace, suffix: str) -> None:
    receipts = receipts_of(folder_of(made, suffix))
    assert receipts
    assert not broken_chains(receipts)


def test_a_chain_breaks_where_someone_has_edited_a_receipt(made: DemoWorkspace) -> None:
    receipts = receipts_of(folder_of(made, "5e11ed"))
    prices = [row["id"] for row in receipts if row["node"] == "prices"]
    assert broken_chains(receipts) == {"prices": [prices[3]]}


def test_the_live_run_shows_what_its_picture_shows(made: DemoWorkspace) -> None:
    folder = folder_of(made, "a7b3c9")
    receipts = receipts_of(folder)
    tokens = [row["cost"]["tokens"] for row in receipts]
    assert len(receipts) == 31
    assert sum(cost["fresh"] + cost["reused"] for cost in tokens) == 48_100
    with closing(sqlite3.connect(folder / "state.db")) as database:
        published = dict(database.execute("SELECT node, version FROM world_model_published"))
        versions = dict(database.execute("SELECT version, artifact FROM world_model_version"))
    assert len(published) == 5
    assert set(published.values()) <= set(versions)
    for version, artifact in versions.items():
        assert version == f"sha256:{hashlib.sha256(artifact).hexdigest()}"
    reasons = [row["semantic_diff"].get("failure_reason") for row in receipts]
    assert [reason for reason in reasons if reason] == ["HTTP 503", "Connection timeout after 30s"]
