"""`inspector values RUN`: all values, or those that one frame resolves."""

from __future__ import annotations

import argparse
from dataclasses import replace

from inspector.cli.errors import FINE, NOT_FOUND, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import reader
from inspector.derive.event_times import end_of
from inspector.export import documents
from inspector.model.value import WHEN_UNKNOWN, AttachmentVerdict, Then, Value
from inspector.query.attached import word_of
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, ValueList
from inspector.text.measure import clip
from inspector.text.numbers import size

_MASKED_CHARS = 4096
"""Characters of a value that are searched for secrets when only its beginning is shown."""
_HEADER = ("NAME", "SCOPE", "KIND", "SIZE", "VALUE", "FROM")


def run(options: argparse.Namespace) -> int:
    """Print values; `--frame` is `root` or the row number of a frame."""
    with reader(options) as (_, _, opened):
        if options.versions is not None:
            versions = opened.versions(options.versions)
            if versions is None:
                raise UserError("This runtime does not record older values.")
            found = versions
            if not found.values:
                raise UserError(_no_value(options.versions, options.run), NOT_FOUND)
        else:
            found = _found(opened, options)
        if options.name is not None:
            named = tuple(one for one in found.values if one.name == options.name)
            if not named:
                raise UserError(_no_value(options.name, options.run), NOT_FOUND)
            found = replace(found, values=named)
        content = documents.values(found)
        if options.json:
            write_json("values", content, reveal=options.reveal)
        elif options.jsonl:
            write_jsonl("values", content["values"], reveal=options.reveal)
        else:
            rows = [_row(one, options) for one in found.values]
            if rows:
                write_table([_HEADER, *rows], right=(3,), shortened=() if options.full else (4,))
            else:
                write_line("No values recorded.")
    return FINE


def _found(opened: RunReader, options: argparse.Namespace) -> ValueList:
    """Return the current values, or those at an event or a step."""
    frame, event = options.frame, options.at
    if options.step is not None:
        event, own = _place(opened.refresh(), options.step)
        frame = frame or own
    try:
        if event is None:
            return opened.values(frame, full=options.full)
        if not opened.capabilities.values_over_time:
            raise UserError("This run does not record past values.")
        total = opened.refresh().total_events
        if event > total:
            raise UserError(f"The run has {total} events, not {event}.")
        return opened.values_at(event, frame, full=options.full) or opened.values(frame)
    except KeyError:
        message = f"--frame {frame!r} is not a frame of this run. Give `root` or a row number."
        raise UserError(message) from None


def _place(view: RunView, wanted: str) -> tuple[int, str]:
    """Return the event after which a step has ended (the newest if it has not), and its frame."""
    for number in range(len(view.steps)):
        if view.steps.path(number) == wanted:
            end = end_of(view.steps, number)
            frame = view.describe(number).ref.get("frame")
            return view.total_events if end is None else end, str(frame) if frame else "root"
    raise UserError(
        f"No step has the id {wanted!r}. `inspector show --json` lists them.", NOT_FOUND
    )


def _no_value(name: str, run: str) -> str:
    return f"No value is named {name!r}. `inspector values {run}` lists all."


def _size_of(one: Value) -> int | None:
    """Return the size of the value: of the file, for an attachment."""
    attached = one.attachment
    if attached is None or attached.verdict is AttachmentVerdict.NONE:
        return one.size
    return attached.size


def _row(one: Value, options: argparse.Namespace) -> tuple[str, ...]:
    content = one.value if options.full and one.value is not None else one.preview
    if content == one.preview and one.value is not None:
        # A secret cut by the end of the preview is only recognised in the whole text.
        content = one.value if options.full else one.value[:_MASKED_CHARS]
    text = shown(content, reveal=options.reveal, name=one.name)
    if one.attachment is not None and one.attachment.path:
        text = f"{shown(one.attachment.path)} ({word_of(one.attachment.verdict)})"
    older = f"  {one.superseded} superseded" if one.superseded else ""
    if one.then is Then.UNKNOWN:
        older += f"  ({WHEN_UNKNOWN})"
    return (
        shown(one.name if one.name is not None else "-", reveal=options.reveal),
        one.scope,
        shown(one.kind or "-"),
        size(_size_of(one)),
        text if options.full else clip(text, 60),
        shown(one.source_statement or "-", reveal=options.reveal) + older,
    )
