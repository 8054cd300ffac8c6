"""A log that another process appends to appears in a watched workspace."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from inspector.live.feed import Message, Overview, Subscription
from inspector.live.watched import WatchedWorkspace
from inspector.model.clock import system_clock
from inspector.query.view import RunView
from inspector.query.workspace import Workspace
from tests.query.openprose.logs.folders import build
from tests.query.openprose.logs.shapes import HEADER

PATIENCE = 10.0

_WRITER = """
import sys
for line in sys.stdin:
    path, text = line.rstrip("\\n").split("\\t")
    with open(path, "ab") as file:
        file.write(bytes.fromhex(text))
    print("done", flush=True)
"""


class Agent:
    """Another process that appends to files."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _WRITER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def append(self, path: Path, text: str) -> None:
        """Has it append to a file, and waits until it did."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{path}\t{text.encode().hex()}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


class Watching:
    """A watched workspace and the newest of what it delivered."""

    def __init__(self, root: Path) -> None:
        self.overview: Overview | None = None
        self.view: RunView | None = None
        self._news = threading.Condition()
        self.feed = WatchedWorkspace(
            Workspace([str(root)], system_clock(), str(root)), interval=0.01
        )

    def deliver(self, message: Message) -> None:
        with self._news:
            if isinstance(message, Overview):
                self.overview = message
            elif isinstance(message, RunView):
                self.view = message
            self._news.notify_all()

    def wait(self, what: Callable[[], bool]) -> None:
        """Until that is so; fails after a while."""
        end = time.monotonic() + PATIENCE
        with self._news:
            while not what():
                left = end - time.monotonic()
                assert left > 0, (self.overview, self.view)
                self._news.wait(left)


@pytest.fixture
def known_time() -> None:
    """The clock runs here."""


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Watching, Path, Agent]]:
    folder = build(tmp_path, HEADER + "1→ [input] a ✓\n")
    watching = Watching(tmp_path)
    watching.feed.start(watching.deliver)
    try:
        with Agent() as agent:
            yield watching, folder, agent
    finally:
        watching.feed.stop()


def test_lines_of_another_process_appear(watched: tuple[Watching, Path, Agent]) -> None:
    watching, folder, agent = watched
    watching.wait(lambda: watching.overview is not None and len(watching.overview.runs) == 1)
    assert watching.overview is not None
    (run,) = watching.overview.runs
    assert run.title == "tide-report" and run.status == "running"
    watching.feed.follow([Subscription(run.key)])
    watching.wait(lambda: watching.view is not None and watching.view.events == 1)
    log = folder / "vm.log.md"

    agent.append(log, "2→ ∥start x,y\n2a→ x ")
    watching.wait(lambda: watching.view is not None and watching.view.events == 3)
    assert watching.view is not None
    assert watching.view.describe(2).status == "pending", "its sign is not there yet"
    agent.append(log, "✓\n2b→ y ✓\n")
    watching.wait(lambda: watching.view is not None and watching.view.events == 4)
    assert watching.view.describe(2).status == "completed"

    agent.append(log, "2→ ∥done\n---end 2026-04-04T09:04:30Z\n")
    watching.wait(lambda: watching.view is not None and watching.view.run.status == "completed")
    watching.wait(
        lambda: watching.overview is not None and watching.overview.runs[0].status == "completed"
    )


def test_files_beside_the_log_appear(watched: tuple[Watching, Path, Agent]) -> None:
    watching, folder, agent = watched
    log = folder / "vm.log.md"
    agent.append(log, "2→ ∥start x,y\n2a→ x ✓\n")
    watching.wait(lambda: watching.overview is not None and len(watching.overview.runs) == 1)
    assert watching.overview is not None
    watching.feed.follow([Subscription(watching.overview.runs[0].key)])
    watching.wait(lambda: watching.view is not None and watching.view.events == 3)
    (folder / "bindings").mkdir()
    agent.append(folder / "bindings/y.md", "a value")
    watching.wait(
        lambda: watching.view is not None and watching.view.describe(3).status == "unconfirmed"
    )


def test_a_log_that_begins_appears(watched: tuple[Watching, Path, Agent]) -> None:
    watching, folder, agent = watched
    watching.wait(lambda: watching.overview is not None and len(watching.overview.runs) == 1)
    other = folder.parent / "20260405-090000-abcdef"
    other.mkdir()
    agent.append(other / "vm.log.md", "# run:20260405-090000-abcdef second\n1→ a ✓\n")
    watching.wait(
        lambda: (
            watching.overview is not None
            and "second" in [one.title for one in watching.overview.runs]
        )
    )
