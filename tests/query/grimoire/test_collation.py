"""The order of assets, where it is known what the runtime's own collation says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.grimoire.js import sort_key

ASCII = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
LETTERS = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"


def test_ascii_stands_in_the_collations_order() -> None:
    for before, after in pairwise(ASCII + LETTERS):
        assert sort_key(before) < sort_key(after), (before, after)


@pytest.mark.parametrize(
    "ordered",
    [
        ["", " ", "_x", "$PEPE", "10", "2", "A1", "A10", "A2"],
        ["ab", "aB", "Ab", "AB"],
        ["a b", "a_USDC", "a-b", "aUSDC"],
        ["usdc", "Usdc", "USDC", "USDC-e", "USDC.e", "USDCe"],
        ["e", "é", "eth", "ETH", "f"],
        ["n", "ñ", "o", "ø", "ss", "ß", "stETH"],
        ["d", "đ", "ð", "dz", "e", "ez", "ə", "h", "ħ", "hz", "i", "iz", "ı"],
        ["o", "ó", "ò", "ö", "ő", "õ", "ø", "ǫ", "ō", "ơ", "oa"],
        ["z", "ZZZ", "ω", "Ω", "б", "Б", "日本"],
        ["\t", "\n", " "],
        ["₮", "1", "a"],
    ],
)
def test_known_orders(ordered: list[str]) -> None:
    assert sorted(reversed(ordered), key=sort_key) == ordered


def test_control_characters_are_ignored() -> None:
    assert sort_key("a\x01b\x7f") == sort_key("ab")


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_any_two_names_can_be_compared(one: str, other: str) -> None:
    assert (sort_key(one) < sort_key(other)) + (sort_key(one) > sort_key(other)) + (
        sort_key(one) == sort_key(other)
    ) == 1


@given(st.text(LETTERS), st.text(LETTERS))
def test_case_only_decides_between_the_same_letters(one: str, other: str) -> None:
    if one.lower() != other.lower():
        assert (sort_key(one) < sort_key(other)) == (one.lower() < other.lower())
