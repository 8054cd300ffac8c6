"""`inspector record RUN|SPELL|SESSION|STORE [PART]`: the runtime's own rows behind one tab."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from inspector.cli.errors import FINE, NOT_FOUND, UNREADABLE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line
from inspector.cli.table_rows import goes_on, is_table, refuse_paging, table_rows
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.export import documents
from inspector.model.run import Run
from inspector.query.comparison import PREVIOUS
from inspector.query.run_reader import RunReader
from inspector.query.selection import Ambiguous, NoMatch, RecordOwner, select_record_owner
from inspector.query.store_reader import Records
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from inspector.text.escape import json_text

_RUN_PART, _STATE_PART = "run", "state"


def run(options: argparse.Namespace) -> int:
    """Prints the records of one part under the runtime's own field names."""
    with workspace(options.paths) as found:
        if options.against is not None:
            content, about = _compared(found, options)
        elif is_table(options.part):
            content = _table(found, options)
            about = [goes_on(content)] if content["next"] is not None else []
        else:
            refuse_paging(options)
            part, rows, about = _records(found, options.run, options.part)
            content = documents.record(part, rows)
    if options.json:
        write_json("record", content, reveal=options.reveal)
    elif options.jsonl:
        write_jsonl("record", content["records"], reveal=options.reveal)
        if content.get("next") is not None:
            print(goes_on(content), file=sys.stderr)
    else:
        for sentence in about:
            write_line(f"# {shown(sentence, reveal=options.reveal)}")
        if about:
            write_line()
        if not content["records"] and not about:
            write_line("Nothing is recorded in this part.")
        for row in content["records"]:
            _print(documents.row_document("record", row, reveal=options.reveal), options.reveal)
    return FINE


def _print(row: Mapping[str, Any], reveal: bool) -> None:
    for key, value in row.items():
        if key == "lines" and isinstance(value, list):
            # What differs between two texts reads as it does everywhere.
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


def _print_inside(row: Mapping[str, Any], reveal: bool) -> None:
    """A record within another one: its fields below each other, the first one marked."""
    for number, (key, value) in enumerate(row.items()):
        text = value if isinstance(value, str) else json_text(value)
        write_line(f"  {' ' if number else '-'} {shown(key)}: {shown(text, reveal=reveal)}")


def _records(found: Workspace, text: str, part: str | None) -> tuple[str, Records, Sequence[str]]:
    """The part, its records, and what is said of it in a line."""
    chosen = _chosen(found, text)
    path = chosen.store.path if isinstance(chosen, Run) else chosen.reader.path
    try:
        if isinstance(chosen, RecordOwner):
            found_part, rows = chosen.reader.record_of(chosen.name, part) or (part or "", ())
            return found_part, rows, ()
        with closing(found.open(chosen)) as reader:
            named = part or _RUN_PART
            try:
                return named, reader.record(named), _about(reader, named)
            except KeyError:
                has = ", ".join(_parts(reader))
                raise UserError(f"This run has no part {part!r}; it has {has}.") from None
    except KeyError:
        raise UserError(f"{text} has no part {part!r}.") from None
    except StoreUnavailable as trouble:
        raise UserError(f"{path} cannot be read now: {trouble.reason}.", UNREADABLE) from None


def _parts(reader: RunReader) -> list[str]:
    """The parts of a run that have records: its own, and those of its tabs."""
    found = []
    for part in (_RUN_PART, *(tab.part for tab in reader.refresh().tabs)):
        with suppress(KeyError):
            reader.record(part)
            found.append(part)
    return found


def _table(found: Workspace, options: argparse.Namespace) -> dict[str, Any]:
    """Rows of a table of the database that a run or a subject is in."""
    chosen = _chosen(found, options.run)
    path = chosen.store.path if isinstance(chosen, Run) else chosen.reader.path
    try:
        return table_rows(path, found.clock, options)
    except KeyError:
        raise UserError(f"{path} has no {options.part!r}.") from None
    except StoreUnavailable as trouble:
        raise UserError(f"{path} cannot be read now: {trouble.reason}.", UNREADABLE) from None


def _compared(
    found: Workspace, options: argparse.Namespace
) -> tuple[dict[str, Any], Sequence[str]]:
    """What is other in a run's part than in that of another run, and what is said of it."""
    run, part = _chosen(found, options.run), options.part or _STATE_PART
    other = run if options.against == PREVIOUS else _chosen(found, options.against)
    if not isinstance(run, Run) or not isinstance(other, Run):
        raise UserError("Only runs are compared, not spells or stores: name two runs.")
    try:
        with closing(found.open(run)) as reader, closing(found.open(other)) as beside:
            if part not in reader.capabilities.compared:
                raise UserError(f"A run of {run.runtime} has no part {part!r} that is compared.")
            if type(reader) is not type(beside):
                raise UserError("Runs of two runtimes have no part in common.")
            previous = options.against == PREVIOUS
            before = reader.side(part, PREVIOUS) if previous else beside.side(part)
            assert before is not None
            compared, about = reader.compare(part, before), _about(reader, part)
            assert compared is not None
    except StoreUnavailable as trouble:
        raise UserError(f"The runs cannot be read now: {trouble.reason}.", UNREADABLE) from None
    sides = {"before": compared.before, "after": compared.after, "notes": list(compared.notes)}
    said = f"From run {compared.before} to run {compared.after}:"
    content = {**documents.record(part, compared.records), **sides}
    return content, (*about, *(compared.notes or (said,)))


def _about(reader: RunReader, part: str) -> Sequence[str]:
    """A line about a part, where its reader has one."""
    sentence = reader.about(part)
    return () if sentence is None else (sentence,)


def _chosen(found: Workspace, text: str) -> Run | RecordOwner:
    """Return the run, store, session or spell that the user means."""
    _, runs = stores_and_runs(found)
    try:
        return select_record_owner(found, runs, text)
    except (NoMatch, Ambiguous) as error:
        raise UserError(str(error), NOT_FOUND) from None
