"""OpenProse in the demonstration: its runs of the past days, and those that go on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from inspector.demo.folder import (
    DATABASE,
    LOG,
    play,
    prepare,
    run_folder,
    run_id,
    set_times,
    touch,
    write_at_a_stroke,
    write_files,
    write_rows,
)
from inspector.demo.language import Script
from inspector.demo.planted import (
    CAST,
    LIVE,
    LOG_TEXT,
    LOGGED,
    PLANTED,
    UNREADABLE,
    Planted,
)
from inspector.demo.player import Effects, Player, Statement, text_of
from inspector.demo.schema import AGENTS, Repair, Variant

PROJECT_AGENTS = (
    ("critic", "- this house spells out numbers below ten", "review of the spring issue"),
    ("stylist", "- no exclamation marks", "house style"),
)

AGENT = "INSERT INTO agents (name, scope, memory, created_at, updated_at) VALUES (?, ?, ?, ?, ?)"
SEGMENT = (
    "INSERT INTO agent_segments (agent_name, segment_number, timestamp, prompt, summary) "
    "VALUES (?, ?, ?, ?, ?)"
)


class OpenProseRun:
    """A run that is being written, by one short transaction after the other."""

    def __init__(
        self, folder: str, player: Player, repair: Repair, until_event: int | None = None
    ) -> None:
        self.folder = folder
        self._player = player
        self._repair = repair
        self._end = player.after(until_event)
        self._pending: Effects | None = None

    @property
    def paths(self) -> Sequence[str]:
        """The run's folder: no other run has anything in it."""
        return (self.folder,)

    @property
    def home(self) -> str:
        """The run's folder."""
        return self.folder

    @property
    def pause(self) -> float | None:
        """Seconds of work before the next write; None when nothing follows."""
        if self._player.position >= self._end and self._pending is None:
            return None
        begins = self._player.position == 0 and not os.path.isdir(self.folder)
        return 0.0 if begins or self._pending is not None else self._player.pause

    def write(self, at: int) -> None:
        """Writes the next step; what a lock kept from being written stays next."""
        if self._pending is None:
            self._pending = self._next(at)
            write_files(self.folder, self._pending)
        if self._pending.statements:
            write_rows(self.folder, self._pending.statements)
        self._pending = None

    def _next(self, at: int) -> Effects:
        if self._player.position == 0 and not os.path.isdir(self.folder):
            return Effects(statements=list(prepare(self.folder, self._player, self._repair, at)))
        return self._player.advance(at)


class OpenProseStore:
    """Run folders of three generations, a log without a database, and agents of the project."""

    runtime = "openprose"
    side_by_side = 3

    def plant(self, root: str, now: int) -> None:
        """Writes the runs of the past days, the newest ones first."""
        for planted in PLANTED:
            self._plant(root, now, planted)
        self._plant_unreadable(root, now)
        self._plant_log(root, now)
        self._plant_agents(root, now)
        self._plant_sources(root, now)

    def take_up(self, root: str, now: int) -> Sequence[OpenProseRun]:
        """The planted run that goes on."""
        name = run_id(now - LIVE.ago * 1000, LIVE.suffix)
        player = Player(LIVE.script, name, LIVE.variant)
        player.skip(LIVE.until_event or 0)
        return [OpenProseRun(run_folder(root, name, LIVE.variant), player, LIVE.repair)]

    def begin(self, root: str, number: int, at: int) -> OpenProseRun:
        """The next of the cast, under an id of its own."""
        script, variant, repair, until_event = CAST[number % len(CAST)]
        digest = hashlib.sha256(f"{script.name} {number} {at}".encode()).hexdigest()
        name = run_id(at, digest[:6])
        player = Player(script, name, variant)
        return OpenProseRun(run_folder(root, name, variant), player, repair, until_event)

    def close(self) -> None:
        """Nothing is held."""

    def _plant(self, root: str, now: int, planted: Planted) -> None:
        started = now - planted.ago * 1000
        folder = play(
            planted.script,
            root,
            started=started,
            suffix=planted.suffix,
            lasted=planted.lasted,
            until_event=planted.until_event,
            variant=planted.variant,
            repair=planted.repair,
        )
        for used in planted.imports:
            place = os.path.join(folder, "imports", used.folder)
            begun = started + used.after * 1000
            play(used.script, root, started=begun, suffix=used.suffix, folder=place)
        if planted.edits:
            edits = [(sql, ()) for sql in planted.edits]
            write_at_a_stroke(os.path.join(folder, DATABASE), edits)
        set_times(folder, started, started + planted.lasted * 1000)

    def _plant_unreadable(self, root: str, now: int) -> None:
        folder, started, ended = _place(root, now, UNREADABLE)
        _snapshot(folder, UNREADABLE.script)
        with open(os.path.join(folder, DATABASE), "wb") as file:
            file.write(b"this disk was full\n" * 400)
        set_times(folder, started, ended)

    def _plant_log(self, root: str, now: int) -> None:
        folder, started, ended = _place(root, now, LOGGED)
        _snapshot(folder, LOGGED.script)
        text = LOG_TEXT.format(run_id=os.path.basename(folder), ended=f"{text_of(ended)}Z")
        with open(os.path.join(folder, LOG), "w", encoding="utf-8") as file:
            file.write(text)
        set_times(folder, started, ended)

    def _plant_agents(self, root: str, now: int) -> None:
        place = os.path.join(root, "state")
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "agents.db")
        at = text_of(now - LIVE.ago * 1000)
        statements: list[Statement] = [(sql, ()) for sql in AGENTS]
        for name, memory, prompt in PROJECT_AGENTS:
            statements.append((AGENT, (name, "project", memory, at, at)))
            statements.append((SEGMENT, (name, 1, at, prompt, memory)))
        write_at_a_stroke(path, statements)
        touch(path, now - LIVE.ago * 1000)

    def _plant_sources(self, root: str, now: int) -> None:
        place = os.path.join(root, "src")
        os.makedirs(place, exist_ok=True)
        scripts = {planted.script.name: planted.script for planted in PLANTED}
        scripts |= {script.name: script for script, *_ in CAST}
        for name, script in scripts.items():
            path = os.path.join(place, f"{name}.prose.md")
            changed = "\n<!-- now with a list of links -->\n" if name == "translate-docs" else ""
            with open(path, "w", encoding="utf-8") as file:
                file.write(script.source + changed)
            touch(path, now - 30 * 24 * 3600 * 1000 if not changed else now - 3600 * 1000)


def _place(root: str, now: int, planted: Planted) -> tuple[str, int, int]:
    started = now - planted.ago * 1000
    folder = run_folder(root, run_id(started, planted.suffix), Variant.V5)
    os.makedirs(folder, exist_ok=True)
    return folder, started, started + planted.lasted * 1000


def _snapshot(folder: str, script: Script) -> None:
    with open(os.path.join(folder, "root.prose.md"), "w", encoding="utf-8") as file:
        file.write(script.source)


OPENPROSE = OpenProseStore()
