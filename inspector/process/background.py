"""A program in a terminal of its own that nobody sees: 120 columns, 36 rows, nothing typed.

A minder of ours keeps it (`minder`), so that it goes on when we end. Its output comes back as plain
lines. Of our descriptors it inherits those that are named, nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.process.child import environment_of_child
from inspector.process.foreground import NotStarted, why_not
from inspector.process.supervisor import CURRENT, ENDED, MOST_BYTES, OUTPUT, STARTED

START_SECONDS = 10.0
LOOK_SECONDS = 0.05
LAST_SECONDS = 2.0
_TERM = "xterm-256color"
_DROPPED = ("COLUMNS", "LINES")
"""They would speak of our own terminal."""


class Background:
    """A program that was started in the background, by the folder that tells of it."""

    def __init__(self, folder: Path, minder: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self._minder = minder
        self._read = 0
        self._inode = 0

    @property
    def pid(self) -> int | None:
        """The program's process id, as soon as it is known."""
        found = _told(self.folder / STARTED).get("pid")
        return found if isinstance(found, int) else None

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        if (self.folder / ENDED).exists():
            # That is the last thing that its minder does.
            with suppress(subprocess.TimeoutExpired):
                self._minder.wait(LAST_SECONDS)
            return False
        return self._minder.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How it ended, negative for a signal; None while it runs, or when nobody saw it end."""
        found = ending(self.folder).get("exit_code")
        return found if isinstance(found, int) else None

    @property
    def current(self) -> str:
        """The line that is under way: perhaps a question that nobody can answer here."""
        found = _told(self.folder / CURRENT).get("line")
        return found if isinstance(found, str) else ""

    def lines(self) -> list[str]:
        """The lines that were written since the last call."""
        try:
            with (self.folder / OUTPUT).open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self._inode:
                    self._inode, self._read = status.st_ino, 0
                file.seek(self._read)
                data = file.read(MOST_BYTES)
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        return whole.decode("utf-8", "replace").splitlines()

    def wait(self, seconds: float) -> int | None:
        """Waits at most so long; gives the exit code, None if it runs."""
        end = time.monotonic() + seconds
        while self.running and time.monotonic() < end:
            time.sleep(LOOK_SECONDS)
        return self.exit_code


def run_in_background(
    argv: Sequence[str],
    *,
    program: str,
    cwd: str,
    env: Mapping[str, str],
    folder: Path,
    keep: Sequence[int] = (),
    on_start: Callable[[int], None] = lambda pid: None,
) -> Background:
    """Starts a program in the background; `folder` is made and holds what is told of it.

    Raises NotStarted, also when the program's file cannot be run.
    """
    order = {
        "argv": list(argv),
        "program": program,
        "cwd": cwd,
        "env": _environment(env),
        "folder": str(folder),
    }
    if not sys.executable:
        raise NotStarted("This Python does not know its own program and can start no other.")
    try:
        folder.mkdir(mode=0o700, parents=True)
        minder = subprocess.Popen(
            [sys.executable, "-P", "-m", "inspector.process.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment_of_child(os.environ),
            close_fds=True,
            pass_fds=tuple(keep),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise NotStarted(why_not(error)) from None
    assert minder.stdin is not None
    with suppress(OSError), minder.stdin as pipe:
        pipe.write(json.dumps(order).encode())
    started = Background(folder, minder)
    _until_it_began(started)
    if started.pid is None:
        why = ending(folder).get("problem") or "what should mind it did not begin"
        raise NotStarted(f"It could not be started: {why}.")
    on_start(started.pid)
    return started


def _until_it_began(started: Background) -> None:
    end = time.monotonic() + START_SECONDS
    while started.pid is None and started.running and time.monotonic() < end:
        time.sleep(LOOK_SECONDS / 5)


def ending(folder: Path) -> Mapping[str, Any]:
    """How a program ended that was started behind this folder: `exit_code` or `problem`.

    Empty while it runs, and where nobody saw it end.
    """
    return _told(folder / ENDED)


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    found = {name: value for name, value in env.items() if name not in _DROPPED}
    if found.get("TERM") in (None, "", "dumb", "unknown"):
        found["TERM"] = _TERM
    return found


def _told(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
