"""Describe all tables and views of a database, whichever runtime wrote it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from inspector.query.tables import Tables, quoted

REDACTED = frozenset({("prism_leases", "token")})
"""Columns never read: a lease's token allows acting as its owner."""

MOST_COLUMNS = 2000
"""Maximum columns of one statement."""

_ROWID_NAMES = ("rowid", "_rowid_", "oid")
_COLLATE = re.compile(r"\bcollate\b", re.IGNORECASE)
_HIDDEN, _GENERATED = 1, (2, 3)


@dataclass(frozen=True, slots=True)
class RawColumn:
    """One column as declared in the database."""

    name: str
    type: str
    """Declared type; empty if there is none."""
    not_null: bool = False
    default: str | None = None
    key: int = 0
    """1-based position in the primary key; 0 if not part of it."""
    generated: bool = False
    withheld: bool = False
    """True if only the presence of a value is shown, never the value."""


@dataclass(frozen=True, slots=True)
class KeyPart:
    """SQL expression that rows are ordered by."""

    sql: str
    descending: bool = False
    column: int | None = None
    """Index of the table column; None if it is not a column."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Table or view: columns in order, and the key that pages use.

    Without a key, rows are addressed by offset in the order in which SQLite returns them.
    """

    name: str
    columns: tuple[RawColumn, ...]
    key: tuple[KeyPart, ...] = ()
    is_view: bool = False
    withholds: bool = False
    """True if a column is withheld."""

    @property
    def by_rowid(self) -> bool:
        """True if the rowid is the key."""
        return len(self.key) == 1 and (self.key[0].column is None or self.is_alias)

    @property
    def is_alias(self) -> bool:
        """True if a column is an alias of the rowid (`INTEGER PRIMARY KEY`)."""
        column = self.key[0].column if len(self.key) == 1 else None
        return column is not None and self.key[0].sql in _ROWID_NAMES

    @property
    def shown_key(self) -> bool:
        """True if the rowid deserves a column of its own because no column is an alias of it."""
        return self.by_rowid and not self.is_alias


def read_shape(connection: sqlite3.Connection, name: str) -> Shape:
    """Return a table or view by exact name. Raise KeyError if there is none.

    Something that cannot be expanded, such as a view of a dropped table, has no columns.
    """
    row = connection.execute(
        "SELECT type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?", (name,)
    ).fetchone()
    if row is None:
        raise KeyError(name)
    is_view, sql = row[0] == "view", row[1] if isinstance(row[1], str) else ""
    columns = read_columns(connection, name)
    key = () if is_view or not columns else _key_of(connection, name, columns, sql)
    return Shape(name, columns, key, is_view, any(column.withheld for column in columns))


def read_columns(connection: sqlite3.Connection, name: str) -> tuple[RawColumn, ...]:
    """Return the columns, including generated ones; empty if they cannot be read."""
    try:
        rows = connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
    except sqlite3.DatabaseError:
        return ()
    withheld = _withheld(connection, name)
    return tuple(
        RawColumn(
            name=str(row[1]),
            type=str(row[2] or ""),
            not_null=bool(row[3]),
            default=None if row[4] is None else str(row[4]),
            key=int(row[5]),
            generated=row[6] in _GENERATED,
            withheld=withheld(str(row[1]).lower(), row[6] in _GENERATED),
        )
        for row in rows
        if row[6] != _HIDDEN
    )


def _withheld(connection: sqlite3.Connection, name: str) -> Callable[[str, bool], bool]:
    """Return the withheld columns:

    the listed ones, and generated or view columns derived from them.
    """
    own = {column for table, column in REDACTED if table == name.lower()}
    if own:
        return lambda column, generated: generated or column in own
    reads = _reads(connection, name)
    if not reads & REDACTED:
        return lambda column, generated: False
    # A view column named like a readable one is assumed to be that column.
    known = {column for _, column in reads - REDACTED if column not in {c for _, c in REDACTED}}
    return lambda column, generated: column not in known


def _reads(connection: sqlite3.Connection, name: str) -> set[tuple[str, str]]:
    """Return the tables and columns that a table or view reads from."""
    found: set[tuple[str, str]] = set()

    def saw(action: int, table: str | None, column: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            found.add(((table or "").lower(), (column or "").lower()))
        return sqlite3.SQLITE_OK

    connection.set_authorizer(saw)
    try:
        connection.execute(f"SELECT * FROM {quoted(name)} LIMIT 0").fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return set()
    finally:
        connection.set_authorizer(None)
    return {(table, column) for table, column in found if table != name.lower()}


def _key_of(
    connection: sqlite3.Connection, name: str, columns: Sequence[RawColumn], sql: str
) -> tuple[KeyPart, ...]:
    taken = {column.name.lower() for column in columns}
    rowid = next((one for one in _ROWID_NAMES if one not in taken), None)
    alias = _rowid_itself(connection, name, columns)
    if rowid is not None and _is_column(connection, name, rowid):
        return (KeyPart(rowid, column=alias),)
    if alias is not None:
        return (KeyPart(quoted(columns[alias].name), column=alias),)
    return _primary_key(connection, name, columns, explicit=_COLLATE.search(sql) is not None)


def _is_column(connection: sqlite3.Connection, name: str, sql: str) -> bool:
    """Ask SQLite whether a column exists: matching words in the table's SQL would prove nothing."""
    try:
        connection.execute(f"SELECT {sql} FROM {quoted(name)} LIMIT 0").fetchall()
    except sqlite3.DatabaseError:
        return False
    return True


def _rowid_itself(
    connection: sqlite3.Connection, name: str, columns: Sequence[RawColumn]
) -> int | None:
    """Return the rowid alias column; its key is the only one without an index."""
    keys = [at for at, column in enumerate(columns) if column.key]
    if len(keys) != 1 or columns[keys[0]].type.upper() != "INTEGER":
        return None
    indexes = connection.execute(f"PRAGMA index_list({quoted(name)})").fetchall()
    return keys[0] if all(row[3] != "pk" for row in indexes) else None


def _primary_key(
    connection: sqlite3.Connection, name: str, columns: Sequence[RawColumn], *, explicit: bool
) -> tuple[KeyPart, ...]:
    """Return the primary key in index order; empty if it has no index."""
    numbers = {column.name: at for at, column in enumerate(columns)}
    try:
        for _, index, _, origin, *_ in connection.execute(f"PRAGMA index_list({quoted(name)})"):
            if origin != "pk":
                continue
            rows = connection.execute(f"PRAGMA index_xinfo({quoted(index)})").fetchall()
            parts = [(row[2], row[3], row[4]) for row in rows if row[5] and row[2] in numbers]
            if not all(columns[numbers[part[0]]].not_null for part in parts):
                # Rows with NULL in the key compare neither before nor after any other.
                return ()
            return tuple(_key_part(*part, numbers, explicit=explicit) for part in parts)
    except sqlite3.DatabaseError:
        return ()
    return ()


def _key_part(
    name: str, descending: object, collation: object, numbers: dict[str, int], *, explicit: bool
) -> KeyPart:
    # An unneeded COLLATE would keep SQLite from using the whole index.
    sql = f"{quoted(name)} COLLATE {quoted(str(collation))}" if explicit else quoted(name)
    return KeyPart(sql, bool(descending), numbers[name])


Record = Mapping[str, object]
Documented = Callable[[str], Collection[str] | None]
"""Columns per table from the runtime's documentation.

Empty if only the name is documented, None if the table is undocumented.
"""


def table_records(
    connection: sqlite3.Connection,
    tables: Tables,
    documented: Documented,
    missing: Iterable[str] = (),
) -> list[Record]:
    """List tables and views in catalogue order, then documented ones that are missing."""
    found: list[Record] = []
    for name, table in tables.by_name.items():
        known = documented(name)
        extra = [column for column in table.columns if known and column not in known]
        record = _record(name, "view" if table.is_view else "table", known is not None)
        declared = [asdict(column) for column in read_columns(connection, name)]
        columns = {"columns": list(table.columns), "extra_columns": extra, "declared": declared}
        schema = {} if table.is_view else _schema(connection, name)
        found.append({**record, **columns, **schema})
    if found:
        found += [_record(name, "table", True, missing=True) for name in missing]
    return found


def _schema(connection: sqlite3.Connection, name: str) -> Record:
    """Return the indexes, triggers and foreign keys of a table; nothing if they cannot be read."""
    # Importing sqlite-utils takes 0.12 s.
    from sqlite_utils import Database
    from sqlite_utils.db import NoTable

    table = Database(connection, recursive_triggers=False, execute_plugins=False).table(name)
    try:
        return {
            "indexes": [
                {"name": one.name, "unique": bool(one.unique), "columns": list(one.columns)}
                for one in table.indexes
            ],
            "triggers": [one.name for one in table.triggers],
            "foreign_keys": [
                {
                    "columns": list(one.columns),
                    "table": one.other_table,
                    "references": list(one.other_columns),
                }
                for one in table.foreign_keys
            ],
        }
    except (sqlite3.DatabaseError, NoTable):
        # A foreign key may reference a view.
        return {}


def _record(name: str, kind: str, documented: bool, *, missing: bool = False) -> dict[str, object]:
    return {
        "name": name,
        "type": kind,
        "documented": documented,
        "columns": [],
        "extra_columns": [],
        "missing": missing,
    }
