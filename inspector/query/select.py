"""Which run a person means: a key, an id, the beginning or end of one, a folder, a title, or
`latest`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from inspector.model.run import Run
from inspector.query.workspace import newest_first

LATEST = "latest"
_LISTED = 10


class NoSuchRun(Exception):
    """Nothing matches; the message is one sentence with what to do."""


class AmbiguousRun(Exception):
    """Several runs match; the message lists them."""

    def __init__(self, text: str, candidates: Sequence[Run]) -> None:
        self.candidates = tuple(candidates)
        listed = "".join(f"\n  {run.key}" for run in candidates[:_LISTED])
        more = len(candidates) - _LISTED
        rest = f"\n  and {more} more" if more > 0 else ""
        super().__init__(f"{text!r} could be any of {len(candidates)} runs:{listed}{rest}")


def select(runs: Sequence[Run], text: str, cwd: str) -> Run:
    """The one run that `text` names. Raises NoSuchRun or AmbiguousRun."""
    if not text:
        raise NoSuchRun("An empty RUN names none; `inspector runs` lists them all.")
    if text == LATEST:
        if not runs:
            raise NoSuchRun("There are no runs here; give a folder with --in PATH.")
        return min(runs, key=newest_first)
    for matches in (_exact, _by_folder(cwd), _by_part, _by_title):
        found = [run for run in runs if matches(run, text)]
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousRun(text, sorted(found, key=newest_first))
    raise NoSuchRun(f"No run matches {text!r}; `inspector runs` lists them all.")


def _exact(run: Run, text: str) -> bool:
    return text in (run.key, run.run_id)


def _by_folder(cwd: str) -> Callable[[Run, str], bool]:
    def matches(run: Run, text: str) -> bool:
        if os.sep not in text and not os.path.isdir(os.path.join(cwd, text)):
            return False
        path = os.path.realpath(os.path.join(cwd, text))
        return path in (run.store.path, folder_of(run))

    return matches


def folder_of(run: Run) -> str:
    """The folder of a run's record; a run folder without a record is its own store."""
    path = run.store.path
    is_folder = os.path.basename(path) == run.run_id and os.path.isdir(path)
    return path if is_folder else os.path.dirname(path)


def _by_part(run: Run, text: str) -> bool:
    names = (run.key, run.run_id or "")
    return any(name.startswith(text) or name.endswith(text) for name in names)


def _by_title(run: Run, text: str) -> bool:
    return bool(run.title) and run.title == text
