"""Rows that are kept small: what was put in comes out, and differences are found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.openprose import timeline
from inspector.query.openprose.events import Row
from inspector.query.openprose.timeline import KeptRows
from tests.query.openprose.builders import done, numbered

CELLS = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(max_size=3),
    st.binary(max_size=3),
)  # fmt: skip
ROWS: st.SearchStrategy[list[Row]] = st.lists(st.tuples(*[CELLS] * 9), max_size=30)
few = settings(max_examples=60, deadline=None)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that a short list has many."""
    monkeypatch.setattr(timeline, "BLOCK", 4)


def kept(*parts: list[Row]) -> KeptRows:
    rows = KeptRows()
    for part in parts:
        rows.extend(part)
    return rows


class TestKeptRows:
    @few
    @given(ROWS, ROWS, st.integers(0, 60), st.integers(0, 60))
    def test_any_stretch_comes_out_as_it_went_in(
        self, first: list[Row], second: list[Row], start: int, end: int
    ) -> None:
        assert list(kept(first, second).between(start, end)) == (first + second)[start:end]

    @few
    @given(ROWS, st.integers(0, 40), ROWS)
    def test_what_is_cut_is_gone(self, rows: list[Row], length: int, more: list[Row]) -> None:
        left = kept(rows)
        left.cut(length)
        assert list(left.between(0, 100)) == rows[:length]
        left.extend(more)
        assert list(left.between(0, 100)) == rows[:length] + more
        assert len(left) == len(rows[:length] + more)

    @few
    @given(ROWS, ROWS)
    def test_where_lists_begin_to_differ(self, rows: list[Row], others: list[Row]) -> None:
        same = 0
        while same < min(len(rows), len(others)) and rows[same] == others[same]:
            same += 1
        assert kept(rows).first_difference(others) == same

    @given(st.integers(0, 30), st.integers(0, 30))
    @few
    def test_also_of_an_end(self, start: int, changed: int) -> None:
        rows = numbered([done(n) for n in range(30)])
        others = [row if n != changed else (row[0], *done("other")) for n, row in enumerate(rows)]
        expected = changed if changed >= start else 30
        assert kept(rows).first_difference(others[start:], start) == max(expected, start)

    def test_a_row_is_known_by_every_cell(self) -> None:
        rows = numbered([done(1)])
        for cell in range(9):
            other = (*rows[0][:cell], "other", *rows[0][cell + 1 :])
            assert not kept(rows).same(0, other)
        assert kept(rows).same(0, (*rows[0],))

    @pytest.mark.parametrize(("one", "other"), [(0, ""), (-1, -2), (0, b"")])
    def test_what_is_only_alike_is_another_row(self, one: object, other: object) -> None:
        """Python's own hashes of these are the same."""
        row = numbered([done(1)])[0]
        assert not kept([(*row[:3], one, *row[4:])]).same(0, (*row[:3], other, *row[4:]))
