"""The schema that Prism checks on opening, and where a database differs from it.

Source: Prism 0.3.0, `assertPersistenceSchemaShape`: for each table the number of columns, each
column with type, nullability and default, keys and references; then each index. Prism does not
check other tables and indexes, triggers, conditions of partial indexes, or contents.

The expected schema is `schema.sql`, run in memory, so both sides are read by the same PRAGMAs.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inspector.query.tables import Tables

NEWEST = 8
"""The newest known schema version."""

SEARCH_TABLE = "prism_session_search_fts"
SEARCH_SINCE = 4
"""The schema version from which on Prism prepares statements on the full-text table."""

ADDED_COLUMNS = ((2, "prism_usage", "scope"), (8, "prism_sessions", "version"))
"""Step, table and column of the steps that fail if their column already exists."""

_PREFIX = "Persistence schema"
_MARK = re.compile(r" -- (since|until) (\d+)$")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: SQLite's type name, nullability and normalised default."""

    name: str
    type: str
    nullable: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class Index:
    """An index with what Prism checks of it."""

    name: str
    table: str
    columns: tuple[str, ...]
    unique: bool


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table with what Prism checks of it. Keys are column names in order."""

    name: str
    columns: Mapping[str, Column]
    key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    """Columns of unique indexes, including those of constraints."""
    references: tuple[str, ...]
    """`columns > table columns`."""
    indexes: Mapping[str, Index]


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """The expected schema of one version, in the order of Prism's check."""

    tables: tuple[TableShape, ...]
    indexes: tuple[Index, ...]
    has_search: bool


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference from the expected schema."""

    table: str
    what: str
    """The column or index; the table itself for anything else."""
    message: str
    says: str | None = None
    """The message of Prism; None if unknown."""


# The expected schema


def schema_statements(version: int) -> list[str]:
    """Return the statements that create the checked tables and indexes of a schema version."""
    return [
        "\n".join(lines)
        for statement in _schema_sql().split(";\n")
        if (lines := list(_lines_at(statement, version)))
    ]


@cache
def _schema_sql() -> str:
    text = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
    return text[text.index("CREATE") :].rstrip().removesuffix(";")


def _lines_at(statement: str, version: int) -> Iterator[str]:
    """Yield the lines of a statement in a version; none if its first line does not belong to it."""
    for number, line in enumerate(statement.strip().split("\n")):
        mark = _MARK.search(line)
        if mark is None:
            yield line
        elif (version >= int(mark[2])) if mark[1] == "since" else (version <= int(mark[2])):
            yield line[: mark.start()]
        elif number == 0:
            return


@cache
def expected_shape(version: int) -> SchemaShape:
    """Return the schema after the first `version` migration steps (1 to NEWEST)."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(";\n".join(schema_statements(version)))
        listed = connection.execute(
            "SELECT type, name, tbl_name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).fetchall()
        shapes = read_shapes(connection, [name for kind, name, _ in listed if kind == "table"])
    indexes = [shapes[table].indexes[name] for kind, name, table in listed if kind == "index"]
    return SchemaShape(tuple(shapes.values()), tuple(indexes), version >= SEARCH_SINCE)


# Reading


def read_shapes(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, TableShape]:
    """Read the shapes of existing tables with three queries."""
    columns: dict[str, dict[str, Column]] = {name: {} for name in names}
    keys: dict[str, list[tuple[int, str]]] = {name: [] for name in names}
    for table, name, kind, required, default, place in _pragma(
        connection, names, 'p.name, p.type, p."notnull", p.dflt_value, p.pk', "table_info"
    ):
        columns[table][name] = Column(name, str(kind).upper(), not required, _default(default))
        if place:
            keys[table].append((place, name))
    indexes = _indexes(connection, names)
    references = _references(connection, names)
    return {
        name: TableShape(
            name,
            columns[name],
            tuple(column for _, column in sorted(keys[name])),
            tuple(index.columns for index in indexes[name].values() if index.unique),
            references[name],
            indexes[name],
        )
        for name in names
    }


def _pragma(
    connection: sqlite3.Connection, names: Sequence[str], columns: str, pragma: str, join: str = ""
) -> sqlite3.Cursor:
    """Run a PRAGMA for each of these tables; rows start with the table's name."""
    marks = ", ".join("?" * len(names))
    return connection.execute(
        f"SELECT m.name, {columns} FROM sqlite_master m JOIN pragma_{pragma}(m.name) p {join}"
        f" WHERE m.name IN ({marks})",
        names,
    )


def _default(value: object) -> str | None:
    """Normalise a default like Prism: without surrounding space, case and cast."""
    if value is None:
        return None
    return str(value).strip().lower().partition("::")[0]


def _indexes(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, dict[str, Index]]:
    indexed: dict[tuple[str, str, bool], list[tuple[int, str]]] = {}
    join = "JOIN pragma_index_info(p.name) i"
    for table, name, unique, place, column in _pragma(
        connection, names, 'p.name, p."unique", i.seqno, i.name', "index_list", join
    ):
        indexed.setdefault((table, name, bool(unique)), []).append((place, str(column)))
    found: dict[str, dict[str, Index]] = {name: {} for name in names}
    for (table, name, unique), parts in indexed.items():
        columns = tuple(column for _, column in sorted(parts))
        found[table][name] = Index(name, table, columns, unique)
    return found


def _references(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read foreign keys in the order declared, the reverse of SQLite's."""
    keys: dict[tuple[str, int], list[tuple[int, str, str, str]]] = {}
    for table, number, place, target, column, other in _pragma(
        connection, names, 'p.id, p.seq, p."table", p."from", p."to"', "foreign_key_list"
    ):
        key = (place, str(target), str(column), str(other or "id"))
        keys.setdefault((table, number), []).append(key)
    found: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for (table, _), parts in sorted(keys.items(), reverse=True):
        ordered = sorted(parts)
        own = " ".join(part[2] for part in ordered)
        others = " ".join(part[3] for part in ordered)
        found[table] = (*found[table], f"{own} > {ordered[0][1]} {others}")
    return found


# Comparing


def drifts(
    expected: SchemaShape, shapes: Mapping[str, TableShape], tables: Tables
) -> Iterator[Drift]:
    """Yield every difference, in the order of Prism's check."""
    for table in expected.tables:
        shape = shapes.get(table.name)
        if shape is None:
            message = f"table {table.name} is missing"
            says = f"{_PREFIX} table {table.name} has unexpected columns"
            yield Drift(table.name, table.name, message, says)
        else:
            yield from _table_drifts(table, shape)
    for index in expected.indexes:
        yield from _index_drifts(index, shapes)
    if expected.has_search and tables.get(SEARCH_TABLE) is None:
        message = f"full-text table {SEARCH_TABLE} is missing"
        yield Drift(SEARCH_TABLE, SEARCH_TABLE, message, f"no such table: {SEARCH_TABLE}")


def _table_drifts(table: TableShape, shape: TableShape) -> Iterator[Drift]:
    name = table.name
    missing = [column for column in table.columns if column not in shape.columns]
    extra = [column for column in shape.columns if column not in table.columns]
    # Prism compares the number of columns first, so a replaced column gets another message.
    says = f"{_PREFIX} table {name} has unexpected columns" if len(missing) != len(extra) else None
    for column in extra:
        yield Drift(name, column, f"{name} has an unexpected column {column}", says)
    for column in missing:
        yield Drift(name, column, f"{name} lacks the column {column}", says)
    for wanted in table.columns.values():
        actual = shape.columns.get(wanted.name)
        if actual is not None and actual != wanted:
            message = f"{name}.{wanted.name} is {_declared(actual)} instead of {_declared(wanted)}"
            yield Drift(name, wanted.name, message)
    if shape.key != table.key:
        yield Drift(name, name, f"the primary key of {name} is ({_listed(shape.key)})")
    for unique in unique_constraints(table):
        if unique not in shape.unique and unique != shape.key:
            yield Drift(name, name, f"({_listed(unique)}) is not unique in {name}")
    for reference in table.references:
        if reference not in shape.references:
            yield Drift(name, name, f"{name} lacks the reference {reference}")


def unique_constraints(table: TableShape) -> Iterator[tuple[str, ...]]:
    """Yield the columns of UNIQUE constraints; their indexes are created by SQLite."""
    for index in table.indexes.values():
        if index.name.startswith("sqlite_autoindex") and index.columns != table.key:
            yield index.columns


def _index_drifts(index: Index, shapes: Mapping[str, TableShape]) -> Iterator[Drift]:
    shape = shapes.get(index.table)
    if shape is None:
        return
    actual = shape.indexes.get(index.name)
    if actual == index:
        return
    if actual is None and not any(index.name in one.indexes for one in shapes.values()):
        message = f"index {index.name} of {index.table} is missing"
        says = f"{_PREFIX} missing required index {index.name}"
    else:
        message = f"index {index.name} of {index.table} has another definition"
        says = f"{_PREFIX} index {index.name} has incompatible definition"
    yield Drift(index.table, index.name, message, says)


def _declared(column: Column) -> str:
    null = "" if column.nullable else " NOT NULL"
    default = f" DEFAULT {column.default}" if column.default is not None else ""
    return f"{column.type}{null}{default}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
