"""Human output on a terminal, drawn by Rich: tables, trees, progress. Never imported by `--json`.

Text from data arrives escaped and masked (`output.shown`) and is handed to Rich as `Text`, so that
nothing in it is read as markup. Colours follow NO_COLOR and TERM.
"""

from __future__ import annotations

import io
import shutil
import sys
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console, OverflowMethod, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from inspector.query.progress import Progress as OnProgress

STYLES = {
    "running": "cyan", "waiting": "yellow", "completed": "green", "failed": "bold red",
    "interrupted": "magenta", "pending": "dim", "skipped": "dim", "not_needed": "dim",
    "unconfirmed": "yellow", "unknown": "dim", "denied": "red",
    "ok": "green", "holds": "green", "cannot": "yellow", "partial": "yellow", "busy": "yellow",
    "empty": "dim", "unreadable": "red",
    "unsupported": "red", "gone": "red", "verified": "green", "broken": "bold red",
}  # fmt: skip
"""Status, health or verdict → Rich style; anything else is plain."""

ENOUGH_CELLS = 20
"""Cells of a column that may be shortened or folded, before optional columns are dropped."""
PROGRESS_AFTER_SECONDS = 0.5


class _Buffer(io.StringIO):
    """Collects output under the encoding of standard output, which decides about ASCII guides."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stdout.encoding or "ascii"


def _terminal_cells() -> int:
    """Return the width of the terminal, at least 40."""
    return max(shutil.get_terminal_size().columns, 40)


def style_of(word: str) -> str:
    """Return the style of a status, or of the first status in a sentence."""
    return next((STYLES[one] for part in word.split() if (one := part.rstrip(":")) in STYLES), "")


def rendered(renderable: RenderableType) -> str:
    """Return what Rich draws for standard output, at most as wide as the terminal."""
    buffer = _Buffer()
    console = Console(
        file=buffer, force_terminal=True, width=_terminal_cells(), highlight=False, emoji=False
    )
    console.print(renderable)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def table(
    rows: Sequence[Sequence[str]],
    right: Container[int],
    status: Container[int],
    shortened: Container[int],
    optional: Sequence[int] = (),
) -> str:
    """Return a table; see `output.write_table`. Other cells that do not fit are folded."""
    if dropped := _dropped(rows, shortened, optional):
        kept = [at for at in range(len(rows[0])) if at not in dropped]
        return table(
            [[row[at] for at in kept] for row in rows],
            {new for new, at in enumerate(kept) if at in right},
            {new for new, at in enumerate(kept) if at in status},
            {new for new, at in enumerate(kept) if at in shortened},
        )
    drawn = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    last = len(rows[0]) - 1
    for at, title in enumerate(rows[0]):
        drawn.add_column(
            Text(title),
            justify="right" if at in right else "left",
            # Rich narrows the other columns only when these have become too narrow.
            no_wrap=at not in shortened and at != last,
            overflow="fold",
        )
    for row in rows[1:]:
        drawn.add_row(*(_cell(cell, at in status, at in shortened) for at, cell in enumerate(row)))
    return rendered(drawn)


def _dropped(
    rows: Sequence[Sequence[str]], shortened: Container[int], optional: Sequence[int]
) -> set[int]:
    """Return the optional columns for which the terminal is too narrow, first ones first."""
    cells = [max(cell_len(row[at]) for row in rows) + 2 for at in range(len(rows[0]))]
    for at in range(len(cells)):
        if at in shortened or at == len(cells) - 1:
            cells[at] = min(cells[at], ENOUGH_CELLS)
    dropped: set[int] = set()
    for at in optional:
        if sum(cells) - 2 <= _terminal_cells():
            break
        dropped.add(at)
        cells[at] = 0
    return dropped


def _cell(text: str, is_status: bool, is_shortened: bool) -> Text:
    cell = Text(text, style_of(text) if is_status else "")
    if is_shortened:
        cell.no_wrap, cell.overflow = True, _overflow()
    return cell


def _overflow() -> OverflowMethod:
    """Return how text is cut: with an ellipsis where the encoding has one."""
    return "ellipsis" if (sys.stdout.encoding or "").lower().startswith("utf") else "crop"


def styled(line: str, style: str) -> str:
    """Return one line in a style, shortened to the terminal's width."""
    return rendered(Text(line, style=style, no_wrap=True, overflow=_overflow()))


class StepTree:
    """A tree of steps, built from the root in order."""

    def __init__(self) -> None:
        self._root = Tree("", hide_root=True, guide_style="dim")
        self._open: list[Tree] = [self._root]

    def add(self, level: int, sign: str, label: str, status: str, error: str = "") -> None:
        """Append a step below the last one with a smaller level (the first level is 0)."""
        del self._open[min(level, len(self._open) - 1) + 1 :]
        text = Text(f"{sign} ", style=style_of(status), no_wrap=True, overflow=_overflow())
        text.append(label, style="dim" if STYLES.get(status) == "dim" else "")
        text.append(error, style=STYLES["failed"])
        self._open.append(self._open[-1].add(text))

    def __str__(self) -> str:
        return rendered(self._root)


@contextmanager
def reading_progress() -> Iterator[OnProgress]:
    """Yield a callback that draws a bar on standard error once a read takes longer than 0.5 s."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("Reading"), BarColumn(), TaskProgressColumn(), console=console, transient=True
    )
    began = time.monotonic()
    task = bar.add_task("", total=None)

    def advance(done: int, total: int) -> None:
        if time.monotonic() - began < PROGRESS_AFTER_SECONDS:
            return
        if not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()
