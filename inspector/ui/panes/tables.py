"""The tab of tables: the list of tables, the rows of one, SQL queries; one level at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.query.presentation import Column, RecordTable, Tone
from inspector.query.raw_database import WHOLE
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import Content, ContentLine, record_content
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import safe
from inspector.ui.lines import LineWidget, gap, margin
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.grid import Fixed, Grid
from inspector.ui.panes.master_detail import RELOAD_DELAY, content_text
from inspector.ui.panes.master_detail import ROWS as ROWS_TOPIC
from inspector.ui.panes.queries import DatabaseQueries, RunQueries
from inspector.ui.panes.records import Record, RecordList
from inspector.ui.panes.sql import SqlField, SqlSession
from inspector.ui.panes.table_rows import RowDetail, TableRows
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

NAME_CELLS = 30
"""Maximum width of the name column."""
NOT_IN_SPEC = "not in the spec"


def _undocumented(record: Record) -> str:
    """What the runtime's specification does not include: the table, or some of its columns."""
    if not record.get("documented"):
        return "the whole table"
    extra = record.get("extra_columns")
    return ", ".join(map(str, extra)) if extra else ""


def _row_count(record: Record) -> str:
    """The number of rows; empty until the table is counted."""
    number = record.get("rows")
    return count(number) if isinstance(number, int) else ""


TABLES = RecordTable(
    (
        Column("table", 20, "name", tone=Tone.TEXT, grows=True),
        Column("kind", 6, "type", narrow=False),
        Column("rows", 11, _row_count, tone=Tone.TEXT, right=True),
        Column("columns", 7, "columns", right=True, narrow=False),
        Column(NOT_IN_SPEC, 19, _undocumented, narrow=False),
    ),
    "name",
)


def table_content(record: Record, glyphs: Glyphs) -> TitledContent:
    """The declared columns of a table, with types and constraints."""
    declared = record.get("declared") or [{"name": one} for one in record["columns"]]
    number = len(declared)
    facts = [str(record.get("type")), f"{number:,} {'column' if number == 1 else 'columns'}"]
    if not record.get("documented", True):
        facts.append(NOT_IN_SPEC)
    extra = record.get("extra_columns") or ()
    lines = tuple(_lines(declared, extra, glyphs))
    return TitledContent(safe(str(record["name"]), glyphs), tuple(facts), Content(lines, "columns"))


def _lines(
    declared: Sequence[Mapping[str, Any]], extra: Sequence[str], glyphs: Glyphs
) -> Iterator[ContentLine]:
    names = [safe(str(one["name"]), glyphs) for one in declared]
    wide = min(NAME_CELLS, max(map(cell_width, names), default=0))
    for name, one in zip(names, declared, strict=True):
        constraints = " ".join(
            word
            for word, holds in (
                (safe(str(one.get("type") or ""), glyphs), True),
                ("primary key", one.get("key")),
                ("not null", one.get("not_null")),
                ("generated", one.get("generated")),
                (
                    f"default {safe(str(one.get('default')), glyphs)}",
                    one.get("default") is not None,
                ),
                ("never read", one.get("withheld")),
                (NOT_IN_SPEC, one["name"] in extra),
            )
            if holds and word
        )
        shown = clip(name, NAME_CELLS, ellipsis=glyphs.cut)
        yield ContentLine("", shown + " " * (wide - cell_width(shown) + 2), constraints)


class FactBar(LineWidget):
    """A title and as many facts as fit."""

    def __init__(self) -> None:
        super().__init__(id="raw-bar")
        self._title = ""
        self._facts: tuple[tuple[str, Role], ...] = ()

    def show(self, title: str, *facts: tuple[str, Role]) -> None:
        """Shows escaped facts, most important first."""
        self._title, self._facts = title, tuple(fact for fact in facts if fact[0])
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws the line."""
        line, cut = self.line(width), self.ui.glyphs.cut
        edge, end = margin(width), width - margin(width)
        line.put(edge, "")
        if self._title:
            # Clip a long name rather than drop the facts about it.
            least = sum(len(text) + gap(width) for text, _ in self._facts[:1])
            room = max((end - edge) // 2, end - edge - least)
            line.put(edge, clip(self._title, room, ellipsis=cut), Role.STRONG)
        for text, role in self._facts:
            skip = gap(width) if line.cells > edge else 0
            room = end - line.cells - skip
            if room < min(8, len(text)):
                break
            line.add(clip(text, room, ellipsis=cut), role, skip=skip)
        return line.strip()


class TableListLoader:
    """Reads the list with the run's reader, then counts rows; `changed` is called after each."""

    def __init__(
        self,
        queries: RunQueries,
        database: DatabaseQueries,
        shown: RecordList[Record],
        changed: Callable[[], None],
    ) -> None:
        self.records: tuple[Record, ...] = ()
        self._queries = queries
        self._database = database
        self._shown = shown
        self._changed = changed
        self._absent: tuple[str, ...] = ()
        self._counts: dict[str, int | None] = {}
        self._trouble = ""
        self._read = False

    async def load(self) -> None:
        """Reads the list."""
        self._counts.clear()
        answer = await self._queries.ask(_tables)
        self._read = True
        if isinstance(answer, Unavailable):
            self._trouble = answer.reason
        else:
            self._trouble = ""
            self.records = tuple(one for one in answer if not one.get("missing"))
            self._absent = tuple(str(one["name"]) for one in answer if one.get("missing"))
        self._show()

    def names(self) -> dict[str, list[str]]:
        """Tables with their columns."""
        return {str(one["name"]): list(one["columns"]) for one in self.records}

    def _show(self) -> None:
        shown = ({**one, "rows": self._counts.get(str(one["name"]))} for one in self.records)
        self._shown.show(TABLES, tuple(shown))
        self._changed()

    def count_next(self) -> None:
        """Counts the rows of the next table that has no count."""
        names = (str(one["name"]) for one in self.records)
        name = next((name for name in names if name not in self._counts), None)
        if name is None or self._database.waiting:
            return
        self._database.start(partial(self._count, name))

    async def _count(self, name: str) -> None:
        answer = await self._database.ask(lambda database: database.count_of(name))
        self._counts[name] = answer if isinstance(answer, int) else None
        self._show()

    def render_detail(self, bar: FactBar, view: ContentView, *, keep: bool) -> None:
        """Shows how many tables there are, which are missing, and the selected one's columns."""
        glyphs, record, number = self._shown.ui.glyphs, self._shown.record, len(self.records)
        title = f"{number:,} {'table or view' if number == 1 else 'tables and views'}"
        absent = f"missing from this database: {', '.join(self._absent)}"
        bar.show(
            title if self.records else "",
            (safe(self._trouble, glyphs), Role.WARNING),
            (safe(absent, glyphs) if self._absent else "", Role.MUTED),
        )
        if record is None:
            nothing = self._read and not self._trouble
            view.show_content(
                TitledContent("", (), None, "This database has no tables." if nothing else ""),
                keep=False,
            )
        else:
            view.show_content(table_content(record, glyphs), keep=keep)


def _tables(reader: RunReader) -> tuple[Record, ...]:
    return tuple(reader.record("tables"))


LIST, ROWS, ANSWER = "-list", "-rows", "-answer"
DETAIL = "-detail"
"""The class of the pane while it shows one row alone."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """Parts that exist once the pane is mounted."""

    database: DatabaseQueries
    listed: TableListLoader
    sql: SqlSession
    detail: RowDetail


class TablesPane(Pane):
    """Three levels, one at a time: the tables, the rows of a table, the answer of a query."""

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="tables-pane")
        self.run = run
        self.level = LIST
        self.add_class(LIST)
        self._stale = True
        self._reload: Timer | None = None
        self._asks_when_ready = False
        self._made: _Parts | None = None
        self._table: TableRows | None = None

    def compose(self) -> ComposeResult:
        """The SQL field, the table list or grid, and the detail."""
        yield SqlField()
        yield FactBar()
        yield RecordList[Record]()
        yield Grid(self._request)
        yield ContentView(id="content")

    def on_mount(self) -> None:
        """Starts the database thread: a slow query must not delay views of the run."""
        database = DatabaseQueries(self.run.store.path, self.ui.clock, self)
        self._made = _Parts(
            database,
            TableListLoader(self.queries, database, self.tables, self._listed),
            SqlSession(database, self.grid, self._sql_changed, self.ui.glyphs),
            RowDetail(database, self.grid, self.query_one(ContentView), self._refresh),
        )
        self._arrange()
        if self._asks_when_ready:
            self.call_after_refresh(self.ask_sql)

    async def on_unmount(self) -> None:
        """Ends the thread and removes private copies."""
        if self._made is not None:
            await self._made.database.close()

    @property
    def _parts(self) -> _Parts:
        assert self._made is not None
        return self._made

    @property
    def tables(self) -> RecordList[Record]:
        """The list of tables."""
        return self.query_one(RecordList)

    @property
    def grid(self) -> Grid:
        """The grid of rows, of a table or a query."""
        return self.query_one(Grid)

    @property
    def field(self) -> SqlField:
        """The SQL field."""
        return self.query_one(SqlField)

    @property
    def main(self) -> Widget:
        """The widget to focus on this level."""
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
            return (("enter", "run"), ("back", "close"))
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

    # Loading

    def update(self, view: RunView) -> None:
        """Reloads the list if the tab is in front, else when it is opened."""
        self._stale = True
        if self.display and self._reload is None:
            self._reload = self.set_timer(RELOAD_DELAY, self._load)

    def opened(self) -> None:
        """Loads the list if it may have changed."""
        if self._stale:
            self._load()

    def _load(self) -> None:
        self._reload, self._stale = None, False
        self.ask(ROWS_TOPIC, self._parts.listed.load)

    def _listed(self) -> None:
        self.field.set_names(self._parts.listed.names())
        if self.level == LIST:
            self._render_detail(keep=True)
            self._parts.listed.count_next()

    def on_second(self) -> None:
        """Reloads after writes; updates the duration of a running query."""
        if self.level == ROWS and self._table is not None:
            self._table.refresh()
        elif self.level == ANSWER and self._parts.sql.running:
            self._render_detail(keep=True)

    def _request(self, place: int) -> None:
        if self.level == ROWS and self._table is not None:
            self._table.request(place)

    # Levels

    def _go(self, level: str) -> None:
        """Shows another level and drops the questions of the previous one."""
        self._parts.database.drop()
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

    @property
    def is_detail(self) -> bool:
        """True if one row is shown alone."""
        return self.has_class(DETAIL)

    def _show_detail(self, shown: bool) -> None:
        self.set_class(shown, DETAIL)
        self._arrange()
        self.main.focus()

    def open_table(self, name: str) -> None:
        """Shows the rows of a table."""
        self._go(ROWS)
        database, glyphs = self._parts.database, self.ui.glyphs
        self._table = TableRows(name, database, self.grid, self._refresh, glyphs)
        self.grid.focus()
        self._render_detail(keep=False)

    def ask_sql(self) -> None:
        """Opens the SQL field, or focuses it."""
        if self._made is None:
            self._asks_when_ready = True
            return
        if self.level != ANSWER:
            table = self._table.name if self.level == ROWS and self._table else None
            self._go(ANSWER)
            self._parts.sql.begin(self.field, table)
            self._render_detail(keep=False)
        self._show_detail(False)
        self.field.focus()

    def back(self) -> bool:
        """Cancels a query, closes the row, or goes one level up."""
        if self._parts.sql.running:
            self._parts.sql.cancel()
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

    def action_enter(self) -> None:
        """Opens the table, or shows the whole row."""
        if self.level == LIST:
            record = self.tables.record
            if record is not None:
                self.open_table(str(record["name"]))
        elif self.grid.selected is not None and not self.is_detail:
            self._show_detail(True)
            if self.level == ROWS and self._table is not None:
                self._parts.detail.read_more(self._table, WHOLE)

    def action_inward(self) -> None:
        """Moves one column right."""
        self.grid.move_column(1)

    def action_outward(self) -> None:
        """Moves one column left."""
        self.grid.move_column(-1)

    # The query

    @on(SqlField.Exited)
    def _exited(self, event: SqlField.Exited) -> None:
        event.stop()
        session = self._parts.sql
        if event.key == "enter":
            session.run(self.field, self.app)
            self._render_detail(keep=False)
        elif event.key == "escape":
            self.back()
        elif event.key == "tab":
            if not self.field.complete() and self.grid.columns:
                self.grid.focus()
        else:
            session.older(self.field, self.app, -1 if event.key == "up" else 1)

    def _sql_changed(self) -> None:
        if self.level != ANSWER:
            return
        if self.grid.columns and len(self.grid.columns):
            self.grid.focus()
        self._render_detail(keep=False)

    # The selection

    def on_descendant_focus(self) -> None:
        """The footer depends on whether the SQL field has the focus."""
        self.hints_changed()

    def _refresh(self) -> None:
        self._render_detail(keep=True)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._parts.detail.forget()
        self._render_detail(keep=False)

    @on(Grid.Turned)
    def _turned(self) -> None:
        self._render_detail(keep=True)

    def _render_detail(self, *, keep: bool) -> None:
        parts, bar = self._parts, self.query_one(FactBar)
        if self.level == LIST:
            parts.listed.render_detail(bar, self.query_one(ContentView), keep=keep)
        elif self.level == ANSWER:
            bar.show("", *parts.sql.facts())
            parts.detail.show_row(None, keep=keep, empty="")
        elif self._table is not None:
            self._show_table_facts(self._table, bar)
            empty = "No rows." if self._table.is_empty else ""
            parts.detail.show_row(self._table, keep=keep, empty=empty)

    def _show_table_facts(self, table: TableRows, bar: FactBar) -> None:
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
        """The cell under the cursor; the row if it is shown alone."""
        if self.level != LIST:
            return self._parts.detail.copy(whole=self.is_detail)
        record = self.tables.record
        if record is None:
            return None
        return Copy(content_text(record_content(dict(record))), "the record")

    def location_to_copy(self) -> Copy | None:
        """Database, table and row; the query for an answer."""
        row, table = self.grid.selected, self._table
        parts = [self.run.store.path]
        if self.level == ANSWER:
            parts.append(self._parts.sql.sql)
        elif self.level == ROWS and table is not None:
            parts += [f"table {table.name}", *([table.where(row)] if row is not None else [])]
        elif self.tables.record is not None:
            parts.append(f"table {self.tables.record['name']}")
        return Copy(fit_to_copy(None, "  ".join(parts)), "the location")

    def redraw(self) -> None:
        """Redraws for another zone or theme."""
        self.tables.repaint()
        self.grid.repaint()
