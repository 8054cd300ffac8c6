"""A folder full of runs, and the process that goes on writing them.

The demonstration touches nothing but this folder, and removes it when it made it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from inspector.demo.stores import STORES
from inspector.model.clock import Clock
from inspector.process.child import Child

PREFIX = "inspector-demo-"
MARK = "demo.json"
"""The file by which a folder says that the demonstration made all that is in it."""

WRITER = "inspector.demo.writer"


@dataclass(frozen=True, slots=True)
class DemoWorkspace:
    """A folder that holds the demonstration's runs."""

    root: str
    """Absolute real path."""
    created: int
    """The instant that its runs are told from, UTC ms."""
    owned: bool
    """Whether the folder was made for it and goes with it."""

    def remove(self) -> None:
        """Removes the folder if it was made for the demonstration; else does nothing."""
        if self.owned:
            shutil.rmtree(self.root, ignore_errors=True)


def create(root: str | None = None, *, clock: Clock) -> DemoWorkspace:
    """Fills `root`, which must be empty or not exist yet, or a private temporary folder.

    What is written follows from `root` and the clock alone. Raises FileExistsError with a
    sentence when `root` already holds something.
    """
    owned = root is None
    if root is None:
        root = tempfile.mkdtemp(prefix=PREFIX)
    else:
        os.makedirs(root, mode=0o700, exist_ok=True)
        if os.listdir(root):
            raise FileExistsError(f"{root} is not empty. Give the demonstration an empty folder.")
    workspace = DemoWorkspace(os.path.realpath(root), clock(), owned)
    try:
        with open(os.path.join(workspace.root, MARK), "w", encoding="utf-8") as file:
            json.dump({"made_by": "inspector demo", "created": workspace.created}, file)
        for store in STORES:
            store.plant(workspace.root, workspace.created)
    except BaseException:
        workspace.remove()
        raise
    return workspace


class Writers:
    """The process that plays runs until it is stopped, or until this process is gone."""

    def __init__(self, workspace: DemoWorkspace, child: Child) -> None:
        self.workspace = workspace
        self._child = child

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._child.running

    def wait(self, timeout: float) -> int | None:
        """Its exit code once it has ended by itself; None if it has not after `timeout` s."""
        return self._child.wait(timeout)

    def errors(self) -> str:
        """The end of what it said on standard error."""
        return self._child.errors()

    def stop(self) -> None:
        """Ends it between two transactions and removes the folder if it was made for it."""
        self._child.stop()
        self.workspace.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def start_writers(workspace: DemoWorkspace, *, speed: float = 1.0, forever: bool = True) -> Writers:
    """Goes on with the runs of a workspace, `speed` times as fast as real ones.

    Unless `forever`, it ends by itself after every program was played once. Raises ValueError for
    a speed that is not positive.
    """
    if not speed > 0:
        raise ValueError(f"The speed of the demonstration must be positive, not {speed}.")
    options = ["--speed", str(speed), "--created", str(workspace.created)]
    if not forever:
        options.append("--once")
    if workspace.owned:
        options.append("--remove")
    return Writers(workspace, Child(WRITER, [workspace.root, *options]))


def remove_marked(root: str) -> None:
    """Removes a folder if its name and its mark say that `create` made it; else does nothing."""
    made_by_us = os.path.basename(root).startswith(PREFIX)
    if made_by_us and os.path.isfile(os.path.join(root, MARK)):
        shutil.rmtree(root, ignore_errors=True)
