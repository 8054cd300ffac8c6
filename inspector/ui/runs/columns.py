"""Where each column of the list stands; columns leave in a fixed order as it gets narrow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from inspector.text.numbers import CLOCK_TIME_CELLS, DURATION_CELLS, TOKENS_CELLS
from inspector.ui.lines import NARROW, margin

TITLE_CELLS = 20
"""What a title has at least, from 60 columns on."""
WORD_CELLS = 11
RUNTIME_CELLS = 9
RUN_CELLS = 7
DONE_CELLS = 4
NOW_CELLS = 12
NET_CELLS = 11
MOST_NOW_CELLS = 32
_SHORT_STARTED = 7

_FROM_NET, _FROM_TOKENS, _FROM_RUN, _FROM_LONG_DATES, _FROM_WORD, _FROM_STARTED = (
    120,
    108,
    100,
    83,
    77,
    65,
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns for one width. `*_end` is where a right-aligned column ends; None = it has left."""

    width: int
    sign: int
    mark: int
    title: int
    title_cells: int
    elapsed_end: int
    word: int | None = None
    runtime: int | None = None
    run: int | None = None
    started_end: int | None = None
    done_end: int | None = None
    now: int | None = None
    now_cells: int = 0
    tokens_end: int | None = None
    net_end: int | None = None

    @property
    def grouped(self) -> bool:
        """Whether the names of groups have a place: where the status word would stand."""
        return self.word is not None

    @property
    def headed(self) -> bool:
        """Whether there is a row of column names."""
        return self.done_end is not None


@lru_cache(maxsize=64)
def columns_for(width: int, *, money: bool = True) -> Columns:
    """The columns of a list of this width; without `money` titles have the place of NET."""
    if width < NARROW:
        end = width - margin(width)
        title = 5
        return Columns(width, 1, 3, title, max(1, end - DURATION_CELLS - 2 - title), end)
    return _wide(width, money)


def _wide(width: int, money: bool) -> Columns:
    edge = margin(width)
    word = edge + 2 if width >= _FROM_WORD else None
    mark = edge + 2 + (WORD_CELLS + 1 if word is not None else 0)
    net = money and width >= _FROM_NET
    title, spare = mark + 2, _spare(width, net)
    more_now = min(MOST_NOW_CELLS - NOW_CELLS, spare // 2) if width > _FROM_NET else 0
    title_cells = TITLE_CELLS + spare - more_now
    column = title + title_cells
    runtime = run = started_end = tokens_end = net_end = None
    if width >= _FROM_RUN:
        runtime = column + 2
        run = runtime + RUNTIME_CELLS + 2
        column = run + RUN_CELLS
    if width >= _FROM_STARTED:
        long_dates = width >= _FROM_LONG_DATES
        column += 2 + CLOCK_TIME_CELLS if long_dates else 1 + _SHORT_STARTED
        started_end = column
    elapsed_end = column + 2 + DURATION_CELLS
    done_end = elapsed_end + 2 + DONE_CELLS
    now = done_end + (3 if width >= _FROM_TOKENS else 2)
    now_end = width - edge
    if width >= _FROM_TOKENS:
        now_end = now + NOW_CELLS + more_now
        tokens_end = now_end + 1 + TOKENS_CELLS
    if tokens_end is not None and net:
        net_end = tokens_end + 1 + NET_CELLS
    return Columns(
        width,
        edge,
        mark,
        title,
        title_cells,
        elapsed_end,
        word,
        runtime,
        run,
        started_end,
        done_end,
        now,
        now_end - now,
        tokens_end,
        net_end,
    )


def _spare(width: int, net: bool) -> int:
    """Cells beyond what the columns of this width take at least."""
    if net:
        return width - _FROM_NET
    for least in (_FROM_TOKENS, _FROM_RUN, _FROM_LONG_DATES):
        if width >= least:
            return width - least
    if width >= _FROM_WORD:
        return 0
    return width - _FROM_STARTED if width >= _FROM_STARTED else width - 57
