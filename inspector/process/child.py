"""Runs a module of this package in a child process that never outlives its parent.

The child's standard input is a pipe without data. The system closes it when the parent ends,
however it ends, and `Lifeline` in the child reacts to that.
"""

from __future__ import annotations

import os
import select
import signal
import site
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

PACKAGE_PARENT = str(Path(__file__).resolve().parents[2])
SHOWN_BYTES = 4096
"""Bytes of the end of standard error that `errors` returns."""


class Child:
    """`python -m MODULE ARGUMENTS…` in its own session and process group.

    Starts at once; standard output is discarded. Raises RuntimeError if Python does not know its
    interpreter, OSError if the child cannot be started.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        if not sys.executable:
            raise RuntimeError("Cannot start a process: Python does not know its interpreter.")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `stop` closes it
        try:
            self._process = subprocess.Popen(
                # -P: never import from the current folder.
                [sys.executable, "-P", "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=environment_of_child(os.environ if environment is None else environment),
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise

    @property
    def pid(self) -> int:
        """Process id, also after the child has ended."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """True until the child has ended."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Exit code, negative for a signal; None while it runs."""
        return self._process.poll()

    def wait(self, timeout: float) -> int | None:
        """Waits at most `timeout` seconds; returns the exit code, None if it still runs."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout)
        return None

    def errors(self) -> str:
        """Returns the end of standard error so far; empty after `stop`."""
        if self._errors.closed:
            return ""
        # `pread`: the child shares the file offset.
        size = os.fstat(self._errors.fileno()).st_size
        raw = os.pread(self._errors.fileno(), SHOWN_BYTES, max(0, size - SHOWN_BYTES))
        return raw.decode("utf-8", "replace")

    def stop(self, patience: float = 2.0) -> int:
        """Closes its input, then terminates and kills its group, `patience` seconds each.

        Returns the exit code. May be called again.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        for name in (None, signal.SIGTERM, signal.SIGKILL):
            if name is not None:
                self._signal_group(name)
            if self.wait(patience) is not None:
                break
        self._errors.close()
        return self._process.wait()

    def _signal_group(self, name: signal.Signals) -> None:
        # Process ids are reused, but not before the child was waited for.
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def environment_of_child(ours: Mapping[str, str]) -> dict[str, str]:
    """Returns `ours` with PYTHONPATH set so that a child imports this same package."""
    environment = dict(ours)
    installed = {str(Path(folder).resolve()) for folder in _site_folders()}
    if PACKAGE_PARENT not in installed:
        paths = [PACKAGE_PARENT, environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def _site_folders() -> list[str]:
    folders = site.getsitepackages()
    return [*folders, site.getusersitepackages()] if site.ENABLE_USER_SITE else folders


POLL_SECONDS = 0.5
"""Seconds between two looks at who our parent is."""


class Lifeline:
    """Reports the end of the parent process, or of standard input, in a child.

    The pipe reports it at once. Another process may hold a copy of its write end (a fork of the
    parent), so the parent's process id is polled as well.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._parent = os.getppid()
        self._lost = threading.Event()
        threading.Thread(target=self._watch, name="lifeline", daemon=True).start()

    @property
    def lost(self) -> bool:
        """True once the parent is gone: the child must end."""
        return self._lost.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits at most `seconds`; returns True once the child must end."""
        return self._lost.wait(max(0.0, seconds))

    def _watch(self) -> None:
        while os.getppid() == self._parent:
            try:
                readable, _, _ = select.select([self._descriptor], [], [], POLL_SECONDS)
                if readable and not os.read(self._descriptor, 4096):
                    break
            except (OSError, ValueError):
                break
        self._lost.set()
