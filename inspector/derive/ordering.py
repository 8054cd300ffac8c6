"""Keeps the list in order while runs change, and works only where the order may have changed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from inspector.derive.filters import Words
from inspector.derive.groups import (
    Arrangement,
    Calendar,
    Group,
    Sort,
    arrange,
    elapsed_ms,
    group_of,
    newest_of_title,
    when,
)
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.text.numbers import Zone


class Ordering:
    """All runs, what is asked of them, and whether their order is out of date."""

    def __init__(self) -> None:
        self.words = Words()
        self.needs_me = False
        self.sort = Sort.STARTED
        self.runs: Mapping[str, Run] = {}
        self._newest: dict[tuple[str, str], str] = {}
        self._places: dict[str, Hashable] = {}
        self._running: list[str] = []
        self._day: int | None = None

    @property
    def hides(self) -> bool:
        """Whether some runs may be hidden."""
        return self.needs_me or bool(self.words)

    def take(self, runs: Sequence[Run], now: int, zone: Zone) -> bool:
        """Takes newer knowledge; True when the order is out of date (now in UTC ms)."""
        before = self.runs
        self.runs = {run.key: run for run in runs}
        changed = [run for run in runs if before.get(run.key) is not run]
        if len(before) != len(self.runs) or any(run.key not in before for run in changed):
            self._know_all()
            return True
        if any(before[run.key].title != run.title for run in changed):
            self._know_all()
        if any(before[run.key].status is not run.status for run in changed):
            self._running = [run.key for run in runs if run.status is Status.RUNNING]
        calendar = Calendar(now, zone)
        return any(self._place(run, calendar) != self._places.get(run.key) for run in changed)

    def outdated(self, now: int, zone: Zone) -> bool:
        """Whether time alone has put the order out of date: a run fell quiet, a day ended."""
        calendar = Calendar(now, zone)
        if calendar.today != self._day:
            return True
        return any(
            self._place(self.runs[key], calendar) != self._places.get(key) for key in self._running
        )

    def arrange(self, now: int, zone: Zone) -> Arrangement:
        """The order as it should be now (UTC ms)."""
        calendar = Calendar(now, zone)
        self._day = calendar.today
        runs = list(self.runs.values())
        self._places = {run.key: self._place(run, calendar) for run in runs}
        whole = arrange(self.words.keep(runs), now, zone, self.sort, among=runs)
        if not self.needs_me:
            return whole
        mine = whole.groups.get(Group.NEEDS_YOU)
        return Arrangement({Group.NEEDS_YOU: mine} if mine else {})

    def _know_all(self) -> None:
        runs = self.runs.values()
        self._newest = newest_of_title(runs)
        self._running = [run.key for run in runs if run.status is Status.RUNNING]

    def _place(self, run: Run, calendar: Calendar) -> Hashable:
        """What decides where a run stands. Ages of those that run grow alike and decide nothing."""
        value: Hashable = when(run)
        if self.sort is Sort.TITLE:
            value = run.title
        elif self.sort is Sort.TOKENS:
            value = run.tokens.total
        elif self.sort is Sort.ELAPSED and run.status is not Status.RUNNING:
            value = elapsed_ms(run, calendar.now)
        return (
            group_of(run, calendar, self._newest),
            run.status is Status.WAITING,
            value,
            self.words.match(run),
        )
