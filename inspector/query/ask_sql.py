"""Answer one SQL SELECT about a database: read-only, with a time limit and a row limit.

Uses the same zero-touch read as every other query: takes no locks and cannot write.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.model.clock import Clock
from inspector.query.raw_pages import RawText, cut_cell
from inspector.query.raw_tables import REDACTED
from inspector.store.read import ZeroTouchReader
from inspector.text.redacted_fields import REDACTED as WITHHELD_NAMES
from inspector.text.secret_names import secret_name

MOST_ROWS = 1000
MOST_SECONDS = 5.0
MOST_BYTES = 256 << 20
"""Maximum bytes of text and blobs in one answer."""
STEPS_BETWEEN_LOOKS = 10_000
"""SQLite VM instructions between two checks of the time limit."""

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
_JSON_PATH = re.compile(r"'\s*\$([^']*)'|->>?\s*'([^']*)'")
_STEP_OF_PATH = re.compile(r'"([^"]+)"|([^.\[\]"#]+)')
_HOLDS_WITHHELD = {("runs", "provenance"), ("prism_checkpoints", "value")}
"""JSON columns in which values are masked by key (Grimoire, Prism)."""
_CUTTING = {
    "substr", "substring", "replace", "trim", "ltrim", "rtrim", "hex", "quote", "printf", "format",
    "group_concat", "string_agg",
}  # fmt: skip
"""Functions whose result is no longer JSON, so that its keys cannot mark secrets."""
_NAMED_IN_ERROR = re.compile(r'near "(.+?)"|no such \w+: (\S+)|ambiguous column name: (\S+)', re.S)


class CannotAnswer(Exception):
    """The question is not a single SELECT, is invalid, or exceeds the time limit.

    The message is one sentence. `at` is the 0-based character offset of the error, if known.
    """

    def __init__(self, sentence: str, at: int | None = None) -> None:
        super().__init__(sentence)
        self.at = at


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """Columns and rows; `cut` if more rows exist.

    `secret` marks columns whose text came, under another name, from a column or JSON key named like
    a secret. Such text cannot be recognised by its shape.
    """

    columns: tuple[str, ...]
    rows: tuple[Sequence[object], ...]
    cut: bool
    seconds: float = 0.0
    secret: tuple[str | None, ...] = ()


def unique_names(names: Sequence[str]) -> list[str]:
    """Make names unique: repeats are numbered, so that no column overwrites another."""
    found: dict[str, None] = {}
    for name in names:
        own, again = name, 1
        while own in found:
            again += 1
            own = f"{name} ({again})"
        found[own] = None
    return list(found)


def ask_sql(
    path: str, sql: str, clock: Clock, *, limit: int = MOST_ROWS, seconds: float = MOST_SECONDS
) -> SqlAnswer:
    """Answer one SELECT. Raise CannotAnswer or StoreUnavailable."""
    with ZeroTouchReader(path, clock=clock) as source:
        return answer_sql(source, sql, limit=limit, seconds=seconds)


def answer_sql(
    source: ZeroTouchReader,
    sql: str,
    *,
    limit: int = MOST_ROWS,
    seconds: float = MOST_SECONDS,
    kept: int | None = None,
    cancelled: threading.Event | None = None,
) -> SqlAnswer:
    """Answer one SELECT with an open reader; truncate cells to `kept` characters if given.

    Setting `cancelled` from another thread stops it within milliseconds.
    """
    given_up = cancelled or threading.Event()
    asked = _Asked(sql, limit, seconds, kept, given_up)
    try:
        return source.read(asked.question).value
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _refusal(error, asked) from None


class _Asked:
    """One question, retried until the database did not change during the read."""

    def __init__(
        self, sql: str, limit: int, seconds: float, kept: int | None, cancelled: threading.Event
    ) -> None:
        self.sql, self.limit, self.seconds, self.kept = sql, limit, seconds, kept
        self.cancelled = cancelled
        self.withheld = False
        self._reads: set[str] = set()
        self._calls: set[str] = set()
        self._takes_apart = False
        self._end = time.monotonic() + seconds

    def question(self, connection: sqlite3.Connection) -> SqlAnswer:
        began = time.monotonic()
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._is_over, STEPS_BETWEEN_LOOKS)
        if self.kept is not None:
            connection.text_factory = RawText
        cursor = connection.execute(self.sql)
        if cursor.description is None:
            raise CannotAnswer("That is no question: give one SELECT.")
        columns = tuple(_text(column[0]) for column in cursor.description)
        rows, cut = self._fetched(cursor)
        took = time.monotonic() - began
        return SqlAnswer(columns, tuple(rows), cut, took, self._secrets(columns))

    def _fetched(self, cursor: sqlite3.Cursor) -> tuple[list[Sequence[object]], bool]:
        rows: list[Sequence[object]] = []
        size = 0
        for row in cursor:
            if len(rows) == self.limit or size > MOST_BYTES:
                return rows, True
            if self.kept is not None:
                row = tuple(cut_cell(cell, self.kept) for cell in row)
            size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
            rows.append(row)
        return rows, False

    def _is_over(self) -> int:
        return int(self.cancelled.is_set() or time.monotonic() > self._end)

    def _authorize(
        self, action: int, first: str | None, second: str | None, base: str | None, by: str | None
    ) -> int:
        if action == sqlite3.SQLITE_FUNCTION:
            self._calls.add((second or "").lower())
            if (second or "").lower() in _FORBIDDEN_FUNCTIONS:
                return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ and second:
            column = ((first or "").lower(), second.lower())
            if column in REDACTED:
                self.withheld = True
                return sqlite3.SQLITE_DENY
            self._takes_apart |= column in _HOLDS_WITHHELD
            self._reads.add(second)
        return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY

    def _secrets(self, columns: Sequence[str]) -> tuple[str | None, ...]:
        """Return the secret names behind result columns that are not table columns."""
        known = {name.lower() for name in self._reads}
        asked = (*sorted(self._reads), *_names_of_paths(self.sql))
        secret = next((name for name in asked if name in WITHHELD_NAMES or secret_name(name)), None)
        if secret is None and self._takes_apart and self._calls & _CUTTING:
            secret = "resolved_params"
        return tuple(None if name.lower() in known else secret for name in columns)


def _names_of_paths(sql: str) -> Iterator[str]:
    """Return the JSON keys that a question reads: withheld ones, then each path from its end."""
    for path in _JSON_PATH.finditer(sql):
        steps = [a or b for a, b in _STEP_OF_PATH.findall(path[1] or path[2] or "")]
        yield from (step for step in steps if step in WITHHELD_NAMES)
        yield from (step for step in reversed(steps) if not step.strip().isdigit())


def _text(name: object) -> str:
    return name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else str(name)


def _refusal(error: Exception, asked: _Asked) -> CannotAnswer:
    words = str(error)
    if asked.cancelled.is_set():
        return CannotAnswer("It was given up before there was an answer.")
    if asked.withheld:
        return CannotAnswer("The token of a lease is never read: name the other columns instead.")
    if "interrupted" in words:
        return CannotAnswer(f"That took longer than {asked.seconds:g} s; ask for less.")
    if "not authorized" in words or "prohibited" in words:
        return CannotAnswer("Only a SELECT is allowed: nothing that is watched is ever changed.")
    at = _place(words, asked.sql)
    where = "" if at is None else f", at character {at + 1}"
    return CannotAnswer(f"SQLite says: {words}{where}.", at)


def _place(words: str, sql: str) -> int | None:
    """Return the offset of a name from SQLite's message, if it occurs once in the question."""
    if words == "incomplete input":
        return len(sql)
    found = _NAMED_IN_ERROR.search(words)
    if found is None:
        return None
    name = re.escape(next(filter(None, found.groups())))
    places = [one.start() for one in re.finditer(rf"(?<!\w){name}(?!\w)", sql)]
    return places[0] if len(places) == 1 else None
