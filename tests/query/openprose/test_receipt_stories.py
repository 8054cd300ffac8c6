"""Relations between receipts: what woke a node, what moved, what it woke, what it cost."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import Price
from inspector.export import documents
from inspector.query.openprose.receipts.files import file_rows, rows_to_receipts
from inspector.query.openprose.receipts.ledger import ledger_of
from inspector.query.receipts import (
    Cost,
    FacetChange,
    InputChange,
    Receipt,
    WakeRef,
    cost_of,
    costs_of,
)
from tests.query.openprose.logs.receipts import receipt


def listed(*made: dict[str, Any]) -> tuple[Receipt, ...]:
    """The receipts of a ledger made of these rows."""
    data = "\n".join(json.dumps(one) for one in made).encode()
    receipts = rows_to_receipts(file_rows("receipts.jsonl", data), 1)
    return ledger_of(receipts).answer().receipts


def test_a_receipt_knows_what_woke_it_and_what_it_woke() -> None:
    inbox = receipt("inbox", source="external")
    unknown = "sha256:" + "0" * 64
    reader = receipt("reader", refs=(inbox["content_hash"], unknown))
    first, second = listed(inbox, reader)
    assert second.woken_by == (WakeRef(inbox["content_hash"], 1, "inbox"), WakeRef(unknown))
    assert (first.woken_by, first.woke, second.woke) == ((), (2,), ())


def test_a_changed_input_has_both_fingerprints() -> None:
    one = receipt("a", input_fingerprints=["x", "y", "z"])
    two = receipt("a", one, input_fingerprints=["x", "Y"])
    first, second = listed(one, two)
    assert (first.before, second.before) == (None, 1)
    assert second.input_changes == (InputChange(1, "y", "Y"), InputChange(2, "z", None))
    assert second.differing_inputs == (1,)


def test_a_changed_contract_is_a_reason_of_its_own() -> None:
    one = receipt("a")
    two = receipt("a", one, contract_fingerprint="another")
    assert [each.contract_changed for each in listed(one, two)] == [None, True]


def test_only_a_rendered_receipt_with_a_moved_facet_wakes_subscribers() -> None:
    one = receipt("a", fingerprints={"@atomic": "1", "price": "p"})
    same = receipt("a", one, status="skipped", fingerprints={"@atomic": "1", "price": "p"})
    moved = receipt("a", same, fingerprints={"@atomic": "2", "price": "p"})
    failed = receipt("a", moved, status="failed", fingerprints={"@atomic": "3", "price": "p"})
    found = listed(one, same, moved, failed)
    assert [each.propagates for each in found] == [True, False, True, False]
    assert found[2].facet_changes == (FacetChange("@atomic", "1", "2"),)


def test_the_recorded_address_is_compared_with_the_recomputed_one() -> None:
    good = receipt("a")
    bad = {**receipt("b"), "content_hash": "sha256:" + "1" * 64}
    without = receipt("c")
    del without["content_hash"]
    assert [one.hash_matches for one in listed(good, bad, without)] == [True, False, None]


def test_a_break_is_reported_at_its_receipt() -> None:
    one = receipt("a")
    two = receipt("a", {**one, "content_hash": "sha256:" + "1" * 64})
    first, second = listed(one, two)
    assert not first.broken
    assert second.broken == (
        "receipt 2 does not follow from receipt 1: one of them was changed, or one between was"
        " removed",
    )


def test_the_document_has_every_field_of_a_receipt() -> None:
    (made,) = listed(receipt("a"))
    assert documents.receipt(made).keys() == {field for field in Receipt.__slots__}


PRICES = {"m": Price(input=Decimal("3"), cache_read=Decimal("0.3"))}


def test_costs_need_a_price() -> None:
    made = listed(receipt("a", source="external"), receipt("b"), receipt("b", status="skipped"))
    assert costs_of(made, {}) is None
    costs = costs_of(made, PRICES)
    assert costs is not None
    assert documents.ledger_costs(costs)["cost"] == {"USD": "0.000636"}
    assert documents.cost(costs.by_node["a"])["cost"] == {"USD": "0.000312"}
    assert costs.by_surprise_cause.keys() == {"external", "input"}


def test_a_model_without_a_price_is_not_free() -> None:
    (made,) = listed(receipt("a"))
    assert cost_of([made], {"another": Price(input=Decimal(1))}) == Cost({}, 1)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["input", "self"])), max_size=9))
def test_groups_add_up_to_the_total(drawn: list[tuple[str, str]]) -> None:
    made = listed(*(receipt(node, source=source) for node, source in drawn))
    costs = costs_of(made, PRICES)
    assert costs is not None
    for groups in (costs.by_node, costs.by_surprise_cause):
        amounts = (one.by_currency.get("USD", Decimal(0)) for one in groups.values())
        assert sum(amounts, Decimal(0)) == costs.total.by_currency.get("USD", Decimal(0))
