"""`inspector sql RUN QUERY`: one SELECT over the run's own database."""

from __future__ import annotations

import argparse

from inspector.cli.errors import BAD_USAGE, FINE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import reader
from inspector.query.ask_sql import CannotAnswer, SqlAnswer, ask_sql

WIDEST = 60
"""Characters of a cell that are printed; --json gives all of it."""


def run(options: argparse.Namespace) -> int:
    """Prints the rows of the answer."""
    with reader(options) as (found, run, _):
        try:
            answer = ask_sql(run.store.path, options.query, found.clock, limit=options.limit)
        except CannotAnswer as error:
            raise UserError(str(error), BAD_USAGE) from None
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    if options.json:
        content = {"columns": list(answer.columns), "rows": rows, "cut": answer.cut}
        write_json("sql", content, reveal=options.reveal)
    elif options.jsonl:
        write_jsonl("sql", rows, reveal=options.reveal)
    else:
        _print(answer, options.reveal)
    return FINE


def _print(answer: SqlAnswer, reveal: bool) -> None:
    head = [shown(name) for name in answer.columns]
    body = [[_cell(value, reveal) for value in row] for row in answer.rows]
    write_table([head, *body])
    if answer.cut:
        write_line("There are more rows: --limit N shows more.")


def _cell(value: object, reveal: bool) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = shown(str(value), reveal=reveal)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
