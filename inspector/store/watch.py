"""Reports writes to watched databases and runs within milliseconds.

Uses events of the operating system; where there are none (network file systems, no watches left, a
silent watch) it polls and says so in a notice. Uses only names and times; opens nothing.
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

from inspector.config.log import debug
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
    """Folders to watch; all exist and are listed once.

    `deep` are watched recursively, `flat` are not; `polled` do not report events.
    """

    deep: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    polled: tuple[str, ...] = ()

    def without(self, *, deep: bool) -> Plan:
        """Returns the plan with the deep or the flat folders polled."""
        polled = tuple(sorted({*self.polled, *(self.deep if deep else self.flat)}))
        return Plan(() if deep else self.deep, self.flat if deep else (), polled)

    def holds(self, roots: Iterable[str]) -> bool:
        """True if the roots still exist, or still do not, as when the plan was made."""
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
    """Plans the watch of real paths; for a missing path, its nearest existing ancestor."""
    deep: set[str] = set()
    flat: set[str] = set()
    for root in roots:
        if os.path.isdir(root):
            deep.add(root)
        # The creation of a root is only visible in its parent.
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
    """True if a path is one of these folders or inside one."""
    while folders:
        if path in folders:
            return True
        above = os.path.dirname(path)
        if above == path:
            return False
        path = above
    return False


def _holder(file: str, names: RunFolderNames) -> str:
    """Returns the folder whose events concern a file, or the records of a run folder."""
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


class EventRoutes:
    """Maps events to the known databases, logs and run folders that they concern."""

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
        self._reported: set[str] = set()
        self._real: dict[str, str] = {}

    def changes_of(self, raw: Iterable[tuple[int, str]]) -> tuple[set[str], bool, set[bool]]:
        """Returns changed paths, whether to rescan, and which watches lost or gained a folder.

        The last is a set of `deep` flags as in `EventSource.watch_folders`.
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
        """Adds the paths changed by one event; returns True to rescan."""
        if database_of(path) not in self._known:
            path = self._resolved(path)
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
        """Handles an event outside all known runs and databases."""
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
        """True if an unknown file requires a rescan: created, deleted, or first written.

        A new database may still be empty; a file that is no store requires one rescan only.
        """
        if change != MODIFIED:
            self._reported.discard(path)
            return True
        if path in self._reported:
            return False
        self._reported.add(path)
        return True

    def _home_of(self, path: str) -> str | None:
        while len(path) > 1:
            if path in self._homes:
                return path
            path = os.path.dirname(path)
        return None

    def _resolved(self, path: str) -> str:
        """Resolves links in the folder of a path: one folder may be watched under two names."""
        holder, name = os.path.split(path)
        real = self._real.get(holder)
        if real is None:
            real = self._real[holder] = os.path.realpath(holder)
        return os.path.join(real, name)


def _is_record(inside: str, names: RunFolderNames) -> bool:
    """True if a name inside a run folder is one of its records, or of an import."""
    return inside in names.records or inside.split("/")[0] in names.nested


def _homes(files: Iterable[str], names: RunFolderNames) -> set[str]:
    """Returns the run folders of the known files."""
    homes: set[str] = set()
    for file in files:
        holder, name = os.path.split(file)
        if name in names.records:
            homes.add(holder)
        elif not is_database_name(name):
            homes.add(file)
    return homes


def _above(paths: Iterable[str]) -> frozenset[str]:
    """Returns these paths and all their ancestors."""
    above: set[str] = set()
    for path in paths:
        while path not in above and len(path) > 1:
            above.add(path)
            path = os.path.dirname(path)
    return frozenset(above)


Stamp = tuple[int, int, int] | None
"""Inode, size and modification time (ns) of a file; None if missing."""

_RECENT_NS = 10_000_000_000


def stamp_of(path: str) -> Stamp:
    """Returns the current stamp of a file or folder."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


class FileStamps:
    """Last known stamps of files, to detect changes by polling.

    A database is compared with its `-wal` and `-journal`, a run folder with its records. A large
    sweep (`thorough=False`) only compares the database of single runs, which have no WAL.
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
        """Returns the paths that changed since the last call.

        A path seen for the first time counts as changed if written in the last ten seconds: the
        caller may have read it just before.
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
        """Drops all other paths."""
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
        """True if a path is always compared with its companions."""
        return os.path.basename(path) not in self._names.records

    def _is_recent(self, marks: tuple[Stamp, ...]) -> bool:
        edge = self._now_ns() - _RECENT_NS
        return any(mark is not None and mark[2] > edge for mark in marks)


@dataclass(frozen=True, slots=True)
class WatchTiming:
    """Intervals of events and polling; units as the names say."""

    debounce_ms: int = 50
    step_ms: int = 10
    """Step while there is activity."""
    quiet_step_ms: int = 100
    """Step if nothing is active and nothing changed for `busy_s`; flat watches: twice."""
    busy_s: float = 60.0
    active_s: float = 2.0
    """Interval of checks of active files, in case events are lost."""
    all_s: float = 10.0
    """The same for all files."""
    poll_active_s: float = 0.1
    """Interval of polling active files without events."""
    poll_all_s: float = 2.0
    share: float = 0.001
    """Maximum share of one processor for checking all files; else the interval grows."""
    poll_share: float = 0.02
    """The same for polling."""
    grace_s: float = 1.0
    """Maximum delay of an event after a check saw the change."""


@dataclass(slots=True)
class _PollSet:
    """A set of files that are polled together."""

    every_s: float
    share: float
    announced: bool
    active: bool
    due: float = 0.0


class Poller:
    """Polls active files often and all files rarely; more often without events."""

    def __init__(self, timing: WatchTiming, marks: FileStamps, clock: Callable[[], float]) -> None:
        self._timing = timing
        self._marks = marks
        self._clock = clock
        self._folders = FileStamps(RunFolderNames())
        self._polled: tuple[str, ...] = ()
        self._files: dict[bool, tuple[str, ...]] = {True: (), False: ()}
        self._sets = [
            _PollSet(timing.poll_active_s, timing.poll_share, announced=False, active=True),
            _PollSet(timing.poll_all_s, timing.poll_share, announced=False, active=False),
            _PollSet(timing.active_s, timing.share, announced=True, active=True),
            _PollSet(timing.all_s, timing.share, announced=True, active=False),
        ]
        for each in self._sets:
            each.due = clock() + each.every_s
        self._late: dict[str, float] = {}
        self.silent = 0
        """Consecutive changes that no event reported in time."""

    def set_files(self, plan: Plan, files: Sequence[str]) -> None:
        """Sets the files to poll; known stamps are kept."""
        polled = frozenset(plan.polled)
        self._files = {True: (), False: ()}
        slow = [file for file in files if is_below_any(file, polled)]
        self._files[False] = tuple(slow)
        self._files[True] = tuple(set(files).difference(slow)) if slow else tuple(files)
        self._marks.keep_only(files)
        self._polled = plan.polled
        self._folders.changed(self._polled)

    def due_in(self) -> float:
        """Returns the seconds until the next poll is due."""
        due = (each.due for each in self._sets if each.announced or self._polled)
        return max(min(due) - self._clock(), 0.0)

    def poll(self, active: Sequence[str]) -> tuple[set[str], bool]:
        """Polls due files; returns those that changed, and True if a polled folder changed."""
        found: set[str] = set()
        anew = False
        for each in self._sets:
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

    def note_reported(self, paths: Iterable[str]) -> None:
        """Records that events reported these files, so that no poll reports them again."""
        for path in paths:
            self.silent = 0
            self._late.pop(path, None)
            self._marks.changed((path,))

    def _suspect(self, changed: set[str], now: float) -> None:
        late = [path for path, at in self._late.items() if now - at > self._timing.grace_s]
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
"""File systems written from other machines, or from outside this kernel."""

# FUSE is used for local file systems too; these are remote.
_REMOTE_FUSE = re.compile(
    r"fuse\.(?:.*(?:ssh|nfs|smb|s3|gcs|blob|rclone|dav|gluster|ceph|grpc|osxfs|vmhgfs|goofys|juice)"
    r".*)"
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def is_remote_file_system(path: str, mountinfo: str = MOUNTINFO) -> bool:
    """True if a real path is on a file system without change events; False if unknown."""
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as table:
            mounts = _mounts(table.read())
    except OSError:
        return False
    kind = ""
    longest = -1
    for point, file_system in mounts:
        # Of several mounts on one point the last is visible.
        if len(point) >= longest and _is_below(path, point):
            kind, longest = file_system, len(point)
    return kind in REMOTE or _REMOTE_FUSE.fullmatch(kind) is not None


@lru_cache(maxsize=4)
def _mounts(text: str) -> tuple[tuple[str, str], ...]:
    """Returns mount point and type of each line, in mount order."""
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

_MAX_SILENT = 2
"""Unreported changes after which a watch counts as silent."""
_MAX_WAIT_S = 0.5
_RETRY_S = 0.05

_NO_FILES: Callable[[], Sequence[str]] = tuple
_DEFAULT_TIMING = WatchTiming()
_NO_NAMES = RunFolderNames()


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes since the last delivery."""

    paths: frozenset[str] = frozenset()
    """Real paths of written databases and logs (`-wal`, `-journal` and `-shm` count as the
    database), and of run folders and other folders with other changes.
    """
    rescan: bool = False
    """True if something appeared or disappeared: run discovery again."""
    notice: Notice | None = None


class Stop(Protocol):
    """Ends a watch; a `threading.Event` is one."""

    def is_set(self) -> bool:
        """Returns True to stop."""
        ...


class Watcher:
    """Watches roots and files until stopped.

    `roots` are watched recursively and need not exist, `folders` are not recursive. `files` returns
    the known databases, logs and run folders, `active` those whose next write matters at once. Both
    are called often and from several threads, must be cheap, and should return the same tuple while
    nothing changes. Without active files and changes for a minute the step grows. All paths are
    real. Start it before the first read: changes before `run` are not reported.
    """

    def __init__(
        self,
        roots: Sequence[str],
        files: Callable[[], Sequence[str]],
        *,
        active: Callable[[], Sequence[str]] = _NO_FILES,
        folders: Sequence[str] = (),
        names: RunFolderNames = _NO_NAMES,
        timing: WatchTiming = _DEFAULT_TIMING,
        remote: Callable[[str], bool] = is_remote_file_system,
        listener: Listen = listen,
        marks: FileStamps | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._names = names
        self._wanted = (tuple(roots), tuple(folders))
        self._files = files
        self._active = active
        self._timing = timing
        self._remote = remote
        self._clock = clock
        self._events = EventSource(listener, self._step)
        self._marks = marks or FileStamps(names)
        self._poller = Poller(timing, self._marks, clock)
        self._routes = EventRoutes((), (), Plan(), names)
        self._known: Sequence[str] | None = None
        self._known_set: frozenset[str] = frozenset()
        self._refused: set[bool] = set()
        self._stale = True
        self._missed = False
        self._last_change = -math.inf
        self._notified: set[str] = set()

    def rewatch(self, roots: Sequence[str], folders: Sequence[str] = ()) -> None:
        """Replaces the watched roots and folders; thread-safe, cheap if nothing changed."""
        wanted = (tuple(roots), tuple(folders))
        if wanted != self._wanted:
            self._wanted = wanted
            self._stale = True
            self._events.wake()

    def run(
        self,
        deliver: Callable[[Changes], None],
        stop: Stop,
        listening: Callable[[], None] = lambda: None,
    ) -> None:
        """Delivers changes in this thread until `stop` is set, and at most half a second longer.

        Calls `listening` once, when the watch is established.
        """
        self._marks.changed(self._files())
        try:
            self._update_watch(deliver)
            listening()
            while not stop.is_set():
                self._update_watch(deliver)
                self._process(deliver)
        finally:
            self._events.close()

    def _process(self, deliver: Callable[[Changes], None]) -> None:
        """Waits for an event or the next poll, and delivers the changes."""
        touched, anew, moved = self._routes.changes_of(self._wait_for_events(deliver))
        if touched or anew:
            self._last_change = self._clock()
            self._poller.note_reported(touched & self._known_set)
        for deep in moved:
            # A watch ends with its folder, even if one of the same name exists again.
            self._events.invalidate(deep=deep)
        seen, folder_changed = self._poller.poll(self._active())
        anew |= folder_changed or self._missed
        self._missed = False
        if anew:
            # Watch first: no event may be lost between discovery and watch.
            self._stale = True
            self._update_watch(deliver)
        if touched or seen or anew:
            deliver(Changes(frozenset(touched | seen), anew))
        if self._poller.silent >= _MAX_SILENT and len(self._refused) < 2:
            self._give_up({True, False}, "File notifications are not arriving", deliver)

    def _wait_for_events(self, deliver: Callable[[Changes], None]) -> RawEvents:
        wait = _RETRY_S if self._stale else min(self._poller.due_in(), _MAX_WAIT_S)
        try:
            return self._events.events(max(wait, 0.001))
        except CannotListen as error:
            self._give_up({True, False}, f"Watching files failed ({error})", deliver)
            return set()

    def _update_watch(self, deliver: Callable[[Changes], None]) -> None:
        """Updates watch and polling if files or folders changed."""
        files = self._files()
        if not self._stale and (files is self._known or files == self._known):
            return
        self._stale = False
        self._known, self._known_set = files, frozenset(files)
        roots, folders = self._wanted
        wanted = plan(roots, folders, files, self._remote, self._names)
        if wanted.polled:
            reason = f"{wanted.polled[0]} is on a network file system without change notifications"
            self._notify(reason, deliver)
        for deep in (True, False):
            wanted = self._listen(wanted, deep, deliver)
        self._poller.set_files(wanted, files)
        self._routes = EventRoutes(files, roots, wanted, self._names)
        if not wanted.holds(roots):
            self._stale = self._missed = True

    def _listen(self, wanted: Plan, deep: bool, deliver: Callable[[Changes], None]) -> Plan:
        """Starts the deep or the flat watch, or moves its folders to polling."""
        folders = wanted.deep if deep else wanted.flat
        if folders and deep not in self._refused:
            try:
                self._events.watch_folders(folders, deep=deep)
                return wanted
            except FileNotFoundError:
                # Gone since the plan was made; the next turn makes a new plan.
                self._stale = self._missed = True
                return wanted
            except CannotListen as error:
                self._give_up({deep}, f"The system refuses to watch files ({error})", deliver)
        self._events.watch_folders((), deep=deep)
        return wanted.without(deep=deep)

    def _give_up(self, halves: set[bool], reason: str, deliver: Callable[[Changes], None]) -> None:
        """Polls instead of watching: the deep folders, the flat ones, or both."""
        debug("watch: %s; deep, flat = %s, %s", reason, True in halves, False in halves)
        self._refused |= halves
        self._stale = True
        self._notify(reason, deliver)

    def _notify(self, reason: str, deliver: Callable[[Changes], None]) -> None:
        """Delivers a notice about polling, once per reason."""
        if reason in self._notified:
            return
        self._notified.add(reason)
        active, others = self._timing.poll_active_s, self._timing.poll_all_s
        message = f"{reason}; polling active runs every {active:g} s and others every {others:g} s."
        deliver(Changes(notice=Notice("polling", message)))

    def _step(self, deep: bool) -> tuple[int, int]:
        """Returns the collection time and the step for events, in ms."""
        quiet = self._clock() - self._last_change > self._timing.busy_s and not self._active()
        if not quiet:
            return self._timing.debounce_ms, self._timing.step_ms
        return self._timing.debounce_ms, self._timing.quiet_step_ms * (1 if deep else 2)
