"""A launch from the screen: take the lock, check the run again, run the program, judge the result.

Independent of the dialog: a program in the background outlives it, and its result is still judged.
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

POLL_SECONDS = 0.25
"""Interval at which a program in the background is polled."""
MAX_OUTPUT_LINES = 200
"""Last lines of a background program's output that are kept."""


def hand_over(app: App[Any], launching: Launching) -> int:
    """Suspends the screen, runs the program in our terminal, and returns its exit code.

    Input typed for the program never reaches the screen. Raises NotStarted.
    """
    plan = launching.plan
    assert plan.command is not None and plan.program is not None
    with suspended(app):
        print(f"\nInspector: {visible(plan.run.title)} resuming in {visible(plan.command.cwd)}\n")
        sys.stdout.flush()
        code = run_here(
            plan.command.argv,
            program=plan.program,
            cwd=plan.command.cwd,
            env=environment(plan),
            keep=(launching.lock.descriptor,),
            on_start=launching.lock.note_child,
        )
        print(
            f"\nInspector: {exit_words(code)}. Press Enter to return to Inspector.",
            end="",
            flush=True,
        )
        until_enter()
    return code


class BackgroundProgram:
    """A program in the background, polled until it ends."""

    def __init__(
        self,
        app: App[Any],
        launching: Launching,
        folder: Path,
        on_end: Callable[[int | None], None],
    ) -> None:
        plan = launching.plan
        assert plan.command is not None and plan.program is not None
        self.output: list[str] = []
        self._on_end = on_end
        self._program: Background = run_in_background(
            plan.command.argv,
            program=plan.program,
            cwd=plan.command.cwd,
            env=environment(plan),
            folder=folder,
            keep=(launching.lock.descriptor,),
            on_start=launching.lock.note_child,
        )
        self._timer: Timer = app.set_interval(POLL_SECONDS, self._poll)

    @property
    def pid(self) -> int | None:
        """The process id."""
        return self._program.pid

    @property
    def current(self) -> str:
        """The last line of output, not yet ended by a newline."""
        return self._program.current

    def _poll(self) -> None:
        running = self._program.running
        self.output = [*self.output, *self._program.lines()][-MAX_OUTPUT_LINES:]
        if not running:
            self._timer.stop()
            self._on_end(self._program.exit_code)


RETRY_SECONDS = (0.1, 0.3, 1.0, 2.0)
"""Delays before another attempt to read a store that cannot be read after the launch."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A run as last read: its pre-flight, its number of launches, and who holds its lock now."""

    run: Run
    preflight: PreFlight
    launches: int
    held: str | None = None

    def plan(self, choices: Choices) -> Plan:
        """The plan for the user's choices."""
        return make_plan(self.run, self.preflight, choices, self.launches, self.held)


@dataclass(frozen=True, slots=True)
class LaunchResult:
    """The recorded outcome of a launch, and how the program ended, in words."""

    outcome: Outcome
    ended: str


class Launcher:
    """Checks and launches one run; callbacks run on the screen's thread."""

    def __init__(self, app: App[Any], feed: Feed, run: Run, folder: Path, clock: Clock) -> None:
        self.app = app
        self._feed = feed
        self._run = run
        self._folder = folder
        self._clock = clock
        self.program: BackgroundProgram | None = None
        """The program in the background, once launched."""

    def check(self, receive: Callable[[Checked | Unavailable], None]) -> None:
        """Reads the current state of the run and passes it to `receive`."""

        def question(reader: RunReader) -> Checked:
            run = reader.refresh().run
            count, held = launch_count(self._folder, run.key), held_by(self._folder, run.key)
            return Checked(run, preflight_of(reader, run), count, held)

        def answer(found: Checked | Unavailable) -> None:
            # The event loop may have ended while the reader was working.
            with suppress(RuntimeError):
                self.app.call_later(receive, found)

        self._feed.ask(self._run.key, question, answer)

    def launch(
        self,
        plan: Plan,
        choices: Choices,
        in_terminal: bool,
        on_refused: Callable[[str], None],
        on_start: Callable[[], None],
        on_result: Callable[[LaunchResult], None],
    ) -> None:
        """Launches a confirmed plan under the lock, if the run has not changed since."""
        try:
            launching = claim(self._folder, plan, self._clock)
        except (Refused, AlreadyRunning, NoLock) as why:
            on_refused(f"{why}")
            return

        def proceed(checked: Checked | Unavailable) -> None:
            try:
                if isinstance(checked, Unavailable):
                    raise Refused(f"The run cannot be read now: {checked.reason}.")
                check(plan, checked.preflight, choices)
                self._start(launching, in_terminal, on_start, on_result)
            except Refused as why:
                launching.release()
                on_refused(f"{why}")
            except BaseException:
                launching.release()
                raise

        self.check(proceed)

    def _start(
        self,
        launching: Launching,
        in_terminal: bool,
        on_start: Callable[[], None],
        on_result: Callable[[LaunchResult], None],
    ) -> None:
        launch = launching.begin(TERMINAL if in_terminal else BACKGROUND)

        def ended(code: int | None) -> None:
            self._judge(launching, code, on_result, RETRY_SECONDS)

        try:
            if in_terminal:
                ended(hand_over(self.app, launching))
                return
            folder = output_folder(self._folder, launch.id)
            self.program = BackgroundProgram(self.app, launching, folder, ended)
        except (NotStarted, SuspendNotSupported) as why:
            on_result(LaunchResult(launching.end(None, None, started=False), f"{why}"))
            return
        on_start()

    def _judge(
        self,
        launching: Launching,
        code: int | None,
        on_result: Callable[[LaunchResult], None],
        pauses: tuple[float, ...],
    ) -> None:
        """Reads the run, with retries after `pauses` seconds, and reports the outcome."""

        def receive(checked: Checked | Unavailable) -> None:
            if isinstance(checked, Unavailable) and pauses:
                rest = pauses[1:]
                self.app.set_timer(pauses[0], lambda: self._judge(launching, code, on_result, rest))
                return
            after = None if isinstance(checked, Unavailable) else checked.preflight
            on_result(LaunchResult(launching.end(code, after), exit_words(code)))

        self.check(receive)
