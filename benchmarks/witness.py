"""Sees every name that comes to be in a tree, also one that is gone a moment later."""

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from watchfiles import Change, watch


class Witness:
    """Notes which files and folders appear below `folder` while the block runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stop = threading.Event()
        self._appeared: set[str] = set()
        self._thread = threading.Thread(target=self._look, name="witness", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def appeared(self) -> set[str]:
        """Names below the folder, as far as they have been announced."""
        return set(self._appeared)

    def _look(self) -> None:
        announced = watch(
            self._folder,
            watch_filter=None,
            debounce=50,
            step=10,
            rust_timeout=200,
            yield_on_timeout=True,
            stop_event=self._stop,
        )
        for changes in announced:
            for change, path in changes:
                if change is Change.added:
                    self._appeared.add(str(Path(path).relative_to(self._folder)))
