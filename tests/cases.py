"""Cases: real runs with known answers, in archives that are no part of the repository."""

import fcntl
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "INSPECTOR_CASES"


class Cases:
    """Archives of the folder that INSPECTOR_CASES names, unpacked when a test asks for one.

    What is unpacked is shared by all tests, and some of it changes when it is merely opened (hot
    journals, WALs): whoever opens a database takes a copy.
    """

    def __init__(self, archives: Path | None, scratch: Path) -> None:
        self._archives = archives
        self._scratch = scratch

    def folder(self, name: str) -> Path:
        """What `<name>.tar.xz` holds, for looking only; skips the test where there is none."""
        archive = f"{name}.tar.xz"
        if self._archives is None:
            pytest.skip(f"needs {archive}: set {VARIABLE} to the folder that holds it")
        if not (self._archives / archive).is_file():
            pytest.skip(f"needs {archive}, which is not in {VARIABLE} ({self._archives})")
        return self._unpacked(name, self._archives / archive)

    def expected(self, name: str) -> Any:
        """The right answers that the archive holds beside its cases."""
        return json.loads((self.folder(name) / "EXPECTED.json").read_text(encoding="utf-8"))

    def copy(self, name: str, case: str, to: Path) -> Path:
        """A copy of one case, `to/<case>`, with the FIFOs, links and instants of the original."""
        source = self.folder(name) / case
        if not source.exists():
            pytest.skip(f"needs the case {case}, which is not in {name}.tar.xz")
        to.mkdir(parents=True, exist_ok=True)
        # shutil.copytree refuses FIFOs.
        subprocess.run(["cp", "-RPp", str(source), str(to / case)], check=True)
        return to / case

    def _unpacked(self, name: str, archive: Path) -> Path:
        whole = self._scratch / name
        self._scratch.mkdir(parents=True, exist_ok=True)
        # The workers of one test run share the scratch folder; one unpacks, the others wait.
        with (self._scratch / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not whole.exists():
                partial = Path(tempfile.mkdtemp(dir=self._scratch))
                # Python's tarfile refuses FIFOs from 3.14 on. Nobody's files but ours, also when
                # root runs the tests.
                command = ["tar", "-xJf", str(archive), "--no-same-owner", "-C", str(partial)]
                subprocess.run(command, check=True)
                (partial / name).rename(whole)
        return whole


def cases_from_environment(scratch: Path) -> Cases:
    """The cases that INSPECTOR_CASES points to; unset or empty means none."""
    named = os.environ.get(VARIABLE)
    return Cases(Path(named).resolve() if named else None, scratch)
