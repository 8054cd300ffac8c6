"""Pages of raw rows of any table or view.

Rows are paged by key: a page is stable while others write, and its cost does not depend on the rows
before it. Cells are truncated; a whole row is read on request.
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
"""Values that identify a row, in the order of `Shape.key`."""
Cell = Any
"""None, int, float, str, bytes, `Cut` or `WITHHELD_CELL`."""

PAGE = 128
FEWEST = 8
PAGE_CELLS = 16_384
"""Maximum cells of a page; tables with many columns get fewer rows."""
PAGE_BYTES = 8 << 20
"""Maximum bytes read for one page, but at least one row."""
KEPT = 512
"""Characters of text, and bytes of a blob, kept in a page."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Beginning of a text or blob, and its total length in bytes."""

    head: str | bytes
    size: int


@dataclass(frozen=True, slots=True)
class Withheld:
    """Cell with a value that is never read."""


WITHHELD_CELL = Withheld()


class RawText(bytes):
    """Text as bytes: distinct from a blob, and decoded only as far as it is shown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One row; without a key (a view) it is identified by its offset."""

    key: Key | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Row range: above `low` and below `high`, each a key and whether it is inclusive."""

    low: tuple[Key, bool] | None = None
    high: tuple[Key, bool] | None = None
    skip: int = 0
    backward: bool = False
    """True for the last rows of the range rather than the first; still returned in order."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in order, and whether the range has more (before them if read backward)."""

    rows: tuple[Row, ...]
    more: bool


def page_rows(shape: Shape) -> int:
    """Return the number of rows per page of a table."""
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
    """Return at most `count` rows of a range, each text and blob truncated to `kept`."""
    if not shape.columns:
        return Page((), False)
    where, values = _condition(shape, wanted)
    order = _order(shape, wanted.backward)
    # One row more than requested shows whether more exist.
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
    """Return one row with longer cells: by key, or by offset if it has none."""
    at = Range((key, True), (key, True)) if key is not None else Range(skip=place)
    rows = read_page(connection, shape, at, 1, kept=kept).rows
    return rows[0] if rows else None


def count_rows(connection: sqlite3.Connection, shape: Shape) -> int:
    """Count all rows, which can be slow. Raise sqlite3.Error."""
    found: int = connection.execute(f"SELECT count(*) FROM {quoted(shape.name)}").fetchone()[0]
    return found


def cut_cell(cell: object, kept: int) -> Cell:
    r"""Truncate a cell; invalid UTF-8 is written as `\xff`."""
    if isinstance(cell, RawText):
        # A UTF-8 character has at most four bytes.
        text = cell[: 4 * kept].decode("utf-8", "backslashreplace")
        return text if len(cell) <= 4 * kept and len(text) <= kept else Cut(text[:kept], len(cell))
    if isinstance(cell, bytes):
        return cell if len(cell) <= kept else Cut(cell[:kept], len(cell))
    return cell


def key_text(key: Key | None, place: int) -> str:
    """Encode where the next page begins, for `--after`."""
    if key is None:
        return str(place)
    if len(key) == 1 and isinstance(key[0], int):
        return str(key[0])
    return json.dumps([_written(value) for value in key], ensure_ascii=False)


def _written(value: object) -> object:
    if isinstance(value, RawText):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"text": value.hex()}
    return {"blob": value.hex()} if isinstance(value, bytes) else value


def range_after(shape: Shape, text: str) -> Range:
    """Decode `key_text` into the range after it. Raise ValueError if the text is invalid."""
    if not text:
        return Range()
    if not shape.key:
        return Range(skip=max(0, int(text)))
    found = json.loads(text)
    values = found if isinstance(found, list) else [found]
    if len(values) != len(shape.key):
        raise ValueError("a key of other columns")
    return Range(low=(tuple(map(_read_value, values)), False))


def _read_value(value: object) -> object:
    if isinstance(value, dict):
        (kind, digits), *rest = value.items()
        if rest or kind not in ("text", "blob"):
            raise ValueError("neither text nor blob")
        return RawText.fromhex(digits) if kind == "text" else bytes.fromhex(digits)
    if value is None or isinstance(value, bool | list):
        raise ValueError("no value of a key")
    return RawText(value.encode()) if isinstance(value, str) else value


class _text_as_bytes:
    """Context manager in which a connection returns text as `RawText`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = self._connection.text_factory
        self._connection.text_factory = RawText

    def __exit__(self, *error: object) -> None:
        self._connection.text_factory = self._before


def _rows(
    connection: sqlite3.Connection, shape: Shape, tail: str, values: Sequence[object]
) -> Iterator[tuple[Key | None, Sequence[object]]]:
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
    # The column limit leaves no room for the key; content is unchanged between the two reads.
    keys = connection.execute(f"SELECT {', '.join(apart)} FROM {table} {tail}", values)
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table} {tail}", values)
    for key, row in zip(keys, rows, strict=True):
        yield _split(shape, key, row)


def _split(
    shape: Shape, apart: Sequence[object], row: Sequence[object]
) -> tuple[Key | None, Sequence[object]]:
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


def _condition(shape: Shape, wanted: Range) -> tuple[str, list[object]]:
    if not shape.key:
        return "", []
    conditions: list[str] = []
    values: list[object] = []
    for bound, above in ((wanted.low, True), (wanted.high, False)):
        if bound is not None:
            key, included = bound
            conditions.append(_bound(shape, key, above, included, values))
    return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values


def _bound(shape: Shape, key: Key, above: bool, included: bool, values: list[object]) -> str:
    marks = [_bind(value, values) for value in key]
    one_way = len({part.descending for part in shape.key}) == 1
    if one_way:
        sign = "<" if shape.key[0].descending == above else ">"
        names = ", ".join(part.sql for part in shape.key)
        return f"({names}) {sign}{'=' if included else ''} ({', '.join(marks)})"
    values[len(values) - len(key) :] = []
    return _mixed_bound(shape, key, above, included, values)


def _mixed_bound(shape: Shape, key: Key, above: bool, included: bool, values: list[object]) -> str:
    """Return the bound for a key with mixed sort directions, starting at its first column."""
    part, rest = shape.key[0], shape.key[1:]
    sign = "<" if part.descending == above else ">"
    last = "=" if included and not rest else ""
    beyond = f"{part.sql} {sign}{last} {_bind(key[0], values)}"
    if not rest:
        return beyond
    same = f"{part.sql} = {_bind(key[0], values)}"
    inner = _mixed_bound(replace(shape, key=rest), key[1:], above, included, values)
    return f"({beyond} OR ({same} AND {inner}))"


def _bind(value: object, values: list[object]) -> str:
    if isinstance(value, RawText):
        values.append(bytes(value))
        return "CAST(? AS TEXT)"
    values.append(value)
    return "?"
