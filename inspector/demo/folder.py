"""Run folders as OpenProse lays them out, and a script written into one at a stroke.

Source: OpenProse state document, run folders of its three generations. Only folders that the
demonstration made are ever written to.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import accumulate

from inspector.demo.language import Commit, Script
from inspector.demo.player import Effects, Player, Statement
from inspector.demo.schema import Repair, Variant, tables

DATABASE = "state.db"
LOG = "vm.log.md"
RUNS = {Variant.V2: ".prose/runs", Variant.V4: ".agents/prose/runs", Variant.V5: "runs"}
SNAPSHOT = {Variant.V2: "program.prose", Variant.V4: "root.prose.md", Variant.V5: "root.prose.md"}


def run_id(started: int, suffix: str) -> str:
    """`YYYYMMDD-HHMMSS-suffix` of an instant in UTC ms."""
    return f"{datetime.fromtimestamp(started // 1000, UTC):%Y%m%d-%H%M%S}-{suffix}"


def run_folder(root: str, name: str, variant: Variant) -> str:
    """Where a run of this name lies."""
    return os.path.join(root, *RUNS[variant].split("/"), name)


def play(
    script: Script,
    root: str,
    *,
    started: int,
    suffix: str,
    lasted: float | None = None,
    until_event: int | None = None,
    variant: Variant = Variant.V5,
    repair: Repair = Repair.LOOSE,
    folder: str | None = None,
) -> str:
    """Writes a run as it stands after its first `until_event` rows (None: the whole of it).

    It began at `started` (UTC ms) and has taken `lasted` seconds (None: as the script says); the
    rows, the files and their times follow from the arguments alone. Gives the run's folder.
    """
    name = run_id(started, suffix)
    folder = folder or run_folder(root, name, variant)
    player = Player(script, name, variant)
    end = player.after(until_event)
    pauses = list(accumulate((step.after for step in script.steps[:end]), initial=0.0))
    whole = pauses[-1] if lasted is None else lasted
    pace = whole / pauses[-1] if pauses[-1] else 0.0
    statements = list(prepare(folder, player, repair, started))
    for elapsed in pauses[1:]:
        effects = player.advance(started + round(elapsed * pace * 1000))
        write_files(folder, effects)
        statements += effects.statements
    write_at_a_stroke(os.path.join(folder, DATABASE), statements)
    set_times(folder, started, started + round(whole * 1000))
    return folder


def prepare(folder: str, player: Player, repair: Repair, at: int) -> Iterator[Statement]:
    """Makes the folder with the program's snapshots; gives what makes the empty database."""
    script = player.script
    os.makedirs(os.path.join(folder, "sources"), exist_ok=True)
    _write(os.path.join(folder, SNAPSHOT[player.variant]), script.source)
    _write(os.path.join(folder, "sources", f"{script.name}.prose.md"), script.source)
    nodes = _topology(script) if player.variant is Variant.V5 else None
    if nodes is not None:
        _write(os.path.join(folder, "compiled-intent.json"), json.dumps(nodes, indent=2) + "\n")
    for sql in tables(player.variant, repair):
        yield sql, ()
    yield from player.opening(at).statements


def write_files(folder: str, effects: Effects) -> None:
    """Writes the files of a step below the run's folder."""
    for path, content in effects.files:
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(content)


def write_rows(folder: str, statements: Iterable[Statement]) -> None:
    """Writes rows as the VM does: opens, one short transaction, closes; no busy timeout.

    Raises sqlite3.OperationalError when someone holds a lock; then nothing was written.
    """
    with closing(_connect(os.path.join(folder, DATABASE))) as database:
        database.execute("BEGIN IMMEDIATE")
        for sql, values in statements:
            database.execute(sql, values)
        database.execute("COMMIT")


def write_at_a_stroke(path: str, statements: Iterable[Statement]) -> None:
    """Writes into a database that nobody watches yet, without waiting for the disk."""
    with closing(_connect(path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA journal_mode = MEMORY")
        database.execute("BEGIN")
        for sql, values in statements:
            database.execute(sql, values)
        database.execute("COMMIT")


def set_times(folder: str, started: int, ended: int) -> None:
    """Makes every file look as old as it pretends to be (UTC ms)."""
    for place, _, names in os.walk(folder, topdown=False):
        attached = os.path.basename(place) == "attachments"
        for name in names:
            grows = attached or name in (DATABASE, LOG)
            touch(os.path.join(place, name), ended if grows else started)
        touch(place, ended)


def touch(path: str, at: int) -> None:
    """Sets both times of a file or folder (UTC ms)."""
    os.utime(path, ns=(at * 1_000_000, at * 1_000_000))


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=0, isolation_level=None)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _topology(script: Script) -> dict[str, object] | None:
    inputs: dict[str, tuple[str, ...]] = {}
    for step in script.steps:
        if isinstance(step, Commit):
            inputs.setdefault(step.node, step.inputs)
    if not inputs:
        return None
    edges = [
        {"from": source, "to": node, "facet": "@atomic"}
        for node, sources in inputs.items()
        for source in sources
    ]
    nodes = [{"id": node, "kind": "responsibility"} for node in inputs]
    return {"topology": {"nodes": nodes, "edges": edges}, "canonicalizers": {}, "validators": {}}
