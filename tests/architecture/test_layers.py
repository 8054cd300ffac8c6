"""The layers hold: on paper (import-linter) and in a running interpreter."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "inspector"
SCREEN = "inspector.ui"
SCREEN_LIBRARY = "textual"
DATABASES = {"sqlite3", "_sqlite3", "sqlite_utils"}
# What the first paint and a quick command must not wait for.
HEAVY = {SCREEN_LIBRARY, "sqlite_utils", "watchfiles"}
ROOMS_WITHOUT_DATABASES = ("model", "text", "config", "process", "derive")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Judges the package in `folder` by the contracts of the pyproject.toml beside it."""
    # The copy in `folder` is judged, not the checkout.
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(no_cache=True))"
    )
    command = [sys.executable, "-P", "-c", program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules(files: Iterable[Path]) -> list[str]:
    return sorted(module_name(file) for file in files if file.name != "__main__.py")


def loaded_after(program: str, *arguments: str, folder: Path) -> set[str]:
    """Top-level modules that are loaded when `program` has ended, well or with sys.exit."""
    report = folder / "modules.json"
    prologue = (
        f"import atexit, sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "def tell():\n"
        "    names = sorted(sys.modules)\n"
        "    import json\n"
        f"    open({str(report)!r}, 'w').write(json.dumps(names))\n"
        "atexit.register(tell)\n"
    )
    command = [sys.executable, "-P", "-c", prologue + program, *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return {name.partition(".")[0] for name in json.loads(report.read_text())}


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with modules that one line more makes break a contract."""
    copy = tmp_path_factory.mktemp("probed")
    shutil.copytree(PACKAGE, copy / "inspector", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    query = copy / "inspector/query"
    (query / "probe.py").touch()
    (query / "prism/asks.py").write_text("import inspector.query.probe\n")
    (query / "prism/reads.py").write_text("import sqlite3\n")
    assert lint(copy).returncode == 0
    return copy


def test_contracts_hold() -> None:
    verdict = lint(ROOT)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("model/status.py", "import inspector.text", "A room imports only"),
        ("live/__init__.py", "import inspector.ui", "A room imports only"),
        ("somewhere.py", "", "A room imports only"),
        ("query/probe.py", "import inspector.query.prism", "No circular import"),
        ("query/prism/__init__.py", "import inspector.query.openprose", "A runtime knows nothing"),
        ("query/prism/reads.py", "import textual.widgets", "Textual only in ui"),
        ("live/__init__.py", "import sqlite3", "Databases only in"),
        ("ui/__init__.py", "from sqlite_utils import Database", "Databases only in"),
        ("store/__init__.py", "import subprocess", "Other programs only"),
        ("query/prism/fold.py", "import inspector.query.prism.reads", "Events, fold and position"),
    ],
)
def test_contracts_can_fail(probed: Path, module: str, line: str, contract: str) -> None:
    file = probed / "inspector" / module
    before = file.read_text() if file.exists() else None
    file.write_text(f"{before or ''}\n{line}\n")
    try:
        verdict = lint(probed)
    finally:
        file.unlink() if before is None else file.write_text(before)
    assert verdict.returncode == 1
    assert any(
        row.startswith(contract) and " BROKEN" in row for row in verdict.stdout.splitlines()
    ), verdict.stdout


def test_lower_rooms_load_no_database(tmp_path: Path) -> None:
    files = [file for room in ROOMS_WITHOUT_DATABASES for file in (PACKAGE / room).rglob("*.py")]
    program = "".join(f"import {name}\n" for name in modules(files))
    assert not loaded_after(program, folder=tmp_path) & DATABASES


def test_pure_modules_load_no_database(tmp_path: Path) -> None:
    """Not by the packages they lie in either, which import-linter does not see."""
    query = PACKAGE / "query"
    files = [file for name in ("events", "fold", "position") for file in query.rglob(f"{name}.py")]
    assert files
    program = "".join(f"import {name}\n" for name in modules(files))
    assert not loaded_after(program, folder=tmp_path) & DATABASES


def test_only_the_screen_loads_textual(tmp_path: Path) -> None:
    names = [name for name in modules(PACKAGE.rglob("*.py")) if not name.startswith(SCREEN)]
    program = "".join(f"import {name}\n" for name in names)
    assert SCREEN_LIBRARY not in loaded_after(program, folder=tmp_path)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["runs", "--json"]])
def test_commands_start_light(tmp_path: Path, arguments: list[str]) -> None:
    program = "import runpy; runpy.run_module('inspector', run_name='__main__', alter_sys=True)"
    assert not loaded_after(program, *arguments, folder=tmp_path) & HEAVY
