"""The workspace, run and reader that the options of a command select."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext

from inspector.cli.errors import NOT_FOUND, UNREADABLE, UserError, clock
from inspector.model.run import Run
from inspector.model.store import Store
from inspector.query.progress import Progress, no_progress
from inspector.query.run_reader import RunReader
from inspector.query.selection import Ambiguous, NoMatch, select_run
from inspector.query.workspace import Workspace
from inspector.store.discover import MissingPath
from inspector.store.read import StoreUnavailable


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        message = "The current folder no longer exists. Change to another one."
        raise UserError(message, NOT_FOUND) from None


@contextmanager
def workspace(paths: Sequence[str]) -> Iterator[Workspace]:
    """Open the workspace of the PATHs; without any, of this folder and the user's own roots."""
    home = None if paths else os.path.expanduser("~")
    found = Workspace(paths, clock(), _current_folder(), home)
    try:
        found.discover()
        yield found
    except MissingPath as error:
        raise UserError(str(error), NOT_FOUND) from None
    finally:
        found.close()


def stores_and_runs(found: Workspace) -> tuple[list[Store], list[Run]]:
    """Return all stores and all runs, from summaries."""
    stores: list[Store] = []
    runs: list[Run] = []
    for store, of_store in found.summaries():
        stores.append(store)
        runs.extend(of_store)
    return stores, runs


def chosen(found: Workspace, text: str) -> Run:
    """Return the run that RUN selects."""
    _, runs = stores_and_runs(found)
    try:
        return select_run(runs, text, found.cwd)
    except (NoMatch, Ambiguous) as error:
        raise UserError(str(error), NOT_FOUND) from None


def _progress(options: argparse.Namespace) -> AbstractContextManager[Progress]:
    json = getattr(options, "json", False) or getattr(options, "jsonl", False)
    if json or not sys.stderr.isatty():
        return nullcontext(no_progress)
    from inspector.cli.terminal import reading_progress

    return reading_progress()


@contextmanager
def reader(options: argparse.Namespace) -> Iterator[tuple[Workspace, Run, RunReader]]:
    """Open the reader of the run that the options select; exit code 4 if it cannot be read.

    Reads that take long draw a progress bar on a terminal, unless JSON is printed.
    """
    with workspace(options.paths) as found:
        run = chosen(found, options.run)
        try:
            with closing(found.open(run)) as opened, _progress(options) as progress:
                opened.on_progress(progress)
                yield found, run, opened
        except StoreUnavailable as trouble:
            message = f"{run.store.path} cannot be read: {trouble.reason}."
            raise UserError(message, UNREADABLE) from None
