"""Which columns the records of a part are shown in; without a declaration they are found out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.text.numbers import NOT_RECORDED, count, size, tokens
from inspector.ui.palette import Role

Record = Mapping[str, Any]
Cell = Callable[[Record], str]
MOST_FOUND = 5
"""Columns that are shown of records that nothing is declared about."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it says of a record, how wide it is, and how it looks."""

    title: str
    cells: int
    """Its width; a growing column has at least this."""
    text: Cell
    role: Role = Role.MUTED
    right: bool = False
    grows: bool = False
    narrow: bool = True
    """Whether it stays where there are fewer than 80 columns."""


@dataclass(frozen=True, slots=True)
class Table:
    """How a part is shown: its columns, what is wrong with a record, and a record's title."""

    columns: tuple[Column, ...]
    trouble: Callable[[Record], str | None]
    """A sentence when something is wrong with the record."""
    title: Cell
    body: Callable[[Record], tuple[str, str]] | None = None
    """What is read of a record (name, text) instead of all its fields."""


def plain(field: str) -> Cell:
    """A field as it stands."""
    return lambda record: _text(record.get(field))


def _text(value: Any) -> str:
    if value is None:
        return NOT_RECORDED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Mapping | Sequence):
        return f"{len(value)}"
    return str(value)


def _no_trouble(record: Record) -> str | None:
    return None


def short_address(value: Any) -> str:
    """The end of a content address: enough to tell one from another."""
    text = _text(value)
    return f"…{text[-8:]}" if text.startswith("sha256:") else text


def _tokens(field: str) -> Cell:
    def text(record: Record) -> str:
        spent = record.get("tokens")
        return tokens(spent.get(field) if isinstance(spent, Mapping) else None)

    return text


BAR_CELLS = 10


def _bar(most: int) -> Cell:
    """What a receipt spent beside the dearest one, as a bar."""

    def text(record: Record) -> str:
        spent = record.get("tokens")
        total = _spent(spent) if isinstance(spent, Mapping) else 0
        return "━" * max(1, round(total * BAR_CELLS / most)) if total and most else ""

    return text


def _spent(spent: Mapping[str, Any]) -> int:
    return int(spent.get("fresh") or 0) + int(spent.get("reused") or 0)


def _moved(record: Record) -> str:
    facets = record.get("moved_facets")
    return " ".join(map(str, facets)) if isinstance(facets, Sequence) else NOT_RECORDED


def _broken(record: Record) -> str | None:
    found = record.get("trouble")
    return "; ".join(map(str, found)) if found else None


def _integrity(record: Record) -> str | None:
    word = record.get("integrity")
    if word == "verified":
        return None
    return _text(record.get("unreadable")) if word == "unreadable" else "its bytes were changed"


def _agent_trouble(record: Record) -> str | None:
    if record.get("unreadable"):
        return _text(record["unreadable"])
    if record.get("orphan"):
        return "segments without an agent of this name"
    gap = record.get("gap")
    return f"segments missing: {', '.join(map(str, gap))}" if gap else None


def _changed(record: Record) -> str:
    changed = record.get("changed_since")
    return NOT_RECORDED if changed is None else ("changed since" if changed else "as it is today")


def _rows(record: Record) -> str:
    """How many rows a table has; they are counted one table after the other."""
    number = record.get("rows")
    return count(number) if isinstance(number, int) else ""


def _beyond(record: Record) -> str:
    """What the runtime's own document does not know: the whole table, or some columns."""
    if not record.get("documented"):
        return "the whole table"
    extra = record.get("extra_columns")
    return ", ".join(map(str, extra)) if extra else ""


def receipts_table(records: Sequence[Record]) -> Table:
    """Receipts, each with what it spent beside the dearest of them."""
    spent = (record.get("tokens") for record in records)
    most = max((_spent(one) for one in spent if isinstance(one, Mapping)), default=0)
    return Table(
        (*_RECEIPT, Column("spent", BAR_CELLS, _bar(most), Role.DONE, narrow=False)),
        _broken,
        lambda record: f"receipt {record.get('id')} of {record.get('node')}",
    )


_RECEIPT = (
    Column("receipt", 7, plain("id"), right=True),
    Column("node", 22, plain("node"), Role.TEXT, grows=True),
    Column("status", 9, plain("status")),
    Column("woken by", 9, plain("surprise_cause"), narrow=False),
    Column("moved", 18, _moved, narrow=False),
    Column("fresh", 6, _tokens("fresh"), Role.TEXT, right=True),
    Column("reused", 6, _tokens("reused"), right=True, narrow=False),
)
WORLD_MODELS = Table(
    (
        Column("node", 20, plain("node"), Role.TEXT, grows=True),
        Column("version", 10, lambda record: short_address(record.get("version"))),
        Column("files", 5, plain("files"), right=True),
        Column("size", 6, lambda record: size(record.get("size")), right=True),
        Column("published", 9, lambda one: "published" if one.get("published") else "", Role.TEXT),
        Column("bytes", 10, plain("integrity"), narrow=False),
    ),
    _integrity,
    lambda record: f"{record.get('node')} {short_address(record.get('version'))}",
)
AGENTS = Table(
    (
        Column("scope", 8, plain("scope")),
        Column("name", 16, plain("name"), Role.TEXT, grows=True),
        Column("segments", 8, plain("segments"), right=True),
        Column("updated", 19, plain("updated_at"), narrow=False),
    ),
    _agent_trouble,
    lambda record: f"{record.get('name')} in the scope of the {record.get('scope')}",
)
SOURCE = Table(
    (
        Column("file", 24, plain("path"), Role.TEXT, grows=True),
        Column("size", 6, lambda record: size(record.get("size")), right=True),
        Column("today", 14, _changed, narrow=False),
    ),
    lambda record: None if record.get("text") is not None else _text(record.get("verdict")),
    plain("path"),
    lambda record: (_text(record.get("path")), record.get("text") or ""),
)

TABLES = Table(
    (
        Column("table", 20, plain("name"), Role.TEXT, grows=True),
        Column("kind", 6, plain("type"), narrow=False),
        Column("rows", 11, _rows, Role.TEXT, right=True),
        Column("columns", 7, plain("columns"), right=True, narrow=False),
        Column("beyond the document", 19, _beyond, narrow=False),
    ),
    _no_trouble,
    plain("name"),
)

DECLARED: Mapping[str, Table] = {
    "world_models": WORLD_MODELS,
    "agents": AGENTS,
    "source": SOURCE,
    "tables": TABLES,
}


def table_for(part: str, records: Sequence[Record]) -> Table:
    """The declared table of a part, else one of the first fields that say something short."""
    if part == "receipts":
        return receipts_table(records)
    return DECLARED.get(part) or _found(records)


def _found(records: Sequence[Record]) -> Table:
    fields = [field for field in (records[0] if records else {}) if not field.endswith("_json")]
    shown = fields[:MOST_FOUND] or [""]
    columns = [
        Column(field.replace("_", " "), _width(field, records), plain(field), narrow=at < 2)
        for at, field in enumerate(shown)
    ]
    first = columns[0]
    columns[0] = Column(first.title, first.cells, first.text, Role.TEXT, grows=True)
    return Table(tuple(columns), _no_trouble, plain(shown[0]))


def _width(field: str, records: Sequence[Record]) -> int:
    longest = max((len(_text(record.get(field))) for record in records[:200]), default=0)
    return max(len(field), min(longest, 24))
