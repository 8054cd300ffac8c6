"""`inspector doctor`: what was found, what cannot be read, and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from inspector.cli.errors import FINE
from inspector.cli.output import shown, write_json, write_line
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.export import documents
from inspector.model.store import Health, Store
from inspector.query.workspace import Workspace


def run(options: argparse.Namespace) -> int:
    """Looks everywhere, reads every store once, and says what came of each."""
    with workspace(options.paths) as found:
        stores, listed = stores_and_runs(found)
        content = {
            "looked": _looked(found),
            "stores": [documents.store(one) for one in stores],
            "runs": len(listed),
            "not_stores": [
                {"path": one.path, "health": one.health, "reason": one.reason}
                for one in found.refused.values()
            ],
            "notices": [
                {"code": one.code, "message": one.message, "path": one.path}
                for one in found.notices()
            ],
            "never_recorded": _never_recorded(found, stores),
        }
        if options.json:
            write_json("doctor", content, reveal=options.reveal)
        else:
            _print(content)
    return FINE


def _looked(found: Workspace) -> list[dict[str, str]]:
    looked = found.found.looked if found.found is not None else ()
    return [{"place": one.shown, "outcome": one.outcome, "path": one.path} for one in looked]


def _never_recorded(found: Workspace, stores: Sequence[Store]) -> dict[str, list[str]]:
    """What the runtimes that were found leave out, by runtime."""
    runtimes = {one.path: one.runtime for one in stores}
    told: dict[str, list[str]] = {}
    for reader in found.readers.values():
        sentences = reader.never_recorded()
        if sentences and reader.path in runtimes:
            told.setdefault(runtimes[reader.path], list(sentences))
    return told


def _print(content: dict[str, Any]) -> None:
    write_line("Looked in")
    for place in content["looked"]:
        write_line(f"  {shown(place['place'])}  {place['outcome']}")
    good = [one for one in content["stores"] if one["health"] == Health.OK]
    bad = [one for one in content["stores"] if one["health"] != Health.OK]
    write_line(f"Stores: {len(good)} read, {len(bad)} with trouble; runs: {content['runs']}")
    for one in [*bad, *content["not_stores"]]:
        write_line(f"  {one['health']:<11} {shown(one['path'])}: {shown(one['reason'] or '')}")
    for one in content["stores"]:
        if one["verdict"] not in (None, "verified_current"):
            write_line(f"  {one['verdict']} {shown(one['path'])}: {shown(one['verdict_note'])}")
    for notice in content["notices"]:
        write_line(f"  {notice['code']:<11} {shown(notice['message'])}")
    for runtime, sentences in content["never_recorded"].items():
        for sentence in sentences:
            write_line(f"  {runtime:<11} {sentence}")
    write_line("Nothing was written, locked or created in any of these places.")
