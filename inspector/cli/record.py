"""`inspector record RUN PART`: the runtime's own rows behind one tab."""

from __future__ import annotations

import argparse

from inspector.cli.errors import FINE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line
from inspector.cli.workspace import reader
from inspector.query import documents


def run(options: argparse.Namespace) -> int:
    """Prints the records of one part under the runtime's own field names."""
    with reader(options) as (_, _, opened):
        try:
            rows = opened.record(options.part)
        except KeyError:
            raise UserError(f"A run of this runtime has no part {options.part!r}.") from None
        content = documents.record(options.part, rows)
        if options.json:
            write_json("record", content, reveal=options.reveal)
        elif options.jsonl:
            write_jsonl("record", content["records"], reveal=options.reveal)
        else:
            for row in content["records"]:
                for key, value in row.items():
                    text = shown(f"{value}", reveal=options.reveal)
                    write_line(f"{shown(key)}: {text}")
                write_line()
    return FINE
