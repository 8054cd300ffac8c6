"""Verdicts in plain words: what happened first, short enough for eighty columns, no jargon."""

from __future__ import annotations

import re

import pytest

from inspector.query.openprose.findings import chains
from inspector.query.openprose.receipts.chain import IN_WORDS, judge, sentence
from inspector.query.openprose.receipts.files import rows_to_receipts
from inspector.query.openprose.receipts.ledger import ledger_of
from inspector.query.openprose.receipts.receipt import Trouble
from inspector.query.openprose.world_models import BadContainer, decode
from inspector.ui.panes.world_model_text import INTEGRITY
from tests.query.openprose.logs.receipts import Receipt, chain, receipt

JARGON = re.compile(
    r"content.address|recomputed|\bprev\b|content_hash|\bnull\b|mismatch|JSON", re.I
)
FIRST = 66
"""Cells of eighty that a first clause may take beside a sign and margins."""


def broken_chains() -> dict[str, list[Receipt]]:
    edited = chain("a", 3)
    edited[0] = {**edited[0], "cost": {**edited[0]["cost"], "model": "x"}}
    for one in edited:
        del one["content_hash"]
    first = receipt("a", {**receipt("a"), "content_hash": "sha256:" + "1" * 64})
    sealed = {**receipt("a"), "content_hash": "sha256:" + "2" * 64}
    odd = {**receipt("a"), "prev": "yesterday"}
    return {
        "prev_mismatch": edited,
        "first_has_prev": [first],
        "content_hash_mismatch": [sealed],
        "bad_prev": [odd],
        "missing:node": [{key: value for key, value in receipt("a").items() if key != "node"}],
        "malformed:cost": [{**receipt("a"), "cost": 7}],
    }


@pytest.mark.parametrize("code", broken_chains())
def test_what_is_wrong_is_said_first_and_plainly(code: str) -> None:
    receipts = rows_to_receipts(broken_chains()[code], 1)
    broken = [one for found in judge(receipts) for one in found.broken]
    assert code in [one.trouble.code for one in broken], "the code for programs stays"
    for one in broken:
        assert one.said.startswith(f"receipt {one.receipt_id} ")
        assert len(one.said.partition(":")[0]) <= FIRST
        assert not JARGON.search(one.said)
    (finding, *_) = chains(ledger_of(receipts))
    assert finding.message.lower().startswith(broken[0].said[:FIRST].lower())


def test_a_break_names_both_ends_and_what_it_means() -> None:
    receipts = rows_to_receipts(broken_chains()["prev_mismatch"], 1)
    (node,) = ledger_of(receipts).answer().nodes
    (one,) = node.broken
    assert one.said == (
        "receipt 2 does not follow from receipt 1: one of them was changed, or one between was"
        " removed"
    )
    assert one.why_code == "prev_mismatch"


def test_a_column_that_is_not_there_is_told_from_one_that_is_empty() -> None:
    gone = sentence(1, None, Trouble("missing:sig", "sig: no such column"))
    empty = sentence(1, None, Trouble("missing:node", "node: missing"))
    assert "no column sig" in gone and "no node is recorded" in empty


@pytest.mark.parametrize("words", [*IN_WORDS.values(), *INTEGRITY.values()])
def test_verdicts_of_chains_and_bytes(words: str) -> None:
    assert not JARGON.search(words) and "address" not in words
    assert len(re.split("[:;,]", words)[0]) <= FIRST


@pytest.mark.parametrize("data", [b"", b"OPWM1", b"OPWM1\x01\0\0\0", b"OPWM1\0\0\0\0!"])
def test_containers(data: bytes) -> None:
    with pytest.raises(BadContainer) as error:
        decode(data)
    assert str(error.value).startswith("it ") and ":" in str(error.value)
