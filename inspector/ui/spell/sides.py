"""Two runs beside each other as rows to draw: made on a reader's thread, masked, safe to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.query.comparison import PREVIOUS
from inspector.query.masked import Masks
from inspector.query.run_reader import RunReader
from inspector.text.escape import json_text
from inspector.text.numbers import NOT_RECORDED
from inspector.text.parse_time import parse_instant

LONGEST = 300
"""Characters of a value in a row."""
SAVED_NOW = "saved_now"


@dataclass(frozen=True, slots=True)
class Row:
    """One name: what stands under it on either side."""

    name: str
    change: str | None
    """`added removed changed same`; None where there is nothing to compare with."""
    before: str
    after: str
    now: str | None
    """What is saved by now; None where the part has no such thing."""
    stale: bool
    record: Mapping[str, Any]
    """Everything, for whoever wants to read it whole."""

    @property
    def differs(self) -> bool:
        """Whether the sides are other."""
        return self.change not in (None, "same")


@dataclass(frozen=True, slots=True)
class Sides:
    """One part of two runs."""

    about: str
    before: str | None
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    with_now: bool

    def counted(self) -> str:
        """How many are other, and how."""
        words = ("changed", "added", "removed")
        counts = [(sum(row.change == word for row in self.rows), word) for word in words]
        told = ", ".join(f"{number:,} {word}" for number, word in counts if number)
        compared = any(row.change is not None for row in self.rows)
        return told or ("nothing is other" if compared else "")


def sides_of(reader: RunReader, part: str, against: str | None) -> Sides | None:
    """A part of this run beside that of another; None where the runtime compares nothing."""
    side = reader.side(part, against or PREVIOUS)
    told = None if side is None else reader.compare(part, side, whole=True)
    if told is None:
        return None
    now = _saved(reader) if part == "state" else None
    records = [dict(record) for record in told.records]
    if now is not None:
        known = {record["name"] for record in records}
        records += [{"name": name, "change": None} for name in now if name not in known]
        for record in records:
            if record["name"] in now:
                record[SAVED_NOW] = {record["name"]: now[record["name"]]}
    masked = Masks().content({"records": records})["records"]
    about = reader.about(part)
    rows = tuple(_row(record, now is not None) for record in masked)
    return Sides(about or "", told.before, rows, told.notes, now is not None)


def _saved(reader: RunReader) -> dict[str, Any]:
    """What the spell keeps by now."""
    rows = reader.record("state")
    return {row["name"]: row[SAVED_NOW] for row in rows if SAVED_NOW in row}


def _row(record: Mapping[str, Any], with_now: bool) -> Row:
    name = str(record["name"])
    sides = [_text(record, side) for side in ("before", "after", SAVED_NOW)]
    return Row(
        name,
        record["change"],
        sides[0],
        sides[1],
        sides[2] if with_now else None,
        record.get("stale") is True,
        record,
    )


def _text(record: Mapping[str, Any], side: str) -> str:
    """A side in a few words; a source by when it was taken and from where."""
    if side not in record:
        return NOT_RECORDED
    value = record[side]
    if record.get("of") == "source":
        return _source(value)
    if isinstance(value, Mapping) and record["name"] in value:
        value = value[record["name"]]
    return (value if isinstance(value, str) else json_text(value))[:LONGEST]


def _source(source: Any) -> str:
    if not isinstance(source, Mapping):
        return str(source)[:LONGEST]
    words = [str(source[name]) for name in ("venue", "dataset", "asset") if source.get(name)]
    age = source.get("snapshot_age_sec")
    if isinstance(age, int) and not isinstance(age, bool):
        words.append(f"{age:,} s old")
    taken = source.get("snapshot_at")
    if parse_instant(taken) is not None:
        words.append(f"of {taken}")
    return ("  ".join(words) or json_text(source))[:LONGEST]
