"""Paths as SQLite URIs."""

from __future__ import annotations

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from inspector.store.connections import uri


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_a_path_is_quoted_as_urllib_does(path: str) -> None:
    assert uri(path, "mode=ro") == f"file://{quote(path)}?mode=ro"
