"""A question in SQL about one database: read only, for a while, so many rows.

It is put by the same zero-touch read as every other: nothing is locked, nothing can be written.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.clock import Clock
from inspector.store.read import ZeroTouchReader

MOST_ROWS = 1000
MOST_SECONDS = 5.0
STEPS_BETWEEN_LOOKS = 10_000
"""Steps of SQLite's machine between two looks at the time."""

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


class CannotAnswer(Exception):
    """The question is no single SELECT, is wrong, or takes too long: why, in a sentence."""


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """Columns and rows; `cut` when there were more rows."""

    columns: tuple[str, ...]
    rows: tuple[Sequence[Any], ...]
    cut: bool


def ask_sql(
    path: str, sql: str, clock: Clock, *, limit: int = MOST_ROWS, seconds: float = MOST_SECONDS
) -> SqlAnswer:
    """The answer to one SELECT. Raises CannotAnswer and StoreUnavailable."""

    def question(connection: sqlite3.Connection) -> SqlAnswer:
        end = time.monotonic() + seconds
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: int(time.monotonic() > end), STEPS_BETWEEN_LOOKS)
        cursor = connection.execute(sql)
        if cursor.description is None:
            raise CannotAnswer("That is no question: give one SELECT.")
        columns = tuple(column[0] for column in cursor.description)
        rows = cursor.fetchmany(limit + 1)
        return SqlAnswer(columns, tuple(rows[:limit]), len(rows) > limit)

    with ZeroTouchReader(path, clock=clock) as source:
        try:
            return source.read(question).value
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise CannotAnswer(_sentence(error, seconds)) from None


def _authorize(
    action: int, first: str | None, second: str | None, database: str | None, inner: str | None
) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _sentence(error: Exception, seconds: float) -> str:
    if "interrupted" in str(error):
        return f"That took longer than {seconds:g} s; ask for less."
    if "not authorized" in str(error):
        return "Only a SELECT is allowed: nothing that is watched is ever changed."
    return f"SQLite says: {error}."
