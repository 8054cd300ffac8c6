"""The row under the cursor of a grid: laid out below it, read whole when asked for, copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inspector.live.feed import Unavailable
from inspector.query.raw_database import MORE_KEPT
from inspector.query.raw_pages import Row
from inspector.ui.run import cells
from inspector.ui.run.content import Content, record_content
from inspector.ui.run.content_view import ContentView, Titled
from inspector.ui.run.copying import fit_to_copy
from inspector.ui.run.database_asking import DatabaseAsker
from inspector.ui.run.grid import Grid
from inspector.ui.run.label import safe
from inspector.ui.run.pane import Copy
from inspector.ui.run.table_rows import TableRows


class RowDetail:
    """Tells of one row; `told` is called when more of it was read."""

    def __init__(
        self, asker: DatabaseAsker, grid: Grid, view: ContentView, told: Callable[[], None]
    ) -> None:
        self._asker = asker
        self._grid = grid
        self._view = view
        self._told = told
        self._whole: tuple[Row, Row] | None = None
        """A row as its page has it, and with more of its cells."""
        self._content: tuple[Row, Content] | None = None

    def left(self) -> None:
        """The cursor went to another row."""
        self._whole = None

    def tell(self, table: TableRows | None, *, keep: bool, empty: str) -> None:
        """Shows the row; `table` = it is a row of this table, and more of it can be read."""
        glyphs, grid, view = self._grid.ui.glyphs, self._grid, self._view
        row = grid.selected
        if row is None or not grid.columns:
            view.tell(Titled("", (), None, empty), keep=False)
            return
        facts = [cells.told(grid.cell)]
        if table is not None:
            declared = table.declared(grid.column)
            facts = [*([f"declared {declared}"] if declared else []), *facts, table.where(row)]
        else:
            facts.append(f"row {grid.cursor + 1:,}")
        told = tuple(safe(one, glyphs) for one in facts)
        title = grid.columns[grid.column].title
        view.tell(Titled(title, told, self._record(row)), keep=keep)
        if table is not None and self._whole is None:
            self.read_more(table, MORE_KEPT)

    def _names(self) -> Sequence[str]:
        return [column.name for column in self._grid.columns]

    def _current(self, row: Row) -> Row:
        """The row with as many of its cells as were read."""
        known = self._whole
        return known[1] if known is not None and known[0] is row else row

    def _record(self, row: Row) -> Content:
        shown = self._current(row)
        if self._content is None or self._content[0] is not shown:
            record = cells.as_record(self._names(), shown.cells)
            self._content = shown, record_content(record)
        return self._content[1]

    def read_more(self, table: TableRows, kept: int) -> None:
        """Reads a row that a page has only the beginnings of, up to so many characters a cell."""
        row, shape, place = self._grid.selected, table.shape, self._grid.cursor
        if row is None or shape is None or cells.is_whole(self._current(row).cells):
            return
        names = self._names()

        def take(answer: tuple[Row, Content] | Unavailable | None) -> None:
            if isinstance(answer, tuple) and self._grid.selected is row:
                self._whole = row, answer[0]
                self._content = answer
                self._told()

        self._asker.ask(
            lambda source: _with_content(source.row(shape, row.key, place, kept), names), take
        )

    def copy(self, *, whole: bool) -> Copy | None:
        """The cell under the cursor, or the whole row."""
        row, grid = self._grid.selected, self._grid
        if row is None or not grid.columns:
            return None
        if whole:
            return Copy(as_text(self._record(row)), "the row")
        cell = self._current(row).cells[grid.column]
        text = cells.full(cell)
        shown = cells.NULL if text is None else str(text)
        what = "the cell" if cells.is_whole([cell]) else "the beginning of the cell"
        return Copy(fit_to_copy(grid.columns[grid.column].name, shown), what)


def _with_content(row: Row | None, names: Sequence[str]) -> tuple[Row, Content] | None:
    """A row laid out; on the database's thread, because it may be long."""
    return None if row is None else (row, record_content(cells.as_record(names, row.cells)))


def as_text(content: Content) -> str:
    """The lines of a content as they are copied."""
    return "\n".join(line.lead + line.key + line.rest for line in content.lines)
