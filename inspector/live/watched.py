"""A watched workspace: discovery, the list, followed runs and the watch, each in its thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from inspector.live.catalogue import Catalogue
from inspector.live.feed import Message, Reading, Subscription, Unavailable
from inspector.live.pacing import FAST_SECONDS, Pacing
from inspector.live.run_worker import LEFT, RunWorker
from inspector.model.run import Run
from inspector.model.store import Health
from inspector.query.discovery import run_folder_names
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from inspector.store.watch import Changes, Watcher

T = TypeVar("T")

SLICE_SECONDS = 0.05
"""How long stores are summarised before the list so far is told."""
LONGEST_SLICE_SECONDS = 0.25
SCREENFUL = 50
"""Stores that are summarised before the list is told for the first time."""
TELLING = 15
"""While stores are still to be read, one telling of the list is followed by so many times its
length of reading."""
TICK_SECONDS = 30.0
"""How often the list is gone over although nothing was written: silence grows."""

WATCH = "watch"


class WatchedWorkspace:
    """Satisfies `Feed`."""

    def __init__(self, workspace: Workspace, *, interval: float = FAST_SECONDS) -> None:
        self._workspace = workspace
        self._catalogue = Catalogue(workspace)
        self._interval = interval
        self._lock = threading.RLock()
        """Held while the workspace, the catalogue or the workers are used."""
        self._news = threading.Event()
        self._news_lock = threading.Lock()
        """Held, never for long, while what was heard is added to or taken."""
        self._stop = threading.Event()
        self._rescan = False
        self._again = False
        """Whether everything that was read is to be looked at again."""
        self._touched: set[str] = set()
        self._notices: list[str] = []
        self._in_view: tuple[str, ...] = ()
        self._workers: dict[str, RunWorker] = {}
        """Of the runs that are followed."""
        self._askers: dict[str, RunWorker] = {}
        """Of other runs that something was asked about."""
        self._views: dict[str, Run] = {}
        self._files: tuple[str, ...] = ()
        self._active: tuple[str, ...] = ()
        self._deliver: Callable[[Message], None] = lambda message: None
        self._watcher: Watcher | None = None
        self._threads: list[threading.Thread] = []

    def start(self, deliver: Callable[[Message], None]) -> None:
        """Begins; `deliver` is called from reader threads."""
        self._deliver = deliver
        self._begin("overview", self._keep_overview)

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        """Follows exactly these runs."""
        wanted = {one.key: one.at for one in subscriptions}
        with self._lock:
            if self._stop.is_set():
                return
            left = [self._workers.pop(key) for key in list(self._workers) if key not in wanted]
            for key, at in wanted.items():
                known = self._workers.get(key)
                if known is None:
                    self._begin_worker(key, at)
                else:
                    known.travel(at)
                    if known.part is not None:
                        # Its thread is reading the rest, and whoever asks anew has seen nothing.
                        self._deliver(known.part)
        for worker in left:
            worker.stop()

    def in_view(self, keys: Sequence[str]) -> None:
        """Completes these runs first."""
        self._in_view = tuple(keys)
        self._news.set()

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        """Asks the reader of a followed run; one that is not followed is opened for it."""
        with self._lock:
            if self._stop.is_set():
                answer(Unavailable(LEFT))
                return
            for worker in (self._workers.get(key), self._askers.get(key)):
                if worker is not None and worker.ask(question, answer):
                    return
            self._begin_asker(key).ask(question, answer)

    def stop(self) -> None:
        """Ends every thread and removes private files."""
        self._stop.set()
        self._news.set()
        with self._lock:
            workers = [*self._workers.values(), *self._askers.values()]
            self._workers.clear()
            self._askers.clear()
        for worker in workers:
            worker.stop()
        for thread in self._threads:
            # The watch holds nothing that would have to be removed; it may end later.
            thread.join(2.0 if thread.name != WATCH else 0.0)
        for worker in workers:
            worker.join(2.0)
        with self._lock:
            self._workspace.close()

    def _begin(self, name: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _begin_worker(self, key: str, at: int | None) -> None:
        worker = RunWorker(
            lambda: self._open(key),
            self._tell_view,
            at=at,
            pacing=Pacing(self._interval),
            tell_reading=lambda done, of: self._deliver(Reading(key, done, of)),
        )
        self._workers[key] = worker
        worker.start()

    def _begin_asker(self, key: str) -> RunWorker:
        worker = self._askers[key] = RunWorker(lambda: self._open(key), None)
        worker.start()
        return worker

    def _open(self, key: str) -> RunReader:
        with self._lock:
            run = self._catalogue.run(key)
            if run is not None:
                return self._workspace.open(run)
        raise StoreUnavailable(Health.GONE, "the run is not there any more")

    def _tell_view(self, view: RunView) -> None:
        if not view.travelling and not view.partial:
            with self._news_lock:
                self._views[view.run.key] = view.run
            self._news.set()
        self._deliver(view)

    def _keep_overview(self) -> None:
        pacing = Pacing(self._interval)
        self._discover()
        changed, watching = True, False
        while not self._stop.is_set():
            changed = self._read_slice(least=0 if watching else SCREENFUL) or changed
            wait = pacing.wait(time.monotonic())
            more = self._catalogue.has_stale()
            if changed and not (more and wait):
                self._stop.wait(wait)
                began = time.monotonic()
                self._tell_overview()
                told = time.monotonic()
                # The longer the list, the rarer while it grows: telling must not cost more
                # than a small share of reading.
                pacing.sent(told + TELLING * (told - began) if more else told)
                changed = False
                if not watching:
                    watching = True
                    self._begin_watch()
            if not more:
                self._news.wait(TICK_SECONDS)
            changed = self._take_news() or changed

    def _discover(self) -> None:
        """Looks for stores; where a PATH is missing, watches for it to appear."""
        with self._lock:
            found = self._catalogue.discover()
            roots = self._workspace.missing_roots()
            if found is not None:
                roots = (*found.watch_roots, *roots)
            folders = () if found is None else found.watch_folders
        if self._watcher is None:
            self._watcher = Watcher(
                roots,
                lambda: self._files,
                active=lambda: self._active,
                folders=folders,
                names=run_folder_names(),
            )
        else:
            self._watcher.rewatch(roots, folders)

    def _begin_watch(self) -> None:
        """Begins to listen. The first rows come first: in very many folders it takes a while."""
        self._begin(WATCH, self._watch)

    def _listening(self) -> None:
        """What was found and read before anybody listened is looked for and at again."""
        with self._news_lock:
            self._rescan = self._again = True
        self._news.set()

    def _watch(self) -> None:
        watcher = cast(Watcher, self._watcher)
        watcher.run(self._heard, self._stop, self._listening)

    def _heard(self, changes: Changes) -> None:
        for path in changes.paths:
            for key, worker in list(self._workers.items()):
                if f":{path}" in key:
                    worker.wake()
        with self._news_lock:
            if changes.notice is not None:
                self._notices.append(changes.notice.message)
            self._touched |= changes.paths
            self._rescan = self._rescan or changes.rescan
        self._news.set()

    def _take_news(self) -> bool:
        """Moves what was heard into the catalogue; True if the list has to be told."""
        self._news.clear()
        with self._news_lock:
            touched, self._touched = self._touched, set()
            views, self._views = self._views, {}
            notices, self._notices = self._notices, []
            rescan, self._rescan = self._rescan, False
            again, self._again = self._again, False
        now = self._workspace.clock()
        if rescan:
            self._discover()
        with self._lock:
            self._catalogue.notices.update(dict.fromkeys(notices))
            told = {path for path in touched if self._is_told(self._catalogue.only_key(path))}
            if again:
                self._catalogue.read_again()
            self._catalogue.touched(touched - told)
            for run in views.values():
                self._catalogue.remember(run, now)
        return bool(views) or bool(notices) or rescan or touched > told

    def _is_told(self, key: str | None) -> bool:
        """Whether a worker keeps the list informed of this run, so that nobody else reads it."""
        worker = self._workers.get(key or "")
        return worker is not None and worker.tells_newest

    def _read_slice(self, *, least: int = 0) -> bool:
        """Reads stale stores, then runs in view, for a short while; True if anything was read.

        `least` stores are read even if that takes somewhat longer.
        """
        began = time.monotonic()
        end, read = began + SLICE_SECONDS, 0
        late = began + LONGEST_SLICE_SECONDS if least else end
        while time.monotonic() < (late if read < least else end) and not self._stop.is_set():
            with self._lock:
                if not self._catalogue.read_next():
                    break
            read += 1
        did = read > 0
        now = self._workspace.clock()
        with self._lock:
            wanted = self._catalogue.incomplete(self._in_view, now)
        for run in wanted:
            if self._is_told(run.key):
                continue
            if self._stop.is_set() or time.monotonic() >= end + SLICE_SECONDS:
                self._news.set()
                break
            with self._lock:
                self._catalogue.complete(run, now)
            did = True
        return did

    def _tell_overview(self) -> None:
        now = self._workspace.clock()
        with self._lock:
            overview = self._catalogue.overview(now)
            files, active = self._catalogue.files(), self._catalogue.active_files(now)
        if files != self._files:
            self._files = files
        if active != self._active:
            self._active = active
        self._deliver(overview)
