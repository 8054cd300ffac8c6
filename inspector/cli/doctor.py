"""`inspector doctor`: what was found, what cannot be read, and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from inspector.cli.errors import FINE
from inspector.cli.output import shown, write_json, write_line, write_table
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.export import documents
from inspector.export.documents import Document
from inspector.model.store import Health, Store
from inspector.query.workspace import Workspace


def run(options: argparse.Namespace) -> int:
    """Read every store once and print its health."""
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
    """Return what each runtime found never records."""
    runtimes = {one.path: one.runtime for one in stores}
    sentences_of: dict[str, list[str]] = {}
    for reader in found.readers.values():
        sentences = reader.never_recorded()
        if sentences and reader.path in runtimes:
            sentences_of.setdefault(runtimes[reader.path], list(sentences))
    return sentences_of


def _print(content: Document) -> None:
    write_line("Searched")
    for place in content["looked"]:
        write_line(f"  {shown(place['place'])}  {place['outcome']}")
    good = [one for one in content["stores"] if one["health"] == Health.OK]
    bad = [one for one in content["stores"] if one["health"] != Health.OK]
    write_line(f"Stores: {len(good)} read, {len(bad)} with problems; runs: {content['runs']}")
    rows = [
        (one["health"], shown(one["path"]), shown(one["reason"] or ""))
        for one in [*bad, *content["not_stores"]]
    ]
    rows += [
        (one["verdict"], shown(one["path"]), shown(one["verdict_note"] or ""))
        for one in content["stores"]
        if one["verdict"] not in (None, "verified_current")
    ]
    rows += [
        (one["code"], shown(one["path"] or ""), shown(one["message"])) for one in content["notices"]
    ]
    if rows:
        write_line()
        write_table([("STATUS", "PATH", "REASON"), *rows], status=(0,))
    for runtime, sentences in content["never_recorded"].items():
        write_line()
        write_line(f"Never recorded by {runtime}")
        for sentence in sentences:
            write_line(f"  {sentence}")
    write_line()
    write_line("Nothing was written, locked or created in these folders.")
