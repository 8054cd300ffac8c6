"""Column layout of the list of runs by width."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.lines import margin
from inspector.ui.screens.runs.list import (
    DONE_CELLS,
    NET_CELLS,
    RUN_CELLS,
    RUNTIME_CELLS,
    WORD_CELLS,
    Columns,
    columns_for,
)

EXIT_KEYS = ("net_end", "tokens_end", "run", "runtime", "word", "started_end", "done_end", "now")


def spans(columns: Columns) -> list[tuple[int, int]]:
    """First and last cell of each column, from left to right."""
    found = [(columns.glyph, columns.glyph + 1)]
    if columns.word is not None:
        found.append((columns.word, columns.word + WORD_CELLS))
    found += [
        (columns.mark, columns.mark + 1),
        (columns.title, columns.title + columns.title_cells),
    ]
    if columns.runtime is not None:
        found.append((columns.runtime, columns.runtime + RUNTIME_CELLS))
    if columns.run is not None:
        found.append((columns.run, columns.run + RUN_CELLS))
    if columns.started_end is not None:
        found.append((columns.started_end - 7, columns.started_end))
    found.append((columns.elapsed_end - 7, columns.elapsed_end))
    if columns.done_end is not None:
        found.append((columns.done_end - DONE_CELLS, columns.done_end))
    if columns.now is not None:
        found.append((columns.now, columns.now + columns.now_cells))
    if columns.tokens_end is not None:
        found.append((columns.tokens_end - 6, columns.tokens_end))
    if columns.net_end is not None:
        found.append((columns.net_end - NET_CELLS, columns.net_end))
    return found


@given(st.integers(24, 400), st.booleans())
def test_columns_do_not_touch_and_respect_the_margins(width: int, money: bool) -> None:
    found = spans(columns_for(width, money=money))
    assert found[0][0] == margin(width)
    assert found[-1][1] <= width - margin(width)
    for (_, end), (start, _) in pairwise(found):
        assert end < start


@given(st.integers(24, 400))
def test_columns_disappear_in_a_fixed_order(width: int) -> None:
    columns = columns_for(width)
    gone = [getattr(columns, name) is None for name in EXIT_KEYS]
    assert gone == sorted(gone, reverse=True)


@given(st.integers(60, 400))
def test_titles_keep_their_minimum_width(width: int) -> None:
    assert columns_for(width).title_cells >= 20


def test_columns_at_the_widths_of_the_designs() -> None:
    assert columns_for(120) == Columns(120, 2, 16, 18, 20, 78, 4, 40, 51, 69, 84, 87, 12, 106, 118)
    wide = columns_for(80)
    assert (wide.title, wide.started_end, wide.elapsed_end, wide.done_end, wide.now) == (
        18,
        46,
        55,
        61,
        63,
    )
    assert (wide.runtime, wide.run, wide.tokens_end, wide.net_end) == (None,) * 4
    narrow = columns_for(40)
    assert (narrow.glyph, narrow.mark, narrow.title, narrow.elapsed_end) == (1, 3, 5, 39)
    assert not narrow.headed
