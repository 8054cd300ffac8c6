"""Rows of any table or view as they stand, in pages: by their key, so that a page stays the same
page while others write, and no page costs more because of the rows before it.

Cells are kept up to a length; the whole of a row is read when somebody asks for that row.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.query.raw_tables import MOST_COLUMNS, Shape
from inspector.query.tables import quoted

Key = tuple[Any, ...]
"""The values that tell a row from every other, in the order of `Shape.key`."""
Cell = Any
"""None, int, float, str, bytes, `Cut` or `WITHHELD_CELL`."""

PAGE = 128
FEWEST = 8
PAGE_CELLS = 16_384
"""Cells of a page: of a table of very many columns fewer rows are read at once."""
PAGE_BYTES = 8 << 20
"""Bytes that are read for one page, but at least one row."""
KEPT = 512
"""Characters of a text, and bytes of a blob, that a page keeps."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The beginning of a text or a blob, and how many bytes all of it has."""

    head: str | bytes
    size: int


@dataclass(frozen=True, slots=True)
class Withheld:
    """A cell that holds something that is never read."""


WITHHELD_CELL = Withheld()


class RawText(bytes):
    """Text as its bytes, so that it is told from a blob and decoded only as far as it is shown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One row; without a key (a view) it is only known by its place."""

    key: Key | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Which rows: above `low` and below `high`, each a key and whether its own row is included."""

    low: tuple[Key, bool] | None = None
    high: tuple[Key, bool] | None = None
    skip: int = 0
    backward: bool = False
    """The last ones of the range instead of the first; given in order all the same."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in order, and whether the range holds more (before them, if read backward)."""

    rows: tuple[Row, ...]
    more: bool


def page_rows(shape: Shape) -> int:
    """How many rows a page of this table has."""
    return max(FEWEST, min(PAGE, PAGE_CELLS // max(1, len(shape.columns))))


def read_page(
    connection: sqlite3.Connection,
    shape: Shape,
    wanted: Range,
    count: int,
    *,
    kept: int = KEPT,
    most_bytes: int = PAGE_BYTES,
) -> Page:
    """At most `count` rows of a range, each text and blob cut to `kept`."""
    if not shape.columns:
        return Page((), False)
    where, values = _condition(shape, wanted)
    order = _order(shape, wanted.backward)
    # One more than wanted tells whether there are more.
    tail = f"{where} {order} LIMIT {count + 1} OFFSET {max(0, wanted.skip)}"
    rows: list[Row] = []
    read, more = 0, False
    with _text_as_bytes(connection):
        for key, cells in _rows(connection, shape, tail, values):
            if len(rows) == count or (rows and read > most_bytes):
                more = True
                break
            read += sum(len(cell) for cell in cells if isinstance(cell, bytes))
            rows.append(Row(key, tuple(cut_cell(cell, kept) for cell in cells)))
    if wanted.backward:
        rows.reverse()
    return Page(tuple(rows), more)


def read_row(
    connection: sqlite3.Connection, shape: Shape, key: Key | None, place: int, kept: int
) -> Row | None:
    """One row with more of its cells: by its key, or by its place where it has none."""
    at = Range((key, True), (key, True)) if key is not None else Range(skip=place)
    rows = read_page(connection, shape, at, 1, kept=kept).rows
    return rows[0] if rows else None


def count_rows(connection: sqlite3.Connection, shape: Shape) -> int:
    """How many rows there are; may take long. Raises sqlite3.Error."""
    found: int = connection.execute(f"SELECT count(*) FROM {quoted(shape.name)}").fetchone()[0]
    return found


def cut_cell(cell: Any, kept: int) -> Cell:
    """A cell as it is kept: bytes that are no UTF-8 stand in a text as `\\xff`."""
    if isinstance(cell, RawText):
        # A character has four bytes at most.
        text = cell[: 4 * kept].decode("utf-8", "backslashreplace")
        return text if len(cell) <= 4 * kept and len(text) <= kept else Cut(text[:kept], len(cell))
    if isinstance(cell, bytes):
        return cell if len(cell) <= kept else Cut(cell[:kept], len(cell))
    return cell


def key_text(key: Key | None, place: int) -> str:
    """Where a following page begins, as text: what `--after` takes."""
    if key is None:
        return str(place)
    if len(key) == 1 and isinstance(key[0], int):
        return str(key[0])
    return json.dumps([_written(value) for value in key], ensure_ascii=False)


def _written(value: Any) -> Any:
    if isinstance(value, RawText):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"text": value.hex()}
    return {"blob": value.hex()} if isinstance(value, bytes) else value


def range_after(shape: Shape, text: str) -> Range:
    """The rows behind what `key_text` wrote. Raises ValueError when it is no such text."""
    if not text:
        return Range()
    if not shape.key:
        return Range(skip=max(0, int(text)))
    found = json.loads(text)
    values = found if isinstance(found, list) else [found]
    if len(values) != len(shape.key):
        raise ValueError("a key of other columns")
    return Range(low=(tuple(map(_read_value, values)), False))


def _read_value(value: Any) -> Any:
    if isinstance(value, dict):
        (kind, digits), *rest = value.items()
        if rest or kind not in ("text", "blob"):
            raise ValueError("neither text nor blob")
        return RawText.fromhex(digits) if kind == "text" else bytes.fromhex(digits)
    if value is None or isinstance(value, bool | list):
        raise ValueError("no value of a key")
    return RawText(value.encode()) if isinstance(value, str) else value


class _text_as_bytes:
    """While it lasts, a connection gives text as `RawText`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = self._connection.text_factory
        self._connection.text_factory = RawText

    def __exit__(self, *error: object) -> None:
        self._connection.text_factory = self._before


def _rows(
    connection: sqlite3.Connection, shape: Shape, tail: str, values: Sequence[Any]
) -> Iterator[tuple[Key | None, Sequence[Any]]]:
    columns = [
        f"CASE WHEN {quoted(one.name)} IS NOT NULL THEN 1 END" if one.withheld else quoted(one.name)
        for one in shape.columns
    ]
    apart = [part.sql for part in shape.key if part.column is None]
    table = quoted(shape.name)
    if len(columns) + len(apart) <= MOST_COLUMNS:
        listed = ", ".join([*apart, *columns])
        for row in connection.execute(f"SELECT {listed} FROM {table} {tail}", values):
            yield _split(shape, row[: len(apart)], row[len(apart) :])
        return
    # The key has no room beside so many columns; the content stands still between the two.
    keys = connection.execute(f"SELECT {', '.join(apart)} FROM {table} {tail}", values)
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table} {tail}", values)
    for key, row in zip(keys, rows, strict=True):
        yield _split(shape, key, row)


def _split(
    shape: Shape, apart: Sequence[Any], row: Sequence[Any]
) -> tuple[Key | None, Sequence[Any]]:
    others = iter(apart)
    key = tuple(next(others) if one.column is None else row[one.column] for one in shape.key)
    if shape.withholds:
        row = [
            WITHHELD_CELL if column.withheld and cell is not None else cell
            for column, cell in zip(shape.columns, row, strict=True)
        ]
    return key or None, row


def _order(shape: Shape, backward: bool) -> str:
    if not shape.key:
        return ""
    parts = (f"{one.sql} {'DESC' if one.descending != backward else 'ASC'}" for one in shape.key)
    return f"ORDER BY {', '.join(parts)}"


def _condition(shape: Shape, wanted: Range) -> tuple[str, list[Any]]:
    if not shape.key:
        return "", []
    conditions: list[str] = []
    values: list[Any] = []
    for bound, above in ((wanted.low, True), (wanted.high, False)):
        if bound is not None:
            key, included = bound
            conditions.append(_bound(shape, key, above, included, values))
    return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values


def _bound(shape: Shape, key: Key, above: bool, included: bool, values: list[Any]) -> str:
    marks = [_bind(value, values) for value in key]
    one_way = len({part.descending for part in shape.key}) == 1
    if one_way:
        sign = "<" if shape.key[0].descending == above else ">"
        names = ", ".join(part.sql for part in shape.key)
        return f"({names}) {sign}{'=' if included else ''} ({', '.join(marks)})"
    values[len(values) - len(key) :] = []
    return _mixed_bound(shape, key, above, included, values)


def _mixed_bound(shape: Shape, key: Key, above: bool, included: bool, values: list[Any]) -> str:
    """Where some columns are ordered the other way round: from the first column on."""
    part, rest = shape.key[0], shape.key[1:]
    sign = "<" if part.descending == above else ">"
    last = "=" if included and not rest else ""
    beyond = f"{part.sql} {sign}{last} {_bind(key[0], values)}"
    if not rest:
        return beyond
    same = f"{part.sql} = {_bind(key[0], values)}"
    inner = _mixed_bound(replace(shape, key=rest), key[1:], above, included, values)
    return f"({beyond} OR ({same} AND {inner}))"


def _bind(value: Any, values: list[Any]) -> str:
    if isinstance(value, RawText):
        values.append(bytes(value))
        return "CAST(? AS TEXT)"
    values.append(value)
    return "?"
