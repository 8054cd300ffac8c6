"""Telling, within milliseconds, that something was written to a watched database or run.

What the operating system announces is taken from watchfiles; where it announces nothing (network
file systems, no watches left, a watch that stays silent) files are looked at instead, and a
notice says so. Only names and times are looked at, nothing is opened.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from inspector.store.listen import CannotListen, Ears, Listen, Raw, listen
from inspector.store.mounts import is_remote_file_system
from inspector.store.places import Notice
from inspector.store.poll import Marks, Pace, Rounds
from inspector.store.watchplan import Plan, plan
from inspector.store.watchroutes import Routes

__all__ = ["Changes", "Pace", "Watcher", "is_remote_file_system"]

_SILENT_TIMES = 2
"""Changes that stay unannounced before a watch is thought to be deaf."""
_LONGEST_WAIT_S = 0.5
_RETRY_S = 0.05

_NO_FILES: Callable[[], Sequence[str]] = tuple
_USUAL_PACE = Pace()


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
        pace: Pace = _USUAL_PACE,
        remote: Callable[[str], bool] = is_remote_file_system,
        listener: Listen = listen,
        marks: Marks | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wanted = (tuple(roots), tuple(folders))
        self._files = files
        self._active = active
        self._pace = pace
        self._remote = remote
        self._clock = clock
        self._ears = Ears(listener, self._step)
        self._marks = marks or Marks()
        self._rounds = Rounds(pace, self._marks, clock)
        self._routes = Routes((), (), Plan())
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

    def _heard(self, deliver: Callable[[Changes], None]) -> Raw:
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
        wanted = plan(roots, folders, files, self._remote)
        if wanted.polled:
            reason = f"{wanted.polled[0]} is on a network file system, which announces no changes"
            self._say(reason, deliver)
        for deep in (True, False):
            wanted = self._listen(wanted, deep, deliver)
        self._rounds.arrange(wanted, files)
        self._routes = Routes(files, roots, wanted)
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
