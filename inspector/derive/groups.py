"""The list of runs: groups, order and counts, and an incremental order while runs change."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

from inspector.derive.filters import Words, searchable
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.text.numbers import Zone, local_moment

ACTIVE_FOR_MS = 60_000
"""A running run is active if its last write is more recent than this, else quiet."""
NEWLY_FAILED_FOR_MS = 24 * 3_600_000
"""A failed run needs attention for this long, unless a newer run of its title exists."""


class Group(StrEnum):
    """Groups of the list in display order; the value is the heading."""

    NEEDS_YOU = "needs you"
    ACTIVE = "active"
    QUIET = "quiet"
    TODAY = "earlier today"
    YESTERDAY = "yesterday"
    EARLIER = "earlier"


class Sort(StrEnum):
    """Sort key within a group, largest or newest first."""

    STARTED = "started"
    ELAPSED = "elapsed"
    TOKENS = "tokens"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts for the head line."""

    waiting: int = 0
    failed_today: int = 0
    active: int = 0
    quiet: int = 0
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Run keys by group in display order; empty groups are left out."""

    groups: Mapping[Group, Sequence[str]] = field(default_factory=dict)

    def in_order(self) -> list[str]:
        """Returns all keys from top to bottom."""
        return [key for keys in self.groups.values() for key in keys]


def when(run: Run) -> int | None:
    """Returns the instant that orders a run: its start, else its end, else its last write."""
    for instant in (run.started_at, run.ended_at, run.last_activity_at):
        if instant is not None:
            return instant
    return None


def is_active(run: Run, now: int) -> bool:
    """True if a run is running and its last write is less than ACTIVE_FOR_MS ago."""
    written = run.last_activity_at
    return run.status is Status.RUNNING and written is not None and now - written < ACTIVE_FOR_MS


def elapsed_ms(run: Run, now: int) -> int | None:
    """Returns the length of a run in ms so far; None if not recorded or quiet."""
    if run.status is Status.RUNNING:
        if run.started_at is None or not is_active(run, now) or run.started_at > now:
            return None
        return now - run.started_at
    # A waiting run has not ended, even if it recorded an end when it was suspended.
    return None if run.status is Status.WAITING else run.duration_ms


def newest_of_title(runs: Iterable[Run]) -> dict[tuple[str, str], str]:
    """Returns the key of the newest run by (runtime, title)."""
    newest: dict[tuple[str, str], tuple[int, str]] = {}
    for run in runs:
        name = (run.runtime, run.title)
        mine = (when(run) or 0, run.key)
        if name not in newest or mine > newest[name]:
            newest[name] = mine
    return {name: key for name, (_, key) in newest.items()}


class Calendar:
    """Start of today and of yesterday in a zone (UTC ms)."""

    def __init__(self, now: int, zone: Zone) -> None:
        self.now = now
        moment = local_moment(now, zone)
        self.today = now if moment is None else _midnight(moment.date(), zone)
        self.yesterday = self.today
        if moment is not None:
            self.yesterday = _midnight(moment.date() - timedelta(days=1), zone)


def _midnight(day: date, zone: Zone) -> int:
    """Returns the start of a day in a zone (UTC ms)."""
    moment = datetime(day.year, day.month, day.day, tzinfo=zone)
    return int(moment.timestamp() * 1000)


def group_of(run: Run, calendar: Calendar, newest: Mapping[tuple[str, str], str]) -> Group:
    """Returns the group of a run; `newest` comes from `newest_of_title`."""
    now = calendar.now
    if run.status is Status.WAITING:
        return Group.NEEDS_YOU
    if run.status is Status.FAILED and newest.get((run.runtime, run.title)) == run.key:
        ended = run.ended_at if run.ended_at is not None else run.last_activity_at
        ended = when(run) if ended is None else ended
        if ended is not None and now - ended < NEWLY_FAILED_FOR_MS:
            return Group.NEEDS_YOU
    if run.status is Status.RUNNING:
        return Group.ACTIVE if is_active(run, now) else Group.QUIET
    instant = when(run)
    if instant is None or instant < calendar.yesterday:
        return Group.EARLIER
    return Group.TODAY if instant >= calendar.today else Group.YESTERDAY


def arrange(runs: Sequence[Run], now: int, zone: Zone, sort: Sort = Sort.STARTED) -> Arrangement:
    """Groups and orders all runs (`now` in UTC ms)."""
    calendar, newest = Calendar(now, zone), newest_of_title(runs)
    groups: dict[Group, list[Run]] = {group: [] for group in Group}
    for run in runs:
        groups[group_of(run, calendar, newest)].append(run)
    for group, members in groups.items():
        _order(members, sort, now)
        if group is Group.NEEDS_YOU:
            members.sort(key=lambda run: run.status is not Status.WAITING)
    return Arrangement(
        {group: [run.key for run in members] for group, members in groups.items() if members}
    )


def _order(runs: list[Run], sort: Sort, now: int) -> None:
    runs.sort(key=lambda run: run.key)
    runs.sort(key=lambda run: when(run) or 0, reverse=True)
    if sort is Sort.ELAPSED:
        runs.sort(key=lambda run: _unknown_last(elapsed_ms(run, now)), reverse=True)
    elif sort is Sort.TOKENS:
        runs.sort(key=lambda run: _unknown_last(run.tokens.total), reverse=True)
    elif sort is Sort.TITLE:
        runs.sort(key=lambda run: run.title.casefold())


def _unknown_last(number: int | None) -> int:
    """Orders unknown values last."""
    return -1 if number is None else number


def count(runs: Iterable[Run], now: int, zone: Zone) -> Counts:
    """Counts runs that are waiting, failed today, active and quiet (`now` in UTC ms)."""
    calendar = Calendar(now, zone)
    waiting = failed = active = quiet = total = 0
    for run in runs:
        total += 1
        if run.status is Status.WAITING:
            waiting += 1
        elif run.status is Status.FAILED:
            ended = run.ended_at if run.ended_at is not None else when(run)
            failed += ended is not None and ended >= calendar.today
        elif run.status is Status.RUNNING:
            if is_active(run, now):
                active += 1
            else:
                quiet += 1
    return Counts(waiting, failed, active, quiet, total)


@dataclass(frozen=True, slots=True)
class ListChange:
    """The effect of new run data on the list."""

    order: bool
    """True if the order is outdated."""
    findings: bool
    """True if the list of problems may be outdated."""
    changed: Sequence[str] = ()
    """Keys of the runs that changed."""


class Ordering:
    """All runs, the filter, and whether the order is outdated."""

    def __init__(self) -> None:
        self.words = Words()
        self.needs_me = False
        self.sort = Sort.STARTED
        self.runs: Mapping[str, Run] = {}
        self._whole = Arrangement()
        self._newest: dict[tuple[str, str], str] = {}
        self._sort_keys: dict[str, Hashable] = {}
        self._searched: dict[str, tuple[Run, str]] = {}
        self._running: list[str] = []
        self._day = 0

    @property
    def hides(self) -> bool:
        """True if a filter may hide runs."""
        return self.needs_me or bool(self.words)

    def update(self, runs: Sequence[Run], now: int, zone: Zone) -> ListChange:
        """Replaces the runs and returns what that changes (`now` in UTC ms)."""
        before = self.runs
        self.runs = {run.key: run for run in runs}
        changed = [run for run in runs if before.get(run.key) is not run]
        known = [(before[run.key], run) for run in changed if run.key in before]
        if len(known) < len(changed) or len(before) != len(self.runs):
            self._index_all()
            return ListChange(True, True, [run.key for run in changed])
        if any(old.title != run.title or when(old) != when(run) for old, run in known):
            self._index_all()
        elif any(old.status is not run.status for old, run in known):
            self._index_running()
        calendar = Calendar(now, zone)
        return ListChange(
            order=any(
                self._sort_key(run, calendar) != self._sort_keys.get(run.key) for run in changed
            )
            or any(self._matches(old) != self._matches(run) for old, run in known),
            findings=any(
                old.findings != run.findings or old.status is not run.status for old, run in known
            ),
            changed=[run.key for run in changed],
        )

    def outdated(self, now: int, zone: Zone) -> bool:
        """True if time alone outdated the order: a run became quiet, or a day ended."""
        calendar = Calendar(now, zone)
        return calendar.today != self._day or any(
            self._sort_key(self.runs[key], calendar) != self._sort_keys.get(key)
            for key in self._running
        )

    def order(self, now: int, zone: Zone) -> None:
        """Orders all runs (`now` in UTC ms)."""
        calendar = Calendar(now, zone)
        runs = list(self.runs.values())
        self._day = calendar.today
        self._sort_keys = {run.key: self._sort_key(run, calendar) for run in runs}
        self._whole = arrange(runs, now, zone, self.sort)

    def shown(self) -> Arrangement:
        """Returns the runs that pass the filter, in the order last computed."""
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
            known = self._searched[run.key] = (run, searchable(run))
        return self.words.match_text(known[1])

    def _index_all(self) -> None:
        self._newest = newest_of_title(self.runs.values())
        self._searched = {key: kept for key, kept in self._searched.items() if key in self.runs}
        self._index_running()

    def _index_running(self) -> None:
        self._running = [key for key, run in self.runs.items() if run.status is Status.RUNNING]

    def _sort_key(self, run: Run, calendar: Calendar) -> Hashable:
        """Returns what decides the position of a run; ages of running runs grow alike."""
        value: Hashable = when(run)
        if self.sort is Sort.TITLE:
            value = run.title
        elif self.sort is Sort.TOKENS:
            value = run.tokens.total
        elif self.sort is Sort.ELAPSED and run.status is not Status.RUNNING:
            value = elapsed_ms(run, calendar.now)
        return (group_of(run, calendar, self._newest), run.status is Status.WAITING, value)
