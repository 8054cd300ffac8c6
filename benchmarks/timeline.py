"""What a frame of the timeline costs when a run has a million steps.

    python -m benchmarks.timeline [--short]

The screen of a run, 160 × 50, without a terminal and without a database: a feed hands out a view
of so many steps, and rows are scrolled, jumped to and folded. Processor time of one frame is told
beside that of the plainest list that Textual can scroll, measured in the same way; rows that were
drawn for a frame are counted; and both are compared with a run of a few thousand steps.
"""

import asyncio
import random
import time
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.pilot import Pilot
from textual.scroll_view import ScrollView
from textual.strip import Strip

from benchmarks.report import Report, arguments, say
from inspector.config.settings import Settings
from inspector.derive.steps import StepTable
from inspector.live.feed import Message, Overview, Subscription, Unavailable
from inspector.model.run import Run, RunKind
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.ui.app import InspectorApp
from inspector.ui.panes.timeline_list import Timeline
from inspector.ui.screens.run.screen import RunScreen

T = TypeVar("T")
SIZE = (160, 50)
MANY, FEW = 1_000_000, 10_000
FRAME_MS = 8.0
"""Median of a frame at a million rows."""
NOW = 1_768_573_927_000


def main() -> int:
    """Measures and prints."""
    options = arguments("Processor time of a frame of the timeline.").parse_args()
    many = 100_000 if options.short else MANY
    frames = 60 if options.short else 200
    report = Report("timeline", options.short)
    asyncio.run(_measure(report, many, frames))
    return report.finish(options.json)


async def _measure(report: Report, many: int, frames: int) -> None:
    costs = {}
    plain = await _plain(frames)
    report.add("the plainest list, p50", median(plain.milliseconds), "ms", kind="time")
    for steps in (FEW, many):
        say(f"{steps:,} steps")
        costs[steps] = await _frames(steps, frames)
    for name, cost in costs[many].items():
        report.add(f"{name}, p50", median(cost.milliseconds), "ms", kind="time", bar=FRAME_MS)
        report.add(f"{name}, rows drawn at most", max(cost.painted), bar=cost.most)
        ratio = median(cost.milliseconds) / median(costs[FEW][name].milliseconds)
        report.add(f"{name}, against {FEW:,} steps", ratio, "×", kind="ratio", bar=2.0)
    line = median(next(iter(costs[many].values())).milliseconds)
    against = line / median(plain.milliseconds)
    report.add("a line further, against the plainest list", against, "×", kind="ratio", bar=2.0)


@dataclass(slots=True)
class Cost:
    """What frames of one kind cost; `most` is how many rows one may draw."""

    most: int
    milliseconds: list[float]
    painted: list[int]


class Plain(ScrollView):
    """Lines with a number."""

    def render_line(self, y: int) -> Strip:
        """One line."""
        return Strip([Segment(f"{self.scroll_offset.y + y:<{SIZE[0]}}")], SIZE[0])


class PlainApp(App[None]):
    """An application that is one list."""

    def compose(self) -> ComposeResult:
        """The list."""
        yield Plain()


async def _plain(frames: int) -> Cost:
    app = PlainApp()
    async with app.run_test(size=SIZE) as pilot:
        plain = app.query_one(Plain)
        plain.virtual_size = Size(SIZE[0], MANY)

        def act() -> None:
            plain.scroll_to(y=plain.scroll_offset.y + 1, animate=False, immediate=True)

        return await _cost(pilot, lambda: 0, act, SIZE[1], frames)


async def _frames(steps: int, frames: int) -> dict[str, Cost]:
    view = _view(steps)
    app = InspectorApp(_OneRun(view), Settings("dark", "never"), lambda: NOW)
    async with app.run_test(size=SIZE) as pilot:
        screen = RunScreen(app.feed, view.run)
        begun = time.perf_counter()
        app.push_screen(screen)
        await pilot.pause(0.1)
        timeline = screen.query_one(Timeline)
        await timeline.built()
        while timeline.cursor < 0:
            await pilot.pause(0.01)
        say(f"  rows on the screen after {time.perf_counter() - begun:.2f} s")
        return await _moves(pilot, timeline, frames)


async def _moves(pilot: Pilot[None], timeline: Timeline, frames: int) -> dict[str, Cost]:
    chance = random.Random(1)
    lines = timeline.size.height

    def jump() -> None:
        timeline.move_to(chance.randrange(timeline.row_count))

    def fold() -> None:
        if not timeline.toggle():
            timeline.action_cursor_up()

    kinds: Sequence[tuple[str, Callable[[], object], int]] = (
        ("a line further", timeline.action_cursor_up, 3),
        ("a page further", timeline.action_cursor_page_up, lines + 1),
        ("a jump", jump, lines + 1),
        ("a fold", fold, lines + 1),
    )

    def painted() -> int:
        return timeline.painted

    return {name: await _cost(pilot, painted, act, most, frames) for name, act, most in kinds}


async def _cost(
    pilot: Pilot[None],
    painted: Callable[[], int],
    act: Callable[[], object],
    most: int,
    frames: int,
) -> Cost:
    cost = Cost(most, [], [])
    rest: Callable[[], Awaitable[None]] = pilot.pause
    for number in range(frames + 5):
        before, begun = painted(), time.process_time()
        act()
        await rest()
        if number >= 5:
            cost.milliseconds.append(1000 * (time.process_time() - begun))
            cost.painted.append(painted() - before)
    return cost


def _view(steps: int) -> RunView:
    """Parallels of three branches, some of which failed, one after the other."""
    table, of_event, failures = StepTable(), array("i"), array("i")
    while len(table) < steps:
        of_event.append(len(table))
        around = table.add(
            -1, StepKind.PARALLEL, "gather", Status.COMPLETED, "joined", len(of_event)
        )
        for branch in "abc":
            of_event.append(len(table))
            failed = len(of_event) % 997 == 0
            status = Status.FAILED if failed else Status.COMPLETED
            number = table.add(
                around, StepKind.BRANCH, "researcher", status, status.value, len(of_event)
            )
            table.segment[number] = branch
            if failed:
                failures.append(len(of_event))
    table.set_status(len(table) - 1, Status.RUNNING, "started")
    store = Store("/run/state.db", "openprose", "v5", WriteStyle.APPEND, Health.OK)
    run = Run(
        "openprose:/run/state.db#1", RunKind.PROGRAM, store, "1", "long", Status.RUNNING, "running"
    )
    events = len(of_event)
    return RunView(run, events, events, table, of_event, failures, (), table.step, as_of=NOW)


class _OneRun:
    """A feed over one view."""

    def __init__(self, view: RunView) -> None:
        self.view = view
        self._deliver: Callable[[Message], None] | None = None

    def start(self, deliver: Callable[[Message], None]) -> None:
        self._deliver = deliver
        deliver(Overview((self.view.run.store,), (self.view.run,), NOW))

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        if self._deliver is not None and subscriptions:
            self._deliver(self.view)

    def in_view(self, keys: Sequence[str]) -> None:
        pass

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        answer(Unavailable("There is no database behind this."))

    def stop(self) -> None:
        pass


if __name__ == "__main__":
    raise SystemExit(main())
