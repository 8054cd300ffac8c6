"""Plays recordings into databases and files, as the runtimes would write them.

Instants in a recording are moments, counted from its start. They become real when a commit is
played, so a recording can be played at any time, at any speed, and with any delay.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from inspector.demo.recording import (
    Commit,
    Cue,
    FileWrite,
    NewTable,
    Schedule,
    Statement,
)

_MARK = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")
_JSON_NUMBER = re.compile(r'"\$\{(ms|lap)(?::([^}]*))?\}"')
"""A quoted mark that JSON is to hold as a number."""
_BLOCK_MS, _BLOCK_OFFSET = 12_000, 123_140_000
"""A block every 12 s, numbered from an arbitrary origin."""


def _strftime(layout: str) -> Callable[[int], str]:
    return lambda instant: datetime.fromtimestamp(instant // 1000, UTC).strftime(layout)


def _with_ms(layout: str) -> Callable[[int], str]:
    spell = _strftime(layout)
    return lambda instant: f"{spell(instant)}.{instant % 1000:03d}Z"


FORMATS: Mapping[str, Callable[[int], str]] = {
    "iso": _with_ms("%Y-%m-%dT%H:%M:%S"),
    "sql": _strftime("%Y-%m-%d %H:%M:%S"),
    "ms": str,
    "block": lambda instant: str(instant // _BLOCK_MS - _BLOCK_OFFSET),
    "stamp": _strftime("%Y%m%d-%H%M%S"),
    "basic": _strftime("%Y%m%dT%H%M%S"),
    "basic_ms": _with_ms("%Y%m%dT%H%M%S"),
}
"""Mark → spelling of an instant (UTC ms)."""


def digest(*parts: object) -> str:
    """64 hex digits that follow from the parts."""
    return hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()


class Timeline:
    """Maps moments of a recording (ms from its start) to instants (UTC ms)."""

    def __init__(self) -> None:
        self._moments: list[int] = []
        self._instants: list[int] = []

    def reach(self, moment: int, instant: int) -> None:
        """Records when the commit at this moment was played."""
        self._moments.append(moment)
        self._instants.append(instant)

    def instant(self, moment: int) -> int:
        """The instant of a moment, counted from the newest commit at or before it.

        A moment before the first commit is counted back from that one.
        """
        anchor = max(0, bisect_right(self._moments, moment) - 1)
        return self._instants[anchor] + moment - self._moments[anchor]


@dataclass(frozen=True, slots=True)
class Effects:
    """One commit, ready to be written."""

    files: tuple[tuple[str, bytes], ...]
    """Absolute path and content; written before the rows."""
    database: str
    """Absolute path."""
    changes: tuple[Statement | NewTable, ...]


class Playback:
    """One play of a recording below a workspace."""

    def __init__(
        self, schedule: Schedule, root: str, cue: Cue, token: str | None = None, lap: int = 0
    ) -> None:
        self._schedule = schedule
        self._root = root
        self._cue = cue
        self._token = cue.token if token is None else token
        self._lap = lap
        self._recording = schedule.library[cue.play]
        self._end = self._recording.count(cue.until)
        self._timeline = Timeline()
        self.position = 0
        """Commits played so far."""
        self._run = ""
        self.folder = root
        """Absolute folder of the run; until the first commit the workspace."""

    @property
    def is_shared(self) -> bool:
        """Whether other runs write below the same folder."""
        return "${run}" not in self._recording.folder

    @property
    def pause(self) -> float | None:
        """Seconds from the commit before (or the start) to the next one; None at the end."""
        if self.position >= self._end:
            return None
        before = self._recording.commits[self.position - 1].at if self.position else 0
        return (self._recording.commits[self.position].at - before) / 1000

    def advance(self, instant: int) -> Effects:
        """The effects of the next commit, played at an instant (UTC ms)."""
        commit = self._recording.commits[self.position]
        self._timeline.reach(commit.at, instant)
        if not self.position:
            self._run = self._spelt(self._recording.run, 0)
            below = self._spelt(self._recording.folder, 0)
            self.folder = os.path.normpath(os.path.join(self._root, below))
        self.position += 1
        folder = os.path.normpath(os.path.join(self.folder, commit.folder))
        return Effects(
            tuple(self._files(folder, commit)),
            os.path.join(folder, self._recording.database),
            tuple(self._changes(commit)),
        )

    def history(self, now: int) -> Iterator[tuple[int, Effects]]:
        """The whole of a planted run: the instant of each commit and its effects.

        It began `ago_ms` before `now` (UTC ms) and is stretched to `lasted_ms`.
        """
        start = now - self._cue.ago_ms
        commits = self._recording.commits[: self._end]
        lasted = self._cue.lasted_ms
        stretch = 1.0 if lasted is None else lasted / commits[-1].at
        for commit in commits:
            instant = start + round(commit.at * stretch)
            yield instant, self.advance(instant)

    def touched(self, effects: Effects) -> set[str]:
        """Files that a commit writes, and folders up to that of the run, but not the workspace."""
        paths = {path for path, _ in effects.files}
        if effects.changes:
            paths.add(effects.database)
        if self.folder != self._root:
            for above in {os.path.dirname(path) for path in paths}:
                while len(above) >= len(self.folder):
                    paths.add(above)
                    above = os.path.dirname(above)
        return paths

    def play_to_end(self) -> None:
        """Continues past the commit at which the cue stops."""
        self._end = len(self._recording.commits)

    def _files(self, folder: str, commit: Commit) -> Iterator[tuple[str, bytes]]:
        for change in commit.changes:
            if isinstance(change, FileWrite):
                content = self._spelt(change.text, commit.at).encode()
                if change.repeat:
                    unit = change.repeat.encode()
                    content += unit * (change.size // len(unit) + 1)
                    content = content[: change.size - 1] + b"\n"
                yield os.path.join(folder, change.path), content

    def _changes(self, commit: Commit) -> Iterator[Statement | NewTable]:
        for change in commit.changes:
            if isinstance(change, Statement):
                values = tuple(
                    self._spelt(value, commit.at) if isinstance(value, str) else value
                    for value in change.values
                )
                yield Statement(change.sql, values)
            elif isinstance(change, NewTable):
                yield change

    def _spelt(self, text: str, moment: int) -> str:
        if "${" not in text:
            return text

        def spell(mark: re.Match[str]) -> str:
            return self._mark(mark[1], mark[2], moment)

        return _MARK.sub(spell, _JSON_NUMBER.sub(spell, text))

    def _mark(self, name: str, argument: str | None, moment: int) -> str:
        if name in FORMATS:
            at = moment if argument is None else int(argument)
            return FORMATS[name](self._timeline.instant(at))
        match name:
            case "run":
                return self._run
            case "token":
                return self._token
            case "hash":
                return digest(self._run, argument)
            case "uuid":
                return str(uuid.UUID(digest(self._run, argument)[:32], version=4))
            case "lap" if argument is not None:
                first, _, step = argument.partition(":")
                return str(int(first) + self._lap * int(step))
        raise ValueError(f"unknown mark {name!r} in recording {self._recording.name}")


class Connections:
    """Opens the databases of a runtime the way that runtime does: without a busy timeout."""

    def __init__(self, *, keep_open: bool) -> None:
        self._keep_open = keep_open
        self._kept: dict[str, sqlite3.Connection] = {}

    @contextmanager
    def connection(self, path: str) -> Iterator[sqlite3.Connection]:
        """A connection that is closed afterwards, unless the runtime keeps its own open."""
        if not self._keep_open:
            with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as database:
                yield database
            return
        if path not in self._kept:
            self._kept[path] = sqlite3.connect(path, timeout=0, isolation_level=None)
            self._kept[path].execute("PRAGMA foreign_keys = ON")
        yield self._kept[path]

    def write(self, effects: Effects) -> None:
        """Writes the rows of a commit in one transaction.

        Raises sqlite3.OperationalError when someone holds a lock; then no row was written.
        """
        if not effects.changes:
            return
        with self.connection(effects.database) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                apply(database, effects.changes)
                database.execute("COMMIT")
            except sqlite3.Error:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Closes what is kept open, which checkpoints its WAL."""
        while self._kept:
            self._kept.popitem()[1].close()


class LiveRun:
    """A run that is being written commit by commit."""

    def __init__(self, playback: Playback, connections: Connections) -> None:
        self._playback = playback
        self._connections = connections
        self._pending: Effects | None = None

    @property
    def folder(self) -> str:
        """The run's folder; once it is gone, retrying is pointless."""
        return self._playback.folder

    @property
    def own_folder(self) -> str | None:
        """The folder to remove when the run makes room for others; None if it is shared."""
        return None if self._playback.is_shared else self._playback.folder

    @property
    def pause(self) -> float | None:
        """Seconds until the next commit at ordinary speed; None when the run has ended."""
        return self._playback.pause if self._pending is None else 0.0

    def write(self, instant: int) -> None:
        """Writes the next commit at an instant (UTC ms), or again what a lock has prevented.

        Raises sqlite3.OperationalError when someone holds a lock: retry later.
        """
        if self._pending is None:
            self._pending = self._playback.advance(instant)
            write_files(self._pending.files)
        self._connections.write(self._pending)
        self._pending = None


def plant(schedule: Schedule, root: str, now: int) -> None:
    """Writes the runs of the past below `root`, as seen from `now` (UTC ms), and ages the files.

    No reader watches these databases yet: each is one transaction without fsync.
    """
    databases: dict[str, sqlite3.Connection] = {}
    dates: dict[str, int] = {}
    try:
        for cue in schedule.planted:
            playback = Playback(schedule, root, cue)
            for instant, effects in playback.history(now):
                write_files(effects.files)
                if effects.changes:
                    if effects.database not in databases:
                        databases[effects.database] = _open_unwatched(effects.database)
                    apply(databases[effects.database], effects.changes)
                for path in playback.touched(effects):
                    dates[path] = max(instant, dates.get(path, instant))
        for path, database in databases.items():
            database.execute("COMMIT")
            database.execute(f"PRAGMA journal_mode = {schedule.journal_mode}")
            if schedule.private:
                os.chmod(path, 0o600)
    finally:
        for database in databases.values():
            database.close()
    for path, instant in dates.items():
        os.utime(path, ns=(instant * 1_000_000, instant * 1_000_000))


def resume(schedule: Schedule, root: str, now: int) -> Iterator[Playback]:
    """Planted runs that the writer continues, with the `now` they were planted with."""
    for cue in schedule.planted:
        if cue.continues:
            playback = Playback(schedule, root, cue)
            for _ in playback.history(now):
                pass
            playback.play_to_end()
            yield playback


def begin(schedule: Schedule, root: str, number: int, now: int) -> Playback:
    """The `number`-th new run, counted from 0, with an id of its own."""
    lap, place = divmod(number, len(schedule.cast))
    cue = schedule.cast[place]
    token = digest(cue.play, number, now)[: schedule.token_length]
    return Playback(schedule, root, cue, token, lap)


def write_files(written: Iterable[tuple[str, bytes]]) -> None:
    """Writes files and the folders above them."""
    for path, content in written:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def apply(database: sqlite3.Connection, changes: Sequence[Statement | NewTable]) -> None:
    """Applies changes inside the transaction that is open."""
    for change in changes:
        if isinstance(change, Statement):
            database.execute(change.sql, change.values)
        else:
            _create(database, change)


def _create(database: sqlite3.Connection, table: NewTable) -> None:
    # Its import alone takes longer than everything else here.
    from sqlite_utils import Database

    kept = Database(database, recursive_triggers=False, execute_plugins=False)
    kept.table(table.name).create(
        dict(table.columns),
        pk=table.pk,
        foreign_keys=list(table.foreign_keys),
        defaults=dict(table.defaults or {}),
    )


def _open_unwatched(path: str) -> sqlite3.Connection:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = MEMORY")
    database.execute("BEGIN")
    return database
