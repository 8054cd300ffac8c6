"""Another process that writes to a database while tests read it, driven over pipes.

It must be another process: closing any descriptor of a database drops all locks that the closing
process holds on it.
"""

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]


class Writer:
    """A process that writes to the database at `path`; see `hands.Hands` for what it can do."""

    def __init__(self, path: Path | str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-m", "tests.store.hands", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def do(self, what: str, *arguments: object) -> Any:
        """Has it do something; raises sqlite3.OperationalError with what it ran into."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([what, *arguments]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise sqlite3.OperationalError(answer["error"])
        return answer["value"]

    def sql(self, *statements: str) -> Any:
        """Has it run statements; gives the rows of the last."""
        return self.do("sql", *statements)

    def kill(self) -> None:
        """Kills the writer."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
