"""A program in a pseudo-terminal: what it writes, when, and how the screen looks after it."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

COLUMNS, ROWS = 120, 36
POLL_S = 0.02
PATIENCE_S = 3.0

# Questions to the terminal and modes of newer ones, which pyte would print in part.
_NOT_FOR_PYTE = re.compile(rb"\x1b(?:\[[<=>?][0-9;:]*\$?[a-gi-km-z]|P[^\x1b]*\x1b\\)")
_UNFINISHED = re.compile(rb"\x1b[^a-zA-Z\\]*$")


class Terminal:
    """Runs `command` with a terminal of its own and keeps every byte with its instant.

    Instants are `time.monotonic_ns()`, which all processes of a machine share.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        columns: int = COLUMNS,
        rows: int = ROWS,
    ) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started_ns = time.monotonic_ns()
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=dict(environment),
            cwd=environment["HOME"],
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(theirs)
        self._data = bytearray()
        self._begins: list[int] = []
        """Where in the data each piece begins that was read at once."""
        self._instants: list[int] = []
        self._lock = threading.Lock()
        self._image = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._image)
        self._drawn = 0
        self._thread = threading.Thread(target=self._listen, name="terminal", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process in the terminal."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the program has not ended."""
        return self._process.poll() is None

    def received(self) -> int:
        """How many bytes were written so far."""
        with self._lock:
            return len(self._data)

    def holds(self, text: str, since: int = 0) -> bool:
        """Whether the bytes from `since` on hold a text in one piece."""
        with self._lock:
            return self._data.find(text.encode(), since) >= 0

    def pieces(self) -> list[tuple[int, bytes]]:
        """Every piece that was read at once, with its instant."""
        with self._lock:
            ends = [*self._begins, len(self._data)][1:]
            spans = zip(self._instants, self._begins, ends, strict=True)
            return [(instant, bytes(self._data[begin:end])) for instant, begin, end in spans]

    def first_ns(self, text: str, since: int = 0) -> int | None:
        """When the last byte of a text was there, if it was written in one piece."""
        wanted = text.encode()
        with self._lock:
            at = self._data.find(wanted, since)
            if at < 0:
                return None
            return self._instants[bisect_right(self._begins, at + len(wanted) - 1) - 1]

    def first_after(self, instant_ns: int) -> int | None:
        """When something was written for the first time after an instant."""
        with self._lock:
            piece = bisect_right(self._instants, instant_ns)
            return self._instants[piece] if piece < len(self._instants) else None

    def every(self, pattern: str) -> dict[str, int]:
        """Each text that the pattern matches, with the instant of its first appearance."""
        found: dict[str, int] = {}
        with self._lock:
            for match in re.finditer(pattern.encode(), bytes(self._data)):
                text = match[0].decode()
                if text not in found:
                    piece = bisect_right(self._begins, match.end() - 1) - 1
                    found[text] = self._instants[piece]
        return found

    def wait_for(self, text: str, timeout: float, since: int = 0) -> bool:
        """Waits until a text has been written."""
        return self.wait_until(lambda: self.holds(text, since), timeout)

    def wait_until(self, holds: Callable[[], bool], timeout: float) -> bool:
        """Waits until something holds, the program ends, or `timeout` seconds are over."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if holds():
                return True
            if not self.running:
                break
            time.sleep(POLL_S)
        return holds()

    def press(self, keys: str) -> None:
        """Types keys."""
        os.write(self._ours, keys.encode())

    def screen(self) -> list[str]:
        """The lines of the screen as they stand."""
        with self._lock:
            piece = bytes(self._data[self._drawn :])
        unfinished = _UNFINISHED.search(piece)
        if unfinished is not None and len(piece) - unfinished.start() < 64:
            piece = piece[: unfinished.start()]
        self._drawn += len(piece)
        self._stream.feed(_NOT_FOR_PYTE.sub(b"", piece))
        return list(self._image.display)

    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(line.rstrip() for line in self.screen())

    def cpu_seconds(self) -> float:
        """Processor time of the program and its children so far, in seconds."""
        return sum(_cpu_seconds(pid) for pid in (self.pid, *_descendants(self.pid)))

    def stop(self) -> int:
        """Ends the program, politely first; gives its exit code. May be called again."""
        for name in (signal.SIGTERM, signal.SIGKILL):
            if self.running:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, name)
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(PATIENCE_S)
        self._thread.join(PATIENCE_S)
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1
        return self._process.wait()

    def quit(self, keys: str = "q") -> int:
        """Ends the program as a person would."""
        if self.running:
            self.press(keys)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE_S)
        return self.stop()

    def _listen(self) -> None:
        while True:
            try:
                piece = os.read(self._ours, 65536)
            except OSError:
                return
            if not piece:
                return
            instant = time.monotonic_ns()
            with self._lock:
                self._begins.append(len(self._data))
                self._instants.append(instant)
                self._data += piece


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in listed.read_text().split():
                found += [int(child), *_descendants(int(child))]
    return found


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return _cpu_by_ps(pid)
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def _cpu_by_ps(pid: int) -> float:
    """Where there is no /proc: hours, minutes and seconds as `ps` gives them."""
    command = ["ps", "-o", "time=", "-p", str(pid)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    seconds = 0.0
    for part in told.replace("-", ":").split(":") if told else ():
        seconds = seconds * 60 + float(part)
    return seconds
