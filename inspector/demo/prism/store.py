"""Prism's store in the demonstration: made at a stroke, then held open and written beat by beat.

A host keeps its database open for as long as it lives: the rows of live runs stay in the WAL until
SQLite takes them over.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from inspector.demo.folder import touch
from inspector.demo.javascript import digest as digest_of
from inspector.demo.player import Statement
from inspector.demo.prism import stories
from inspector.demo.prism.language import Story
from inspector.demo.prism.player import Player
from inspector.demo.prism.schema import tables

DATABASE = "prism.db"

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR

LIVE_AGO, LIVE_SUFFIX, LIVE_TOOLS = 542, "7f2c", 9
"""The live run: nine tools have been started, of which two are at work."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A run that began `ago` seconds before now and took `lasted` seconds (None: as told)."""

    story: Callable[[], Story]
    ago: int
    suffix: str
    lasted: float | None = None


PLANTED = (
    Planted(stories.long_triage, DAY + 6 * HOUR + 20 * MINUTE + 7, "7e90", 75.0),
    Planted(stories.digest, 5 * HOUR + 47 * MINUTE + 7, "7f1e", 44.2),
    Planted(stories.export, 4 * HOUR + 20 * MINUTE + 7, "7f0a"),
    Planted(stories.refund, 9 * MINUTE, "7f31"),
)

RELEASED_AGO, RELEASE, CHANGELOG = 21 * HOUR + 27 * MINUTE, "rel-3.2.0", "7ef2"

CAST: tuple[Callable[[], Story], ...] = (
    stories.index,
    lambda: stories.refund(approved_after=20),
    stories.digest,
    stories.triage,
    stories.export,
)
"""What is begun one after the other."""


class PrismRun:
    """A run that is being written through the store's one connection."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], root: str, player: Player
    ) -> None:
        self._connect = connect
        self._root = root
        self._player = player
        self._pending: list[Statement] | None = None

    @property
    def paths(self) -> Sequence[str]:
        """Nothing: all runs share one database."""
        return ()

    @property
    def home(self) -> str:
        """The folder of the store."""
        return self._root

    @property
    def pause(self) -> float | None:
        """Seconds until the next beat; None after the last."""
        return self._player.pause if self._pending is None else 0.0

    def write(self, at: int) -> None:
        """Writes the next beat; what a lock kept from being written stays next."""
        database = self._connect()
        if self._pending is None:
            self._pending = self._player.advance(at)
        if self._pending:
            _in_one(database, self._pending)
        self._pending = None


class PrismStore:
    """One database of several agents and workflows."""

    runtime = "prism"
    side_by_side = 1

    def __init__(self) -> None:
        self._open: sqlite3.Connection | None = None

    def plant(self, root: str, now: int) -> None:
        """Writes the runs of the past days, and the live one as it stands."""
        path = os.path.join(root, DATABASE)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            os.chmod(path, 0o600)
            database.execute("PRAGMA synchronous = OFF")
            database.execute("PRAGMA journal_mode = MEMORY")
            _in_one(database, [*tables(now - 30 * DAY * 1000), *_planted(now)])
            database.execute("PRAGMA journal_mode = WAL")
        touch(path, now)

    def take_up(self, root: str, now: int) -> Sequence[PrismRun]:
        """The run that goes on."""
        player, _ = _live(now)
        return [PrismRun(lambda: self._connection(root), root, player)]

    def begin(self, root: str, number: int, at: int) -> PrismRun:
        """The next of the cast, under an id of its own."""
        story = CAST[number % len(CAST)]()
        suffix = digest_of(story.title, number, at)[:4]
        player = Player(story, f"r-{suffix}", f"s-{suffix}")
        return PrismRun(lambda: self._connection(root), root, player)

    def close(self) -> None:
        """Closes the database, which takes its WAL in."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _connection(self, root: str) -> sqlite3.Connection:
        if self._open is None:
            path = os.path.join(root, DATABASE)
            self._open = sqlite3.connect(path, timeout=0, isolation_level=None)
            self._open.execute("PRAGMA journal_mode = WAL")
            self._open.execute("PRAGMA foreign_keys = ON")
        return self._open


def _in_one(database: sqlite3.Connection, statements: Sequence[Statement]) -> None:
    database.execute("BEGIN IMMEDIATE")
    try:
        for sql, values in statements:
            database.execute(sql, values)
        database.execute("COMMIT")
    except sqlite3.Error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _planted(now: int) -> list[Statement]:
    """Everything in the order in which it began."""
    told: list[tuple[int, list[Statement]]] = []
    for one in PLANTED:
        started = now - one.ago * 1000
        player = Player(one.story(), f"r-{one.suffix}", f"s-{one.suffix}")
        told.append((started, player.play(started, one.lasted, None)))
    started = now - RELEASED_AGO * 1000
    agent = Player(stories.changelog(), f"r-{CHANGELOG}", f"s-{CHANGELOG}")
    told.append((started + 1000, agent.play(started + 1000, None, None)))
    agents = {"changelog": (agent.session, agent.leaf)}
    workflow = Player(stories.release(), RELEASE, "", agents)
    told.append((started + 1001, workflow.play(started, None, None)))
    told.append((now - LIVE_AGO * 1000, _live(now)[1]))
    return [one for _, statements in sorted(told, key=lambda each: each[0]) for one in statements]


def _live(now: int) -> tuple[Player, list[Statement]]:
    story = stories.triage()
    player = Player(story, f"r-{LIVE_SUFFIX}", f"s-{LIVE_SUFFIX}")
    until = story.until_started(LIVE_TOOLS)
    return player, player.play(now - LIVE_AGO * 1000, LIVE_AGO, until)


PRISM = PrismStore()
