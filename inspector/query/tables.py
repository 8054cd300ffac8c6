"""Tables and columns of a database: what tolerant reads are based on."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ROWID_NAMES = ("rowid", "_rowid_", "oid")
_WITHOUT_ROWID = re.compile(r"\bwithout\s+rowid\b", re.IGNORECASE)
_VIRTUAL = re.compile(r"\s*create\s+virtual\b", re.IGNORECASE)
_MOST_KNOWN = 64

Catalogue = tuple[tuple[object, ...], ...]
"""Name, type and SQL of each table and view, as `sqlite_master` has them."""


def quoted(name: str) -> str:
    """Return a name quoted as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view with its columns in order."""

    name: str
    columns: tuple[str, ...]
    has_rowid: bool
    is_view: bool = False
    key: str | None = None
    """The column that is the rowid itself (`INTEGER PRIMARY KEY`)."""

    def has(self, column: str) -> bool:
        """Return whether a column has exactly this name."""
        return column in self.columns

    def column(self, *names: str) -> str:
        """Return the first of these columns that exists, as SQL; `NULL` if none does."""
        return next((quoted(name) for name in names if name in self.columns), "NULL")

    @property
    def rowid(self) -> str:
        """The rowid as SQL; `NULL` where rows have none or a column hides it."""
        if not self.has_rowid:
            return "NULL"
        names = {name.lower() for name in self.columns}
        return next((name for name in _ROWID_NAMES if name not in names), "NULL")

    @property
    def order(self) -> str:
        """The SQL to order rows by so that they come in the order of writing."""
        return "1" if self.rowid == "NULL" else self.rowid


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables and views of a database."""

    by_name: Mapping[str, Table]
    catalogue: Catalogue = ()

    def get(self, name: str) -> Table | None:
        """Return the table or view with exactly this name."""
        return self.by_name.get(name)

    def names(self) -> Mapping[str, Sequence[str]]:
        """Return name → columns, for `Backend.recognise`."""
        return {name: table.columns for name, table in self.by_name.items()}


_KNOWN: dict[Catalogue, Tables] = {}


def remember(tables: Tables) -> None:
    """Cache the tables for the next database with the same catalogue, as runs of one writer have.

    Only call it with the result of an accepted read: before that, SQL and columns may belong to
    different contents.
    """
    if _KNOWN.get(tables.catalogue) is tables:
        return
    # The SQL of a virtual table does not name its columns.
    if not any(isinstance(sql, str) and _VIRTUAL.match(sql) for _, _, sql in tables.catalogue):
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[tables.catalogue] = tables


def read_tables(connection: sqlite3.Connection) -> Tables:
    """Return all tables and views; a view that cannot be expanded has no columns.

    Raises sqlite3.DatabaseError when `sqlite_master` cannot be read.
    """
    listed = connection.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
    ).fetchall()
    known = _KNOWN.get(catalogue := tuple(listed))
    if known is not None:
        return known
    found: dict[str, Table] = {}
    for name, kind, sql in listed:
        if not isinstance(name, str) or name.startswith("sqlite_"):
            continue
        is_view = kind == "view"
        without = isinstance(sql, str) and _WITHOUT_ROWID.search(sql) is not None
        columns, key = _columns(connection, name)
        has_rowid = not is_view and not without
        found[name] = Table(name, columns, has_rowid, is_view, key if has_rowid else None)
    return Tables(found, catalogue)


def _columns(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], str | None]:
    """Return the columns, and the one that is the rowid itself if there is one."""
    try:
        rows = connection.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
    except sqlite3.DatabaseError:
        return (), None
    keys = [(str(row[1]), str(row[2])) for row in rows if row[5]]
    is_rowid = len(keys) == 1 and keys[0][1].upper() == "INTEGER"
    return tuple(str(row[1]) for row in rows), keys[0][0] if is_rowid else None
