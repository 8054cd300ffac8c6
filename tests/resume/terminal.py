"""A terminal for a program under test: a pseudo-terminal whose screen can be read."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte

ROOT = Path(__file__).parents[2]
SECONDS = 15.0


class Terminal:
    """Runs a program in a pseudo-terminal and reads its screen."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        cwd: Path | None = None,
        size: tuple[int, int] = (36, 120),
    ) -> None:
        rows, columns = size
        self.screen = pyte.Screen(columns or 80, rows or 24)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        # A session of its own whose terminal this is, so that keys become signals.
        lead = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        lead += "os.execvp(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", lead, *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            cwd=cwd or ROOT,
            start_new_session=True,
        )
        self.slave = slave

    def read(self, seconds: float = 0.05) -> None:
        """Reads pending output."""
        readable, _, _ = select.select([self.master], [], [], seconds)
        if readable:
            try:
                data = os.read(self.master, 65_536)
            except OSError:
                return
            self.written += data
            self._stream.feed(data)

    def text(self) -> str:
        """Returns the text of the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, found: str | Callable[[str], bool], seconds: float = SECONDS) -> str:
        """Waits for a text on the screen; returns the whole screen."""
        is_there = (lambda text: found in text) if isinstance(found, str) else found
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            if is_there(self.text()):
                return self.text()
        raise AssertionError(f"{found!r} does not stand on the screen:\n{self.text()}")

    def press(self, keys: str) -> None:
        """Types keys."""
        os.write(self.master, keys.encode())

    def wait(self, seconds: float = SECONDS) -> int:
        """Waits until the program has ended and gives its exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"It does not end:\n{self.text()}")
            self.read()
        self.read(0.2)
        return int(self.process.returncode)

    def modes(self) -> list[Any]:
        """The modes that the terminal is in."""
        return list(termios.tcgetattr(self.slave))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for descriptor in (self.master, self.slave):
            os.close(descriptor)
