"""JSON text hides by its names what a record of the same object hides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.masked import Masks
from inspector.text.mask import mask, mask_named, mask_parts

NAMES = (
    "rpc_url", "rpc_by_chain", "resolved_params", "params", "pendingCalls", "arguments", "api_key",
    "API key", "password", "name", "value", "chain_id", "note", "cross_chain", 'a"b', "é\n",
)  # fmt: skip


def leaves() -> st.SearchStrategy[str]:
    return st.integers(0, 9999).map("zq{:04}zq".format)


def objects() -> st.SearchStrategy[dict[str, Any]]:
    items = st.recursive(
        leaves() | st.integers(0, 9) | st.none() | st.booleans(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
        ),
        max_leaves=12,
    )
    return st.dictionaries(st.sampled_from(NAMES), items, min_size=1, max_size=5)


def hidden(found: Any, shown: Any) -> Iterator[str]:
    """Texts of an object that its record does not show."""
    if isinstance(found, dict):
        for key, item in found.items():
            yield from hidden(item, shown[key])
    elif isinstance(found, list):
        for item, seen in zip(found, shown, strict=True):
            yield from hidden(item, seen)
    elif isinstance(found, str) and found != shown:
        yield found


@settings(max_examples=150, deadline=None)
@given(objects(), st.integers(0, 3), st.sampled_from([None, 2]), st.booleans())
def test_fields_masked_in_records_are_masked_in_json_text(found, nested, indent, escaped) -> None:  # type: ignore[no-untyped-def]
    secrets = set(hidden(found, Masks().content({"records": [found]})["records"][0]))
    text = json.dumps(found, indent=indent, ensure_ascii=escaped)
    for level in range(nested):
        text = json.dumps({"x": text} if level % 2 else text)
    shown = mask(text).text
    # The same leaf may be a secret in one place only.
    whole = json.dumps(found)
    assert not [one for one in secrets if one in shown and whole.count(one) == 1]
    assert mask(shown).text == shown


GIVEN = {
    "chain_id": 1,
    "rpc_url": "http://10.0.0.5:8545",
    "resolved_params": {"vault": "0xfeed", "list": ["0xbeef", 424242]},
    "cross_chain": {"rpc_by_chain": {"8453": "http://10.0.0.6"}, "params": {"amount": "987654"}},
    "runtime": "cast",
}
SECRET = ("10.0.0", "feed", "beef", "424242", "987654")


@pytest.mark.parametrize("indent", [None, 2])
def test_wherever_it_is_cut_off_nothing_of_it_is_shown(indent: int | None) -> None:
    text = json.dumps({"runs": json.dumps(GIVEN)} if indent is None else GIVEN, indent=indent)
    for end in range(len(text)):
        shown = mask(text[:end]).text
        assert not [one for one in SECRET if one in shown], shown


@pytest.mark.parametrize(
    "text",
    [
        'asked {"rpc_url": "http://10.0.0.5"} and [more]',
        '{"a": 1}\n{"rpc_url": "http://10.0.0.5"}\n',
        '"rpc_url": "http://10.0.0.5", "b": 2',
        '{"rpc\\u005furl": "http://10.0.0.5"}',
        '{"rpc_url": "http://10.0.0.5", "rpc_url": NaN, nonsense]}',
        '{"name": "password", "value": "10.0.0"}',
        '{"value": ["10.0.0"], "name": "password"}',
        '{"params": {"a": {"b": "10.0.0"}}, "rpc_by_chain": {}}',
        '{"password"         :      "10.0.0"}',
        '{"x": ' + "[{" * 5000 + '"rpc_url": "10.0.0"',
        '{"rpc_url": ' + "[[" * 5000 + '"10.0.0"',
        '{"rpc_url": ' + '{"a":' * 5000 + '"10.0.0"',
    ],
    ids=lambda text: text[:24],
)
def test_json_in_any_surroundings(text: str) -> None:
    assert "10.0.0" not in mask(text).text


@pytest.mark.parametrize(
    "text",
    [
        '{"params": {"a": "b"}, "path": "/x"}',
        '{"arguments": {"a": "b"}, "key": "k", "tokens": 5, "rpc_url": null}',
        '{"name": "author", "value": "b"}',
        "{not json, but a key: it has",
    ],
)
def test_other_json_stays(text: str) -> None:
    assert mask(text).text == text


def test_a_text_that_is_withheld_is_hidden_whole() -> None:
    assert "10.0.0" not in mask_named("rpc_url", "http://10.0.0.5").text


def test_a_name_counts_however_many_parts_away_its_value_is() -> None:
    many = {"resolved_params": [f"value{n:05}" for n in range(5_000)], "runtime": "cast"}
    shown = "".join(part.text for part in mask_parts(None, json.dumps(many), 8_000))
    assert "value" not in shown and '"cast"' in shown
