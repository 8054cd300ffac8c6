"""`inspector runs`: the runs of all stores."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence

from inspector.cli.errors import FINE, UserError
from inspector.cli.output import brief, shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.export import documents
from inspector.model.clock import parse_now
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.registry import BUILT_IN, names
from inspector.query.workspace import newest_first

_AGO = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)
_UNIT_MS = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_HEADER = ("STATUS", "RUNTIME", "TITLE", "RUN", "STARTED", "ELAPSED", "DONE", "FINDINGS")


def run(options: argparse.Namespace) -> int:
    """List runs, newest first, each read completely."""
    _check("status", options.status, Status)
    if options.runtime is not None and options.runtime not in BUILT_IN:
        _check("runtime", options.runtime, names())
    with workspace(options.paths) as found:
        now = found.clock()
        stores, listed = stores_and_runs(found)
        kept = sorted(_filtered(listed, options, now), key=newest_first)[: options.limit]
        if options.jsonl:
            rows = (documents.run(found.completed(one)) for one in kept)
            write_jsonl("runs", rows, reveal=options.reveal)
            return FINE
        whole = [found.completed(one) for one in kept]
        known = {one.store.path: one.store for one in whole}
        stores = [known.get(store.path, store) for store in stores]
        if options.json:
            write_json("runs", documents.runs(stores, whole), reveal=options.reveal)
        elif whole:
            listing = [_HEADER, *(_row(one, now, options.reveal) for one in whole)]
            write_table(listing, right=(4, 5, 6), status=(0,), shortened=(2,), optional=(1, 6, 5))
        else:
            _nothing(found.found.looked if found.found else (), bool(listed))
    return FINE


def _check(what: str, value: str | None, known: Iterable[str]) -> None:
    words = [str(word) for word in known]
    if value is not None and value not in words:
        raise UserError(f"{value!r} is not a {what}. Choose one of: {', '.join(words)}.")


def _filtered(listed: Sequence[Run], options: argparse.Namespace, now: int) -> Iterator[Run]:
    since = None if options.since is None else _since(options.since, now)
    text = None if options.match is None else options.match.casefold()
    for one in listed:
        if options.status is not None and one.status != options.status:
            continue
        if options.owner is not None and options.owner not in one.owner.values():
            continue
        if options.runtime is not None and one.runtime != options.runtime:
            continue
        moment = one.last_activity_at if one.last_activity_at is not None else one.started_at
        if since is not None and (moment is None or moment < since):
            continue
        if text is not None and text not in f"{one.title}\n{one.run_id or ''}".casefold():
            continue
        yield one


def _since(text: str, now: int) -> int:
    ago = _AGO.fullmatch(text)
    if ago is not None:
        return now - int(ago[1]) * _UNIT_MS[ago[2]]
    try:
        return parse_now(text)
    except ValueError:
        raise UserError(
            f"--since {text!r} is not a time. Give a date (2026-01-16), RFC 3339, or 3d, 12h, 45m."
        ) from None


def _row(one: Run, now: int, reveal: bool) -> tuple[str, ...]:
    from datetime import UTC

    from inspector.derive.groups import elapsed_ms
    from inspector.text.numbers import clock_time, duration

    done = one.steps.completed
    return (
        one.status.value,
        one.runtime,
        brief(one.title, reveal=reveal),
        brief(one.run_id or "-"),
        clock_time(one.started_at, now, UTC),
        duration(elapsed_ms(one, now), clock_ms=one.clock_ms),
        "-" if done is None else str(done),
        shown("; ".join(dict.fromkeys(finding.code for finding in one.findings))),
    )


def _nothing(looked: Sequence[object], any_listed: bool) -> None:
    if any_listed:
        write_line("No runs match.")
        return
    write_line("No runs found. Searched:")
    for place in looked:
        write_line(f"  {shown(getattr(place, 'shown', ''))}  {getattr(place, 'outcome', '')}")
    write_line("`inspector demo` opens a demonstration.")
