"""Telling, within milliseconds, that something was written to a watched database or run.

What the operating system announces is taken from watchfiles; where it announces nothing (network
file systems, no watches left, a watch that stays silent) files are looked at instead, and a
notice says so. Only names and times are looked at, nothing is opened.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from inspector.store.event_source import (
    ADDED,
    DELETED,
    MODIFIED,
    CannotListen,
    EventSource,
    Listen,
    RawEvents,
    listen,
)
from inspector.store.places import SKIPPED, Notice, RunFolderNames, database_of, is_database_name


@dataclass(frozen=True, slots=True)
class Plan:
    """Folders to watch; all exist, and each is named once.

    `deep` with all that is below them, `flat` for what is directly in them. `polled` are those
    where changes are not announced.
    """

    deep: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    polled: tuple[str, ...] = ()

    def without(self, *, deep: bool) -> Plan:
        """The same, where the deep or else the flat watch is not to be had."""
        polled = tuple(sorted({*self.polled, *(self.deep if deep else self.flat)}))
        return Plan(() if deep else self.deep, self.flat if deep else (), polled)

    def holds(self, roots: Iterable[str]) -> bool:
        """Whether these roots still are as they were when the plan was made."""
        whole = {*self.deep, *self.polled}
        return all(
            is_below_any(root, whole)
            if os.path.isdir(root)
            else _nearest_folder(root) in self.flat or is_below_any(_nearest_folder(root), whole)
            for root in roots
        )


def plan(
    roots: Iterable[str],
    folders: Iterable[str],
    files: Sequence[str],
    remote: Callable[[str], bool],
    names: RunFolderNames,
) -> Plan:
    """Plans for real paths; what is not there yet is waited for in the nearest folder that is."""
    deep: set[str] = set()
    flat: set[str] = set()
    for root in roots:
        if os.path.isdir(root):
            deep.add(root)
        # Only from above can be seen that a root comes, or goes and comes back.
        flat.add(_nearest_folder(os.path.dirname(root)))
    deep = {root for root in deep if not is_below_any(os.path.dirname(root), deep)}
    flat.update(folder for folder in folders if os.path.isdir(folder))
    for holder in {_holder(file, names) for file in files}:
        if not is_below_any(holder, deep):
            flat.add(_nearest_folder(holder))
    flat = {folder for folder in flat if not is_below_any(folder, deep)}
    polled = {folder for folder in deep | flat if remote(folder)}
    return Plan(tuple(sorted(deep - polled)), tuple(sorted(flat - polled)), tuple(sorted(polled)))


def is_below_any(path: str, folders: AbstractSet[str]) -> bool:
    """Whether a path is one of these folders or lies in one."""
    while folders:
        if path in folders:
            return True
        above = os.path.dirname(path)
        if above == path:
            return False
        path = above
    return False


def _holder(file: str, names: RunFolderNames) -> str:
    """The folder in which changes of a file, or of a run folder's records, are to be seen."""
    name = os.path.basename(file)
    is_file = is_database_name(name) or name in names.logs
    return os.path.dirname(file) if is_file else file


def _nearest_folder(path: str) -> str:
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path


class Routes:
    """Where changes of names lead, given the databases, logs and run folders that are known."""

    def __init__(
        self, files: Sequence[str], roots: Iterable[str], plan: Plan, names: RunFolderNames
    ) -> None:
        self._names = names
        self._known = frozenset(files)
        self._whole = frozenset((*roots, *plan.deep))
        self._flat = frozenset(plan.flat)
        self._deep = frozenset((*plan.deep, *plan.polled))
        self._homes = frozenset(_homes(files, names))
        self._above = _above(self._known | self._homes)
        self._told: set[str] = set()
        self._real: dict[str, str] = {}

    def lead(self, raw: Iterable[tuple[int, str]]) -> tuple[set[str], bool, set[bool]]:
        """What was touched, whether to discover anew, and which watch lost or gained a folder.

        The last is as `EventSource.tune` has it: True for the deep watch, False for the flat one.
        """
        touched: set[str] = set()
        moved: set[bool] = set()
        anew = False
        for change, path in raw:
            if change != MODIFIED and path in self._whole:
                moved.add(True)
                touched.add(path)
                continue
            if change != MODIFIED and path in self._flat:
                moved.add(False)
            anew |= self._one(change, path, touched)
        return touched, anew or bool(moved), moved

    def _one(self, change: int, path: str, touched: set[str]) -> bool:
        """Adds what one change touched; whether to discover anew."""
        if database_of(path) not in self._known:
            path = self._really(path)
        base = database_of(path)
        if base in self._known:
            touched.add(base)
            return base == path and change != MODIFIED
        if path in self._above and change == DELETED:
            touched.add(path)
            return True
        home = self._home_of(path)
        if home is not None:
            touched.add(home)
            return _is_record(path[len(home) + 1 :], self._names) and change != MODIFIED
        if is_database_name(os.path.basename(base)):
            touched.add(base)
            return base == path and self._is_news(change, path)
        return self._elsewhere(change, path, touched)

    def _elsewhere(self, change: int, path: str, touched: set[str]) -> bool:
        """A change outside all known runs that is of no database."""
        holder, name = os.path.split(path)
        if name in SKIPPED:
            return False
        if change == ADDED and os.path.isdir(path):
            touched.add(path)
            return True
        if name in self._names.logs:
            touched.add(holder)
            return self._is_news(change, path)
        if is_below_any(holder, self._deep):
            touched.add(holder)
            return change == DELETED
        return False

    def _is_news(self, change: int, path: str) -> bool:
        """Whether an unknown file is worth looking anew: it came, went, or was first written.

        A database may be empty when it appears; one that is none of ours is asked for once.
        """
        if change != MODIFIED:
            self._told.discard(path)
            return True
        if path in self._told:
            return False
        self._told.add(path)
        return True

    def _home_of(self, path: str) -> str | None:
        while len(path) > 1:
            if path in self._homes:
                return path
            path = os.path.dirname(path)
        return None

    def _really(self, path: str) -> str:
        """The path without links in its folder: one folder may be watched under two names."""
        holder, name = os.path.split(path)
        real = self._real.get(holder)
        if real is None:
            real = self._real[holder] = os.path.realpath(holder)
        return os.path.join(real, name)


def _is_record(inside: str, names: RunFolderNames) -> bool:
    """Whether a name inside a run folder is of a record of it, or of what it imports."""
    return inside in names.records or inside.split("/")[0] in names.nested


def _homes(files: Iterable[str], names: RunFolderNames) -> set[str]:
    """The run folders among or around the known files."""
    homes: set[str] = set()
    for file in files:
        holder, name = os.path.split(file)
        if name in names.records:
            homes.add(holder)
        elif not is_database_name(name):
            homes.add(file)
    return homes


def _above(paths: Iterable[str]) -> frozenset[str]:
    """These paths and all folders that lead to them."""
    above: set[str] = set()
    for path in paths:
        while path not in above and len(path) > 1:
            above.add(path)
            path = os.path.dirname(path)
    return frozenset(above)


Stamp = tuple[int, int, int] | None
"""Inode, size and modification time in ns; None for what is not there."""

_RECENT_NS = 10_000_000_000


def stamp_of(path: str) -> Stamp:
    """How a file or folder looks now."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


class FileStamps:
    """How files looked last time, and which of them look otherwise now.

    A database is looked at together with its `-wal` and `-journal`, a run folder together with
    its records. In a large sweep (`thorough=False`) the many databases of single runs, which keep
    no WAL, are known by their own mark alone.
    """

    def __init__(
        self,
        names: RunFolderNames,
        mark: Callable[[str], Stamp] = stamp_of,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._names = names
        self._mark = mark
        self._now_ns = now_ns
        self._seen: dict[str, tuple[Stamp, ...]] = {}

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
            elif thorough or before[0] != own or self._is_shared(path) or before[1] is not None:
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

    def _companions(self, path: str) -> tuple[Stamp, ...]:
        name = os.path.basename(path)
        if is_database_name(name):
            return (self._mark(f"{path}-wal"), self._mark(f"{path}-journal"))
        if name in self._names.logs:
            return (None,)
        return tuple(self._mark(f"{path}/{record}") for record in self._names.records)

    def _is_shared(self, path: str) -> bool:
        """Whether a path is looked at with all that belongs to it, also in a large sweep."""
        return os.path.basename(path) not in self._names.records

    def _is_recent(self, marks: tuple[Stamp, ...]) -> bool:
        edge = self._now_ns() - _RECENT_NS
        return any(mark is not None and mark[2] > edge for mark in marks)


@dataclass(frozen=True, slots=True)
class WatchTiming:
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


class Poller:
    """Looks at active files often and at all of them rarely, oftener where nobody tells."""

    def __init__(self, pace: WatchTiming, marks: FileStamps, clock: Callable[[], float]) -> None:
        self._pace = pace
        self._marks = marks
        self._clock = clock
        self._folders = FileStamps(RunFolderNames())
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


MOUNTINFO = "/proc/self/mountinfo"

REMOTE = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "drvfs",
        "fakeowner",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "osxfs",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
    }
)
"""File systems that others write to, or whose writers are outside this kernel."""

# FUSE serves both; these are known to be written from elsewhere.
_REMOTE_FUSE = re.compile(
    r"fuse\.(?:.*(?:ssh|nfs|smb|s3|gcs|blob|rclone|dav|gluster|ceph|grpc|osxfs|vmhgfs|goofys|juice)"
    r".*)"
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def is_remote_file_system(path: str, mountinfo: str = MOUNTINFO) -> bool:
    """Whether a real path lies on a file system that changes without telling; no if unknown."""
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as table:
            mounts = _mounts(table.read())
    except OSError:
        return False
    kind = ""
    longest = -1
    for point, file_system in mounts:
        # The last of several mounts on one point is the one that is seen.
        if len(point) >= longest and _is_below(path, point):
            kind, longest = file_system, len(point)
    return kind in REMOTE or _REMOTE_FUSE.fullmatch(kind) is not None


@lru_cache(maxsize=4)
def _mounts(text: str) -> tuple[tuple[str, str], ...]:
    """Mount point and kind of each line, in the order of mounting."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if separator and len(fields) > 4 and after:
            point = _OCTAL.sub(lambda escape: chr(int(escape[1], 8)), fields[4])
            found.append((point, after.split(" ")[0]))
    return tuple(found)


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip(os.sep) + os.sep)


__all__ = ["Changes", "WatchTiming", "Watcher", "is_remote_file_system"]

_SILENT_TIMES = 2
"""Changes that stay unannounced before a watch is thought to be deaf."""
_LONGEST_WAIT_S = 0.5
_RETRY_S = 0.05

_NO_FILES: Callable[[], Sequence[str]] = tuple
_DEFAULT_TIMING = WatchTiming()
_NO_NAMES = RunFolderNames()


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened since the last time."""

    paths: frozenset[str] = frozenset()
    """Real paths of databases and logs that were written (a `-wal`, `-journal` or `-shm` counts
    as its database), and of run folders and other folders in which something else changed."""
    rescan: bool = False
    """Something appeared or vanished: discover anew."""
    notice: Notice | None = None


class Stop(Protocol):
    """What ends a watch; a `threading.Event` is one."""

    def is_set(self) -> bool:
        """Whether to end."""
        ...


class Watcher:
    """Watches roots and files until it is told to stop.

    `roots` are watched with all below them and need not exist; `folders` for what is directly in
    them. `files` gives the databases, logs and run folders that are known now, `active` those of
    them whose next write is to be seen at once. Both are asked often and from several threads,
    must be cheap, and should give the same tuple while nothing changed. While `active` gives
    nothing and nothing changed for a minute, it listens at a slower pace. All are real paths.
    Start it before the first read: what changed before `run` is not told.
    """

    def __init__(
        self,
        roots: Sequence[str],
        files: Callable[[], Sequence[str]],
        *,
        active: Callable[[], Sequence[str]] = _NO_FILES,
        folders: Sequence[str] = (),
        names: RunFolderNames = _NO_NAMES,
        pace: WatchTiming = _DEFAULT_TIMING,
        remote: Callable[[str], bool] = is_remote_file_system,
        listener: Listen = listen,
        marks: FileStamps | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._names = names
        self._wanted = (tuple(roots), tuple(folders))
        self._files = files
        self._active = active
        self._pace = pace
        self._remote = remote
        self._clock = clock
        self._ears = EventSource(listener, self._step)
        self._marks = marks or FileStamps(names)
        self._rounds = Poller(pace, self._marks, clock)
        self._routes = Routes((), (), Plan(), names)
        self._known: Sequence[str] | None = None
        self._known_set: frozenset[str] = frozenset()
        self._refused: set[bool] = set()
        self._stale = True
        self._missed = False
        self._last_change = -math.inf
        self._said: set[str] = set()

    def rewatch(self, roots: Sequence[str], folders: Sequence[str] = ()) -> None:
        """Watches these from now on; from any thread, costs nothing if they are the same."""
        wanted = (tuple(roots), tuple(folders))
        if wanted != self._wanted:
            self._wanted = wanted
            self._stale = True
            self._ears.wake()

    def run(
        self,
        deliver: Callable[[Changes], None],
        stop: Stop,
        listening: Callable[[], None] = lambda: None,
    ) -> None:
        """Delivers changes in this thread until `stop` is set, and at most half a second longer.

        `listening` is called once: what changes after it is told.
        """
        self._marks.changed(self._files())
        try:
            self._arrange(deliver)
            listening()
            while not stop.is_set():
                self._arrange(deliver)
                self._turn(deliver)
        finally:
            self._ears.close()

    def _turn(self, deliver: Callable[[Changes], None]) -> None:
        """Waits for an announcement or for the next look, and delivers what there is to tell."""
        touched, anew, moved = self._routes.lead(self._heard(deliver))
        if touched or anew:
            self._last_change = self._clock()
            self._rounds.announced(touched & self._known_set)
        for deep in moved:
            # A watch ends with its folder, even when one of the same name is there again.
            self._ears.renew(deep=deep)
        seen, folder_changed = self._rounds.look(self._active())
        anew |= folder_changed or self._missed
        self._missed = False
        if anew:
            # Watch first: nothing may fall between the new discovery and the watch.
            self._stale = True
            self._arrange(deliver)
        if touched or seen or anew:
            deliver(Changes(frozenset(touched | seen), anew))
        if self._rounds.silent >= _SILENT_TIMES and len(self._refused) < 2:
            self._give_up({True, False}, "Files changed and nothing was announced", deliver)

    def _heard(self, deliver: Callable[[Changes], None]) -> RawEvents:
        wait = _RETRY_S if self._stale else min(self._rounds.due_in(), _LONGEST_WAIT_S)
        try:
            return self._ears.heard(max(wait, 0.001))
        except CannotListen as error:
            self._give_up({True, False}, f"Watching ended ({error})", deliver)
            return set()

    def _arrange(self, deliver: Callable[[Changes], None]) -> None:
        """Brings watch and rounds in line with the files and folders of now, if they changed."""
        files = self._files()
        if not self._stale and (files is self._known or files == self._known):
            return
        self._stale = False
        self._known, self._known_set = files, frozenset(files)
        roots, folders = self._wanted
        wanted = plan(roots, folders, files, self._remote, self._names)
        if wanted.polled:
            reason = f"{wanted.polled[0]} is on a network file system, which announces no changes"
            self._say(reason, deliver)
        for deep in (True, False):
            wanted = self._listen(wanted, deep, deliver)
        self._rounds.arrange(wanted, files)
        self._routes = Routes(files, roots, wanted, self._names)
        if not wanted.holds(roots):
            self._stale = self._missed = True

    def _listen(self, wanted: Plan, deep: bool, deliver: Callable[[Changes], None]) -> Plan:
        """Listens to one half of the plan, or moves it to what is polled."""
        folders = wanted.deep if deep else wanted.flat
        if folders and deep not in self._refused:
            try:
                self._ears.tune(folders, deep=deep)
                return wanted
            except FileNotFoundError:
                # Gone since the plan was made: the next turn plans again.
                self._stale = self._missed = True
                return wanted
            except CannotListen as error:
                self._give_up({deep}, f"The system refuses to watch ({error})", deliver)
        self._ears.tune((), deep=deep)
        return wanted.without(deep=deep)

    def _give_up(self, halves: set[bool], reason: str, deliver: Callable[[Changes], None]) -> None:
        """Polls instead of listening, for the deep half, the flat one, or both."""
        self._refused |= halves
        self._stale = True
        self._say(reason, deliver)

    def _say(self, reason: str, deliver: Callable[[Changes], None]) -> None:
        """Delivers once that files are looked at instead, and why."""
        if reason in self._said:
            return
        self._said.add(reason)
        active, others = self._pace.poll_active_s, self._pace.poll_all_s
        message = (
            f"{reason}: looking at active runs every {active:g} s and at the others every "
            f"{others:g} s instead."
        )
        deliver(Changes(notice=Notice("polling", message)))

    def _step(self, deep: bool) -> tuple[int, int]:
        """How long to gather and how often to look at what is announced, in ms."""
        quiet = self._clock() - self._last_change > self._pace.busy_s and not self._active()
        if not quiet:
            return self._pace.debounce_ms, self._pace.step_ms
        return self._pace.debounce_ms, self._pace.quiet_step_ms * (1 if deep else 2)
