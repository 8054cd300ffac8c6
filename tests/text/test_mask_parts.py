"""A long text masked in parts is masked as it is at one go."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.mask import AROUND, mask, mask_named, mask_parts

LINES_OF_A_KEY = "MIIEvAIBADANBgkqhkiG9w0BAQ\n" * 20
SECRETS = (
    "Authorization: Bearer abcDEF123456abcDEF123456abcDEF12",
    "AKIAIOSFODNN7EXAMPLE",
    "password=correcthorsebattery",
    "-----BEGIN PRIVATE KEY-----\n"
    + "MIIEvAIBADANBgkqhkiG9w0BAQ\n" * 20
    + "-----END PRIVATE KEY-----",
)
FILLING = ("the tide rises", "\n", " ", "x" * 300, '{"a": 1}', "é", "0" * 64)


def joined(name: str | None, text: str, part: int) -> str:
    return "".join(each.text for each in mask_parts(name, text, part))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(FILLING), min_size=1, max_size=40),
    st.lists(st.sampled_from(SECRETS), max_size=4),
    st.integers(4_000, 20_000),
    st.randoms(),
)
def test_no_secret_slips_through_a_cut(filling, secrets, part, chance) -> None:  # type: ignore[no-untyped-def]
    pieces = [*(filling * 30), *secrets]
    chance.shuffle(pieces)
    text = "\n".join(pieces)
    shown = joined(None, text, part)
    assert shown == mask(text).text


def test_a_line_without_an_end_is_cut_where_no_secret_is() -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    for before in range(9_980, 10_000, 3):
        shown = joined(None, "x" * before + "." + secret + "." + "y" * 30_000, 10_000)
        assert secret[4:] not in shown
        assert "masked" in shown


def test_values_hidden_by_name_are_hidden_whole() -> None:
    text = "lorem ipsum " * 20_000
    assert joined("api_key", text, 1_000) == mask_named("api_key", text).text
    assert "lorem" not in joined("api_key", text, 1_000)


def test_parts_are_no_larger_than_asked() -> None:
    text = "word " * 40_000
    parts = [each.text for each in mask_parts(None, text, AROUND * 2)]
    assert "".join(parts) == text
    assert max(map(len, parts)) <= AROUND * 2
