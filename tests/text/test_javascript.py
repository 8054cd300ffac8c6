from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.text.javascript import number_text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (1.0, "1"), (-1.5, "-1.5"), (0.1, "0.1"),
        (1e-6, "0.000001"), (1.23e-6, "0.00000123"), (1e-7, "1e-7"), (-1e-7, "-1e-7"),
        (1.5e-7, "1.5e-7"), (1.23e-18, "1.23e-18"), (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (1e20, "100000000000000000000"), (10**20, "100000000000000000000"), (1e21, "1e+21"),
        (-(10**21), "-1e+21"), (123456789012345680000, "123456789012345680000"),
        (1234567890123456800000, "1.2345678901234568e+21"), (2**53 - 1, "9007199254740991"),
        (2**53 + 1, "9007199254740992"), (2**64, "18446744073709552000"), (12300.0, "12300"),
        (0.1 + 0.2, "0.30000000000000004"), (1 / 3, "0.3333333333333333"),
        (10**400, "Infinity"), (-(10**400), "-Infinity"), (float("inf"), "Infinity"),
        (float("nan"), "NaN"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_by_javascript(number: float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        ("6c576fac43fd007c", "7.889773721040559e+213"),
        ("826886b3864a1b1b", "-4.687746771783661e-297"),
        ("cba276b4b881a9f0", "-2.2636424301763047e+56"),
        ("802181e6e230707f", "-4.869415395178989e-308"),
        ("32ccf775fe645423", "5.5010946457085154e-64"),
        ("beea83f6d126a876", "-0.000012643568457832771"),
        ("3e5b597464455d8a", "2.547114365375239e-8"),
        ("bffae0196a526891", "-1.6797117379378828"),
        ("9f21b6c5d8e16e59", "-1.0079706008337996e-158"),
        ("3f8e2cb563183ee5", "0.014733712278967423"),
        ("4e404e3aae64bce9", "8.791952909604016e+68"),
    ],
)
def test_doubles_are_written_as_by_node(bits: str, text: str) -> None:
    (double,) = struct.unpack(">d", bytes.fromhex(bits))
    assert number_text(double) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_names_the_double_in_the_form_for_its_size(double: float) -> None:
    text = number_text(double)
    assert float(text) == double
    has_exponent = double != 0 and not 1e-6 <= abs(double) < 1e21
    assert ("e" in text) is has_exponent
    assert not text.endswith((".0", "."))
    assert ("." in text.partition("e")[0]) is (not double.is_integer()) or has_exponent


@given(st.integers())
def test_an_integer_is_written_as_its_nearest_double(number: int) -> None:
    if abs(number) < 2**1000:
        assert number_text(number) == number_text(float(number))
