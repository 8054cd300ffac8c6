"""`inspector sql RUN QUERY`: one SELECT over the run's own database."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from inspector.cli.errors import BAD_USAGE, FINE, UserError
from inspector.cli.output import shown, write_csv, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import reader
from inspector.query.ask_sql import CannotAnswer, SqlAnswer, ask_sql, unique_names
from inspector.text.mask import mask_named
from inspector.text.numbers import count, duration

WIDEST = 60
"""Characters of a cell that are printed; `--json` prints all."""
MASKED_CHARS = 20_000
"""Characters of a cell that are searched for secrets before it is cut."""


def run(options: argparse.Namespace) -> int:
    """Print the rows of the result."""
    with reader(options) as (found, run, _):
        try:
            answer = ask_sql(run.store.path, options.query, found.clock, limit=options.limit)
        except CannotAnswer as error:
            raise UserError(str(error), BAD_USAGE) from None
    body, hidden = _hidden(answer, reveal=options.reveal)
    names = unique_names(answer.columns)
    rows = [dict(zip(names, row, strict=True)) for row in body]
    if options.json:
        content = {
            "columns": list(answer.columns),
            "rows": rows,
            "cut": answer.cut,
            "duration_ms": round(answer.seconds * 1000),
        }
        write_json("sql", content, reveal=options.reveal, hidden=hidden)
    elif options.jsonl or options.csv:
        write = write_csv if options.csv else write_jsonl
        write("sql", rows, reveal=options.reveal)
    else:
        _print(answer, body, options.reveal)
    return FINE


def _hidden(answer: SqlAnswer, *, reveal: bool) -> tuple[list[Sequence[object]], int]:
    """Return the rows with values of renamed secret columns masked, and the number of masks."""
    if reveal or not any(answer.secret):
        return list(answer.rows), 0
    rows: list[Sequence[object]] = []
    masks = 0
    for row in answer.rows:
        cells: list[object] = []
        for cell, secret in zip(row, answer.secret, strict=True):
            if secret is not None and isinstance(cell, str):
                masked = mask_named(secret, cell)
                masks += masked.count
                cell = masked.text
            cells.append(cell)
        rows.append(cells)
    return rows, masks


def _print(answer: SqlAnswer, rows: Sequence[Sequence[object]], reveal: bool) -> None:
    header = [shown(name) for name in answer.columns]
    body = [
        [_cell(name, value, reveal) for name, value in zip(answer.columns, row, strict=True)]
        for row in rows
    ]
    numbers = [
        at
        for at in range(len(header))
        if rows and all(row[at] is None or isinstance(row[at], int | float) for row in rows)
    ]
    write_table([header, *body], right=numbers)
    took = duration(max(1, round(answer.seconds * 1000)))
    many = f"{count(len(rows))} {'row' if len(rows) == 1 else 'rows'}"
    write_line(f"{many} in {took}")
    if answer.cut:
        write_line("More rows exist. Raise --limit to see them.")


def _cell(name: str, value: object, reveal: bool) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    # Mask first: half a secret is not recognised.
    text = shown(str(value)[:MASKED_CHARS], reveal=reveal, name=name)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
