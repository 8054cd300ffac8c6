"""SQL queries of the tables tab: history, completion, the input field and the running query."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.strip import Strip
from textual.suggester import Suggester

from inspector.query.ask_sql import MOST_ROWS, CannotAnswer, SqlAnswer
from inspector.query.raw_database import RawDatabase
from inspector.query.raw_pages import Row
from inspector.text.measure import clip
from inspector.text.numbers import count, duration
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import safe
from inspector.ui.lines import Line
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.grid import Fixed, Grid, columns_of
from inspector.ui.panes.queries import DatabaseQueries
from inspector.ui.widgets.prompt_input import PromptInput, _tail

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")

_KEYWORDS = """
    abort action add after all alter always analyze and as asc attach autoincrement before begin
    between by cascade case cast check collate column commit conflict constraint create cross
    current current_date current_time current_timestamp database default deferrable deferred delete
    desc detach distinct do drop each else end escape except exclude exclusive exists explain fail
    filter first following for foreign from full generated glob group groups having if ignore
    immediate in index indexed initially inner insert instead intersect into is isnull join key last
    left like limit match materialized natural no not nothing notnull null nulls of offset on or
    order others outer over partition plan pragma preceding primary query raise range recursive
    references regexp reindex release rename replace restrict returning right rollback row rows
    savepoint select set table temp temporary then ties to transaction trigger unbounded union
    unique update using vacuum values view virtual when where window with without
"""
"""SQLite keywords. All are quoted: which ones may be unquoted has changed between versions."""

_RESERVED = frozenset(_KEYWORDS.split())


def quoted_name(name: str) -> str:
    """A name for use in SQL, quoted unless it is a plain word."""
    if _PLAIN.match(name) and name.lower() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


PROMPT = "sql"
HINT = "one SELECT, read only; ↑ ↓ what was asked, tab completes"
MOST_ASKED = 200
LONGEST = 100_000
"""Maximum characters of a query in the history; SQLite's own limit is a million."""

_WORD = re.compile(r'(?:"(?:[^"]|"")*|[^\W\d]\w*)$')
_TABLE_WORDS = ("from", "join", "into", "table")
_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "COUNT(*)", "DISTINCT",
    "HAVING", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "UNION", "WITH",
)  # fmt: skip


class History:
    """Queries, newest last, with a cursor for moving through them."""

    def __init__(self) -> None:
        self._queries_run: list[str] = []
        self._at = 0
        self._typed = ""

    def add(self, sql: str) -> None:
        """Adds a query; a repeated one moves to the end."""
        if sql in self._queries_run:
            self._queries_run.remove(sql)
        self._queries_run = [*self._queries_run, sql][-MOST_ASKED:]
        self._at = len(self._queries_run)

    def step(self, by: int, typed: str) -> str | None:
        """The older or newer query; the draft is the newest. None at either end."""
        at = self._at + by
        if not 0 <= at <= len(self._queries_run):
            return None
        if self._at == len(self._queries_run):
            self._typed = typed
        self._at = at
        return self._typed if at == len(self._queries_run) else self._queries_run[at]


_HISTORIES: WeakKeyDictionary[App[object], History] = WeakKeyDictionary()


def history_of(app: App[object]) -> History:
    """The queries since the application started, of all runs."""
    return _HISTORIES.setdefault(app, History())


def completed(text: str, names: Mapping[str, Sequence[str]]) -> str | None:
    """Completes the last word, or returns None: tables first, then columns and keywords."""
    found = _WORD.search(text)
    if found is None:
        return None
    start, begun = text[: found.start()], found[0]
    before = start.split()[-1:]
    after_table_word = bool(before) and before[0].lower() in _TABLE_WORDS
    mentioned = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    columns = [column for name in (mentioned or names) for column in names[name]]
    candidates = [*names] if after_table_word else [*columns, *_WORDS, *names]
    for name in candidates:
        word = name if name in _WORDS else quoted_name(name)
        if begun.startswith('"') and word is name:
            word = f'"{name}"'
        if word.lower().startswith(begun.lower()) and len(word) > len(begun):
            return start + begun + word[len(begun) :]
    return None


class _Names(Suggester):
    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names: Mapping[str, Sequence[str]] = {}

    async def get_suggestion(self, value: str) -> str | None:
        return completed(value, self.names)


class SqlField(PromptInput):
    """One line of SQL."""

    EXIT_KEYS = ("enter", "escape", "up", "down", "tab")

    def __init__(self) -> None:
        super().__init__(PROMPT, "", id="sql")
        self._names = _Names()
        self.suggester = self._names
        self.proposal = ""
        """The query that runs if the field is empty."""

    def propose(self, sql: str) -> None:
        """Sets the query that runs if the field is empty."""
        self.proposal = sql
        self.refresh()

    def set_names(self, names: Mapping[str, Sequence[str]]) -> None:
        """Sets the tables and columns to complete."""
        self._names.names = names

    def write(self, text: str, at: int | None = None) -> None:
        """Replaces the text and puts the cursor at its end or at a character."""
        self.value = text
        self.cursor_position = len(text) if at is None else min(max(at, 0), len(text))

    def complete(self) -> bool:
        """Accepts the shown completion; False if there is none."""
        if not self.value and self.proposal:
            self.write(self.proposal)
            return True
        if not self.value or not self._at_end or not self._completion.startswith(self.value):
            return False
        self.write(self._completion)
        return True

    @property
    def _completion(self) -> str:
        """The completed text, or an empty string."""
        # Private to Textual, which offers no other access to the current suggestion.
        return self._suggestion

    @property
    def _at_end(self) -> bool:
        return self.cursor_position == len(self.value)

    # Private to Textual: its own handler keeps only the first line.
    def _on_paste(self, event: events.Paste) -> None:
        """Joins a pasted query into one line, dropping comments that run to the end of a line."""
        lines = (line.partition("--")[0].strip() for line in event.text[:LONGEST].splitlines())
        self.insert_text_at_cursor(" ".join(line for line in lines if line))
        event.stop()
        event.prevent_default()

    def draw(self, room: int) -> Strip:
        """Draws the field, with the completion after the text."""
        ui = self.ui
        glyphs = ui.glyphs
        line = Line(room, ui.styles, Ground.FIELD)
        line.put(0, PROMPT, Role.ACCENT)
        start, end = len(PROMPT) + 1, room - 1
        before, under, after = self._parts()
        if not self.value:
            line.put(start, glyphs.caret if self.has_focus else "", Role.ACCENT)
            hint = clip(glyphs.safe(self.proposal or HINT), max(0, end - line.cells - 1))
            line.add(hint, Role.FAINT, skip=0 if self.proposal else 1)
            return line.strip()
        line.put(start, _tail(glyphs.plain(before), max(0, end - start - 1)))
        if under:
            line.put(line.cells, glyphs.plain(under), underline=self.has_focus)
            line.add(clip(glyphs.plain(after), max(0, end - line.cells), ellipsis=glyphs.cut))
        elif self.has_focus:
            rest = self._completion[len(self.value) :]
            line.add(glyphs.caret, Role.ACCENT)
            line.add(clip(glyphs.safe(rest), max(0, end - line.cells), ellipsis=""), Role.FAINT)
        return line.strip()


Fact = tuple[str, Role]


class SqlSession:
    """Runs one query at a time and keeps its answer; calls `changed` after each step."""

    def __init__(
        self, queries: DatabaseQueries, grid: Grid, changed: Callable[[], None], glyphs: Glyphs
    ) -> None:
        self.sql = ""
        self.answer: SqlAnswer | None = None
        self._trouble = ""
        self._queries = queries
        self._grid = grid
        self._changed = changed
        self._glyphs = glyphs
        self._began: float | None = None
        self._field: SqlField | None = None

    @property
    def running(self) -> bool:
        """True if a query is running."""
        return self._began is not None

    def begin(self, field: SqlField, table: str | None) -> None:
        """Starts without an answer and proposes a query. The text in the field stays."""
        self.answer, self._trouble, self._began = None, "", None
        self._field = field
        field.propose(f"SELECT * FROM {quoted_name(table)} LIMIT 100" if table else "")

    def run(self, field: SqlField, app: App[object]) -> None:
        """Runs the query in the field; a running one is cancelled."""
        sql = (field.value or field.proposal).strip()
        if not sql:
            return
        field.write(sql)
        history_of(app).add(sql)
        self._queries.drop()
        self.sql, self.answer, self._trouble = sql, None, ""
        self._field = field
        self._began = time.monotonic()
        self._grid.show(Fixed(), ())
        self._queries.start(partial(self._load, sql))

    def older(self, field: SqlField, app: App[object], by: int) -> None:
        """Writes an older or newer query of the history into the field."""
        found = history_of(app).step(by, field.value)
        if found is not None:
            field.write(found)

    def cancel(self) -> None:
        """Cancels the running query."""
        self._queries.cancel()

    async def _load(self, sql: str) -> None:
        answer = await self._queries.ask(lambda database: _answer_sql(database, sql))
        self._began = None
        if isinstance(answer, SqlAnswer):
            self.answer = answer
            rows = [Row(None, tuple(row)) for row in answer.rows]
            # A value derived from a secret column stays masked under any name.
            secrets = answer.secret or (None,) * len(answer.columns)
            names = [
                (name, secret or name) for name, secret in zip(answer.columns, secrets, strict=True)
            ]
            self._grid.show(Fixed(rows), columns_of(names, rows, self._glyphs))
        elif isinstance(answer, CannotAnswer):
            self._trouble = str(answer)
            if answer.at is not None and self._field is not None:
                self._field.write(self._field.value, answer.at)
        else:
            self._trouble = answer.reason
        self._changed()

    def facts(self) -> tuple[Fact, ...]:
        """The state of the query as text."""
        if self._began is not None:
            seconds = int(time.monotonic() - self._began)
            return (("running" + (f" for {seconds} s" if seconds else ""), Role.ACCENT),
                    ("Esc cancel", Role.MUTED))  # fmt: skip
        if self._trouble:
            return ((safe(self._trouble, self._glyphs), Role.ERROR),)
        answer = self.answer
        if answer is None:
            return (("Enter run · Esc close", Role.MUTED),)
        number = len(answer.rows)
        text = f"{count(number)} {'row' if number == 1 else 'rows'}"
        if answer.cut and number >= MOST_ROWS:
            text = f"first {text}, there are more"
        elif answer.cut:
            text = f"first {text}, more would be too large"
        many = len(answer.columns)
        where = f"column {self._grid.column + 1:,} of {many:,}" if many > 1 else ""
        took = max(1, round(answer.seconds * 1000))
        return ((text, Role.STRONG), (duration(took), Role.MUTED), (where, Role.MUTED))


def _answer_sql(database: RawDatabase, sql: str) -> SqlAnswer | CannotAnswer:
    try:
        return database.sql(sql)
    except CannotAnswer as refusal:
        return refusal
