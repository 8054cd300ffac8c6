"""`inspector events RUN`: recorded events in order, and with `--follow` new ones."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from inspector.cli.errors import FINE
from inspector.cli.output import brief, write_json, write_jsonl, write_line
from inspector.cli.workspace import reader
from inspector.export import documents
from inspector.live.follow import follow
from inspector.model.step import Event
from inspector.query.run_reader import RunReader

PAGE = 1000


def run(options: argparse.Namespace) -> int:
    """Print the events of a run; with `--follow` until the run has ended."""
    with reader(options) as (_, _, opened):
        if options.json and not options.follow:
            total = opened.refresh().total_events
            found = [event for page in _pages(opened, 1, total) for event in page]
            write_json("events", documents.events(found), reveal=options.reveal)
            return FINE
        seen = 0
        for view in follow(opened) if options.follow else iter([opened.refresh()]):
            for page in _pages(opened, seen + 1, view.total_events):
                _print(page, options)
            # If there are fewer than before, rows were deleted and all that follow are new.
            seen = view.total_events
    return FINE


def _pages(opened: RunReader, first: int, last: int) -> Iterator[Sequence[Event]]:
    for start in range(first, last + 1, PAGE):
        yield opened.events(start, min(PAGE, last + 1 - start))


def _print(page: Sequence[Event], options: argparse.Namespace) -> None:
    if options.jsonl or options.json:
        write_jsonl("events", (documents.event(one) for one in page), reveal=options.reveal)
        return
    for one in page:
        error = one.payload.get("error_message")
        tail = f"  {brief(str(error), reveal=options.reveal)}" if error else ""
        word = brief(one.raw_status) if one.raw_status is not None else "-"
        text = brief(one.text, reveal=options.reveal)
        write_line(f"{one.n:>6}  {word:<10} {one.kind:<10} {text}{tail}")
