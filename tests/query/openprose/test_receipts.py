"""Receipts: the canonical form, content addresses, chains, sums and prices."""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import Price
from inspector.export import documents
from inspector.query.openprose.receipts.chain import holds, judge
from inspector.query.openprose.receipts.ledger import ledger_of
from inspector.query.openprose.receipts.receipt import (
    DEEPEST,
    FIELDS,
    CommitRecord,
    TooDeep,
    address_of,
    canonical,
    number,
    read_receipt,
    string,
)
from inspector.query.receipts import ChainVerdict, TokenSum, cost_of

JSON_FIELDS = ("wake", "input_fingerprints", "fingerprints", "semantic_diff", "cost", "sig")


def row(
    number_: int,
    node: str = "n",
    prev: str | None = None,
    *,
    refs: tuple[str, ...] = (),
    fresh: int = 10,
    **changed: Any,
) -> dict[str, Any]:
    """A row of `receipt` as the state document writes it."""
    cells: dict[str, Any] = {
        "id": number_,
        "node": node,
        "contract_fingerprint": "contract",
        "wake": {"source": "input", "refs": list(refs)},
        "input_fingerprints": ["a"],
        "fingerprints": {"@atomic": f"token {number_}"},
        "semantic_diff": {},
        "prev": prev,
        "status": "rendered",
        "cost": {
            "provider": "p",
            "model": "m",
            "surprise_cause": "input",
            "tokens": {"fresh": fresh, "reused": 2},
        },
        "sig": {"scheme": "none", "null_reason": "x"},
        "created_at": "2026-01-16 14:30:52",
    }
    cells.update(changed)
    return {
        name: json.dumps(value) if name in JSON_FIELDS and isinstance(value, dict | list) else value
        for name, value in cells.items()
    }


def chain(*nodes: str) -> list[dict[str, Any]]:
    """Rows of an unbroken ledger over these nodes."""
    heads: dict[str, str] = {}
    rows = []
    for number_, node in enumerate(nodes, 1):
        rows.append(row(number_, node, heads.get(node)))
        address = read_receipt(rows[-1], number_).address
        assert address is not None
        heads[node] = address
    return rows


def receipts(rows: list[dict[str, Any]]) -> list[CommitRecord]:
    return [read_receipt(one, number_) for number_, one in enumerate(rows, 1)]


# The canonical form against an encoder that was written another way.


def independent(value: Any) -> str:
    """Canonical JSON by way of Python's own encoder, for what both know: no floats but whole."""
    if isinstance(value, dict):
        pairs = sorted(
            value.items(), key=lambda pair: list(pair[0].encode("utf-16-be", "surrogatepass"))
        )
        return "{" + ",".join(f"{independent(k)}:{independent(v)}" for k, v in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(independent, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(map(_character, value)) + '"'
    return json.dumps(value)


def _character(character: str) -> str:
    short = {
        '"': '\\"',
        "\\": "\\\\",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
    }
    if character in short:
        return short[character]
    code = ord(character)
    return f"\\u{code:04x}" if code < 32 or 0xD800 <= code <= 0xDFFF else character


texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_the_canonical_form_is_that_of_an_independent_encoder(value: Any) -> None:
    assert canonical(value) == independent(value)


@given(st.fixed_dictionaries({name: values for name in FIELDS}))
def test_a_random_receipt_has_the_address_of_its_independent_encoding(
    fields: dict[str, Any],
) -> None:
    envelope = {"schema": "openprose.receipt", "hash_algorithm": "sha256", **fields}
    encoded = independent(envelope).encode("utf-8", "surrogatepass")
    assert address_of(fields) == f"sha256:{hashlib.sha256(encoded).hexdigest()}"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_names_the_double_that_it_was(double: float) -> None:
    assert float(number(double)) == double
    assert "E" not in number(double)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (1e21, "1e+21"), (1e20, "100000000000000000000"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (0.1, "0.1"), (-3.25e-9, "-3.25e-9"),
        (2**53 + 1, "9007199254740992"), (5e-324, "5e-324"), (123.456, "123.456"),
        (math.inf, "null"), (10**400, "null"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_javascript_writes_them(value: float, text: str) -> None:
    assert number(value) == text


def test_keys_are_sorted_by_their_utf_16_units() -> None:
    assert canonical({"\U0001f600": 1, "\uffff": 2}) == '{"\U0001f600":1,"\uffff":2}'
    assert string("\ud800x") == '"\\ud800x"'


def test_what_is_nested_too_deep_is_refused() -> None:
    value: Any = 1
    for _ in range(DEEPEST + 2):
        value = [value]
    with pytest.raises(TooDeep):
        canonical(value)


# Chains.


def test_an_unbroken_chain_is_verified_except_for_its_head() -> None:
    found = judge(receipts(chain("a", "b", "a")))
    assert [one.verdict for one in found] == [ChainVerdict.VERIFIED_EXCEPT_HEAD] * 2
    assert holds(found) is True


def test_a_head_that_another_receipt_names_is_verified() -> None:
    rows = chain("a", "b")
    head = read_receipt(rows[0], 1).address
    assert head is not None
    rows.append(row(3, "c", refs=(head,)))
    verdicts = {one.node: one.verdict for one in judge(receipts(rows))}
    assert verdicts["a"] is ChainVerdict.VERIFIED
    assert verdicts["c"] is ChainVerdict.VERIFIED_EXCEPT_HEAD


def test_a_head_whose_address_was_kept_is_verified() -> None:
    rows = chain("a")
    rows[0]["content_hash"] = read_receipt(rows[0], 1).address
    assert judge(receipts(rows))[0].verdict is ChainVerdict.VERIFIED
    rows[0]["content_hash"] = f"sha256:{'0' * 64}"
    assert judge(receipts(rows))[0].verdict is ChainVerdict.BROKEN


@pytest.mark.parametrize("column", FIELDS)
def test_an_edited_receipt_shows_at_its_successor(column: str) -> None:
    rows = chain("a", "a", "a")
    edited = {"prev": f"sha256:{'1' * 64}", "cost": '{"tokens": {"fresh": 9, "reused": 2}}'}
    if column == "node":
        return
    rows[1][column] = edited.get(column, '{"x": 1}' if column in JSON_FIELDS else "other")
    if column == "input_fingerprints":
        rows[1][column] = '["b"]'
    broken = judge(receipts(rows))[0].broken
    assert 3 in {one.receipt_id for one in broken}
    assert {one.trouble.code for one in broken} == {"prev_mismatch"}


def test_a_deleted_receipt_shows_at_its_successor() -> None:
    rows = chain("a", "a", "a")
    del rows[1]
    found = judge(receipts(rows))[0]
    assert [(one.receipt_id, one.trouble.code) for one in found.broken] == [(3, "prev_mismatch")]
    assert found.verdict is ChainVerdict.BROKEN


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"wake": "{oops"}, "malformed:wake"),
        ({"cost": None}, "malformed:cost"),
        ({"fingerprints": "[]"}, "malformed:fingerprints"),
        ({"prev": "nonsense"}, "bad_prev"),
        ({"prev": f"sha256:{'0' * 64}"}, "first_has_prev"),
        ({"node": None}, "missing:node"),
    ],
)
def test_what_cannot_be_checked_is_unverifiable(changed: dict[str, Any], code: str) -> None:
    found = judge(receipts([row(1, **changed)]))
    assert found[0].verdict is ChainVerdict.UNVERIFIABLE
    assert code in {one.trouble.code for one in found[0].broken}
    assert holds(found) is False


def test_a_missing_column_is_named() -> None:
    cells = row(1)
    del cells["sig"]
    assert [one.code for one in read_receipt(cells, 1).trouble] == ["missing:sig"]


def test_no_receipt_is_never_green() -> None:
    assert holds(judge([])) is None
    assert ledger_of([]).answer().chain_ok is None


@given(
    st.dictionaries(
        st.sampled_from((*FIELDS, "id")),
        st.none() | st.text() | st.binary() | st.integers() | st.floats(),
    )
)
def test_no_row_breaks_the_reader(cells: dict[str, Any]) -> None:
    found = read_receipt(cells, 7)
    assert documents.receipts(ledger_of([found]).answer(), None)["chain_ok"] in (False, True)


# Sums and prices.


def test_tokens_are_added_by_cause_and_an_unreadable_cost_is_counted() -> None:
    rows = [*chain("a", "b"), row(3, "c", cost="{oops")]
    ledger = ledger_of(receipts(rows)).answer()
    assert ledger.tokens_total == TokenSum(2, 20, 4)
    assert ledger.tokens_by_surprise_cause == {"input": TokenSum(2, 20, 4)}
    assert ledger.cost_unreadable == 1


def test_money_is_only_told_where_a_price_is_known() -> None:
    listed = ledger_of(receipts(chain("a", "b"))).answer().receipts
    assert cost_of(listed, {}) is None
    priced = cost_of(listed, {"m": Price(input=Decimal("3"), cache_read=Decimal("0.5"))})
    assert priced is not None
    assert priced.by_currency == {"USD": Decimal("0.000062")}
    other = cost_of(listed, {"another": Price(input=Decimal("3"))})
    assert other is not None
    assert (other.by_currency, other.unpriced) == ({}, 2)
