"""Recordings of runs: what each commit wrote and when, as data.

`recordings/RUNTIME.jsonl.gz` holds the recordings of one runtime as JSON lines. A line with
`recording` begins a recording; the lines after it are its commits, in order:

    {"recording": "inbox-digest", "run": "r-${token}", "folder": "", "database": "prism.db"}
    {"at": 3, "label": "asked", "in": "imports/titles", "do": [CHANGE, ...]}

`at` is the moment of the commit, in ms from the start of the recording. `label` (optional) names
the commit so that `schedule.json` can stop after it. `in` (optional) is a folder below the
recording's own, with a database of its own. A change is one of:

    {"write": PATH, "text": T}                    a file; "repeat" and "bytes" append repetitions up
                                                  to a size, ending in a newline
    {"insert": TABLE, "row": {COLUMN: VALUE}}     also "replace"; "upsert" with "key": [COLUMN, ...]
    {"update": TABLE, "set": {...}, "where": {...}}
    {"create": TABLE, "columns": {COLUMN: TYPE}}  also "pk", "foreign_keys", "defaults"
    {"sql": STATEMENT, "values": [...]}           anything else, such as a runtime's own schema

An object or array as a value is stored as compact JSON text, `{"$hex": H}` as a BLOB. Strings may
hold marks, which the player replaces:

    ${iso} ${sql} ${ms} ${block}   the instant of this commit (in `run`: of the start) as ISO 8601,
    ${stamp} ${basic} ${basic_ms}  as SQLite's datetime('now'), in ms, as block number, and in
                                   three spellings of run ids
    ${iso:1200}                    any of these, 1,200 ms after the start
    ${run} ${token}                the run's id, and its random part
    ${uuid:KEY} ${hash:KEY}        an id that follows from the run's id and KEY
    ${lap:FIRST:STEP}              FIRST, plus STEP for each earlier play

In JSON, a string that is only `${ms}` or `${lap}` becomes a number. Instants are not part of what
OpenProse's receipts hash, so receipt chains verify at any time of playing. After editing a receipt,
recompute the addresses that later receipts name.

`schedule.json` lists which recordings a new workspace holds (`planted`: begun `ago_s` seconds
before now, stretched to `lasted_s`, stopped after the commit labelled `until`; the writer continues
those with `continues`) and which it plays afterwards (`cast`).

To edit: `python -m inspector.demo.recording unpack FOLDER`, change the text, then `pack FOLDER`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

Value: TypeAlias = int | float | str | bytes | None
"""A value to bind; JSON is already text, marks included."""

RUNTIMES = ("openprose", "grimoire", "prism")
PACKED = ".jsonl.gz"
UNPACKED = ".jsonl"


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A file, by its path below the recording's folder."""

    path: str
    text: str
    repeat: str = ""
    size: int = 0
    """Bytes to fill with repetitions of `repeat`; 0 = `text` alone."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A SQL statement and its values, which may hold marks."""

    sql: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table that a run adds to those of its runtime, created with sqlite-utils."""

    name: str
    columns: Mapping[str, str]
    pk: str | None = None
    foreign_keys: tuple[tuple[str, str, str], ...] = ()
    """Column, other table, other column."""
    defaults: Mapping[str, str] | None = None


Change: TypeAlias = FileWrite | Statement | NewTable


@dataclass(frozen=True, slots=True)
class Commit:
    """Changes that become visible at once."""

    at: int
    """ms from the start of the recording."""
    changes: tuple[Change, ...]
    label: str | None = None
    folder: str = ""
    """Folder below the recording's own; empty = that one."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that one run commits. `run` and `folder` hold marks."""

    name: str
    run: str
    folder: str
    """Relative to the workspace; empty when runs share the database."""
    database: str
    """Relative to `folder`."""
    commits: tuple[Commit, ...]

    def count(self, until: str | None) -> int:
        """Number of commits up to the one labelled `until` (None: all of them).

        Raises ValueError when no commit has that label.
        """
        if until is None:
            return len(self.commits)
        for number, commit in enumerate(self.commits, 1):
            if commit.label == until:
                return number
        raise ValueError(f"recording {self.name} has no commit labelled {until!r}")


@dataclass(frozen=True, slots=True)
class Cue:
    """One use of a recording."""

    play: str
    until: str | None = None
    token: str = ""
    ago_ms: int = 0
    """How long before now a planted run began."""
    lasted_ms: int | None = None
    """How long it took up to its last commit; None: as recorded."""
    continues: bool = False


class Library:
    """The recordings of one runtime by name, parsed when first asked for."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, list[str]] = {}
        self._parsed: dict[str, Recording] = {}
        lines: list[str] = []
        for line in text.rstrip("\n").split("\n"):
            if line.startswith('{"recording"'):
                lines = self._lines.setdefault(json.loads(line)["recording"], [])
            lines.append(line)

    @property
    def names(self) -> Sequence[str]:
        """The recordings in the order of the file."""
        return tuple(self._lines)

    def __getitem__(self, name: str) -> Recording:
        if name not in self._parsed:
            head, *commits = map(json.loads, self._lines[name])
            self._parsed[name] = Recording(
                name, head["run"], head["folder"], head["database"], tuple(map(_commit, commits))
            )
        return self._parsed[name]


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the demonstration shows of one runtime."""

    runtime: str
    library: Library
    planted: tuple[Cue, ...]
    """Runs that a new workspace holds, in the order in which they are written."""
    cast: tuple[Cue, ...]
    """Runs that the writer begins one after the other, again and again."""
    side_by_side: int = 1
    """Runs that are written at the same time."""
    pause_s: float = 0.0
    """Seconds from the end of a run to the next one."""
    token_length: int = 6
    journal_mode: str = "delete"
    keep_open: bool = False
    """Whether the runtime holds its database open for as long as it lives."""
    private: bool = False
    """Whether only the owner may read the database."""


@cache
def library(runtime: str) -> Library:
    """The recordings of a runtime."""
    packed = files(__package__).joinpath("recordings", runtime + PACKED).read_bytes()
    return Library(gzip.decompress(packed).decode())


@cache
def schedules() -> tuple[Schedule, ...]:
    """What the demonstration shows, runtime by runtime."""
    text = files(__package__).joinpath("recordings", "schedule.json").read_text("utf-8")
    return tuple(
        Schedule(
            runtime,
            library(runtime),
            planted=tuple(map(_cue, entry.pop("planted"))),
            cast=tuple(map(_cue, entry.pop("cast"))),
            **entry,
        )
        for runtime, entry in json.loads(text).items()
    )


def _cue(entry: dict[str, Any]) -> Cue:
    lasted = entry.get("lasted_s")
    return Cue(
        entry["play"],
        entry.get("until"),
        entry.get("token", ""),
        round(entry.get("ago_s", 0) * 1000),
        None if lasted is None else round(lasted * 1000),
        entry.get("continues", False),
    )


def _commit(line: dict[str, Any]) -> Commit:
    changes = tuple(_change(change) for change in line["do"])
    return Commit(line["at"], changes, line.get("label"), line.get("in", ""))


def _change(change: dict[str, Any]) -> Change:
    match change:
        case {"write": path, "text": text}:
            return FileWrite(path, text, change.get("repeat", ""), change.get("bytes", 0))
        case {"sql": sql}:
            return Statement(sql, _values(change.get("values", ())))
        case {"create": table, "columns": columns}:
            foreign_keys = tuple(
                (own, other, key) for own, other, key in change.get("foreign_keys", ())
            )
            return NewTable(table, columns, change.get("pk"), foreign_keys, change.get("defaults"))
        case {"update": table, "set": columns, "where": where}:
            assigned = ", ".join(f'"{name}" = ?' for name in columns)
            matched = " AND ".join(f'"{name}" = ?' for name in where)
            sql = f'UPDATE "{table}" SET {assigned} WHERE {matched}'
            return Statement(sql, _values([*columns.values(), *where.values()]))
        case {"row": row}:
            return _insert(change, row)
    raise ValueError(f"unknown change: {sorted(change)}")


def _insert(change: dict[str, Any], row: dict[str, Any]) -> Statement:
    (verb,) = change.keys() & {"insert", "replace", "upsert"}
    sql = _insert_sql(verb, change[verb], tuple(row), tuple(change.get("key", ())))
    return Statement(sql, _values(row.values()))


@cache
def _insert_sql(verb: str, table: str, columns: tuple[str, ...], key: tuple[str, ...]) -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" * len(columns))
    conflict = " OR REPLACE" if verb == "replace" else ""
    sql = f'INSERT{conflict} INTO "{table}" ({names}) VALUES ({marks})'
    if verb == "upsert":
        changed = ", ".join(f'"{name}" = excluded."{name}"' for name in columns if name not in key)
        sql += f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}"
    return sql


def _values(values: Iterable[Any]) -> tuple[Value, ...]:
    return tuple(_value(value) if type(value) in (dict, list) else value for value in values)


def _value(value: dict[str, Any] | list[Any]) -> Value:
    if isinstance(value, dict) and "$hex" in value:
        return bytes.fromhex(value["$hex"])
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpack(folder: Path) -> None:
    """Writes every recordings file as text into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for runtime in RUNTIMES:
        packed = files(__package__).joinpath("recordings", runtime + PACKED).read_bytes()
        (folder / (runtime + UNPACKED)).write_bytes(gzip.decompress(packed))


def pack(folder: Path, to: Path | None = None) -> None:
    """Packs the text of a folder into this package, or another folder.

    The same text gives the same bytes. Raises ValueError when a recording cannot be parsed.
    """
    target = to or Path(os.path.dirname(__file__), "recordings")
    texts = {name: (folder / (name + UNPACKED)).read_text("utf-8") for name in RUNTIMES}
    for text in texts.values():
        parsed = Library(text)
        for name in parsed.names:
            if not parsed[name].commits:
                raise ValueError(f"recording {name} has no commits")
    for name, text in texts.items():
        (target / (name + PACKED)).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main(arguments: Sequence[str] | None = None) -> int:
    """Packs or unpacks the recordings."""
    parser = argparse.ArgumentParser(prog="python -m inspector.demo.recording")
    parser.add_argument("action", choices=("pack", "unpack"))
    parser.add_argument("folder", type=Path, help="folder of the text form")
    options = parser.parse_args(arguments)
    (pack if options.action == "pack" else unpack)(options.folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
