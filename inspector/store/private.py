"""Private folders for copies: mode 0700, in memory if there is room, removed afterwards.

One folder per process and place (`inspector-<pid>-…`), with a numbered one per reader. A killed
process leaves its folder, which the next process removes: the lock on the file `alive` in it tells
whether its process lives, even across containers.
"""

import atexit
import fcntl
import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from inspector.store.unavailable import unreadable

_NAME = re.compile(r"inspector-(\d+)-\w+")
_ALIVE = "alive"
_ROOM = 1.5
"""A copy grows while its log is applied."""
_MIN_AGE_S = 60


class PrivateFolder:
    """A reader's folder at the absolute `path`; `close` removes it with its content."""

    def __init__(self, home: "_ProcessFolder", path: str) -> None:
        self._home = home
        self.path = path

    def close(self) -> None:
        """Removes the folder; may be called again."""
        if self.path:
            self._home.leave(self.path)
            self.path = ""

    def has_room(self, size: int) -> bool:
        """True if a copy of `size` bytes fits."""
        return _has_room(self._home.place, size)


def private_folder(size: int, root: str | None = None) -> PrivateFolder:
    """Creates a folder with room for a copy of `size` bytes.

    In the first suitable place of /dev/shm, XDG_RUNTIME_DIR and the user's cache; only in `root`
    when it is given. Raises StoreUnavailable if there is none.
    """
    for place in [root] if root else _places():
        if _has_room(place, size):
            with suppress(OSError):
                return _enter(place)
    megabytes = size * _ROOM / 1e6
    raise unreadable(
        f"reading this database needs {megabytes:.1f} MB for a private copy, and no place has them"
    )


def sweep(place: str) -> int:
    """Removes folders of dead processes of this user in `place`; returns how many."""
    swept = 0
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and _left_behind(entry):
                _remove(entry.path)
                swept += 1
    return swept


class PrivateRoom:
    """A reader's private folder, created on first use and again if it disappeared."""

    def __init__(self, root: str | None = None) -> None:
        self._root = root
        self._folder: PrivateFolder | None = None

    def path(self, name: str, size: int) -> str:
        """Returns a path for a copy of `size` bytes; raises StoreUnavailable without room."""
        folder = self._folder
        if folder is None or not os.path.isdir(folder.path) or not folder.has_room(size):
            self.close()
            folder = self._folder = private_folder(size, self._root)
        return os.path.join(folder.path, name)

    def close(self) -> None:
        """Removes the folder with its copies."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None


class _ProcessFolder:
    """This process's folder in one place, and the lock that marks it as alive."""

    def __init__(self, place: str) -> None:
        sweep(place)
        self.place = place
        self.pid = os.getpid()
        # Most databases are read in place and need no copy.
        from tempfile import mkdtemp

        self.path = mkdtemp(prefix=f"inspector-{self.pid}-", dir=place)
        self._readers = 0
        self._number = 0
        self._alive = os.open(
            os.path.join(self.path, _ALIVE), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        fcntl.flock(self._alive, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def enter(self) -> str:
        path = os.path.join(self.path, str(self._number))
        os.mkdir(path, 0o700)
        self._number += 1
        self._readers += 1
        return path

    def leave(self, path: str) -> None:
        # A forked child must not remove its parent's folders.
        if self.pid != os.getpid():
            return
        with _lock:
            _remove(path)
            self._readers -= 1
            if self._readers == 0:
                self.remove()

    def remove(self) -> None:
        if self.pid != os.getpid() or _homes.get(self.place) is not self:
            return
        del _homes[self.place]
        _remove(self.path)
        os.close(self._alive)


_lock = threading.RLock()
_homes: dict[str, _ProcessFolder] = {}


def _enter(place: str) -> PrivateFolder:
    with _lock:
        home = _homes.get(place)
        if home is None or home.pid != os.getpid() or not os.path.isdir(home.path):
            home = _homes[place] = _ProcessFolder(place)
        return PrivateFolder(home, home.enter())


def _remove(folder: str) -> None:
    from shutil import rmtree

    rmtree(folder, ignore_errors=True)


@atexit.register
def _remove_all() -> None:
    with _lock:
        for home in list(_homes.values()):
            home.remove()


def _places() -> Iterator[str]:
    yield "/dev/shm"
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield runtime
    # Imported on use: few databases need a copy, and fewer need it on disk.
    from platformdirs import user_cache_dir

    cache = user_cache_dir("inspector", appauthor=False)
    with suppress(OSError):
        os.makedirs(cache, mode=0o700, exist_ok=True)
    yield cache


def _has_room(place: str, size: int) -> bool:
    try:
        room = os.statvfs(place)
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK) and room.f_bavail * room.f_frsize >= size * _ROOM


def _left_behind(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        fd = os.open(os.path.join(entry.path, _ALIVE), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return _is_dead(entry.name)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    # Between creation and lock a folder is young and its process alive.
    return _is_dead(entry.name) or time.time() - status.st_mtime > _MIN_AGE_S


def _is_dead(name: str) -> bool:
    match = _NAME.fullmatch(name)
    if match is None:
        return False
    try:
        os.kill(int(match[1]), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False
