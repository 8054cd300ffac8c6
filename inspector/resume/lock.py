"""One launch of a run at a time, across all inspectors of this user.

The lock is a `flock` that the launched program inherits: the system releases it when every holder
has exited, however they exit. A lock file without a holder is an orphan, normal after a crash.
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

ATTEMPTS = 8
PAUSE_SECONDS = 0.02
"""Between attempts: `holder_of` in another process blocks the lock for an instant."""
_HELD = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)
_MAX_BYTES = 65_536


class AlreadyRunning(Exception):
    """The run was launched and has not ended; the text says by which process and since when."""

    def __init__(self, holder: Mapping[str, object]) -> None:
        self.holder = holder
        pid, since = holder.get("child") or holder.get("pid"), holder.get("since")
        who = f" as process {pid}" if pid else ""
        when = f" at {since}" if since else ""
        super().__init__(f"Already running: this run was launched{who}{when} and has not ended.")


class NoLock(Exception):
    """Locks cannot be used in this folder; the text is a sentence with the reason."""


@dataclass(slots=True)
class LaunchLock:
    """A lock held until `release`, or until every process that inherited it has exited."""

    path: Path
    descriptor: int
    content: dict[str, object] = field(default_factory=dict)

    def note_child(self, pid: int) -> None:
        """Records the process id of the launched program."""
        self.content["child"] = pid
        self._write()

    def release(self) -> None:
        """Closes the lock; a program that inherited the descriptor keeps holding it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def _write(self) -> None:
        text = json.dumps(self.content).encode()
        os.pwrite(self.descriptor, text, 0)
        os.ftruncate(self.descriptor, len(text))


def acquire(folder: Path, run_key: str, since: str) -> LaunchLock:
    """Acquires the lock of a run. Raises AlreadyRunning if it is held, NoLock."""
    path = _path(folder, run_key)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise NoLock(f"No lock can be kept in {folder}: {error.strerror}.") from None
    try:
        for _ in range(ATTEMPTS):
            if _try_lock(descriptor, path, fcntl.LOCK_EX):
                lock = LaunchLock(path, descriptor)
                lock.content.update(pid=os.getpid(), since=since, run=run_key)
                lock._write()
                return lock
            time.sleep(PAUSE_SECONDS)
        raise AlreadyRunning(_content(descriptor))
    except BaseException:
        os.close(descriptor)
        raise


def holder_of(folder: Path, run_key: str) -> Mapping[str, object] | None:
    """Returns the record of whoever launched the run and has not ended; None without a holder.

    The lock is tested shared, so any number of inspectors may test it at once.
    """
    path = _path(folder, run_key)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return None if _try_lock(descriptor, path, fcntl.LOCK_SH) else _content(descriptor)
    except NoLock:
        return None
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, path: Path, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise NoLock(f"{path} cannot be locked: {error.strerror}.") from None
    return True


def _path(folder: Path, run_key: str) -> Path:
    name = hashlib.sha256(run_key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return folder / f"{name}.lock"


def _content(descriptor: int) -> Mapping[str, object]:
    try:
        found = json.loads(os.pread(descriptor, _MAX_BYTES, 0))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
