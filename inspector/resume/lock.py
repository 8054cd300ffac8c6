"""One launch of a run at a time, over all inspectors of this user.

The system holds the lock for as long as the launched program or we live, and lets go of it however
they end: a file without a holder is an orphan, which is the ordinary state after a crash.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class AlreadyRunning(Exception):
    """Somebody launched this run and it has not ended: who and since when, in a sentence."""

    def __init__(self, holder: Mapping[str, Any]) -> None:
        pid, since = holder.get("pid", "?"), holder.get("since", "?")
        super().__init__(f"This run was launched by process {pid} at {since} and has not ended.")
        self.holder = holder


@dataclass(slots=True)
class LaunchLock:
    """A lock that is held until `release`, or until everybody who inherited it has ended."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Lets go; a program that inherited the descriptor keeps the lock."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def acquire(folder: Path, run_key: str, since: str) -> LaunchLock:
    """Takes the lock of a run. Raises AlreadyRunning while somebody holds it."""
    path = _path(folder, run_key)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = _holder(path)
        os.close(descriptor)
        raise AlreadyRunning(holder) from None
    os.ftruncate(descriptor, 0)
    content = json.dumps({"pid": os.getpid(), "since": since, "run": run_key})
    os.write(descriptor, content.encode())
    return LaunchLock(path, descriptor)


def holder_of(folder: Path, run_key: str) -> Mapping[str, Any] | None:
    """Who launched the run and has not ended; None when nobody did, or only an orphan is left."""
    path = _path(folder, run_key)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return _holder(path)
    finally:
        os.close(descriptor)
    return None


def _path(folder: Path, run_key: str) -> Path:
    name = hashlib.sha256(run_key.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{name}.lock"


def _holder(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
