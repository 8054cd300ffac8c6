"""Seeing that files change by looking at them: for where nobody tells, and to be sure.

Only `stat`, about 4 microseconds a file; nothing is opened.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from inspector.store import places
from inspector.store.watchplan import Plan, is_below_any

Mark = tuple[int, int, int] | None
"""Inode, size and modification time in ns; None for what is not there."""

_RECENT_NS = 10_000_000_000


def mark_of(path: str) -> Mark:
    """How a file or folder looks now."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


class Marks:
    """How files looked last time, and which of them look otherwise now.

    A database is looked at together with its `-wal` and `-journal`, a run folder together with
    its records. In a large sweep (`thorough=False`) the many databases of single runs, which keep
    no WAL, are known by their own mark alone.
    """

    def __init__(
        self,
        mark: Callable[[str], Mark] = mark_of,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._mark = mark
        self._now_ns = now_ns
        self._seen: dict[str, tuple[Mark, ...]] = {}

    def changed(self, paths: Iterable[str], *, thorough: bool = True) -> set[str]:
        """Which of these look otherwise than last time.

        One that is looked at for the first time counts when it was written in the last ten
        seconds: whoever names it may have read it just before that.
        """
        found: set[str] = set()
        for path in paths:
            before = self._seen.get(path)
            own = self._mark(path)
            if before is None:
                marks = (own, *self._companions(path))
                if self._is_recent(marks):
                    found.add(path)
            elif thorough or before[0] != own or _is_shared(path) or before[1] is not None:
                marks = (own, *self._companions(path))
                if marks != before:
                    found.add(path)
            else:
                continue
            self._seen[path] = marks
        return found

    def keep_only(self, paths: Iterable[str]) -> None:
        """Forgets all but these."""
        wanted = set(paths)
        for path in [path for path in self._seen if path not in wanted]:
            del self._seen[path]

    def _companions(self, path: str) -> tuple[Mark, ...]:
        name = os.path.basename(path)
        if places.is_database_name(name):
            return (self._mark(f"{path}-wal"), self._mark(f"{path}-journal"))
        if name in places.LOGS:
            return (None,)
        return tuple(self._mark(f"{path}/{record}") for record in (places.STATE, *places.LOGS))

    def _is_recent(self, marks: tuple[Mark, ...]) -> bool:
        edge = self._now_ns() - _RECENT_NS
        return any(mark is not None and mark[2] > edge for mark in marks)


def _is_shared(path: str) -> bool:
    """Whether a path is looked at with all that belongs to it, also in a large sweep."""
    name = os.path.basename(path)
    return name != places.STATE and name not in places.LOGS


@dataclass(frozen=True, slots=True)
class Pace:
    """How often; milliseconds and seconds as the names say."""

    debounce_ms: int = 50
    step_ms: int = 10
    """Between two looks at what was announced, while anything is going on."""
    quiet_step_ms: int = 100
    """The same while nothing is active and nothing changed for `busy_s`; flat watches: twice."""
    busy_s: float = 60.0
    active_s: float = 2.0
    """Between two looks, to be sure, at the files that are active."""
    all_s: float = 10.0
    """The same for all files."""
    poll_active_s: float = 0.1
    """Between two looks at active files where changes are not announced."""
    poll_all_s: float = 2.0
    share: float = 0.001
    """Of one processor at most for looking at all files to be sure; or else it gets rarer."""
    poll_share: float = 0.02
    """The same where changes are not announced."""
    grace_s: float = 1.0
    """How much later than seen a change may be announced."""


@dataclass(slots=True)
class _Round:
    """Files that are looked at again and again, all alike."""

    every_s: float
    share: float
    announced: bool
    active: bool
    due: float = 0.0


class Rounds:
    """Looks at active files often and at all of them rarely, oftener where nobody tells."""

    def __init__(self, pace: Pace, marks: Marks, clock: Callable[[], float]) -> None:
        self._pace = pace
        self._marks = marks
        self._clock = clock
        self._folders = Marks()
        self._polled: tuple[str, ...] = ()
        self._files: dict[bool, tuple[str, ...]] = {True: (), False: ()}
        self._rounds = [
            _Round(pace.poll_active_s, pace.poll_share, announced=False, active=True),
            _Round(pace.poll_all_s, pace.poll_share, announced=False, active=False),
            _Round(pace.active_s, pace.share, announced=True, active=True),
            _Round(pace.all_s, pace.share, announced=True, active=False),
        ]
        for each in self._rounds:
            each.due = clock() + each.every_s
        self._late: dict[str, float] = {}
        self.silent = 0
        """Changes in a row that were seen and that nobody announced in time."""

    def arrange(self, plan: Plan, files: Sequence[str]) -> None:
        """Looks at these files from now on; what is remembered of them stays."""
        polled = frozenset(plan.polled)
        self._files = {True: (), False: ()}
        slow = [file for file in files if is_below_any(file, polled)]
        self._files[False] = tuple(slow)
        self._files[True] = tuple(set(files).difference(slow)) if slow else tuple(files)
        self._marks.keep_only(files)
        self._polled = plan.polled
        self._folders.changed(self._polled)

    def due_in(self) -> float:
        """Seconds until something is to be looked at."""
        due = (each.due for each in self._rounds if each.announced or self._polled)
        return max(min(due) - self._clock(), 0.0)

    def look(self, active: Sequence[str]) -> tuple[set[str], bool]:
        """Which files changed, of those whose turn it is, and whether a polled folder did."""
        found: set[str] = set()
        anew = False
        for each in self._rounds:
            began = self._clock()
            if each.due > began:
                continue
            files = self._files[each.announced]
            if each.active:
                among = frozenset(files) if active else files
                files = tuple(file for file in active if file in among)
            changed = self._marks.changed(files, thorough=each.active)
            if not each.announced and not each.active:
                anew |= bool(self._folders.changed(self._polled))
            ended = self._clock()
            each.due = ended + max(each.every_s, (ended - began) / each.share)
            if each.announced and each.active:
                self._suspect(changed, ended)
            found |= changed
        return found, anew

    def announced(self, paths: Iterable[str]) -> None:
        """Keeps that changes of known files were announced: no look is to find them again."""
        for path in paths:
            self.silent = 0
            self._late.pop(path, None)
            self._marks.changed((path,))

    def _suspect(self, changed: set[str], now: float) -> None:
        late = [path for path, at in self._late.items() if now - at > self._pace.grace_s]
        for path in late:
            del self._late[path]
        self.silent += len(late)
        for path in changed:
            self._late.setdefault(path, now)
