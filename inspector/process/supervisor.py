"""`python -m inspector.process.supervisor`: runs one program in a pseudo-terminal to its end.

The supervisor outlives the inspector that started it: a resumed run must not end with the screen.
It writes the program's output as plain lines to a file of bounded size and never types anything.
The job comes on standard input as JSON.
"""

from __future__ import annotations

import codecs
import json
import os
import pty
import re
import select
import sys
import time
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from inspector.process.foreground import SIZE, set_size

MAX_LINE_CHARS = 2_000
"""Longer lines are cut."""
_MAX_SEQUENCE = 4_096
"""Longer control sequences are treated as text."""
_STRING = f"[\\]PX^_][^\x07\x1b]{{0,{_MAX_SEQUENCE}}}"
"""OSC, DCS, SOS, PM and APC up to their terminator."""
_SEQUENCE = re.compile(f"\x1b(?:\\[[0-?]*[ -/]*[@-~]|{_STRING}(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")
_ERASE_LINE = re.compile("\x1b\\[[02]?K")
"""Erases the rest of the line."""
_WIPE = "\0"
_UNFINISHED = re.compile(f"\x1b(?:\\[[0-?]*[ -/]*|{_STRING}|[ -/]*)?")


class Job(TypedDict):
    """What to run: arguments, file, working directory, environment; folder for the results."""

    argv: list[str]
    program: str
    cwd: str
    env: dict[str, str]
    folder: str


class PlainLines:
    """Converts terminal output into plain lines: no colours, cursor movement or controls.

    A line that is overwritten, as by a spinner, keeps only its last text.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._line: list[str] = []
        self._at = 0

    @property
    def current(self) -> str:
        """The unfinished line."""
        return "".join(self._line).rstrip()

    def feed(self, data: bytes) -> list[str]:
        """Adds output; returns the lines that it finished."""
        text = self._rest + self._decoder.decode(data).replace(_WIPE, "")
        last = text.rfind("\x1b")
        self._rest = ""
        if last >= 0 and len(text) - last < _MAX_SEQUENCE and _UNFINISHED.fullmatch(text, last):
            self._rest, text = text[last:], text[:last]
        ended: list[str] = []
        for character in _SEQUENCE.sub("", _ERASE_LINE.sub(_WIPE, text)):
            if character == _WIPE:
                del self._line[self._at :]
            elif character == "\n":
                ended.append(self.current)
                self._line, self._at = [], 0
            elif character == "\r":
                self._at = 0
            elif character == "\b":
                self._at = max(0, self._at - 1)
            elif character == "\t":
                for _ in range(8 - self._at % 8):
                    self._put(" ")
            elif unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
                self._put(character)
        return ended

    def _put(self, character: str) -> None:
        if self._at < len(self._line):
            self._line[self._at] = character
        elif len(self._line) < MAX_LINE_CHARS:
            self._line.append(character)
        self._at = min(self._at + 1, MAX_LINE_CHARS)


OUTPUT, CURRENT, STARTED, ENDED = "output.txt", "current.json", "started.json", "ended.json"
MAX_OUTPUT_BYTES = 256_000
"""Size at which the output file is cut."""
KEPT_BYTES = MAX_OUTPUT_BYTES // 2
"""Bytes at the end that a cut keeps."""
LINGER_SECONDS = 0.5
"""Time to read output after the program has exited: its children may still write."""
CURRENT_SECONDS = 0.5
NOT_FOUND = 127
"""The exit code of shells for a missing program."""


def main() -> int:
    """Reads the job, runs it and records the result."""
    job: Job = json.load(sys.stdin)
    folder = Path(job["folder"])
    # `execve` closes the write end; anything written before is the reason for a failure.
    reader, writer = os.pipe()
    pid, terminal = pty.fork()
    if pid == 0:
        _exec(job, writer)
    os.close(writer)
    with open(reader, "rb") as pipe:
        problem = pipe.read().decode("utf-8", "replace")
    output = _Output(folder / OUTPUT)
    if not problem:
        _write(folder / STARTED, {"pid": pid})
    status = _supervise(pid, terminal, output)
    output.finish()
    code = os.waitstatus_to_exitcode(status)
    _write(folder / ENDED, {"problem": problem} if problem else {"exit_code": code})
    return 0


def _exec(job: Job, writer: int) -> None:
    """In the child: executes the program, or reports why not and exits."""
    try:
        set_size(0, SIZE)
        os.chdir(job["cwd"])
        os.execve(job["program"], job["argv"], job["env"])
    except BaseException as error:
        why = error.strerror if isinstance(error, OSError) else error
        os.write(writer, f"{why}".encode("utf-8", "replace"))
    finally:
        os._exit(NOT_FOUND)


def _supervise(pid: int, terminal: int, output: _Output) -> int:
    """Reads output until the program has exited; returns its wait status."""
    status: int | None = None
    until = float("inf")
    while time.monotonic() < until:
        readable, _, _ = select.select([terminal], [], [], 0.1)
        data = b""
        if readable:
            with suppress(OSError):
                data = os.read(terminal, 65_536)
            if not data:
                # No process has the terminal open any more.
                break
        output.write(data)
        if status is None:
            done, found = os.waitpid(pid, os.WNOHANG)
            if done:
                status, until = found, time.monotonic() + LINGER_SECONDS
    return os.waitpid(pid, 0)[1] if status is None else status


class _Output:
    """The output file: plain lines, cut at the beginning when it grows too long."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = PlainLines()
        self._file = path.open("ab")
        self._written = 0
        self._shown = ""
        self._shown_at = 0.0

    def write(self, data: bytes) -> None:
        """Adds output of the program."""
        ended = self._lines.feed(data) if data else []
        for line in ended:
            self._add(line)
        now = time.monotonic()
        current = self._lines.current
        if not ended and current != self._shown and now - self._shown_at >= CURRENT_SECONDS:
            # A prompt that waits for input has no line end.
            _write(self._path.with_name(CURRENT), {"line": current})
            self._shown, self._shown_at = current, now

    def finish(self) -> None:
        """Writes the unfinished line and closes the file."""
        if self._lines.current:
            self._add(self._lines.current)
        self._file.close()

    def _add(self, line: str) -> None:
        data = line.encode("utf-8", "replace") + b"\n"
        self._file.write(data)
        self._file.flush()
        self._written += len(data)
        if self._written > MAX_OUTPUT_BYTES:
            self._file.close()
            tail = self._path.read_bytes()[-KEPT_BYTES:].partition(b"\n")[2]
            kept = self._path.with_name("output.new")
            kept.write_bytes(b"(earlier output was dropped)\n" + tail)
            kept.replace(self._path)
            self._file = self._path.open("ab")
            self._written = self._path.stat().st_size


def _write(path: Path, content: dict[str, object]) -> None:
    """Writes a JSON file atomically."""
    with suppress(OSError):
        part = path.with_suffix(".part")
        part.write_text(json.dumps(content), encoding="utf-8")
        part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
