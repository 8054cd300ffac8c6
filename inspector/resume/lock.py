"""One launch of a run at a time, over all inspectors of this user.

The system holds the lock for as long as the launched program or we live, and lets go of it however
they end: a file without a holder is an orphan, which is the ordinary state after a crash.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TRIES = 8
PAUSE_SECONDS = 0.02
"""Somebody who only looks whether the lock is held holds it for an instant."""
_HELD = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)
_MOST_BYTES = 65_536


class AlreadyRunning(Exception):
    """Somebody launched this run and it has not ended: who and since when, in a sentence."""

    def __init__(self, holder: Mapping[str, Any]) -> None:
        self.holder = holder
        pid, since = holder.get("child") or holder.get("pid"), holder.get("since")
        who = f" as process {pid}" if pid else ""
        when = f" at {since}" if since else ""
        super().__init__(f"Already running: this run was launched{who}{when} and has not ended.")


class NoLock(Exception):
    """The lock cannot be kept here: why, in a sentence."""


@dataclass(slots=True)
class LaunchLock:
    """A lock that is held until `release`, or until everybody who inherited it has ended."""

    path: Path
    descriptor: int
    content: dict[str, Any] = field(default_factory=dict)

    def note_child(self, pid: int) -> None:
        """Says which process was launched."""
        self.content["child"] = pid
        self._write()

    def release(self) -> None:
        """Lets go; a program that inherited the descriptor keeps the lock."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def _write(self) -> None:
        text = json.dumps(self.content).encode()
        os.pwrite(self.descriptor, text, 0)
        os.ftruncate(self.descriptor, len(text))


def acquire(folder: Path, run_key: str, since: str) -> LaunchLock:
    """Takes the lock of a run. Raises AlreadyRunning while somebody holds it, NoLock."""
    path = _path(folder, run_key)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise NoLock(f"No lock can be kept in {folder}: {error.strerror}.") from None
    try:
        for _ in range(TRIES):
            if _take(descriptor, path):
                lock = LaunchLock(path, descriptor)
                lock.content.update(pid=os.getpid(), since=since, run=run_key)
                lock._write()
                return lock
            time.sleep(PAUSE_SECONDS)
        raise AlreadyRunning(_content(descriptor))
    except BaseException:
        os.close(descriptor)
        raise


def holder_of(folder: Path, run_key: str) -> Mapping[str, Any] | None:
    """Who launched the run and has not ended; None when nobody did, or only an orphan is left."""
    path = _path(folder, run_key)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return None if _take(descriptor, path) else _content(descriptor)
    except NoLock:
        return None
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise NoLock(f"{path} cannot be locked: {error.strerror}.") from None
    return True


def _path(folder: Path, run_key: str) -> Path:
    name = hashlib.sha256(run_key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return folder / f"{name}.lock"


def _content(descriptor: int) -> Mapping[str, Any]:
    try:
        found = json.loads(os.pread(descriptor, _MOST_BYTES, 0))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
