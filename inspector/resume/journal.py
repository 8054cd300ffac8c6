"""The log of launches: when, which run, what was started where, how it ended."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NAME = "resumes.jsonl"


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. `exit_code` is None when it is not known; `verdict` is judged from the store."""

    at: str
    run: str
    argv: Sequence[str]
    cwd: str
    exit_code: int | None = None
    verdict: str | None = None


def append(folder: Path, launch: Launch) -> None:
    """Adds one line; it is written whole or not at all."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    line = json.dumps(asdict(launch), ensure_ascii=True) + "\n"
    descriptor = os.open(
        folder / NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
    )
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def read(folder: Path) -> list[dict[str, Any]]:
    """Every launch, oldest first; a line that is no record is left out."""
    try:
        lines = (folder / NAME).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    found = []
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found
