"""A module of our own in a process of its own, which never outlives us.

The child's standard input is a pipe that nothing is ever written to. The system closes it when we
end, however we end, and `lifeline.Lifeline` in the child takes that as the sign to go.
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
"""How much of what a child said on standard error is kept."""


class Child:
    """`python -m MODULE ARGUMENTS…` in a session and process group of its own.

    It is started at once; standard output goes nowhere. Raises RuntimeError where Python does not
    know its own program, OSError when it cannot be started.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        if not sys.executable:
            raise RuntimeError("This Python does not know its own program and can start no other.")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - `stop` closes it
        try:
            self._process = subprocess.Popen(
                # -P: what lies in the current folder is never imported.
                [sys.executable, "-P", "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env=environment_of_child(os.environ if environment is None else environment),
                start_new_session=True,
            )
        except BaseException:
            self._said.close()
            raise

    @property
    def pid(self) -> int:
        """Its process id, also after it has ended."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How it ended: negative for a signal, None while it runs."""
        return self._process.poll()

    def wait(self, timeout: float) -> int | None:
        """Waits at most `timeout` seconds for it to end; gives its exit code, None if it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout)
        return None

    def errors(self) -> str:
        """The end of what it said on standard error so far; empty after `stop`."""
        if self._said.closed:
            return ""
        # Through a position of its own: the child writes at the end of the same open file.
        size = os.fstat(self._said.fileno()).st_size
        raw = os.pread(self._said.fileno(), SHOWN_BYTES, max(0, size - SHOWN_BYTES))
        return raw.decode("utf-8", "replace")

    def stop(self, patience: float = 2.0) -> int:
        """Lets it end by itself for `patience` seconds, then ends its whole group.

        Gives its exit code. May be called again.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        for name in (None, signal.SIGTERM, signal.SIGKILL):
            if name is not None:
                self._signal_group(name)
            if self.wait(patience) is not None:
                break
        self._said.close()
        return self._process.wait()

    def _signal_group(self, name: signal.Signals) -> None:
        # A group that has ended may have given its number to another; ours has not been waited
        # for, so the number is still taken.
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
    """The environment in which a child finds the same package that we are part of."""
    environment = dict(ours)
    installed = {str(Path(folder).resolve()) for folder in _site_folders()}
    if PACKAGE_PARENT not in installed:
        paths = [PACKAGE_PARENT, environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def _site_folders() -> list[str]:
    folders = site.getsitepackages()
    return [*folders, site.getusersitepackages()] if site.ENABLE_USER_SITE else folders


LOOK_EVERY = 0.5
"""Seconds between two looks at who our parent is."""


class Lifeline:
    """Tells when the process that started us is gone or has closed our standard input.

    The pipe says it at once. Another process may hold a copy of its other end, though (a fork of
    our parent), so who our parent is is looked at as well.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._parent = os.getppid()
        self._lost = threading.Event()
        threading.Thread(target=self._watch, name="lifeline", daemon=True).start()

    @property
    def lost(self) -> bool:
        """Whether it is time to end."""
        return self._lost.is_set()

    def rest(self, seconds: float) -> bool:
        """Waits so long, less when it is time to end; gives whether it is."""
        return self._lost.wait(max(0.0, seconds))

    def _watch(self) -> None:
        while os.getppid() == self._parent:
            try:
                readable, _, _ = select.select([self._descriptor], [], [], LOOK_EVERY)
                if readable and not os.read(self._descriptor, 4096):
                    break
            except (OSError, ValueError):
                break
        self._lost.set()
