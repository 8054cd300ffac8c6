"""The log of launches: when, which run, what was started where, how it ended.

A launch is one line when it begins and another one, of the same id, when it is over; so a launch
that nobody saw ending is in the log as well.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

NAME = "resumes.jsonl"
_MOST_BYTES = 32 << 20
"""Of the end of the log are read; a prompt may be fifty thousand characters."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. `exit_code` is negative for a signal and None when it is not known."""

    id: str
    at: str
    run: str
    argv: Sequence[str]
    cwd: str
    where: str
    """`terminal` or `background`."""
    ended_at: str | None = None
    exit_code: int | None = None
    verdict: str | None = None
    """Judged from the store."""
    changes: Sequence[str] = field(default_factory=tuple)


def begin(folder: Path, launch: Launch) -> None:
    """Adds a launch. Raises OSError: what cannot be logged must not be started."""
    _append(folder, asdict(launch))


def end(folder: Path, launch: Launch) -> None:
    """Adds how a launch ended. Raises OSError."""
    over = ("id", "run", "ended_at", "exit_code", "verdict", "changes")
    _append(folder, {name: value for name, value in asdict(launch).items() if name in over})


def _append(folder: Path, record: Mapping[str, Any]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    line = (json.dumps(record, ensure_ascii=True) + "\n").encode()
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(folder / NAME, flags, 0o600)
    try:
        # Closing lets go of it.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            # Whoever wrote last was cut off; its line must not swallow this one.
            line = b"\n" + line
        while line:
            line = line[os.write(descriptor, line) :]
    finally:
        os.close(descriptor)


def read(folder: Path) -> list[dict[str, Any]]:
    """Every launch, oldest first; a line that is no record is left out."""
    found: dict[str, dict[str, Any]] = {}
    for line in _lines(folder / NAME):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        name = record.get("id") if isinstance(record, dict) else None
        if isinstance(name, str):
            found.setdefault(name, {}).update(record)
    return list(found.values())


def count(folder: Path, run_key: str) -> int:
    """How often a run was launched."""
    return sum(1 for launch in read(folder) if launch.get("run") == run_key)


def _lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _MOST_BYTES))
            content = file.read(_MOST_BYTES)
    except FileNotFoundError:
        return []
    lines = content.split(b"\n")
    return lines[1:] if size > _MOST_BYTES else lines
