"""The pager that a person has chosen, and reading a file of ours in it."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.process.foreground import run_here, until_enter

DEFAULT = "less"

AT_ONCE = 0.5
"""Seconds in which nobody has read anything: a pager that ends sooner only printed."""


class NoPager(Exception):
    """There is no pager: why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Pager:
    """A program that shows a file, and the words before the file's name."""

    program: str
    words: tuple[str, ...]


def pager_of(environ: Mapping[str, str]) -> Pager:
    """The pager that `$PAGER` names, else less. Raises NoPager."""
    chosen = environ.get("PAGER", "").strip()
    try:
        words = shlex.split(chosen) or [DEFAULT]
    except ValueError:
        raise NoPager("$PAGER cannot be read as words: a quote in it is not closed.") from None
    program = shutil.which(words[0], path=environ.get("PATH"))
    if program is None:
        if chosen:
            raise NoPager(f"$PAGER names {words[0]}, which is not found: set it to less, or save.")
        raise NoPager("There is no pager, less is not found: set $PAGER to another, or save.")
    return Pager(os.path.abspath(program), tuple(words))


def read_in(pager: Pager, path: str, env: Mapping[str, str]) -> int:
    """Shows a file in our terminal until it has been read, and gives the pager's exit code.

    Raises NotStarted.
    """
    begun = time.monotonic()
    code = run_here([*pager.words, path], program=pager.program, cwd=_folder(), env=env)
    if time.monotonic() - begun < AT_ONCE:
        print("\nInspector: enter returns to the screen.", end="", flush=True)
        until_enter()
    return code


def show_picture(words: Sequence[str], folder: str, env: Mapping[str, str]) -> int:
    """Runs a program that prints a picture, in `folder`, and waits until it has been seen.

    Raises NotStarted.
    """
    code = run_here(words, program=words[0], cwd=folder, env=env)
    print("\nInspector: enter returns to the screen.", end="", flush=True)
    until_enter()
    return code


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"
