"""`inspector [PATH…]`: the screen."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from inspector.cli.errors import BAD_USAGE, FINE, NOT_FOUND, UserError
from inspector.cli.parser import COMMANDS
from inspector.cli.workspace import clock
from inspector.config.settings import Settings, load_settings
from inspector.live.pacing import FAST_SECONDS, SLOW_SECONDS
from inspector.live.watched import WatchedWorkspace
from inspector.query.workspace import Workspace


def run(options: argparse.Namespace) -> int:
    """Opens the screen on what the PATHs lead to; returns when it is left."""
    _check(options.paths)
    return open_screen(options.paths, options)


def open_screen(
    paths: Sequence[str], options: argparse.Namespace, *, place: str | None = None
) -> int:
    """Opens the screen on these PATHs; `place` is what its head says instead of the folder."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        raise UserError("The screen needs a terminal; `inspector runs` prints the list.", BAD_USAGE)
    settings, problems = load_settings(None)
    home = None if paths else os.path.expanduser("~")
    workspace = Workspace(paths, clock(), os.getcwd(), home)
    interval = SLOW_SECONDS if _is_slow(settings.refresh) else FAST_SECONDS
    feed = WatchedWorkspace(workspace, interval=interval)
    from inspector.ui.app import run_app

    run_app(
        feed,
        settings=_chosen(settings, options),
        clock=workspace.clock,
        place=place if place is not None else _place(paths),
        notices=problems,
    )
    return FINE


def _chosen(settings: Settings, options: argparse.Namespace) -> Settings:
    """The settings file with what was asked for on the command line laid over it."""
    if options.theme is not None:
        settings = replace(settings, theme=options.theme)
    if options.ascii:
        settings = replace(settings, ascii="always")
    return replace(settings, mouse=False) if options.no_mouse else settings


def _is_slow(refresh: str) -> bool:
    return refresh == "slow" or (refresh == "auto" and "SSH_CONNECTION" in os.environ)


def _check(paths: Sequence[str]) -> None:
    for path in paths:
        if not os.path.lexists(path):
            near = difflib.get_close_matches(path, COMMANDS, 1)
            hint = f" Did you mean `inspector {near[0]}`?" if near else ""
            raise UserError(f"There is no file or folder {path!r}.{hint}", NOT_FOUND)


def _place(paths: Sequence[str]) -> str:
    """The folder as the head shows it: the home folder as `~`, the first PATH and how many more."""
    first = os.path.abspath(paths[0]) if paths else os.getcwd()
    home = os.path.expanduser("~")
    if first == home or first.startswith(home.rstrip(os.sep) + os.sep):
        first = "~" + first[len(home.rstrip(os.sep)) :]
    more = len(paths) - 1
    return f"{first} and {more} more" if more > 0 else first
