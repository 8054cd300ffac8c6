"""Grimoire's store in the demonstration: made at a stroke, then written as casts end."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from inspector.demo.folder import touch
from inspector.demo.grimoire import planted, rotation, skim
from inspector.demo.grimoire.cast import Cast, Mode
from inspector.demo.grimoire.rotation import SOURCE
from inspector.demo.grimoire.schema import TABLES, USER_VERSION
from inspector.demo.grimoire.treasury import SPELL, USDC, Course, treasury
from inspector.demo.javascript import digest
from inspector.demo.player import Statement

FOLDER, DATABASE = ".grimoire", "grimoire.db"

SPELL_TEXT = "# {name}: stands in for the spell that was cast\n"

State = Mapping[str, Any] | None
"""What was saved of a spell before."""

Make = Callable[[str, int, State], Cast]
"""Makes a cast from its run id, its start (UTC ms) and the state before it."""

FIRST_AFTER, AFTER = 16.0, 52.0
"""Seconds from the start of a cast to its end, of which nothing is written before."""


def run_id(started: int, suffix: str, *, crossing: bool = False) -> str:
    """A run id as Grimoire makes them; that of a cross-chain cast keeps its milliseconds."""
    spelt = f"{datetime.fromtimestamp(started // 1000, UTC):%Y%m%dT%H%M%S}"
    rest = f".{started % 1000:03d}Z" if crossing else ""
    return f"{spelt}{rest}-{suffix}"


class GrimoireRun:
    """A cast under way: nothing is to be seen of it before its end."""

    def __init__(self, path: str, suffix: str, make: Make, spell: str, pause: float) -> None:
        self._path = path
        self._suffix = suffix
        self._make = make
        self._spell = spell
        self._pause: float | None = pause
        self._left: list[list[Statement]] = []

    @property
    def paths(self) -> Sequence[str]:
        """Nothing: all casts share one database, which keeps a spell's newest itself."""
        return ()

    @property
    def home(self) -> str:
        """The folder of the store."""
        return os.path.dirname(self._path)

    @property
    def pause(self) -> float | None:
        """Seconds until the next of its three transactions."""
        return self._pause

    def write(self, at: int) -> None:
        """Writes the next of its three transactions; the cast ends with the first."""
        with closing(sqlite3.connect(self._path, timeout=0, isolation_level=None)) as database:
            if not self._left:
                self._left = list(self._cast(database, at).writes())
            database.execute("BEGIN IMMEDIATE")
            for sql, values in self._left[0]:
                database.execute(sql, values)
            database.execute("COMMIT")
        self._left.pop(0)
        self._pause = 0.005 if self._left else None

    def _cast(self, database: sqlite3.Connection, at: int) -> Cast:
        before = _saved(database, self._spell)
        tried = self._make(run_id(at, self._suffix), at, before)
        started = at - (tried.ledger.at - at)
        return self._make(run_id(started, self._suffix), started, before)


class GrimoireStore:
    """One store of four spells."""

    runtime = "grimoire"
    side_by_side = 1

    def plant(self, root: str, now: int) -> None:
        """Writes two weeks of casts."""
        path = path_of(root)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous = OFF")
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("BEGIN")
            for sql in TABLES:
                database.execute(sql)
            database.execute(f"PRAGMA user_version = {USER_VERSION}")
            for sql, values in _planted(now):
                database.execute(sql, values)
            database.execute("COMMIT")
            database.execute("PRAGMA journal_mode = WAL")
        touch(path, now - planted.WAITING_AGO * 1000)
        touch(os.path.dirname(path), now - planted.WAITING_AGO * 1000)
        _plant_sources(root, now)

    def take_up(self, root: str, now: int) -> Sequence[GrimoireRun]:
        """None: a cast that is under way has left nothing yet."""
        return ()

    def begin(self, root: str, number: int, at: int) -> GrimoireRun:
        """The next cast: by turns FundingSkim and TreasuryRebalance."""
        token = digest("cast", number, at)
        share = int(token[:4], 16)
        spell, make = _skims(share) if number % 2 == 0 else _rebalances(share, number)
        suffix = _base36(int(token[4:16], 16))
        return GrimoireRun(path_of(root), suffix, make, spell, AFTER if number else FIRST_AFTER)

    def close(self) -> None:
        """Nothing is held."""


def path_of(root: str) -> str:
    """Where the store lies."""
    return os.path.join(root, FOLDER, DATABASE)


def _saved(database: sqlite3.Connection, spell: str) -> State:
    sql = "SELECT state FROM spell_state WHERE spell_id = ?"
    found = database.execute(sql, (spell,)).fetchone()
    state: State = None if found is None else json.loads(found[0])
    return state


def _skims(share: int) -> tuple[str, Make]:
    def make(name: str, started: int, before: State) -> Cast:
        gain = 6 * USDC + share * 700
        mode = Mode.EXECUTE if share % 4 else Mode.DRY_RUN
        return skim.skim(name, started, mode, gain, before)

    return skim.SPELL, make


def _rebalances(share: int, number: int) -> tuple[str, Make]:
    net = (share % 160 - 50) * USDC
    course = Course(Mode.EXECUTE, net, retried=share % 3 == 0)
    if number % 8 == 5:
        course = Course(Mode.EXECUTE, net, "action_12", planted.REVERTED)
    elif number % 8 == 3:
        course = Course(Mode.SIMULATE, net)

    def make(name: str, started: int, before: State) -> Cast:
        return treasury(name, started, course, before)

    return SPELL, make


def _base36(value: int) -> str:
    signs = "0123456789abcdefghijklmnopqrstuvwxyz"
    return "".join(signs[value // 36**place % 36] for place in range(6))


def _planted(now: int) -> list[Statement]:
    """Everything in the order in which it happened."""
    told: list[tuple[int, list[Statement]]] = []
    before: State = None
    for one in planted.TREASURY:
        started = now - one.ago * 1000
        cast = treasury(run_id(started, one.suffix), started, one.course, before)
        before = cast.state
        told.append((started, _flat(cast)))
    started = now - planted.SKIM_AGO * 1000
    name = run_id(started, planted.SKIM_SUFFIX)
    told.append((started, _flat(skim.skim(name, started, Mode.EXECUTE, 41_200_000))))
    told += _crossings(now)
    return [one for _, statements in sorted(told, key=lambda each: each[0]) for one in statements]


def _flat(cast: Cast) -> list[Statement]:
    return [one for part in cast.writes() for one in part]


def _crossings(now: int) -> Iterator[tuple[int, list[Statement]]]:
    arrives = rotation.BRIDGED - rotation.BRIDGED // 1600
    runs = (
        (planted.ARRIVED_AGO, planted.ARRIVED_SUFFIX, arrives),
        (planted.WAITING_AGO, planted.WAITING_SUFFIX, None),
    )
    for number, (ago, suffix, settled) in enumerate(runs, 1):
        started = now - ago * 1000
        name = run_id(started, suffix, crossing=True)
        yield started, rotation.rotation(name, started, number, settled).writes()


def _plant_sources(root: str, now: int) -> None:
    os.makedirs(os.path.join(root, "spells"), exist_ok=True)
    sources = {SOURCE: rotation.SOURCE_PATH, rotation.DESTINATION: rotation.DESTINATION_PATH}
    for spell, below in sources.items():
        path = os.path.join(root, *below.split("/"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(SPELL_TEXT.format(name=spell))
        touch(path, now - 30 * 24 * 3600 * 1000)


GRIMOIRE = GrimoireStore()
