"""Where benchmarks happen: a folder and a home of their own, and proof that a tree stood still."""

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSPECTOR = (sys.executable, "-m", "inspector")

_KEPT = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV", "PYTHONHOME")

Entry = tuple[int, int, int, int, str]
"""Mode, inode, size, modification time in ns, SHA-256 of the content."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder for what is watched, one for ourselves, and an environment without the user."""

    watched: Path
    scratch: Path
    environment: Mapping[str, str]


@contextmanager
def temporary_place() -> Iterator[Place]:
    """A place that is removed afterwards."""
    whole = Path(tempfile.mkdtemp(prefix="benchmark-")).resolve()
    try:
        for name in ("watched", "scratch"):
            (whole / name).mkdir()
        yield Place(whole / "watched", whole / "scratch", _environment(whole))
    finally:
        shutil.rmtree(whole, ignore_errors=True)


def _environment(whole: Path) -> dict[str, str]:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    for name, folder in (
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "home/.config"),
        ("XDG_CACHE_HOME", "home/.cache"),
        ("XDG_DATA_HOME", "home/.local/share"),
        ("XDG_STATE_HOME", "home/.local/state"),
        ("XDG_RUNTIME_DIR", "run"),
    ):
        (whole / folder).mkdir(parents=True, exist_ok=True)
        environment[name] = str(whole / folder)
    (whole / "run").chmod(0o700)
    return environment | {
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


@dataclass(frozen=True, slots=True)
class Manifest:
    """All names below a folder, with what each file is and holds."""

    entries: Mapping[str, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "Manifest":
        """Looks at everything. Only raw bytes are read; no database is opened."""
        found: dict[str, Entry] = {}
        for path in sorted([folder, *folder.rglob("*")]):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            found[str(path.relative_to(folder))] = (
                status.st_mode,
                status.st_ino,
                status.st_size,
                status.st_mtime_ns,
                hashlib.sha256(content).hexdigest(),
            )
        return cls(found)

    def differences(self, later: "Manifest", *, written: frozenset[str] = frozenset()) -> list[str]:
        """What was created, removed or changed; of names in `written` only their being there."""
        told: list[str] = []
        for name in sorted(self.entries.keys() | later.entries.keys()):
            before, after = self.entries.get(name), later.entries.get(name)
            if before is None or after is None:
                told.append(f"{'created' if before is None else 'removed'}: {name}")
            elif before != after and name not in written:
                told.append(f"changed: {name}")
        return told


def private_folders_of(pid: int) -> list[str]:
    """What a process of ours left behind in memory: nothing, once it has ended."""
    places = (Path("/dev/shm"), Path(tempfile.gettempdir()))
    return [str(found) for place in places for found in place.glob(f"inspector-{pid}-*")]
