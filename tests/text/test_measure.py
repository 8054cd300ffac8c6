"""What people rely on: columns stay where they are, and no cluster is cut in two."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.measure import Align, cell_width, clip, clip_start, clusters, pad

PIECES = [
    "a",
    "日",
    "e\u0301",
    "👩‍🔬",
    "❄️",
    "🇬🇧",
    "👍🏽",
    "कि",
    "\u200d",
    "\ufe0f",
    "\u0301",
    " ",
    "…",
]
TEXT = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("abc", 3),
        ("日本", 4),
        ("👩‍🔬", 2),
        ("❄️", 2),
        ("e\u0301", 1),
        ("🇬🇧", 2),
        ("\x1b", 0),
    ],
)
def test_width(text: str, cells: int) -> None:
    assert cell_width(text) == cells


@pytest.mark.parametrize(
    "cluster", ["👩‍🔬", "❄️", "🇬🇧", "👍🏽", "👩🏽‍🔬", "कि", "1️⃣", "🏳️‍🌈", "e\u0301"]
)
def test_a_cluster_is_kept_or_left_out_whole(cluster: str) -> None:
    assert [text for text, _ in clusters(cluster * 3)] == [cluster] * 3
    for cells in range(9):
        kept = clip(cluster * 9, cells, ellipsis="")
        assert kept == cluster * (cells // cell_width(cluster))


def test_clipped_text_ends_with_the_ellipsis() -> None:
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdef", 4) == "abc…"
    assert clip("abcdef", 4, ellipsis="~") == "abc~"
    assert clip("日本語", 4) == "日…"
    assert clip("日本語", 5) == "日本…"
    assert clip("日本", 4) == "日本"
    assert clip("abc", 1) == "…"
    assert clip("abc", 0) == ""
    assert clip("abcdef", 2, ellipsis="...") == "ab"


@pytest.mark.parametrize(
    ("align", "expected"), [("left", "日  "), ("right", "  日"), ("center", " 日 ")]
)
def test_padding(align: Align, expected: str) -> None:
    assert pad("日", 4, align) == expected


@settings(deadline=None)
@given(TEXT)
def test_clusters_are_the_text_and_its_width(text: str) -> None:
    parts = list(clusters(text))
    assert "".join(part for part, _ in parts) == text
    assert sum(width for _, width in parts) == cell_width(text)


@settings(deadline=None)
@given(TEXT, st.integers(-1, 30), st.sampled_from(["…", "~", "", "..."]))
def test_clipped_text_fits_and_keeps_the_start(text: str, cells: int, ellipsis: str) -> None:
    clipped = clip(text, cells, ellipsis=ellipsis)
    assert cell_width(clipped) <= max(cells, 0)
    if cells <= 0:
        assert clipped == ""
    elif cell_width(text) <= cells:
        assert clipped == text
    else:
        assert text.startswith(clipped.removesuffix(ellipsis)) or text.startswith(clipped)


@settings(deadline=None)
@given(TEXT, st.integers(-1, 30), st.sampled_from(["…", "~", ""]))
def test_text_clipped_at_the_start_fits_and_keeps_the_end(
    text: str, cells: int, ellipsis: str
) -> None:
    clipped = clip_start(text, cells, ellipsis=ellipsis)
    assert cell_width(clipped) <= max(cells, 0)
    if cells > 0 and cell_width(text) <= cells:
        assert clipped == text
    else:
        assert text.endswith(clipped.removeprefix(ellipsis))


@settings(deadline=None)
@given(TEXT, st.integers(0, 30), st.sampled_from(["left", "right", "center"]))
def test_padded_text_fills_its_column_exactly(text: str, cells: int, align: Align) -> None:
    assert cell_width(pad(text, cells, align)) == cells
    assert cell_width("|" + pad(text, cells, align) + "|") == cells + 2


def test_only_the_part_that_is_shown_is_measured() -> None:
    class Counted(str):
        looked_at = 0

        def __getitem__(self, key: object) -> str:
            Counted.looked_at += 1
            return super().__getitem__(key)  # type: ignore[index]

    clip(Counted("日" * 100_000), 40)
    assert 0 < Counted.looked_at < 1000
