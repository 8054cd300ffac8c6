"""A running watcher, and waiting for its changes."""

import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.query.discovery import discover
from inspector.query.openprose.discovery import RUN_FOLDER_NAMES
from inspector.store.discover import PlaceKind
from inspector.store.watch import Changes, Watcher, WatchTiming
from tests.store.trees import file

PATIENCE_S = 20
NEVER = 1e6
EVENTS_ONLY = WatchTiming(step_ms=5, quiet_step_ms=5, active_s=NEVER, all_s=NEVER)
"""No polling: every change comes from an event."""
POLLING = WatchTiming(
    step_ms=5,
    quiet_step_ms=5,
    active_s=0.05,
    all_s=0.1,
    poll_active_s=0.02,
    poll_all_s=0.05,
    share=1.0,
    poll_share=1.0,
    grace_s=0.02,
)


class Watch:
    """A running watcher that repeats discovery, like the layer above."""

    def __init__(self, top: Path, known: Sequence[Path] = (), **options: Any) -> None:
        self.top = top
        self.files: tuple[str, ...] = tuple(map(str, known))
        self.seen: list[Changes] = []
        self._news: queue.SimpleQueue[Changes] = queue.SimpleQueue()
        found = discover([], home=None, cwd=str(top))
        self._files_of(found.candidates)
        options.setdefault("timing", EVENTS_ONLY)
        options.setdefault("remote", lambda path: False)
        options.setdefault("names", RUN_FOLDER_NAMES)
        self.watcher = Watcher(
            found.watch_roots, lambda: self.files, folders=found.watch_folders, **options
        )
        self.stop, self.listening = threading.Event(), threading.Event()
        self.thread = threading.Thread(
            target=self.watcher.run,
            args=(self._deliver, self.stop, self.listening.set),
            name="watch",
        )

    def _files_of(self, candidates: Sequence[Any]) -> None:
        paths = [
            each.path
            if each.kind is not PlaceKind.RUN_FOLDER
            else os.path.join(each.path, "state.db")
            for each in candidates
        ]
        self.files = tuple(sorted({*self.files, *paths}))

    def _deliver(self, changes: Changes) -> None:
        if changes.rescan:
            found = discover([], home=None, cwd=str(self.top))
            self._files_of(found.candidates)
            self.watcher.rewatch(found.watch_roots, found.watch_folders)
        self._news.put(changes)

    def until(self, wanted: Callable[[Changes], bool]) -> Changes:
        """Waits for changes that match; earlier ones are in `seen`."""
        while True:
            changes = self._news.get(timeout=PATIENCE_S)
            self.seen.append(changes)
            if wanted(changes):
                return changes

    def until_path(self, path: Path) -> Changes:
        return self.until(lambda changes: str(path) in changes.paths)

    def settle(self) -> None:
        """Waits until everything done so far has been reported."""
        mark = self.top / "settled.db"
        for number in range(1000):
            file(mark, b"%d" % number)
            try:
                changes = self._news.get(timeout=0.2)
            except queue.Empty:
                continue
            self.seen.append(changes)
            if str(mark) in changes.paths:
                break
        mark.unlink()
        self.until(lambda changes: str(mark) in changes.paths and not mark.exists())
        self.seen.clear()


@contextmanager
def watching(top: Path, **options: Any) -> Iterator[Watch]:
    watch = Watch(top, **options)
    watch.thread.start()
    try:
        # Earlier changes are not reported.
        assert watch.listening.wait(PATIENCE_S)
        yield watch
    finally:
        watch.stop.set()
        watch.thread.join(PATIENCE_S)
        assert not watch.thread.is_alive()
        assert not [each.name for each in threading.enumerate() if each.name.startswith("watch-")]
