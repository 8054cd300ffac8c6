"""Handing our terminal to a program, and watching one that has a terminal of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.timer import Timer

from inspector.process.background import Background, run_in_background
from inspector.process.foreground import run_here, until_enter
from inspector.resume.launch import Launching, environment, exit_words
from inspector.text.escape import visible
from inspector.ui.terminal import suspended

LOOK_SECONDS = 0.25
MOST_SAID = 200
"""Lines of a program in the background that are kept to be shown."""


def hand_over(app: App[Any], launching: Launching) -> int:
    """Runs the program in our terminal while the screen steps aside; gives its exit code.

    What was typed for it never reaches the screen. Raises NotStarted.
    """
    plan = launching.plan
    assert plan.command is not None and plan.program is not None
    with suspended(app):
        print(f"\nInspector: {visible(plan.run.title)} is resumed in {visible(plan.command.cwd)}\n")
        sys.stdout.flush()
        code = run_here(
            plan.command.argv,
            program=plan.program,
            cwd=plan.command.cwd,
            env=environment(plan),
            keep=(launching.lock.descriptor,),
            on_start=launching.lock.note_child,
        )
        print(f"\nInspector: {exit_words(code)}. Enter returns to the screen.", end="", flush=True)
        until_enter()
    return code


class Behind:
    """A program in the background, watched from the screen until it has ended."""

    def __init__(
        self, app: App[Any], launching: Launching, folder: Path, over: Callable[[int | None], None]
    ) -> None:
        plan = launching.plan
        assert plan.command is not None and plan.program is not None
        self.said: list[str] = []
        self._over = over
        self._program: Background = run_in_background(
            plan.command.argv,
            program=plan.program,
            cwd=plan.command.cwd,
            env=environment(plan),
            folder=folder,
            keep=(launching.lock.descriptor,),
            on_start=launching.lock.note_child,
        )
        self._timer: Timer = app.set_interval(LOOK_SECONDS, self._look)

    @property
    def pid(self) -> int | None:
        """Its process id."""
        return self._program.pid

    @property
    def current(self) -> str:
        """The line that is under way."""
        return self._program.current

    def _look(self) -> None:
        running = self._program.running
        self.said = [*self.said, *self._program.lines()][-MOST_SAID:]
        if not running:
            self._timer.stop()
            self._over(self._program.exit_code)
