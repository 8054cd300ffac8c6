"""Keeps the list in order while runs change, and works only where the order may have changed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from inspector.derive.filters import Words, searched
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


@dataclass(frozen=True, slots=True)
class News:
    """What newer knowledge of the runs means for what is shown."""

    order: bool
    """The order is out of date."""
    findings: bool
    """The list of problems may be."""
    changed: Sequence[str] = ()
    """Keys of runs of which something else is known now."""


class Ordering:
    """All runs, what is asked of them, and whether their order is out of date."""

    def __init__(self) -> None:
        self.words = Words()
        self.needs_me = False
        self.sort = Sort.STARTED
        self.runs: Mapping[str, Run] = {}
        self._whole = Arrangement()
        self._newest: dict[tuple[str, str], str] = {}
        self._places: dict[str, Hashable] = {}
        self._searched: dict[str, tuple[Run, str]] = {}
        self._running: list[str] = []
        self._day = 0

    @property
    def hides(self) -> bool:
        """Whether some runs may be hidden."""
        return self.needs_me or bool(self.words)

    def take(self, runs: Sequence[Run], now: int, zone: Zone) -> News:
        """Takes newer knowledge (now in UTC ms)."""
        before = self.runs
        self.runs = {run.key: run for run in runs}
        changed = [run for run in runs if before.get(run.key) is not run]
        known = [(before[run.key], run) for run in changed if run.key in before]
        if len(known) < len(changed) or len(before) != len(self.runs):
            self._know_all()
            return News(True, True, [run.key for run in changed])
        if any(old.title != run.title or when(old) != when(run) for old, run in known):
            self._know_all()
        elif any(old.status is not run.status for old, run in known):
            self._know_running()
        calendar = Calendar(now, zone)
        return News(
            order=any(self._place(run, calendar) != self._places.get(run.key) for run in changed)
            or any(self._matches(old) != self._matches(run) for old, run in known),
            findings=any(
                old.findings != run.findings or old.status is not run.status for old, run in known
            ),
            changed=[run.key for run in changed],
        )

    def outdated(self, now: int, zone: Zone) -> bool:
        """Whether time alone has put the order out of date: a run fell quiet, a day ended."""
        calendar = Calendar(now, zone)
        return calendar.today != self._day or any(
            self._place(self.runs[key], calendar) != self._places.get(key) for key in self._running
        )

    def order(self, now: int, zone: Zone) -> None:
        """Puts all runs in order as it should be now (UTC ms)."""
        calendar = Calendar(now, zone)
        runs = list(self.runs.values())
        self._day = calendar.today
        self._places = {run.key: self._place(run, calendar) for run in runs}
        self._whole = arrange(runs, now, zone, self.sort)

    def shown(self) -> Arrangement:
        """What is asked for of the runs that there are, in the order that was last made."""
        groups = self._whole.groups
        if self.needs_me:
            groups = {group: keys for group, keys in groups.items() if group is Group.NEEDS_YOU}
        kept = {group: self._kept(keys) for group, keys in groups.items()}
        return Arrangement({group: keys for group, keys in kept.items() if keys})

    def _kept(self, keys: Sequence[str]) -> list[str]:
        runs = self.runs
        return [key for key in keys if key in runs and self._matches(runs[key])]

    def _matches(self, run: Run) -> bool:
        if not self.words:
            return True
        known = self._searched.get(run.key)
        if known is None or known[0] is not run:
            known = self._searched[run.key] = (run, searched(run))
        return self.words.match_text(known[1])

    def _know_all(self) -> None:
        self._newest = newest_of_title(self.runs.values())
        self._searched = {key: kept for key, kept in self._searched.items() if key in self.runs}
        self._know_running()

    def _know_running(self) -> None:
        self._running = [key for key, run in self.runs.items() if run.status is Status.RUNNING]

    def _place(self, run: Run, calendar: Calendar) -> Hashable:
        """What decides where a run stands. Ages of those that run grow alike and decide nothing."""
        value: Hashable = when(run)
        if self.sort is Sort.TITLE:
            value = run.title
        elif self.sort is Sort.TOKENS:
            value = run.tokens.total
        elif self.sort is Sort.ELAPSED and run.status is not Status.RUNNING:
            value = elapsed_ms(run, calendar.now)
        return (group_of(run, calendar, self._newest), run.status is Status.WAITING, value)
