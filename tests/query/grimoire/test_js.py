"""Values as the runtime's language reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.grimoire import js
from inspector.query.grimoire.js import UNDEFINED, Unreadable


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ('"5"', 5), ('"+5"', 5), ('"-0"', 0), ('"007"', 7), ('" 12 "', 12),
        ('"\\u00a012\\ufeff"', 12),
        ('"1.5"', None), ('"1e3"', None), ('"0x10"', None), ('"1_000"', None), ('"٣"', None),
        ('""', None), ('" "', None), ('"- 5"', None), ('"5\\u001c"', None), ('"5\\u0085"', None),
        ("5", 5), ("5.9", 5), ("-5.9", -5), ("1e30", 1000000000000000019884624838656),
        ("9007199254740993", 9007199254740992), ("1e400", None), ("null", None), ("true", None),
        ("[]", None), ("{}", None),
    ],
)  # fmt: skip
def test_amounts(text: str, amount: int | None) -> None:
    assert js.amount_of(js.parse(text)) == amount


def test_a_number_with_more_digits_than_a_double_has_is_no_amount() -> None:
    assert js.amount_of(js.parse("1" + "0" * 400)) is None
    assert js.amount_of(js.parse("1" + "0" * 5000)) is None


@given(st.integers(min_value=-(2**600), max_value=2**600))
def test_text_counts_with_every_digit(number: int) -> None:
    assert js.amount_of(str(number)) == number


def test_absurdly_many_digits_are_refused() -> None:
    with pytest.raises(Unreadable):
        js.amount_of("9" * 1_000_000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (UNDEFINED, "undefined"), (None, "null"), (True, "true"), (1, "1"), (1.0, "1"),
        (1.5, "1.5"), ("x", "x"), ([1, None, "a"], "1,,a"), ({}, "[object Object]"),
    ],
)  # fmt: skip
def test_names_of_counters(value: Any, text: str) -> None:
    assert js.text_of(value) == text


def test_what_is_nested_too_deep_is_said() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(Unreadable, match="too deep"):
        js.text_of(nested)
    assert "too deep" in js.compact(nested)


def test_null_and_what_is_missing_have_no_fields() -> None:
    assert js.field({"a": None}, "a") is None
    assert js.field({}, "a") is UNDEFINED
    assert js.field("text", "a") is UNDEFINED
    for nothing in (None, UNDEFINED):
        with pytest.raises(Unreadable, match="has no 'a'"):
            js.field(nothing, "a")


@pytest.mark.parametrize("text", ["", "{oops", "NaN", "[Infinity]", "[" * 100_000])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(Unreadable):
        js.parse(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
        lambda inside: st.lists(inside) | st.dictionaries(st.text("ab"), inside),
    )
)
def test_what_is_shown_on_a_line_is_the_same_json(value: Any) -> None:
    assert json.loads(js.compact(value)) == value
    assert "\n" not in js.compact(value)


def test_every_digit_is_shown() -> None:
    digits = "123456789" * 1000
    assert js.compact(js.parse(f'{{"n": {digits}}}')) == f'{{"n": {digits}}}'
    assert js.compact(2**300) == str(2**300)
