"""Which columns the records of a part are shown in; without a declaration they are found out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.text.escape import json_text
from inspector.text.mask import mask_named
from inspector.text.numbers import NOT_RECORDED, count, size
from inspector.ui.palette import Role

Record = Mapping[str, Any]
Cell = Callable[[Record], str]
MOST_FOUND = 5
"""Columns that are shown of records that nothing is declared about."""
ID_CELLS = 9
LOOKED_AT, SHOWN = 4_096, 300
"""Characters of a field that are looked through for secrets, and that a row has."""
_WHOSE = ("sessionId", "runId", "session_id", "run_id")
"""What every record of a run has alike."""
_SAYS = ("message", "name", "text", "summary", "usage", "value", "reason")
"""Fields that say most of a record, the first that there is."""


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
    from_end: bool = False
    """Whether its end is what tells one from another, so that the beginning is cut."""


@dataclass(frozen=True, slots=True)
class Table:
    """How a part is shown: its columns, what is wrong with a record, and a record's title."""

    columns: tuple[Column, ...]
    trouble: Callable[[Record], str | None]
    """A sentence when something is wrong with the record."""
    title: Cell
    body: Callable[[Record], tuple[str, str] | None] | None = None
    """What is read of a record (name, text) instead of all its fields, where it has that."""
    in_lines: bool = False
    """Whether its lines are counted, because others name them by their numbers."""


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


def _agent_trouble(record: Record) -> str | None:
    said = [_text(record["unreadable"])] if record.get("unreadable") else []
    if record.get("orphan"):
        said.append("segments without an agent of this name")
    gap = record.get("gap")
    if gap:
        said.append(f"segments missing: {', '.join(map(str, gap))}")
    return "; ".join(said) or None


def _agent_body(record: Record) -> tuple[str, str] | None:
    """The memory, then the segments in their order, with the numbers that are missing."""
    if "memory" not in record:
        return None
    memory = record.get("memory")
    parts = ["no memory is recorded" if memory is None else str(memory)]
    missing = set(record.get("gap") or ())
    numbered = [(one.get("segment_number"), one) for one in record.get("segments") or ()]
    for number, one in numbered:
        before = sorted(gap for gap in missing if isinstance(number, int) and gap < number)
        missing -= set(before)
        parts += [f"segment {gap}: missing" for gap in before]
        said = [str(one[key]) for key in ("timestamp", "prompt") if one.get(key)]
        head = "   ".join((f"segment {_text(number)}", *said))
        parts.append(f"{head}\n{one.get('summary') or one.get('unreadable') or ''}".rstrip())
    return f"{record.get('name')}", "\n\n".join(parts)


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


AGENTS = Table(
    (
        Column("scope", 8, plain("scope")),
        Column("name", 16, plain("name"), Role.TEXT, grows=True),
        Column("segments", 8, plain("segments"), right=True),
        Column("updated", 19, plain("updated_at"), narrow=False),
    ),
    _agent_trouble,
    lambda record: f"{record.get('name')} in the scope of the {record.get('scope')}",
    _agent_body,
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
    in_lines=True,
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
    "agents": AGENTS,
    "source": SOURCE,
    "tables": TABLES,
}


def table_for(part: str, records: Sequence[Record]) -> Table:
    """The declared table of a part, else one of the first fields that say something short."""
    return DECLARED.get(part) or _found(records)


def _found(records: Sequence[Record]) -> Table:
    """Short ends of ids first, what they belong to left out, and all room for what they say."""
    fields = [field for field in (records[0] if records else {}) if not field.endswith("_json")]
    fields = [field for field in fields if field not in _WHOSE] or fields
    said = next((field for field in _SAYS if field in fields), None)
    if said is None:
        said = next((field for field in fields if field != "id"), fields[0] if fields else "")
    others = [field for field in fields if field not in (said, "id")]
    has_id = "id" in fields and said != "id"
    columns = [Column(_title(said), _width(said, records), _brief(said), Role.TEXT, grows=True)]
    if has_id:
        is_long = _width("id", records) > ID_CELLS
        cells = ID_CELLS if is_long else _width("id", records)
        columns.insert(0, Column("id", cells, plain("id"), from_end=is_long))
    for field in others[: MOST_FOUND - len(columns)]:
        is_second = len(columns) < 2
        columns.append(
            Column(_title(field), _width(field, records), plain(field), narrow=is_second)
        )
    return Table(tuple(columns), _no_trouble, plain("id" if has_id else said))


def _title(field: str) -> str:
    return field.replace("_", " ")


def _brief(field: str) -> Cell:
    """A field with what is inside it, masked, as far as a line may show it."""

    def text(record: Record) -> str:
        value = record.get(field)
        if isinstance(value, Mapping | list | tuple) and value:
            return mask_named(field, json_text(value)[:LOOKED_AT]).text[:SHOWN]
        return _text(value)

    return text


def _width(field: str, records: Sequence[Record]) -> int:
    longest = max((len(_text(record.get(field))) for record in records[:200]), default=0)
    return max(len(field), min(longest, 24))
