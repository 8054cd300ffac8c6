"""What people rely on: a recorded text cannot act on the terminal, hide, or lie about its order."""

import json
import math
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.escape import MAX_MARKS, json_text, visible, visible_lines

ANY_TEXT = st.text(st.characters(exclude_categories=()))
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b]52;c;ZXZpbA==\x07", r"\x1b]52;c;ZXZpbA==\x07"),
        ("\x9b2J\x7f\x00", r"\x9b2J\x7f\x00"),
        ("user\u202egpj.exe", r"user\u202egpj.exe"),
        ("\u2066a\u2069", r"\u2066a\u2069"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\ud800 \udfff", r"\ud800 \udfff"),
        ("pay\u200bpal\u2060\ufeff\u00ad", r"pay\u200bpal\u2060\ufeff\xad"),
        ("a\U000e0041\U000e0042", r"a\U000e0041\U000e0042"),
        ("a\ufe0fb\U000e0101", r"a\ufe0fb\U000e0101"),
        ("a\u200db", r"a\u200db"),
        ("\u3164\u115f", r"\u3164\u115f"),
    ],
)
def test_invisible_characters_are_escaped(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "plain [b]text[/b]", r"C:\new\table", "日本語の要約", "e\u0301 Å", "שלום عليكم"),
        *("👩‍🔬", "👩🏽‍🔬", "❄️", "❤️‍🔥", "🏳️‍🌈", "🇬🇧", "1️⃣", "‼️", "☎︎"),
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        *("می‌خواهم", "क्‍ष", "›∥↻ ● ◆", "\ue0b0 private use"),
    ],
)
def test_ordinary_text_emoji_and_marks_stay(text: str) -> None:
    assert visible(text) == text


def test_a_tower_of_marks_is_cut_down() -> None:
    assert visible("e" + "\u0301" * MAX_MARKS) == "e" + "\u0301" * MAX_MARKS
    assert visible("e" + "\u0301" * (MAX_MARKS + 2)).endswith("\u0301" + r"\u0301" * 2)


@settings(deadline=None)
@given(ANY_TEXT)
def test_visible_text_has_no_controls_and_is_unchanged(text: str) -> None:
    shown = visible(text)
    assert not BIDI & set(shown)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert visible(shown) == shown


HANGUL_FILLERS = "\u115f\u1160\u3164\uffa0"
SEEN = st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters=HANGUL_FILLERS)


@settings(deadline=None)
@given(st.text(SEEN))
def test_visible_keeps_every_letter_and_sign(text: str) -> None:
    assert visible(text) == text


def test_lines_are_split_and_tabs_are_spaces() -> None:
    assert visible_lines("a\tb\r\n\t日\tx\ny\rz\n") == ["a   b", "    日  x", r"y\rz", ""]
    assert visible_lines("") == [""]
    assert visible_lines("\x1b[2J\n🏴󠁧󠁢󠁥󠁮󠁧󠁿") == [r"\x1b[2J", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]


@settings(deadline=None)
@given(ANY_TEXT)
def test_lines_join_to_the_same_text(text: str) -> None:
    lines = visible_lines(text)
    assert len(lines) == text.count("\n") + 1
    assert all("\t" not in line and "\n" not in line for line in lines)
    unbroken = text.replace("\t", "").replace("\n", "").replace("\r", "")
    if text == unbroken:
        assert lines == [visible(text)]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def as_read(value: object) -> object:
    """What a reader of the JSON gets: surrogate pairs are one character, NaN is a word."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, list):
        return [as_read(item) for item in value]
    if isinstance(value, dict):
        return {as_read(key): as_read(item) for key, item in value.items()}
    return value


@settings(deadline=None)
@given(JSON_VALUES, st.sampled_from([None, 2]))
def test_json_round_trips(value: object, indent: int | None) -> None:
    text = json_text(value, indent=indent)
    try:
        expected = as_read(value)
    except UnicodeDecodeError:
        return
    assert json.loads(text) == expected
    assert json.dumps(json.loads(text)) == json.dumps(expected)


@settings(deadline=None)
@given(JSON_VALUES)
def test_json_has_controls_only_as_escapes(value: object) -> None:
    text = json_text(value)
    assert not BIDI & set(text)
    assert not {unicodedata.category(c) for c in text} & {"Cc", "Cs", "Zl", "Zp"}
    text.encode()


def test_json_escapes_have_one_form_and_letters_stay() -> None:
    assert json_text({"é日\n": '\\n\t\x1b\x9b\u202e\ud800\u2028"👩‍🔬'}) == (
        r'{"é日\u000a":"\\n\u0009\u001b\u009b\u202e\ud800\u2028\"👩‍🔬"}'
    )


def test_json_keeps_digits_order_and_values_without_a_json_form() -> None:
    value = {
        "z": 2**53,
        "a": [2**53 + 1, -(2**53) - 1, 2**256 - 1],
        "d": Decimal("1E+3"),
        "n": [float("nan"), float("-inf"), 1e300],
        "b": b"\xff",
        1: True,
        "t": (),
    }
    assert json_text(value) == (
        '{"z":9007199254740992,"a":["9007199254740993","-9007199254740993",'
        f'"{2**256 - 1}"],"d":"1000","n":["NaN","-Infinity",1e+300],'
        '"b":{"base64":"/w=="},"1":true,"t":[]}'
    )
    assert len(json_text(10**5000)) == 5003
    assert json_text({"a": {}, "b": [1]}, indent=2) == '{\n  "a": {},\n  "b": [\n    1\n  ]\n}'
    with pytest.raises(TypeError, match="no form for set"):
        json_text({1})


def test_json_of_any_depth() -> None:
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    assert json_text(value) == "[" * 5001 + "]" * 5001
