"""`inspector [PATH…]`: the screen."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from inspector.cli.errors import BAD_USAGE, BROKEN, FINE, NOT_FOUND, UserError
from inspector.cli.now import clock
from inspector.cli.parser import COMMANDS
from inspector.config.log import internal_error
from inspector.config.settings import Settings, load_settings
from inspector.live.feed import DeferredFeed, Feed
from inspector.live.run_worker import FAST_SECONDS, SLOW_SECONDS
from inspector.model.clock import Clock

DEMONSTRATION = "demonstration"
"""What the head says of the demonstration's folder."""


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
    slow = settings.refresh == "slow" or (
        settings.refresh == "auto" and "SSH_CONNECTION" in os.environ
    )
    with ExitStack() as opened:
        offer = _Offer(clock(), SLOW_SECONDS if slow else FAST_SECONDS, opened)
        from inspector.ui.app import run_app

        fault = run_app(
            offer.feed(paths),
            settings=_chosen(settings, options),
            clock=offer.clock,
            place=place if place is not None else _place(paths),
            notices=problems,
            demonstration=offer.demonstration,
            folder=offer.folder,
        )
    if fault is not None:
        raise UserError(f"{internal_error('screen', fault)}.", BROKEN)
    return FINE


class _Offer:
    """The workspaces that can be opened while the screen is open."""

    def __init__(self, now: Clock, interval: float, opened: ExitStack) -> None:
        self.clock = now
        self._interval = interval
        self._opened = opened

    def feed(self, paths: Sequence[str]) -> Feed:
        """A watched workspace over these PATHs."""
        folder = os.getcwd()
        return DeferredFeed(lambda: self._made(paths, folder))

    def _made(self, paths: Sequence[str], folder: str) -> Feed:
        # Imported late, beside the screen: what reads runs is more than what paints.
        from inspector.live.watched import WatchedWorkspace
        from inspector.query.workspace import Workspace

        home = None if paths else os.path.expanduser("~")
        workspace = Workspace(paths, self.clock, folder, home)
        return WatchedWorkspace(workspace, interval=self._interval)

    def folder(self, path: str) -> tuple[Feed, str]:
        """Another folder; a path that begins with `~` is the user's own."""
        whole = os.path.expanduser(path)
        return self.feed([whole]), _place([whole])

    def demonstration(self) -> tuple[Feed, str]:
        """The demonstration, written by a process that ends with the screen."""
        from inspector.demo.workspace import create, start_writers

        made = create(None, clock=self.clock)
        self._opened.enter_context(start_writers(made))
        return self.feed([made.root]), DEMONSTRATION


def _chosen(settings: Settings, options: argparse.Namespace) -> Settings:
    """The settings file with what was asked for on the command line laid over it."""
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
            raise UserError(f"There is no file or folder {path!r}.{hint}", NOT_FOUND)


def _place(paths: Sequence[str]) -> str:
    """The folder as the head shows it: the home folder as `~`, the first PATH and how many more."""
    first = os.path.abspath(paths[0]) if paths else os.getcwd()
    home = os.path.expanduser("~")
    if first == home or first.startswith(home.rstrip(os.sep) + os.sep):
        first = "~" + first[len(home.rstrip(os.sep)) :]
    more = len(paths) - 1
    return f"{first} and {more} more" if more > 0 else first
