"""`python -m inspector.process.supervisor`: minds one program in a terminal of its own, to its end.

It outlives whoever started it, because a run that goes on must not end with the screen that
launched it. What the program writes becomes plain lines in a file of bounded length; nothing is
ever typed to it. The order comes on standard input as JSON.
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
from typing import Any

from inspector.process.foreground import SIZE, set_size

LONGEST_LINE = 2_000
"""Characters of a line that are kept."""
_LONGEST_SEQUENCE = 4_096
"""Characters after which a sequence that does not end is taken for none."""
_STRING = f"[\\]PX^_][^\x07\x1b]{{0,{_LONGEST_SEQUENCE}}}"
"""OSC, DCS, SOS, PM and APC up to what ends them."""
_SEQUENCE = re.compile(f"\x1b(?:\\[[0-?]*[ -/]*[@-~]|{_STRING}(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")
_ERASED = re.compile("\x1b\\[[02]?K")
"""The rest of the line is wiped."""
_WIPE = "\0"
_UNFINISHED = re.compile(f"\x1b(?:\\[[0-?]*[ -/]*|{_STRING}|[ -/]*)?")


class PlainLines:
    """Turns bytes as they come into finished lines; `current` is the line that is under way."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._line: list[str] = []
        self._at = 0

    @property
    def current(self) -> str:
        """The line that has not ended yet."""
        return "".join(self._line).rstrip()

    def feed(self, data: bytes) -> list[str]:
        """The lines that ended with these bytes."""
        text = self._rest + self._decoder.decode(data).replace(_WIPE, "")
        last = text.rfind("\x1b")
        self._rest = ""
        if last >= 0 and len(text) - last < _LONGEST_SEQUENCE and _UNFINISHED.fullmatch(text, last):
            self._rest, text = text[last:], text[:last]
        ended: list[str] = []
        for character in _SEQUENCE.sub("", _ERASED.sub(_WIPE, text)):
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
        elif len(self._line) < LONGEST_LINE:
            self._line.append(character)
        self._at = min(self._at + 1, LONGEST_LINE)


OUTPUT, CURRENT, STARTED, ENDED = "output.txt", "current.json", "started.json", "ended.json"
MOST_BYTES = 256_000
"""Of output that are kept."""
KEPT_BYTES = MOST_BYTES // 2
"""Of its end that stay when it grew too long."""
LINGER_SECONDS = 0.5
"""How long output is awaited after the program has ended; what it left behind may go on writing."""
CURRENT_SECONDS = 0.5
NOT_FOUND = 127
"""What shells give for a program that is not there."""


def main() -> int:
    """Reads the order, runs it, writes what came of it."""
    order = json.load(sys.stdin)
    folder = Path(order["folder"])
    # Becoming the program closes its end; what comes before that is why it could not.
    said, saying = os.pipe()
    pid, terminal = pty.fork()
    if pid == 0:
        _become(order, saying)
    os.close(saying)
    with open(said, "rb") as pipe:
        problem = pipe.read().decode("utf-8", "replace")
    output = _Output(folder / OUTPUT)
    if not problem:
        _write(folder / STARTED, {"pid": pid})
    status = _mind(pid, terminal, output)
    output.finish()
    code = os.waitstatus_to_exitcode(status)
    _write(folder / ENDED, {"problem": problem} if problem else {"exit_code": code})
    return 0


def _become(order: dict[str, Any], saying: int) -> None:
    """In the child: becomes the program, or says why not."""
    try:
        set_size(0, SIZE)
        os.chdir(order["cwd"])
        os.execve(order["program"], order["argv"], order["env"])
    except BaseException as error:
        why = error.strerror if isinstance(error, OSError) else error
        os.write(saying, f"{why}".encode("utf-8", "replace"))
    finally:
        os._exit(NOT_FOUND)


def _mind(pid: int, terminal: int, output: _Output) -> int:
    """Reads until the program has ended and said everything; gives its wait status."""
    status: int | None = None
    until = float("inf")
    while time.monotonic() < until:
        readable, _, _ = select.select([terminal], [], [], 0.1)
        data = b""
        if readable:
            with suppress(OSError):
                data = os.read(terminal, 65_536)
            if not data:
                # Everybody who had the terminal has closed it.
                break
        output.take(data)
        if status is None:
            done, found = os.waitpid(pid, os.WNOHANG)
            if done:
                status, until = found, time.monotonic() + LINGER_SECONDS
    return os.waitpid(pid, 0)[1] if status is None else status


class _Output:
    """The file of plain lines, its beginning dropped when it grows too long."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = PlainLines()
        self._file = path.open("ab")
        self._written = 0
        self._shown = ""
        self._shown_at = 0.0

    def take(self, data: bytes) -> None:
        """Adds what was written."""
        ended = self._lines.feed(data) if data else []
        for line in ended:
            self._add(line)
        now = time.monotonic()
        current = self._lines.current
        if not ended and current != self._shown and now - self._shown_at >= CURRENT_SECONDS:
            # A question that waits for an answer has no end of line.
            _write(self._path.with_name(CURRENT), {"line": current})
            self._shown, self._shown_at = current, now

    def finish(self) -> None:
        """The last line may have no end."""
        if self._lines.current:
            self._add(self._lines.current)
        self._file.close()

    def _add(self, line: str) -> None:
        data = line.encode("utf-8", "replace") + b"\n"
        self._file.write(data)
        self._file.flush()
        self._written += len(data)
        if self._written > MOST_BYTES:
            self._file.close()
            tail = self._path.read_bytes()[-KEPT_BYTES:].partition(b"\n")[2]
            kept = self._path.with_name("output.new")
            kept.write_bytes(b"(what came before is not kept)\n" + tail)
            kept.replace(self._path)
            self._file = self._path.open("ab")
            self._written = self._path.stat().st_size


def _write(path: Path, content: dict[str, Any]) -> None:
    """A file that is there whole or not at all."""
    with suppress(OSError):
        part = path.with_suffix(".part")
        part.write_text(json.dumps(content), encoding="utf-8")
        part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
