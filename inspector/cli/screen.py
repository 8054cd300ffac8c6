"""`inspector [PATH…]`: opens the screen."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from inspector.cli.errors import BAD_USAGE, BROKEN, FINE, NOT_FOUND, UserError, clock
from inspector.cli.parser import COMMANDS
from inspector.config.log import internal_error
from inspector.config.settings import Settings, load_settings
from inspector.live.feed import DeferredFeed, Feed
from inspector.live.run_worker import FAST_SECONDS, SLOW_SECONDS
from inspector.model.clock import Clock

DEMONSTRATION = "demonstration"
"""Title of the demonstration, in place of its folder."""


def run(options: argparse.Namespace) -> int:
    """Open the screen on the runs at the PATHs; return when the user quits."""
    _check(options.paths)
    return open_screen(options.paths, options)


def open_screen(
    paths: Sequence[str], options: argparse.Namespace, *, place: str | None = None
) -> int:
    """Open the screen on these PATHs, with `place` as its title instead of the folder."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        raise UserError("The screen needs a terminal. `inspector runs` prints the list.", BAD_USAGE)
    settings, problems = load_settings(None)
    slow = settings.refresh == "slow" or (
        settings.refresh == "auto" and "SSH_CONNECTION" in os.environ
    )
    with ExitStack() as opened:
        workspaces = _Workspaces(clock(), SLOW_SECONDS if slow else FAST_SECONDS, opened)
        from inspector.ui.app import run_app

        fault = run_app(
            workspaces.feed(paths),
            settings=_chosen(settings, options),
            clock=workspaces.clock,
            place=place if place is not None else _place(paths),
            notices=problems,
            demonstration=workspaces.demonstration,
            folder=workspaces.folder,
        )
    if fault is not None:
        raise UserError(f"{internal_error('screen', fault)}.", BROKEN)
    return FINE


class _Workspaces:
    """Creates the workspaces that the screen may open."""

    def __init__(self, now: Clock, interval: float, opened: ExitStack) -> None:
        self.clock = now
        self._interval = interval
        self._opened = opened

    def feed(self, paths: Sequence[str]) -> Feed:
        """Return a watched workspace of these PATHs."""
        folder = os.getcwd()
        return DeferredFeed(lambda: self._create(paths, folder))

    def _create(self, paths: Sequence[str], folder: str) -> Feed:
        # Imported in the thread of the feed: reading runs needs more modules than painting.
        from inspector.live.watched import WatchedWorkspace
        from inspector.query.workspace import Workspace

        home = None if paths else os.path.expanduser("~")
        workspace = Workspace(paths, self.clock, folder, home)
        return WatchedWorkspace(workspace, interval=self._interval)

    def folder(self, path: str) -> tuple[Feed, str]:
        """Return the workspace and title of another folder; `~` is expanded."""
        whole = os.path.expanduser(path)
        return self.feed([whole]), _place([whole])

    def demonstration(self) -> tuple[Feed, str]:
        """Return the demonstration, written by a process that ends with the screen."""
        from inspector.demo.workspace import create, start_writers

        made = create(None, clock=self.clock)
        self._opened.enter_context(start_writers(made))
        return self.feed([made.root]), DEMONSTRATION


def _chosen(settings: Settings, options: argparse.Namespace) -> Settings:
    """Return the settings with the options of the command line applied."""
    if options.theme is not None:
        settings = replace(settings, theme=options.theme)
    if options.ascii:
        settings = replace(settings, ascii="always")
    return replace(settings, mouse=False) if options.no_mouse else settings


def _check(paths: Sequence[str]) -> None:
    for path in paths:
        if not os.path.lexists(path):
            near = difflib.get_close_matches(path, COMMANDS, 1)
            hint = f" Did you mean `inspector {near[0]}`?" if near else ""
            raise UserError(f"No such file or folder: {path!r}.{hint}", NOT_FOUND)


def _place(paths: Sequence[str]) -> str:
    """Return the title: the first PATH with `~` for the home folder, and the number of others."""
    first = os.path.abspath(paths[0]) if paths else os.getcwd()
    home = os.path.expanduser("~")
    if first == home or first.startswith(home.rstrip(os.sep) + os.sep):
        first = "~" + first[len(home.rstrip(os.sep)) :]
    more = len(paths) - 1
    return f"{first} and {more} more" if more > 0 else first
