"""Case archives: real runs with known answers, packed in tests/cases.

INSPECTOR_CASES may name a folder with more of them; an archive there replaces ours of that name.
"""

import fcntl
import json
import os
import shutil
import stat
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "INSPECTOR_CASES"
OURS = Path(__file__).parent / "cases"


class Cases:
    """The cases of all archives, each archive unpacked when a test first asks for it.

    All tests share what is unpacked, and opening a database may change it (hot journals, WALs):
    a test that opens one takes a copy.
    """

    def __init__(self, archives: tuple[Path, ...], scratch: Path) -> None:
        self._archives = archives
        self._scratch = scratch

    def folder(self, name: str) -> Path:
        """The contents of `NAME.tar.xz`, for reading only; skips the test without the archive."""
        archive = find_archive(name, self._archives)
        if archive is None:
            pytest.skip(f"needs {name}.tar.xz in tests/cases or in the folder {VARIABLE}")
        return unpack(archive, self._scratch)

    def expected(self, name: str) -> Any:
        """The right answers, which are packed with the cases."""
        return json.loads((self.folder(name) / "EXPECTED.json").read_text(encoding="utf-8"))

    def copy(self, name: str, case: str, to: Path) -> Path:
        """Copies one case to `to/CASE`, with its FIFOs, links and modification times."""
        source = self.folder(name) / case
        if not source.exists():
            pytest.skip(f"needs the case {case}, which is not in {name}.tar.xz")
        to.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, to / case, symlinks=True, copy_function=_copy)
        return to / case


def cases_from_environment(scratch: Path) -> Cases:
    """The cases of INSPECTOR_CASES, then ours, unpacked into `scratch`."""
    return Cases(archive_folders(), scratch)


def archive_folders() -> tuple[Path, ...]:
    """Where archives are, the most important folder first."""
    named = os.environ.get(VARIABLE)
    return (Path(named).resolve(), OURS) if named else (OURS,)


def find_archive(name: str, folders: tuple[Path, ...]) -> Path | None:
    """The first `NAME.tar.xz` in these folders."""
    files = (folder / f"{name}.tar.xz" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def unpack(archive: Path, scratch: Path) -> Path:
    """Unpacks an archive into a folder of its name, once; other processes wait for it."""
    name = archive.name.removesuffix(".tar.xz")
    whole = scratch / name
    scratch.mkdir(parents=True, exist_ok=True)
    with (scratch / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            with tempfile.TemporaryDirectory(dir=scratch) as partial, tarfile.open(archive) as tar:
                # Our own archives: they contain FIFOs, which the default filter refuses.
                tar.extractall(partial, filter="fully_trusted")
                (top,) = Path(partial).iterdir()
                top.rename(whole)
    return whole


def _copy(source: str, target: str) -> None:
    """Copies a file or makes a FIFO, with mode and times."""
    if stat.S_ISFIFO(os.lstat(source).st_mode):
        os.mkfifo(target)
        shutil.copystat(source, target)
    else:
        shutil.copy2(source, target)
