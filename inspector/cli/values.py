"""`inspector values RUN`: all values, or as one frame resolves them."""

from __future__ import annotations

import argparse
from dataclasses import replace

from inspector.cli.errors import FINE, NOT_FOUND, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_table
from inspector.cli.workspace import reader
from inspector.model.value import Value
from inspector.query import documents
from inspector.query.attached import word_of
from inspector.query.backend import KeepsVersions
from inspector.text.measure import clip
from inspector.text.numbers import size

_LOOKED_AT = 4096
"""Characters of a value that are looked through for secrets when only its beginning is shown."""
_HEAD = ("NAME", "SCOPE", "KIND", "SIZE", "VALUE", "FROM")


def run(options: argparse.Namespace) -> int:
    """Prints values; `--frame` takes `root` or the number of a frame's row."""
    frame = options.frame
    with reader(options) as (_, _, opened):
        if options.versions is not None:
            if not isinstance(opened, KeepsVersions):
                raise UserError("Runs of this runtime keep no older values.")
            found = opened.versions(options.versions)
            if not found.values:
                raise UserError(_no_value(options.versions, options.run), NOT_FOUND)
        else:
            try:
                found = opened.values(frame, full=options.full)
            except KeyError:
                message = f"--frame {frame!r} is neither `root` nor a frame of this run."
                raise UserError(message) from None
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
            write_table([_HEAD, *rows], right=(3,))
    return FINE


def _no_value(name: str, run: str) -> str:
    return f"No value is named {name!r}; `inspector values {run}` lists them all."


def _row(one: Value, options: argparse.Namespace) -> tuple[str, ...]:
    content = one.value if options.full and one.value is not None else one.preview
    if content == one.preview and one.value is not None:
        # A secret that the end of the preview cuts in two is only known as one in the whole.
        content = one.value if options.full else one.value[:_LOOKED_AT]
    text = shown(content, reveal=options.reveal, name=one.name)
    if one.attachment is not None and one.attachment.path:
        text = f"{shown(one.attachment.path)} ({word_of(one.attachment.verdict)})"
    older = f"  {one.superseded} superseded" if one.superseded else ""
    return (
        shown(one.name if one.name is not None else "-", reveal=options.reveal),
        one.scope,
        shown(one.kind or "-"),
        size(one.size),
        text if options.full else clip(text, 60),
        shown(one.source_statement or "-", reveal=options.reveal) + older,
    )
