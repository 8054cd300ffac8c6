"""Runs that can be resumed, and programs that stand in for those that resume them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from tests.query.grimoire.building import Book

RUN_ID = "20261129T200101.948Z-jb4nbf"
GRIMOIRE = Path(__file__).with_name("stand_in_grimoire.py")
SETTLED_AT = "2026-11-29T20:02:00.000Z"


def program(folder: Path, name: str, *words: str) -> Path:
    """A program of this name that runs these words with what it is given."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    path.chmod(0o755)
    return path


def grimoire(folder: Path) -> Path:
    """A program `grimoire` that behaves as the environment's STAND_IN says."""
    return program(folder, "grimoire", sys.executable, "-S", "-E", str(GRIMOIRE))


def crossing(
    project: Path,
    *,
    mode: str = "execute",
    handoff: str = "settled",
    run_id: str = RUN_ID,
    spell: str = "spells/xdest.spell",
) -> Path:
    """A project with a cross-chain run whose destination waits; gives the database."""
    path = project / spell
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("spell XDest\n")
    manifest = {
        "schema_version": "grimoire.cross_chain.phase1.v1",
        "run_id": run_id,
        "destination_spell_path": spell,
        "destination_spell_id": "XDest",
        "source_spell_id": "XSource",
        "mode": mode,
        "handoff_timeout_sec": 2,
    }
    provenance = json.dumps({"runtime_mode": "cast_execute", "cross_chain": manifest})
    book = Book().run("XSource", run_id, provenance=provenance)
    book.track(run_id, "source", "XSource", "completed")
    book.track(run_id, "destination", "XDest", "waiting")
    book.handoff(run_id, handoff, updated_at=SETTLED_AT)
    book.row("run_step_results", run_id=run_id, track_id="source", step_id="bridge",
             status="confirmed", idempotency_key=f"run:{run_id}", reference="0x1")  # fmt: skip
    return book.save(project / ".grimoire" / "grimoire.db")


def key_of(database: Path, run_id: str = RUN_ID) -> str:
    """The key of the source's run."""
    return f"grimoire:{database.resolve()}#XSource/{run_id}"
