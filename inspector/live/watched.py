"""A watched workspace: discovery, the list, followed runs and the watch, each in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from inspector.live.catalogue import Catalogue
from inspector.live.feed import Message, Publish, Reading, Subscription, Unavailable
from inspector.live.run_worker import FAST_SECONDS, NOT_FOLLOWED, RateLimiter, RunWorker
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
"""How long stores are summarized before the list so far is published."""
LONGEST_SLICE_SECONDS = 0.25
SCREENFUL = 50
"""Stores that are summarized before the list is published for the first time."""
PUBLISH_SHARE = 15
"""While stores are still being read, publishing takes at most 1/15 of the time."""
TICK_SECONDS = 30.0
"""How often the list is updated although nothing was written: silence grows."""

WATCH = "watch"


class WatchedWorkspace:
    """Implements `Feed` on a workspace.

    No call waits for a read: `_lock` guards only which workers exist, and the catalogue is never
    locked while a store is read.
    """

    def __init__(self, workspace: Workspace, *, interval: float = FAST_SECONDS) -> None:
        self._workspace = workspace
        self._catalogue = Catalogue(workspace)
        self._interval = interval
        self._lock = threading.Lock()
        """Guards the two tables of workers."""
        self._news = threading.Event()
        self._news_lock = threading.Lock()
        """Guards what the watch and the workers report."""
        self._stop = threading.Event()
        self._rescan = False
        self._again = False
        """Whether every store that was read is to be checked again."""
        self._touched: set[str] = set()
        self._notices: list[str] = []
        self._in_view: tuple[str, ...] = ()
        self._followed: dict[str, RunWorker] = {}
        self._answering: dict[str, RunWorker] = {}
        """Workers that only answer questions about runs that are not followed."""
        self._views: dict[str, Run] = {}
        self._files: tuple[str, ...] = ()
        self._active: tuple[str, ...] = ()
        self._publish: Publish = lambda message: None
        self._watcher: Watcher | None = None
        self._threads: list[threading.Thread] = []

    def start(self, publish: Publish) -> None:
        """Start reading and watching; `publish` is called from reader threads."""
        self._publish = publish
        self._start_thread("overview", self._update_overview)

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        """Follow exactly these runs."""
        wanted = {one.key: one.at for one in subscriptions}
        partial: list[Message] = []
        with self._lock:
            if self._stop.is_set():
                return
            left = [self._followed.pop(key) for key in list(self._followed) if key not in wanted]
            for key, at in wanted.items():
                worker = self._followed.get(key)
                if worker is None:
                    self._start_worker(key, at)
                    continue
                worker.travel(at)
                if worker.partial_view is not None:
                    # The rest is still being read, and a new subscriber has seen nothing.
                    partial.append(worker.partial_view)
        for view in partial:
            self._publish(view)
        for worker in left:
            worker.stop()

    def in_view(self, keys: Sequence[str]) -> None:
        """Complete these runs first."""
        self._in_view = tuple(keys)
        self._news.set()

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        """Ask the reader of a followed run; any other run is opened for it."""
        with self._lock:
            stopped = self._stop.is_set()
            if not stopped:
                for worker in (self._followed.get(key), self._answering.get(key)):
                    if worker is not None and worker.ask(question, answer):
                        return
                worker = self._answering[key] = RunWorker(lambda: self._open(key), None)
                worker.start()
                worker.ask(question, answer)
        if stopped:
            answer(Unavailable(NOT_FOLLOWED))

    def stop(self) -> None:
        """End every thread and remove private files."""
        self._stop.set()
        self._news.set()
        with self._lock:
            workers = [*self._followed.values(), *self._answering.values()]
            self._followed.clear()
            self._answering.clear()
        for worker in workers:
            worker.stop()
        for thread in self._threads:
            # The watch has nothing to remove and may end later.
            thread.join(2.0 if thread.name != WATCH else 0.0)
        for worker in workers:
            worker.join(2.0)
        self._workspace.close()

    def _start_thread(self, name: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _start_worker(self, key: str, at: int | None) -> None:
        worker = RunWorker(
            lambda: self._open(key),
            self._publish_view,
            at=at,
            limiter=RateLimiter(self._interval),
            on_progress=lambda done, of: self._publish(Reading(key, done, of)),
        )
        self._followed[key] = worker
        worker.start()

    def _open(self, key: str) -> RunReader:
        reader = self._catalogue.open(key)
        if reader is None:
            raise StoreUnavailable(Health.GONE, "the run no longer exists")
        return reader

    def _publish_view(self, view: RunView) -> None:
        if not view.travelling and not view.partial:
            with self._news_lock:
                self._views[view.run.key] = view.run
            self._news.set()
        self._publish(view)

    def _update_overview(self) -> None:
        """Read stores and publish the list until stopped; the body of the overview thread."""
        limiter = RateLimiter(self._interval)
        self._discover()
        changed, watching = True, False
        while not self._stop.is_set():
            changed = self._read_slice(least=0 if watching else SCREENFUL) or changed
            wait = limiter.wait(time.monotonic())
            more = self._catalogue.has_stale()
            if changed and not (more and wait):
                self._stop.wait(wait)
                began = time.monotonic()
                self._publish_overview()
                ended = time.monotonic()
                # The longer the list grows, the rarer it is published while it grows.
                limiter.sent(ended + PUBLISH_SHARE * (ended - began) if more else ended)
                changed = False
                if not watching:
                    watching = True
                    self._start_watch()
            if not more:
                self._news.wait(TICK_SECONDS)
            changed = self._apply_news() or changed

    def _discover(self) -> None:
        """Search for stores; where a PATH is missing, watch for it to appear."""
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

    def _start_watch(self) -> None:
        """Start the watch. The first rows come first: many folders take a while to watch."""
        self._start_thread(WATCH, self._watch)

    def _watch(self) -> None:
        cast(Watcher, self._watcher).run(self._on_changes, self._stop, self._on_watching)

    def _on_watching(self) -> None:
        """Rescan once watching has started: earlier changes produced no event."""
        with self._news_lock:
            self._rescan = self._again = True
        self._news.set()

    def _on_changes(self, changes: Changes) -> None:
        with self._lock:
            followed = list(self._followed.items())
        for path in changes.paths:
            for key, worker in followed:
                if f":{path}" in key:
                    worker.wake()
        with self._news_lock:
            if changes.notice is not None:
                self._notices.append(changes.notice.message)
            self._touched |= changes.paths
            self._rescan = self._rescan or changes.rescan
        self._news.set()

    def _apply_news(self) -> bool:
        """Pass what was reported on to the catalogue; True if the list may have changed."""
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
        self._catalogue.notices.update(dict.fromkeys(notices))
        reported = {path for path in touched if self._is_reported(self._catalogue.only_key(path))}
        if again:
            self._catalogue.read_again()
        self._catalogue.touched(touched - reported)
        for run in views.values():
            self._catalogue.remember(run, now)
        return bool(views) or bool(notices) or rescan or touched > reported

    def _is_reported(self, key: str | None) -> bool:
        """Whether a worker reports every new state of this run, so that it is not read twice."""
        worker = self._followed.get(key or "")
        return worker is not None and worker.publishes_newest

    def _read_slice(self, *, least: int = 0) -> bool:
        """Read stale stores, then runs in view, for a short time; True if anything was read.

        At least `least` stores are read even if that takes somewhat longer.
        """
        began = time.monotonic()
        end, read = began + SLICE_SECONDS, 0
        late = began + LONGEST_SLICE_SECONDS if least else end
        while time.monotonic() < (late if read < least else end) and not self._stop.is_set():
            if not self._catalogue.read_next():
                break
            read += 1
        did = read > 0
        now = self._workspace.clock()
        for run in self._catalogue.incomplete(self._in_view, now):
            if self._is_reported(run.key):
                continue
            if self._stop.is_set() or time.monotonic() >= end + SLICE_SECONDS:
                self._news.set()
                break
            self._catalogue.complete(run, now)
            did = True
        return did

    def _publish_overview(self) -> None:
        now = self._workspace.clock()
        overview = self._catalogue.overview(now)
        files, active = self._catalogue.files(), self._catalogue.active_files(now)
        # The watch compares by identity first: keep the tuple while it is equal.
        if files != self._files:
            self._files = files
        if active != self._active:
            self._active = active
        self._publish(overview)
