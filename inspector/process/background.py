"""Runs a program in the background, in a pseudo-terminal of 120 columns and 36 rows without input.

A supervisor process (`supervisor`) owns the program, so it continues when this process ends. Its
output is read back as plain lines. It inherits only the descriptors that are named.
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

from inspector.process.child import environment_of_child
from inspector.process.foreground import NotStarted, start_error
from inspector.process.supervisor import CURRENT, ENDED, MAX_OUTPUT_BYTES, OUTPUT, STARTED, Job

START_SECONDS = 10.0
POLL_SECONDS = 0.05
EXIT_SECONDS = 2.0
_TERM = "xterm-256color"
_DROPPED = ("COLUMNS", "LINES")
"""They describe our own terminal."""


class Background:
    """A program in the background, with the folder of its output and result."""

    def __init__(self, folder: Path, supervisor: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self._supervisor = supervisor
        self._read = 0
        self._inode = 0

    @property
    def pid(self) -> int | None:
        """Process id of the program; None until it has started."""
        found = _read_json(self.folder / STARTED).get("pid")
        return found if isinstance(found, int) else None

    @property
    def running(self) -> bool:
        """True until the program has exited."""
        if (self.folder / ENDED).exists():
            # The supervisor writes this file last.
            with suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(EXIT_SECONDS)
            return False
        return self._supervisor.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Exit code, negative for a signal; None while it runs or if unknown."""
        found = ending(self.folder).get("exit_code")
        return found if isinstance(found, int) else None

    @property
    def current(self) -> str:
        """The unfinished line, perhaps a prompt, which cannot be answered here."""
        found = _read_json(self.folder / CURRENT).get("line")
        return found if isinstance(found, str) else ""

    def lines(self) -> list[str]:
        """Returns the lines written since the last call."""
        try:
            with (self.folder / OUTPUT).open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self._inode:
                    self._inode, self._read = status.st_ino, 0
                file.seek(self._read)
                data = file.read(MAX_OUTPUT_BYTES)
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        return whole.decode("utf-8", "replace").splitlines()

    def wait(self, seconds: float) -> int | None:
        """Waits at most `seconds`; returns the exit code, None if it still runs."""
        end = time.monotonic() + seconds
        while self.running and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
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
    """Starts a program in the background; creates `folder` for its output and result.

    Raises NotStarted, also if the file of the program cannot be executed.
    """
    job: Job = {
        "argv": list(argv),
        "program": program,
        "cwd": cwd,
        "env": _environment(env),
        "folder": str(folder),
    }
    if not sys.executable:
        raise NotStarted("Cannot start a process: Python does not know its interpreter.")
    try:
        folder.mkdir(mode=0o700, parents=True)
        supervisor = subprocess.Popen(
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
        raise NotStarted(start_error(error)) from None
    assert supervisor.stdin is not None
    with suppress(OSError), supervisor.stdin as pipe:
        pipe.write(json.dumps(job).encode())
    started = Background(folder, supervisor)
    _await_start(started)
    if started.pid is None:
        why = ending(folder).get("problem") or "its supervisor did not start"
        raise NotStarted(f"Could not be started: {why}.")
    on_start(started.pid)
    return started


def _await_start(started: Background) -> None:
    end = time.monotonic() + START_SECONDS
    while started.pid is None and started.running and time.monotonic() < end:
        time.sleep(POLL_SECONDS / 5)


def ending(folder: Path) -> Mapping[str, object]:
    """Returns the result of the program with this folder: `exit_code` or `problem`.

    Empty while it runs, or if its supervisor was killed.
    """
    return _read_json(folder / ENDED)


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    found = {name: value for name, value in env.items() if name not in _DROPPED}
    if found.get("TERM") in (None, "", "dumb", "unknown"):
        found["TERM"] = _TERM
    return found


def _read_json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
