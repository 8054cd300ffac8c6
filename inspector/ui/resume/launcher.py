"""A launch from the screen, step by step: lock, another look, the program, the verdict.

It does not belong to the dialog: a program in the background goes on when that is closed, and what
came of it is judged all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from inspector.live.feed import Feed, Unavailable
from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.run import Run
from inspector.process.foreground import NotStarted
from inspector.query.resuming import preflight_of
from inspector.query.run_reader import RunReader
from inspector.resume.launch import (
    BACKGROUND,
    TERMINAL,
    Launching,
    Outcome,
    Refused,
    check,
    claim,
    exit_words,
    held_by,
    launch_count,
    output_folder,
)
from inspector.resume.lock import AlreadyRunning, NoLock
from inspector.resume.plan import Choices, Plan, make_plan
from inspector.ui.resume.handover import Behind, hand_over

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
