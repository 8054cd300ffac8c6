"""The pages of a table: whatever is looked at and written in between, no row is lost or doubled."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.query.raw_pages import Page, Range, Row
from inspector.ui.panes.table_rows import PageCache

PAGE = 4


def read(rows: list[int], wanted: Range, count: int, *, keyed: bool) -> Page:
    """What a database with these rows answers."""
    if not keyed:
        found = rows[wanted.skip : wanted.skip + count]
        return Page(tuple(Row(None, (n,)) for n in found), wanted.skip + count < len(rows))
    first, last = 0, len(rows)
    if wanted.low is not None:
        (low,), included = wanted.low
        first = bisect_left(rows, low) if included else bisect_right(rows, low)
    if wanted.high is not None:
        (high,), included = wanted.high
        last = bisect_right(rows, high) if included else bisect_left(rows, high)
    found = rows[first:last][wanted.skip :]
    some = found[-count:] if wanted.backward else found[:count]
    return Page(tuple(Row((n,), (n,)) for n in some), len(found) > len(some))


def look(cache: PageCache, rows: list[int], place: int, *, keyed: bool = True) -> None:
    """Looks at a row until it is known."""
    for _ in range(50):
        wanted = cache.wanted(min(place, len(cache) - 1))
        if wanted is None:
            return
        cache.store(wanted, read(rows, wanted.range, wanted.count, keyed=keyed))
    raise AssertionError("reading does not end")


def look_at_all(cache: PageCache, rows: list[int], *, keyed: bool = True) -> list[int]:
    place = 0
    found = []
    while place < len(cache):
        look(cache, rows, place, keyed=keyed)
        row = cache.row(place)
        if row is not None:
            found.append(row.cells[0])
        place += 1
    return found


NUMBERS = st.lists(st.integers(0, 300), unique=True, max_size=60).map(sorted)


@settings(max_examples=300, deadline=None)
@given(rows=NUMBERS, looks=st.lists(st.integers(0, 60), max_size=12), counted=st.booleans())
def test_every_row_is_there_once_wherever_reading_began(
    rows: list[int], looks: list[int], counted: bool
) -> None:
    cache = PageCache(PAGE, keyed=True)
    if counted:
        cache.count(len(rows))
    for place in looks:
        if len(cache):
            look(cache, rows, place)
    assert look_at_all(cache, rows) == rows
    assert len(cache) == len(rows) and cache.ended


@settings(max_examples=200, deadline=None)
@given(rows=NUMBERS, looks=st.lists(st.integers(0, 60), max_size=8))
def test_rows_without_keys_are_there_by_their_place(rows: list[int], looks: list[int]) -> None:
    cache = PageCache(PAGE, keyed=False)
    cache.count(len(rows))
    for place in looks:
        if len(cache):
            look(cache, rows, place, keyed=False)
    assert look_at_all(cache, rows, keyed=False) == rows


@settings(max_examples=300, deadline=None)
@given(before=NUMBERS, after=NUMBERS, looks=st.lists(st.integers(0, 60), max_size=8))
def test_after_a_write_all_rows_are_those_that_are_there_now(
    before: list[int], after: list[int], looks: list[int]
) -> None:
    cache = PageCache(PAGE, keyed=True)
    cache.count(len(before))
    for place in looks:
        if len(cache):
            look(cache, before, place)
    cache.count(len(after))
    cache.outdated()
    found = look_at_all(cache, after)
    assert sorted(set(found)) == found
    if len(cache) == 0:
        # Nothing is left to look at: the table is opened anew.
        return
    assert found == after


def test_the_end_is_reached_without_what_is_before_it() -> None:
    rows = list(range(1000))
    cache = PageCache(PAGE, keyed=True)
    cache.count(len(rows))
    wanted = cache.wanted(999)
    assert wanted is not None and wanted.range.backward and not wanted.range.skip
    look(cache, rows, 999)
    last = cache.row(999)
    assert last is not None and last.cells == (999,)
    assert cache.known <= 2 * PAGE


def test_a_row_keeps_its_key_when_others_come_before_it() -> None:
    cache = PageCache(PAGE, keyed=True)
    look_at_all(cache, [10, 20, 30, 40, 50, 60])
    assert cache.find((60,)) == 5
    rows = [1, 2, 10, 20, 30, 40, 50, 60]
    cache.count(len(rows))
    cache.outdated()
    look_at_all(cache, rows)
    assert cache.find((60,)) == 7


def test_pages_that_nobody_looks_at_are_let_go() -> None:
    rows = list(range(20_000))
    cache = PageCache(PAGE, keyed=True, columns=50_000)
    cache.count(len(rows))
    for place in range(0, 400, PAGE):
        look(cache, rows, place)
    kept = sum(1 for place in range(400) if cache.row(place) is not None)
    assert PAGE <= kept <= 10 * PAGE
    look(cache, rows, 0)
    first = cache.row(0)
    assert first is not None and first.cells == (0,)
