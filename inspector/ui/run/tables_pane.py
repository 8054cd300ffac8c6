"""The tab of tables: all there are, the rows of one, questions in SQL; one level at a time."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from inspector.model.run import Run
from inspector.query.raw_database import WHOLE
from inspector.query.view import RunView
from inspector.ui.palette import Role
from inspector.ui.run.asking import Asker
from inspector.ui.run.content import record_content
from inspector.ui.run.content_view import ContentView
from inspector.ui.run.copying import fit_to_copy
from inspector.ui.run.database_asking import DatabaseAsker
from inspector.ui.run.grid import Fixed, Grid
from inspector.ui.run.label import safe
from inspector.ui.run.pane import Copy, Pane
from inspector.ui.run.raw_bar import RawBar
from inspector.ui.run.record_list import RecordList
from inspector.ui.run.row_detail import RowDetail, as_text
from inspector.ui.run.sql_asked import SqlAsked
from inspector.ui.run.sql_field import SqlField
from inspector.ui.run.table_rows import TableRows
from inspector.ui.run.tables_listed import TablesListed
from inspector.ui.widgets.line_list import LineList

AGAIN = 0.5
"""Seconds between two readings of the list while the run goes on."""
LIST, ROWS, ANSWER = "-list", "-rows", "-answer"
DETAIL = "-detail"
"""The class of a pane that shows one row alone."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What answers on the three levels."""

    database: DatabaseAsker
    listed: TablesListed
    asked: SqlAsked
    detail: RowDetail


class TablesPane(Pane):
    """Three levels, one at a time: the tables, the rows of a table, the answer to a question."""

    def __init__(self, asker: Asker, run: Run) -> None:
        super().__init__(asker, id="tables-pane")
        self.run = run
        self.level = LIST
        self.add_class(LIST)
        self._outdated = True
        self._again: Timer | None = None
        self._asks_when_ready = False
        self._made: _Parts | None = None
        self._table: TableRows | None = None

    def compose(self) -> ComposeResult:
        """The question, what is shown, the list or the rows, and what is under the cursor."""
        yield SqlField()
        yield RawBar()
        yield RecordList()
        yield Grid(self._want)
        yield ContentView(id="content")

    def on_mount(self) -> None:
        """A thread of its own: what takes long here keeps no view of the run waiting."""
        database = DatabaseAsker(self.run.store.path, self.ui.clock, self)
        self._made = _Parts(
            database,
            TablesListed(self.asker, database, self.tables, self._listed),
            SqlAsked(database, self.grid, self._answered, self.ui.glyphs),
            RowDetail(database, self.grid, self.query_one(ContentView), self._told),
        )
        self._arrange()
        if self._asks_when_ready:
            self.call_after_refresh(self.ask_sql)

    def on_unmount(self) -> None:
        """Private copies go."""
        self._parts.database.stop()

    @property
    def _parts(self) -> _Parts:
        assert self._made is not None
        return self._made

    @property
    def tables(self) -> RecordList:
        """The tables."""
        return self.query_one(RecordList)

    @property
    def grid(self) -> Grid:
        """The rows of one of them, or of an answer."""
        return self.query_one(Grid)

    @property
    def field(self) -> SqlField:
        """The question."""
        return self.query_one(SqlField)

    @property
    def main(self) -> Widget:
        """What has the focus on this level."""
        if self.is_detail:
            return self.query_one(ContentView)
        if self.level == ANSWER and not self.grid.columns:
            return self.field
        return self.tables if self.level == LIST else self.grid

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer of the level."""
        if self.level == LIST:
            return (("enter", "its rows"), ("sql", "sql"), ("copy.value", "copy record"))
        if self.field.has_focus:
            return (("enter", "ask"), ("back", "leave"))
        if self.is_detail:
            return (("back", "back"), ("copy.value", "copy row"))
        return (
            ("enter", "whole row"),
            ("outward", "column"),
            ("copy.value", "copy cell"),
            ("sql", "sql"),
            ("back", "back"),
            ("copy.location", "copy location"),
        )

    # What arrives

    def take(self, view: RunView) -> None:
        """Another view: there may be other tables."""
        self._outdated = True
        if self.display and self._again is None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads the list if it may be another one."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._again = None
        self._outdated = False
        self._parts.listed.outdated()
        self._parts.listed.read()

    def _listed(self) -> None:
        self.field.know(self._parts.listed.names())
        if self.level == LIST:
            self._tell(keep=True)
            self._parts.listed.count_next()

    def tick(self) -> None:
        """Reads anew what was written; says how long a question takes already."""
        if self.level == ROWS and self._table is not None:
            self._table.look()
        elif self.level == ANSWER and self._parts.asked.running:
            self._tell(keep=True)

    def _want(self, place: int) -> None:
        if self.level == ROWS and self._table is not None:
            self._table.want(place)

    # Levels

    def _go(self, level: str) -> None:
        """Shows another level; what was asked on the one before is given up."""
        self._parts.database.turn()
        self.remove_class(LIST, ROWS, ANSWER, DETAIL)
        self.add_class(level)
        self.level = level
        self.grid.show(Fixed(), ())
        self._arrange()

    def _arrange(self) -> None:
        alone = self.is_detail
        self.tables.display = self.level == LIST
        self.grid.display = self.level != LIST and not alone
        self.field.display = self.level == ANSWER and not alone

    def _show_hints(self) -> None:
        show = getattr(self.screen, "show_hints", None)
        if show is not None and self.display:
            show()

    @property
    def is_detail(self) -> bool:
        """Whether one row is shown alone."""
        return self.has_class(DETAIL)

    def _show_detail(self, shown: bool) -> None:
        self.set_class(shown, DETAIL)
        self._arrange()
        self.main.focus()

    def open_table(self, name: str) -> None:
        """Shows the rows of a table."""
        self._go(ROWS)
        database, glyphs = self._parts.database, self.ui.glyphs
        self._table = TableRows(name, database, self.grid, self._told, glyphs)
        self.grid.focus()
        self._tell(keep=False)

    def ask_sql(self) -> None:
        """Opens the line for a question, as soon as there is one; or goes back to it."""
        if self._made is None:
            self._asks_when_ready = True
            return
        if self.level != ANSWER:
            table = self._table.name if self.level == ROWS and self._table else None
            self._go(ANSWER)
            self._parts.asked.begin(self.field, table)
            self._tell(keep=False)
        self._show_detail(False)
        self.field.focus()

    def back(self) -> bool:
        """Gives up a question, closes the row, or goes to the level around."""
        if self._parts.asked.running:
            self._parts.asked.cancel()
        elif self.is_detail:
            self._show_detail(False)
        elif self.level == LIST:
            return False
        elif self.level == ANSWER and self._table is not None:
            self.open_table(self._table.name)
        else:
            self._table = None
            self._go(LIST)
            self.tables.focus()
            self._listed()
        return True

    def enter(self) -> None:
        """Opens a table, or the whole of a row."""
        if self.level == LIST:
            record = self.tables.record
            if record is not None:
                self.open_table(str(record["name"]))
        elif self.grid.selected is not None and not self.is_detail:
            self._show_detail(True)
            if self.level == ROWS and self._table is not None:
                self._parts.detail.read_more(self._table, WHOLE)

    def inward(self) -> None:
        """A column further right."""
        self.grid.turn(1)

    def outward(self) -> None:
        """A column further left."""
        self.grid.turn(-1)

    # The question

    @on(SqlField.Left)
    def _left(self, event: SqlField.Left) -> None:
        event.stop()
        asked = self._parts.asked
        if event.key == "enter":
            asked.ask(self.field, self.app)
            self._tell(keep=False)
        elif event.key == "escape":
            self.back()
        elif event.key == "tab":
            if not self.field.complete() and self.grid.columns:
                self.grid.focus()
        else:
            asked.older(self.field, self.app, -1 if event.key == "up" else 1)

    def _answered(self) -> None:
        if self.level != ANSWER:
            return
        if self.grid.columns and len(self.grid.columns):
            self.grid.focus()
        self._tell(keep=False)

    # What is under the cursor

    def on_descendant_focus(self) -> None:
        """What can be done depends on whether something is being typed."""
        self._show_hints()

    def _told(self) -> None:
        self._tell(keep=True)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._parts.detail.left()
        self._tell(keep=False)

    @on(Grid.Turned)
    def _turned(self) -> None:
        self._tell(keep=True)

    def _tell(self, *, keep: bool) -> None:
        parts, bar = self._parts, self.query_one(RawBar)
        if self.level == LIST:
            parts.listed.tell(bar, self.query_one(ContentView), keep=keep)
        elif self.level == ANSWER:
            bar.show("", *parts.asked.facts())
            parts.detail.tell(None, keep=keep, empty="")
        elif self._table is not None:
            self._tell_table(self._table, bar)
            empty = "It has no rows." if self._table.is_empty else ""
            parts.detail.tell(self._table, keep=keep, empty=empty)

    def _tell_table(self, table: TableRows, bar: RawBar) -> None:
        glyphs, many = self.ui.glyphs, len(self.grid.columns)
        bar.show(
            safe(table.name, glyphs),
            (safe(table.trouble, glyphs), Role.WARNING),
            (table.how_many(), Role.MUTED),
            (f"column {self.grid.column + 1:,} of {many:,}" if many else "", Role.MUTED),
            ("view" if table.shape is not None and table.shape.is_view else "", Role.MUTED),
        )

    # Copying

    def value_to_copy(self) -> Copy | None:
        """The cell under the cursor; where the whole row is open, the row."""
        if self.level != LIST:
            return self._parts.detail.copy(whole=self.is_detail)
        record = self.tables.record
        if record is None:
            return None
        return Copy(as_text(record_content(dict(record))), "the record")

    def place_to_copy(self) -> Copy | None:
        """Database, table and row; of an answer the question."""
        row, table = self.grid.selected, self._table
        parts = [self.run.store.path]
        if self.level == ANSWER:
            parts.append(self._parts.asked.sql)
        elif self.level == ROWS and table is not None:
            parts += [f"table {table.name}", *([table.where(row)] if row is not None else [])]
        elif self.tables.record is not None:
            parts.append(f"table {self.tables.record['name']}")
        return Copy(fit_to_copy(None, "  ".join(parts)), "the location")

    def redraw(self) -> None:
        """Another zone or theme."""
        self.tables.repaint()
        self.grid.repaint()
