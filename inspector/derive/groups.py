"""Which runs belong together in the list, in which order, and how many of each there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

from inspector.model.run import Run
from inspector.model.status import Status
from inspector.text.numbers import Zone, local_moment

ACTIVE_FOR_MS = 60_000
"""A running run that wrote something less than this long ago is active, else quiet."""
NEWLY_FAILED_FOR_MS = 24 * 3_600_000
"""A failed run needs someone for this long, unless a newer run of the same title followed."""


class Group(StrEnum):
    """The groups of the list, in their order; the value is the heading."""

    NEEDS_YOU = "needs you"
    ACTIVE = "active"
    QUIET = "quiet"
    TODAY = "earlier today"
    YESTERDAY = "yesterday"
    EARLIER = "earlier"


class Sort(StrEnum):
    """What the runs of a group are ordered by, the largest or newest first."""

    STARTED = "started"
    ELAPSED = "elapsed"
    TOKENS = "tokens"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Counts:
    """The head line: how many runs are in which state."""

    waiting: int = 0
    failed_today: int = 0
    active: int = 0
    quiet: int = 0
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Runs in the order of the list: the keys of each group that has any."""

    groups: Mapping[Group, Sequence[str]] = field(default_factory=dict)

    def in_order(self) -> list[str]:
        """All keys from top to bottom."""
        return [key for keys in self.groups.values() for key in keys]


def when(run: Run) -> int | None:
    """The instant that places a run among others: its start, else the newest that is known."""
    for instant in (run.started_at, run.ended_at, run.last_activity_at):
        if instant is not None:
            return instant
    return None


def is_active(run: Run, now: int) -> bool:
    """Whether a run says that it runs and wrote less than a minute ago (UTC ms)."""
    written = run.last_activity_at
    return run.status is Status.RUNNING and written is not None and now - written < ACTIVE_FOR_MS


def elapsed_ms(run: Run, now: int) -> int | None:
    """How long a run took or has taken. None is not recorded, or not to be known: see `lives`."""
    if run.status is Status.RUNNING:
        if run.started_at is None or not is_active(run, now) or run.started_at > now:
            return None
        return now - run.started_at
    # What waits has not ended, whatever was noted when it was put aside.
    return None if run.status is Status.WAITING else run.duration_ms


def newest_of_title(runs: Iterable[Run]) -> dict[tuple[str, str], str]:
    """The key of the newest run of each title of a runtime."""
    newest: dict[tuple[str, str], tuple[int, str]] = {}
    for run in runs:
        name = (run.runtime, run.title)
        mine = (when(run) or 0, run.key)
        if name not in newest or mine > newest[name]:
            newest[name] = mine
    return {name: key for name, (_, key) in newest.items()}


class Calendar:
    """Today and yesterday in one zone, as seen from now: instants at which they begin (UTC ms)."""

    def __init__(self, now: int, zone: Zone) -> None:
        self.now = now
        moment = local_moment(now, zone)
        self.today = now if moment is None else _midnight(moment.date(), zone)
        self.yesterday = self.today
        if moment is not None:
            self.yesterday = _midnight(moment.date() - timedelta(days=1), zone)


def _midnight(day: date, zone: Zone) -> int:
    """The instant at which a day begins in a zone (UTC ms)."""
    moment = datetime(day.year, day.month, day.day, tzinfo=zone)
    return int(moment.timestamp() * 1000)


def group_of(run: Run, calendar: Calendar, newest: Mapping[tuple[str, str], str]) -> Group:
    """The group of one run."""
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
    """Groups and orders all runs (now in UTC ms)."""
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
        runs.sort(key=lambda run: _or_less(elapsed_ms(run, now)), reverse=True)
    elif sort is Sort.TOKENS:
        runs.sort(key=lambda run: _or_less(run.tokens.total), reverse=True)
    elif sort is Sort.TITLE:
        runs.sort(key=lambda run: run.title.casefold())


def _or_less(number: int | None) -> int:
    """What is not known comes after everything that is."""
    return -1 if number is None else number


def count(runs: Iterable[Run], now: int, zone: Zone) -> Counts:
    """How many runs are waiting, failed today, active and quiet (now in UTC ms)."""
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
