"""A launch from the screen, step by step: lock, another look, the program, the verdict.

It does not belong to the dialog: a program in the background goes on when that is closed, and what
came of it is judged all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported
from textual.timer import Timer

from inspector.live.feed import Feed, Unavailable
from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.run import Run
from inspector.process.background import Background, run_in_background
from inspector.process.foreground import NotStarted, run_here, until_enter
from inspector.query.run_reader import RunReader, preflight_of
from inspector.resume.launch import (
    BACKGROUND,
    TERMINAL,
    Launching,
    Outcome,
    Refused,
    check,
    claim,
    environment,
    exit_words,
    held_by,
    launch_count,
    output_folder,
)
from inspector.resume.lock import AlreadyRunning, NoLock
from inspector.resume.plan import Choices, Plan, make_plan
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


LOOK_AGAIN_SECONDS = (0.1, 0.3, 1.0, 2.0)
"""Pauses before a store that cannot be read after the launch is looked at again."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at a run: the run, its pre-flight, how often it was launched, and by whom now."""

    run: Run
    preflight: PreFlight
    launches: int
    held: str | None = None

    def plan(self, choices: Choices) -> Plan:
        """The plan for what a person chose."""
        return make_plan(self.run, self.preflight, choices, self.launches, self.held)


@dataclass(frozen=True, slots=True)
class Over:
    """What came of a launch, and how the program ended, in words."""

    outcome: Outcome
    ended: str


class Launcher:
    """Looks at one run and launches it; `App.call_later` brings answers to the screen's thread."""

    def __init__(self, app: App[Any], feed: Feed, run: Run, folder: Path, clock: Clock) -> None:
        self.app = app
        self._feed = feed
        self._run = run
        self._folder = folder
        self._clock = clock
        self.program: Behind | None = None
        """The program in the background, while there is one."""

    def look(self, take: Callable[[Seen | Unavailable], None]) -> None:
        """Reads the run as it stands."""

        def question(reader: RunReader) -> Seen:
            run = reader.refresh().run
            count, held = launch_count(self._folder, run.key), held_by(self._folder, run.key)
            return Seen(run, preflight_of(reader, run), count, held)

        def answer(found: Seen | Unavailable) -> None:
            # The loop may have ended while the reader was at work.
            with suppress(RuntimeError):
                self.app.call_later(take, found)

        self._feed.ask(self._run.key, question, answer)

    def launch(
        self,
        plan: Plan,
        choices: Choices,
        in_terminal: bool,
        refused: Callable[[str], None],
        begun: Callable[[], None],
        over: Callable[[Over], None],
    ) -> None:
        """Launches a plan that was confirmed: under the lock, if the run stands as it stood."""
        try:
            launching = claim(self._folder, plan, self._clock)
        except (Refused, AlreadyRunning, NoLock) as why:
            refused(f"{why}")
            return

        def go(seen: Seen | Unavailable) -> None:
            try:
                if isinstance(seen, Unavailable):
                    raise Refused(f"It cannot be read now: {seen.reason}.")
                check(plan, seen.preflight, choices)
                self._start(launching, in_terminal, begun, over)
            except Refused as why:
                launching.release()
                refused(f"{why}")
            except BaseException:
                launching.release()
                raise

        self.look(go)

    def _start(
        self,
        launching: Launching,
        in_terminal: bool,
        begun: Callable[[], None],
        over: Callable[[Over], None],
    ) -> None:
        launch = launching.begin(TERMINAL if in_terminal else BACKGROUND)

        def ended(code: int | None) -> None:
            self._judge(launching, code, over, LOOK_AGAIN_SECONDS)

        try:
            if in_terminal:
                ended(hand_over(self.app, launching))
                return
            folder = output_folder(self._folder, launch.id)
            self.program = Behind(self.app, launching, folder, ended)
        except (NotStarted, SuspendNotSupported) as why:
            over(Over(launching.end(None, None, started=False), f"{why}"))
            return
        begun()

    def _judge(
        self,
        launching: Launching,
        code: int | None,
        over: Callable[[Over], None],
        pauses: tuple[float, ...],
    ) -> None:
        """Looks at the store until it can be read, or patience ends."""

        def take(seen: Seen | Unavailable) -> None:
            if isinstance(seen, Unavailable) and pauses:
                rest = pauses[1:]
                self.app.set_timer(pauses[0], lambda: self._judge(launching, code, over, rest))
                return
            after = None if isinstance(seen, Unavailable) else seen.preflight
            over(Over(launching.end(code, after), exit_words(code)))

        self.look(take)
