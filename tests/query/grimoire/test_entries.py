"""Entries out of a ledger's text: whatever is in it, wherever a window cuts it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.grimoire import ledger_text
from inspector.query.grimoire.js import Unreadable

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "event", "é", ""]), inside, max_size=4)
    ),
    max_leaves=12,
)
FORMS = st.sampled_from(
    [
        {"separators": (",", ":"), "ensure_ascii": False},
        {"separators": (",", ":"), "ensure_ascii": True},
        {"indent": 1, "ensure_ascii": False},
    ]
)


@pytest.fixture(params=[7, 64, 1 << 17], autouse=True)
def window(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_text, "WINDOW", request.param)


def all_of(content: bytes) -> list[Any]:
    return [value for page in ledger_text.pages(content) for value in page.entries]


@settings(max_examples=60, deadline=None)
@given(values=st.lists(VALUES, max_size=8), form=FORMS)
def test_every_entry_is_found_with_its_place(values: list[Any], form: dict[str, Any]) -> None:
    content = json.dumps(values, **form).encode()
    found = list(ledger_text.entries(content))
    assert [value for _, value in found] == values
    assert all_of(content) == values
    for n, (begin, _) in enumerate(found):
        assert ledger_text.slice_entries(content[begin:], 0, 1) == [values[n]]
        assert [value for _, value in ledger_text.entries(content, begin)] == values[n:]
    for page in ledger_text.pages(content):
        assert (
            ledger_text.slice_entries(content[page.start :], 0, len(page.entries)) == page.entries
        )


@settings(max_examples=60, deadline=None)
@given(values=st.lists(VALUES, min_size=1, max_size=6), form=FORMS, data=st.data())
def test_a_text_that_is_cut_is_never_taken_for_a_whole_one(
    values: list[Any], form: dict[str, Any], data: st.DataObject
) -> None:
    content = json.dumps(values, **form).encode()
    cut = data.draw(st.integers(0, len(content) - 1))
    for read in (all_of, lambda text: list(ledger_text.entries(text))):
        with pytest.raises(Unreadable):
            read(content[:cut])


def test_what_comes_before_the_damage_is_given() -> None:
    content = b'[{"id":"a"},{"id":"b"},{"id":' + b" " * 200
    found: list[Any] = []
    with pytest.raises(Unreadable):
        for page in ledger_text.pages(content):
            found += page.entries
    assert found == [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b'"x"', b"7", b"[{", b"[1,]", b"[,1]", b"[1 2]", b"[1]x", b"[NaN]", b"nul"],
)
def test_what_is_no_array_is_said(text: bytes) -> None:
    with pytest.raises(Unreadable):
        all_of(text)
    with pytest.raises(Unreadable):
        list(ledger_text.entries(text))


@pytest.mark.parametrize("text", [b"null", b" null\n", b"[]", b" [ ] "])
def test_nothing_is_nothing(text: bytes) -> None:
    assert all_of(text) == []
    assert list(ledger_text.entries(text)) == []


def test_bytes_that_are_no_utf8_cost_nobody_else() -> None:
    content = b'[{"id":"a"},{"id":"\xff\xfe"},{"id":"' + "é".encode() + b'"}]'
    found = all_of(content)
    assert [found[0], found[2]] == [{"id": "a"}, {"id": "é"}]
    assert [value for _, value in ledger_text.entries(content)] == found


def test_numbers_of_any_length_are_read() -> None:
    digits = "9" * 5000
    assert all_of(f"[{digits}, 1]".encode()) == [digits, 1]


def test_depth_ends_in_a_sentence() -> None:
    with pytest.raises(Unreadable):
        all_of(b"[" * 100_000)
