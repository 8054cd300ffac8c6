"""Receipts and world models of the demonstration keep their content addresses when played."""

import hashlib
import sqlite3
from contextlib import closing

import pytest

from inspector.demo.workspace import DemoWorkspace
from tests.demo.made import broken_chains, folder_of, receipts_of


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
