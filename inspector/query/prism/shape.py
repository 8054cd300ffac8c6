"""The shape of a database, and where it differs from what Prism's check expects.

Source: Prism 0.3.0, `assertPersistenceSchemaShape`: per table the number of columns, each column
with type, nullability and default, keys and references; then each index. Not looked at, as there:
other tables and indexes, triggers, the conditions of partial indexes, what is in the rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.query.prism.schema_model import (
    SEARCH_TABLE,
    Column,
    IndexModel,
    SchemaModel,
    TableModel,
)
from inspector.query.tables import Tables, quoted

_PREFIX = "Persistence schema"


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table as it is."""

    columns: Mapping[str, Column]
    key: tuple[str, ...]
    unique: frozenset[tuple[str, ...]]
    references: frozenset[str]
    indexes: Mapping[str, IndexModel]


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference: what it is about, in words, and what Prism says (None = not known)."""

    table: str
    what: str
    """Column or index; the table itself where it is about neither."""
    message: str
    says: str | None = None


def read_shape(
    connection: sqlite3.Connection, tables: Tables, model: SchemaModel
) -> dict[str, TableShape]:
    """The shapes of those tables of the model that exist."""
    return {
        table.name: _table_shape(connection, table.name)
        for table in model.tables
        if tables.get(table.name) is not None
    }


def _table_shape(connection: sqlite3.Connection, name: str) -> TableShape:
    columns: dict[str, Column] = {}
    keyed: list[tuple[int, str]] = []
    for _, column, kind, required, default, place in connection.execute(
        f"PRAGMA table_info({quoted(name)})"
    ):
        columns[column] = Column(column, str(kind).upper(), not required, _default(default))
        if place:
            keyed.append((place, column))
    indexes, unique = _indexes(connection, name)
    return TableShape(
        columns,
        tuple(column for _, column in sorted(keyed)),
        frozenset(unique),
        frozenset(_references(connection, name)),
        indexes,
    )


def _default(value: object) -> str | None:
    """A default as it is compared: without space around it, case and cast."""
    if value is None:
        return None
    return str(value).strip().lower().partition("::")[0]


def _indexes(
    connection: sqlite3.Connection, table: str
) -> tuple[dict[str, IndexModel], set[tuple[str, ...]]]:
    found: dict[str, IndexModel] = {}
    unique: set[tuple[str, ...]] = set()
    for row in connection.execute(f"PRAGMA index_list({quoted(table)})").fetchall():
        name, is_unique = str(row[1]), bool(row[2])
        info = connection.execute(f"PRAGMA index_info({quoted(name)})").fetchall()
        columns = tuple(str(each[2]) for each in info)
        found[name] = IndexModel(name, table, columns, is_unique)
        if is_unique:
            unique.add(columns)
    return found, unique


def _references(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    keys: dict[int, list[tuple[int, str, str, str]]] = {}
    for row in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
        number, place, target, column, other = row[:5]
        keys.setdefault(number, []).append((place, str(target), str(column), str(other or "id")))
    for parts in keys.values():
        ordered = sorted(parts)
        own = " ".join(part[2] for part in ordered)
        others = " ".join(part[3] for part in ordered)
        yield f"{own} > {ordered[0][1]} {others}"


def drifts(model: SchemaModel, shapes: Mapping[str, TableShape], tables: Tables) -> list[Drift]:
    """Every difference, in the order in which Prism would meet it."""
    found: list[Drift] = []
    for table in model.tables:
        shape = shapes.get(table.name)
        if shape is None:
            found.append(
                Drift(
                    table.name,
                    table.name,
                    f"the table {table.name} is missing",
                    f"{_PREFIX} table {table.name} has unexpected columns",
                )
            )
        else:
            found.extend(_table_drifts(table, shape))
    for index in model.indexes:
        found.extend(_index_drifts(index, shapes))
    if model.has_search and tables.get(SEARCH_TABLE) is None:
        message = f"the full-text table {SEARCH_TABLE} is missing"
        says = f"no such table: {SEARCH_TABLE}"
        found.append(Drift(SEARCH_TABLE, SEARCH_TABLE, message, says))
    return found


def _table_drifts(table: TableModel, shape: TableShape) -> Iterator[Drift]:
    name = table.name
    expected = {column.name: column for column in table.columns}
    missing = [column for column in expected if column not in shape.columns]
    extra = [column for column in shape.columns if column not in expected]
    # Prism counts the columns first, so a column for a column is another message.
    counted = (
        f"{_PREFIX} table {name} has unexpected columns" if len(missing) != len(extra) else None
    )
    for column in extra:
        yield Drift(name, column, f"{name} has a column {column} that it should not have", counted)
    for column in missing:
        yield Drift(name, column, f"{name} lacks the column {column}", counted)
    for wanted in table.columns:
        actual = shape.columns.get(wanted.name)
        if actual is not None and actual != wanted:
            message = f"{name}.{wanted.name} is {_declared(actual)} instead of {_declared(wanted)}"
            yield Drift(name, wanted.name, message)
    if shape.key != table.key:
        yield Drift(name, name, f"the key of {name} is ({_listed(shape.key)})")
    for unique in table.unique:
        if unique not in shape.unique and unique != shape.key:
            yield Drift(name, name, f"({_listed(unique)}) is not unique in {name}")
    for reference in table.references:
        if reference not in shape.references:
            yield Drift(name, name, f"{name} lacks the reference {reference}")


def _index_drifts(index: IndexModel, shapes: Mapping[str, TableShape]) -> Iterator[Drift]:
    shape = shapes.get(index.table)
    if shape is None:
        return
    actual = shape.indexes.get(index.name)
    if actual == index:
        return
    if actual is None and not any(index.name in one.indexes for one in shapes.values()):
        message = f"the index {index.name} of {index.table} is missing"
        says = f"{_PREFIX} missing required index {index.name}"
        yield Drift(index.table, index.name, message, says)
        return
    message = f"the index {index.name} of {index.table} is defined otherwise"
    says = f"{_PREFIX} index {index.name} has incompatible definition"
    yield Drift(index.table, index.name, message, says)


def _declared(column: Column) -> str:
    null = "" if column.nullable else " NOT NULL"
    default = f" DEFAULT {column.default}" if column.default is not None else ""
    return f"{column.type}{null}{default}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
