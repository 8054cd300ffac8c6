"""`inspector record RUN|SPELL|SESSION|STORE [PART]`: records under the runtime's own field names.

The part `table:NAME` is any table or view of the database, in pages.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from inspector.cli.errors import BAD_USAGE, FINE, NOT_FOUND, UNREADABLE, UserError
from inspector.cli.output import shown, write_csv, write_json, write_jsonl, write_line
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.export import documents
from inspector.model.clock import Clock
from inspector.model.run import Run
from inspector.query.comparison import PREVIOUS
from inspector.query.raw_database import RawDatabase
from inspector.query.raw_pages import key_text, range_after
from inspector.query.run_reader import RunReader
from inspector.query.selection import Ambiguous, NoMatch, RecordOwner, select_record_owner
from inspector.query.store_reader import Records
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from inspector.text.escape import json_text, visible

TABLE = "table:"
"""Prefix of a part that is a table or view."""
MOST_ROWS = 10_000
"""Rows of a page without `--limit`."""


def run(options: argparse.Namespace) -> int:
    """Print the records of one part."""
    with workspace(options.paths) as found:
        if options.against is not None:
            content, about = _compared(found, options)
        elif is_table(options.part):
            content = _table(found, options)
            about = [next_page_hint(content)] if content["next"] is not None else []
        else:
            refuse_paging(options)
            part, rows, about = _records(found, options.run, options.part)
            content = documents.record(part, rows)
    if options.json:
        write_json("record", content, reveal=options.reveal)
    elif options.jsonl or options.csv:
        write = write_csv if options.csv else write_jsonl
        write("record", content["records"], reveal=options.reveal)
        if content.get("next") is not None:
            print(next_page_hint(content), file=sys.stderr)
    else:
        for sentence in about:
            write_line(f"# {shown(sentence, reveal=options.reveal)}")
        if about:
            write_line()
        if not content["records"] and not about:
            write_line("No records.")
        for row in content["records"]:
            _print(documents.row_document("record", row, reveal=options.reveal), options.reveal)
    return FINE


def _print(row: Mapping[str, object], reveal: bool) -> None:
    for key, value in row.items():
        if key == "lines" and isinstance(value, list):
            # The lines of a unified diff.
            for line in value:
                write_line(shown(str(line), reveal=reveal))
            continue
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            write_line(f"{shown(key)}:")
            for one in value:
                _print_inside(one, reveal)
            continue
        text = value if isinstance(value, str) else json_text(value)
        write_line(f"{shown(key)}: {shown(text, reveal=reveal)}")
    write_line()


def _print_inside(row: Mapping[str, object], reveal: bool) -> None:
    """Print a nested record: one field per line, the first one marked."""
    for number, (key, value) in enumerate(row.items()):
        text = value if isinstance(value, str) else json_text(value)
        write_line(f"  {' ' if number else '-'} {shown(key)}: {shown(text, reveal=reveal)}")


def _records(found: Workspace, text: str, part: str | None) -> tuple[str, Records, Sequence[str]]:
    """Return the part, its records, and remarks on it."""
    chosen = _chosen(found, text)
    path = chosen.store.path if isinstance(chosen, Run) else chosen.reader.path
    try:
        if isinstance(chosen, RecordOwner):
            found_part, rows = chosen.reader.record_of(chosen.name, part) or (part or "", ())
            return found_part, rows, ()
        with closing(found.open(chosen)) as reader:
            named = part or _RUN_PART
            try:
                return named, reader.record(named), _remarks(reader, named)
            except KeyError:
                has = ", ".join(_parts(reader))
                raise UserError(f"This run has no part {part!r}. Parts: {has}.") from None
    except KeyError:
        raise UserError(f"{text} has no part {part!r}.") from None
    except StoreUnavailable as trouble:
        raise UserError(f"{path} cannot be read: {trouble.reason}.", UNREADABLE) from None


def _parts(reader: RunReader) -> list[str]:
    """Return the parts of a run that have records."""
    found = []
    for part in (_RUN_PART, *(tab.part for tab in reader.refresh().tabs)):
        with suppress(KeyError):
            reader.record(part)
            found.append(part)
    return found


def _table(found: Workspace, options: argparse.Namespace) -> dict[str, object]:
    """Return rows of a table in the database of a run, spell or session."""
    chosen = _chosen(found, options.run)
    path = chosen.store.path if isinstance(chosen, Run) else chosen.reader.path
    try:
        return table_rows(path, found.clock, options)
    except KeyError:
        raise UserError(f"{path} has no {options.part!r}.") from None
    except StoreUnavailable as trouble:
        raise UserError(f"{path} cannot be read: {trouble.reason}.", UNREADABLE) from None


def _compared(
    found: Workspace, options: argparse.Namespace
) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the changes in a part since another run, and remarks on them."""
    run, part = _chosen(found, options.run), options.part or _STATE_PART
    other = run if options.against == PREVIOUS else _chosen(found, options.against)
    if not isinstance(run, Run) or not isinstance(other, Run):
        raise UserError("Only runs can be compared. Name two runs.")
    try:
        with closing(found.open(run)) as reader, closing(found.open(other)) as beside:
            if part not in reader.capabilities.compared:
                raise UserError(f"Part {part!r} of a {run.runtime} run cannot be compared.")
            if type(reader) is not type(beside):
                raise UserError("Runs of different runtimes cannot be compared.")
            previous = options.against == PREVIOUS
            before = reader.side(part, PREVIOUS) if previous else beside.side(part)
            assert before is not None
            compared, about = reader.compare(part, before), _remarks(reader, part)
            assert compared is not None
    except StoreUnavailable as trouble:
        raise UserError(f"The runs cannot be read: {trouble.reason}.", UNREADABLE) from None
    sides = {"before": compared.before, "after": compared.after, "notes": list(compared.notes)}
    said = f"From run {compared.before} to run {compared.after}:"
    content = {**documents.record(part, compared.records), **sides}
    return content, (*about, *(compared.notes or (said,)))


def _remarks(reader: RunReader, part: str) -> Sequence[str]:
    """Return the reader's remark on a part, if any."""
    sentence = reader.about(part)
    return () if sentence is None else (sentence,)


def _chosen(found: Workspace, text: str) -> Run | RecordOwner:
    """Return the run, store, session or spell that the user means."""
    _, runs = stores_and_runs(found)
    try:
        return select_record_owner(found, runs, text)
    except (NoMatch, Ambiguous) as error:
        raise UserError(str(error), NOT_FOUND) from None


def is_table(part: str | None) -> bool:
    """Return whether a part is a table or view."""
    return part is not None and part.startswith(TABLE)


def refuse_paging(options: argparse.Namespace) -> None:
    """Raise UserError for paging options, which only tables have."""
    if options.limit is not None or options.after is not None:
        raise UserError("--limit and --after need a table: give the part as table:NAME.", BAD_USAGE)


def next_page_hint(content: Mapping[str, object]) -> str:
    """Return a sentence on how to get the next page."""
    of = "" if content["rows"] is None else f" ({content['rows']:,} in all)"
    place = shlex.quote(visible(str(content["next"])))
    return f"More rows exist{of}. Continue with --after {place}"


def table_rows(path: str, clock: Clock, options: argparse.Namespace) -> dict[str, object]:
    """Return a page as a document; `next` is where the following one begins, null after the last.

    Raises KeyError for an unknown table, and StoreUnavailable.
    """
    name = options.part.removeprefix(TABLE)
    limit = MOST_ROWS if options.limit is None else options.limit
    with closing(RawDatabase(path, clock)) as database:
        shape = database.shape(name)
        if not shape.columns:
            raise UserError(f"{name} cannot be read. {database.why_no_columns(shape)}", UNREADABLE)
        try:
            wanted = range_after(shape, options.after or "")
        except ValueError:
            raise UserError(
                f"{options.after!r} is not a position in {name}. Give the `next` of a page.",
                BAD_USAGE,
            ) from None
        rows, more = database.whole_rows(shape, wanted, limit)
        names = [column.name for column in shape.columns]
        last = rows[-1].key if rows else None
        following = key_text(last, wanted.skip + len(rows)) if more else None
        return {
            **documents.record(
                options.part, (dict(zip(names, row.cells, strict=True)) for row in rows)
            ),
            "rows": database.count(shape),
            "next": following,
        }


_RUN_PART, _STATE_PART = "run", "state"
