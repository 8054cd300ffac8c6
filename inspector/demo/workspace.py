"""The demonstration's folder and the process that writes into it.

Nothing outside this folder is touched. A folder that was created for the demonstration is removed
with it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from inspector.demo.player import plant
from inspector.demo.recording import schedules
from inspector.model.clock import Clock
from inspector.process.child import Child

PREFIX = "inspector-demo-"
MARK = "demo.json"
"""File that marks a folder as created by the demonstration."""

WRITER = "inspector.demo.writer"


@dataclass(frozen=True, slots=True)
class DemoWorkspace:
    """A folder that holds the demonstration's runs."""

    root: str
    """Absolute real path."""
    created: int
    """When it was planted, UTC ms."""
    owned: bool
    """Whether the folder was created for the demonstration and is removed with it."""

    def remove(self) -> None:
        """Removes the folder if it is owned; else does nothing."""
        if self.owned:
            shutil.rmtree(self.root, ignore_errors=True)


def create(root: str | None = None, *, clock: Clock) -> DemoWorkspace:
    """Fills `root`, which must be empty or missing, or a private temporary folder.

    The same `root` and clock give the same content. Raises FileExistsError when `root` is not
    empty.
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
        for schedule in schedules():
            plant(schedule, workspace.root, workspace.created)
    except BaseException:
        workspace.remove()
        raise
    return workspace


class Writers:
    """The process that plays runs until it is stopped or this process ends."""

    def __init__(self, workspace: DemoWorkspace, child: Child) -> None:
        self.workspace = workspace
        self._child = child

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._child.running

    def wait(self, timeout: float) -> int | None:
        """Waits at most `timeout` seconds; returns the exit code, or None while it runs."""
        return self._child.wait(timeout)

    def errors(self) -> str:
        """The end of its standard error."""
        return self._child.errors()

    def stop(self) -> None:
        """Ends it between two transactions and removes the folder if it is owned."""
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
    """Starts the process that continues a workspace, `speed` times as fast as recorded.

    Unless `forever`, it ends by itself after playing every run of the cast once. Raises ValueError
    when the speed is not positive.
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
    """Removes a folder if its name and its mark show that `create` made it; else does nothing."""
    is_ours = os.path.basename(root).startswith(PREFIX)
    if is_ours and os.path.isfile(os.path.join(root, MARK)):
        shutil.rmtree(root, ignore_errors=True)
