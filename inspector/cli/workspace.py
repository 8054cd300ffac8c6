"""From the options of a command to the workspace, the run that was meant, and its reader."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from inspector.cli.errors import NOT_FOUND, UNREADABLE, UserError
from inspector.cli.now import clock
from inspector.model.run import Run
from inspector.model.store import Store
from inspector.query.run_reader import RunReader
from inspector.query.selection import Ambiguous, NoMatch, select_run
from inspector.query.workspace import Workspace
from inspector.store.discover import MissingPath
from inspector.store.read import StoreUnavailable


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        message = "The current folder is not there any more; change to another one."
        raise UserError(message, NOT_FOUND) from None


@contextmanager
def workspace(paths: Sequence[str]) -> Iterator[Workspace]:
    """The workspace of the PATHs; with one, the user's own roots are left out."""
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
    """All stores and all runs from their cheap summaries."""
    stores: list[Store] = []
    runs: list[Run] = []
    for store, of_store in found.summaries():
        stores.append(store)
        runs.extend(of_store)
    return stores, runs


def chosen(found: Workspace, text: str) -> Run:
    """The run that a person means by RUN."""
    _, runs = stores_and_runs(found)
    try:
        return select_run(runs, text, found.cwd)
    except (NoMatch, Ambiguous) as error:
        raise UserError(str(error), NOT_FOUND) from None


@contextmanager
def reader(options: argparse.Namespace) -> Iterator[tuple[Workspace, Run, RunReader]]:
    """The reader of the run that the options name; what cannot be read now is exit code 4."""
    with workspace(options.paths) as found:
        run = chosen(found, options.run)
        try:
            opened = found.open(run)
            try:
                yield found, run, opened
            finally:
                opened.close()
        except StoreUnavailable as trouble:
            message = f"{run.store.path} cannot be read now: {trouble.reason}."
            raise UserError(message, UNREADABLE) from None
