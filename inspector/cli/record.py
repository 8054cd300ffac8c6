"""`inspector record RUN|SPELL|SESSION|STORE [PART]`: the runtime's own rows behind one tab."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from inspector.cli.errors import FINE, NOT_FOUND, UNREADABLE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.model.run import Run
from inspector.query import documents
from inspector.query.keeper import Records
from inspector.query.select import AmbiguousRun, NoSuchRun, select
from inspector.query.subjects import Subject, subjects_named
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from inspector.text.escape import json_text

_RUN_PART = "run"


def run(options: argparse.Namespace) -> int:
    """Prints the records of one part under the runtime's own field names."""
    with workspace(options.paths) as found:
        part, rows = _records(found, options.run, options.part)
    content = documents.record(part, rows)
    if options.json:
        write_json("record", content, reveal=options.reveal)
    elif options.jsonl:
        write_jsonl("record", content["records"], reveal=options.reveal)
    else:
        for row in content["records"]:
            _print(documents.row_document("record", row, reveal=options.reveal), options.reveal)
    return FINE


def _print(row: Mapping[str, Any], reveal: bool) -> None:
    for key, value in row.items():
        text = value if isinstance(value, str) else json_text(value)
        write_line(f"{shown(key)}: {shown(text, reveal=reveal)}")
    write_line()


def _records(found: Workspace, text: str, part: str | None) -> tuple[str, Records]:
    chosen = _chosen(found, text)
    path = chosen.store.path if isinstance(chosen, Run) else chosen.keeper.path
    try:
        if isinstance(chosen, Subject):
            return chosen.keeper.record_of(chosen.name, part)
        reader = found.open(chosen)
        try:
            return part or _RUN_PART, reader.record(part or _RUN_PART)
        finally:
            reader.close()
    except KeyError:
        what = "A run" if isinstance(chosen, Run) else "This"
        raise UserError(f"{what} of this runtime has no part {part!r}.") from None
    except StoreUnavailable as trouble:
        raise UserError(f"{path} cannot be read now: {trouble.reason}.", UNREADABLE) from None


def _chosen(found: Workspace, text: str) -> Run | Subject:
    """A run of this very name, else a store or subject of it, else whatever it is a part of."""
    _, runs = stores_and_runs(found)
    exact = [one for one in runs if text in (one.key, one.run_id)]
    if len(exact) == 1 or _is_one_run(exact):
        return exact[0]
    subjects = [] if exact else subjects_named(found, text)
    if len(subjects) > 1:
        listed = "".join(f"\n  {one.shown()}" for one in subjects[:10])
        raise UserError(f"{text!r} could be any of {len(subjects)}:{listed}", NOT_FOUND)
    is_whole = subjects and (subjects[0].name in (None, text))
    if is_whole:
        return subjects[0]
    try:
        return select(runs, text, found.cwd)
    except NoSuchRun as error:
        if subjects:
            return subjects[0]
        raise UserError(str(error), NOT_FOUND) from None
    except AmbiguousRun as error:
        raise UserError(str(error), NOT_FOUND) from None


def _is_one_run(runs: list[Run]) -> bool:
    """Whether these are parts of one run, under several spells of a store.

    A store that is asked for its id answers with the newest part, which is listed first.
    """
    return len({(one.store.path, one.run_id) for one in runs}) == 1
