"""What receipts say beside each other: why a node woke, what moved, whom it woke, what it cost."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import Price
from inspector.query.openprose.receipts.files import file_rows, rows_to_receipts
from inspector.query.openprose.receipts.ledger import ledger_document, ledger_of
from inspector.query.openprose.receipts.money import cost_of, costs_by, money_document
from tests.query.openprose.logs.receipts import receipt


def told(*made: dict[str, Any]) -> list[dict[str, Any]]:
    """The receipts of the ledger document."""
    data = "\n".join(json.dumps(one) for one in made).encode()
    receipts = rows_to_receipts(file_rows("receipts.jsonl", data), 1)
    found: list[dict[str, Any]] = ledger_document(ledger_of(receipts))["receipts"]
    return found


def test_a_receipt_knows_what_woke_it_and_what_it_woke() -> None:
    inbox = receipt("inbox", source="external")
    reader = receipt("reader", refs=(inbox["content_hash"], "sha256:" + "0" * 64))
    first, second = told(inbox, reader)
    assert second["woken_by"] == [
        {"ref": inbox["content_hash"], "id": 1, "node": "inbox"},
        {"ref": "sha256:" + "0" * 64, "id": None, "node": None},
    ]
    assert (first["woken_by"], first["woke"], second["woke"]) == ([], [2], [])


def test_the_input_that_differs_is_named_with_both_fingerprints() -> None:
    one = receipt("a", input_fingerprints=["x", "y", "z"])
    two = receipt("a", one, input_fingerprints=["x", "Y"])
    first, second = told(one, two)
    assert (first["before"], second["before"]) == (None, 1)
    assert second["input_changes"] == [
        {"position": 1, "before": "y", "after": "Y"},
        {"position": 2, "before": "z", "after": None},
    ]
    assert second["differing_inputs"] == [1]


def test_another_contract_is_a_reason_of_its_own() -> None:
    one = receipt("a")
    two = receipt("a", one, contract_fingerprint="another")
    assert [each["contract_changed"] for each in told(one, two)] == [None, True]


def test_only_a_rendered_receipt_with_a_moved_facet_wakes_others() -> None:
    one = receipt("a", fingerprints={"@atomic": "1", "price": "p"})
    same = receipt("a", one, status="skipped", fingerprints={"@atomic": "1", "price": "p"})
    moved = receipt("a", same, fingerprints={"@atomic": "2", "price": "p"})
    failed = receipt("a", moved, status="failed", fingerprints={"@atomic": "3", "price": "p"})
    found = told(one, same, moved, failed)
    assert [each["propagates"] for each in found] == [True, False, True, False]
    assert found[2]["facet_changes"] == [{"facet": "@atomic", "before": "1", "after": "2"}]


def test_the_recorded_address_is_held_against_the_recomputed_one() -> None:
    good = receipt("a")
    bad = {**receipt("b"), "content_hash": "sha256:" + "1" * 64}
    without = receipt("c")
    del without["content_hash"]
    assert [one["hash_matches"] for one in told(good, bad, without)] == [True, False, None]


def test_a_break_is_said_at_its_receipt() -> None:
    one = receipt("a")
    two = receipt("a", {**one, "content_hash": "sha256:" + "1" * 64})
    first, second = told(one, two)
    assert not first["broken"]
    assert second["broken"] == [
        "receipt 2 does not follow from receipt 1: one of them was changed, or one between was"
        " removed"
    ]


PRICES = {"m": Price(input=Decimal("3"), cache_read=Decimal("0.3"))}


def test_money_by_cause_and_node_only_where_a_person_gave_a_price() -> None:
    made = told(receipt("a", source="external"), receipt("b"), receipt("b", status="skipped"))
    assert money_document(made, {}) is None
    whole = money_document(made, PRICES)
    assert whole is not None
    assert whole["cost"] == {"USD": "0.000636"}
    assert whole["by_node"]["a"]["cost"] == {"USD": "0.000312"}
    assert whole["by_surprise_cause"].keys() == {"external", "input"}


def test_a_model_without_a_price_is_not_free() -> None:
    (made,) = told(receipt("a"))
    found = cost_of([made], {"another": Price(input=Decimal(1))})
    assert found is not None
    assert (found.by_currency, found.unpriced) == ({}, 1)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["input", "self"])), max_size=9))
def test_groups_add_up_to_the_whole(drawn: list[tuple[str, str]]) -> None:
    made = told(*(receipt(node, source=source) for node, source in drawn))
    whole = cost_of(made, PRICES)
    assert whole is not None
    for field in ("node", "surprise_cause"):
        groups = costs_by(field, made, PRICES).values()
        assert sum((one.by_currency.get("USD", Decimal(0)) for one in groups), Decimal(0)) == (
            whole.by_currency.get("USD", Decimal(0))
        )
