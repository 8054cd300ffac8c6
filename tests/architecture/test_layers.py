"""Layers: the contracts of import-linter, and what a running interpreter has loaded."""

import ast
import fnmatch
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import PACKAGE, ROOT, Source, docstrings, package_sources
from tests.case_archives import Cases

SCREEN = "inspector.ui"
SCREEN_LIBRARY = "textual"
DATABASES = {"sqlite3", "_sqlite3", "sqlite_utils"}
# What the first paint and a quick command must not wait for.
HEAVY = {SCREEN_LIBRARY, "sqlite_utils", "watchfiles"}
RUNTIMES = ("openprose", "grimoire", "prism")
ABOVE_QUERY = ("ui", "cli", "live", "resume", "export", "notify")
LAYERS_WITHOUT_DATABASES = ("model", "text", "config", "process", "derive")


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
        ("model/status.py", "import inspector.text", "A layer imports only"),
        ("live/__init__.py", "import inspector.ui", "A layer imports only"),
        ("somewhere.py", "", "A layer imports only"),
        ("query/probe.py", "import inspector.query.prism", "No circular import"),
        ("query/prism/__init__.py", "import inspector.query.openprose", "A runtime knows nothing"),
        ("cli/runs.py", "import inspector.query.prism", "Nothing above query imports a runtime"),
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


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def is_matched(pattern: str, names: Iterable[str]) -> bool:
    """Whether a pattern of import-linter, in which `*` is one part, matches one of the modules."""
    parts = pattern.split(".")
    return any(
        len(parts) == len(split) and all(map(fnmatch.fnmatchcase, split, parts))
        for split in (name.split(".") for name in names)
    )


def test_contracts_match_modules() -> None:
    """A contract about modules that were renamed would hold forever."""
    names = [source.name for source in package_sources()]
    assert not is_matched("inspector.query.*.nothing", names)
    for contract in contracts():
        patterns = contract.get("source_modules", []) + contract.get("modules", [])
        patterns += [
            f"inspector.{layer}" for layer in contract.get("layers", []) if "|" not in layer
        ]
        own = [
            name for name in contract.get("forbidden_modules", []) if name.startswith("inspector")
        ]
        for pattern in patterns + own:
            # Every runtime has the modules that a contract expects of a runtime.
            for runtime in RUNTIMES:
                assert is_matched(pattern.replace("*", runtime), names), (contract["id"], pattern)


def imports_of(source: Source) -> set[str]:
    """Modules that a module imports, those of `from x import module` included."""
    found = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_exceptions_of_contracts_are_needed() -> None:
    imports = {source.name: imports_of(source) for source in package_sources()}
    for contract in contracts():
        for line in contract.get("ignore_imports", []):
            importer, imported = line.split(" -> ")
            assert imported in imports.get(importer, ()), f"remove from pyproject.toml: {line}"


def runtime_names(source: Source) -> list[str]:
    """Strings of a module that are a runtime's name, or a key that begins with one."""
    described = {id(node) for node in docstrings(source.tree)}
    return [
        f"{source.path}:{node.lineno}: {node.value!r}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in described
        and node.value.casefold().partition(":")[0].strip() in RUNTIMES
    ]


KNOWS_RUNTIMES: set[str] = set()
"""Modules above query that still name a runtime; a test fails when one no longer does."""


def test_nothing_above_query_names_a_runtime() -> None:
    above = [
        one for one in package_sources() if one.name.split(".")[1:2] in [[x] for x in ABOVE_QUERY]
    ]
    assert len(above) > 50
    found = {source.path: named for source in above if (named := runtime_names(source))}
    assert not {path: named for path, named in found.items() if path not in KNOWS_RUNTIMES}
    assert not KNOWS_RUNTIMES - found.keys(), "no longer needed"


def test_lower_layers_load_no_database(tmp_path: Path) -> None:
    files = [file for layer in LAYERS_WITHOUT_DATABASES for file in (PACKAGE / layer).rglob("*.py")]
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


SMALL_CASES = (
    ("openprose", "01_simple_completed"),
    ("grimoire", "advisory"),
    ("prism", "completed_tools"),
)
JSON_COMMANDS = (
    ("runs",),
    ("show", "latest"),
    ("events", "latest"),
    ("values", "latest"),
    ("usage",),
    ("record", "latest", "run"),
    ("resume", "latest", "--plan"),
    ("doctor",),
)
TEXT_COMMANDS = (("runs",), ("show", "latest"), ("events", "latest"), ("watch", "latest"))

LOADED_BY = """
import io, json, sys
from contextlib import redirect_stdout
from inspector.cli.main import main
commands, forbidden = json.loads(sys.argv[1]), set(sys.argv[2:])
for command in commands:
    with redirect_stdout(io.StringIO()):
        code = main(command)
    # 1 is bad news, such as a run without receipts; the rest are errors.
    assert code in (0, 1), (command, code)
    loaded = forbidden & {name.partition(".")[0] for name in sys.modules}
    if loaded:
        sys.exit(f"{command}: {sorted(loaded)}")
"""


def check_not_loaded(commands: list[list[str]], *libraries: str, folder: Path) -> None:
    """Runs commands in one new interpreter; fails at the first that loads one of the libraries."""
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}){LOADED_BY}"
    arguments = [sys.executable, "-P", "-c", program, json.dumps(commands), *libraries]
    run = subprocess.run(
        arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(("archive", "case"), SMALL_CASES)
def test_json_needs_no_library_for_drawing(
    cases: Cases, tmp_path: Path, archive: str, case: str
) -> None:
    inside = ["--in", str(cases.copy(archive, case, tmp_path))]
    own = {
        "openprose": [("receipts", "latest")],
        "grimoire": [("pnl", "TestAdviseOutput")],
        "prism": [],
    }[archive]
    commands = [[*command, *inside, "--json"] for command in (*JSON_COMMANDS, *own)]
    check_not_loaded(commands, "rich", SCREEN_LIBRARY, folder=tmp_path)


@pytest.mark.parametrize(("archive", "case"), SMALL_CASES)
def test_quick_commands_never_load_sqlite_utils(
    cases: Cases, tmp_path: Path, archive: str, case: str
) -> None:
    inside = ["--in", str(cases.copy(archive, case, tmp_path))]
    commands = [[*command, *inside] for command in TEXT_COMMANDS]
    commands += [[*command, *inside, "--jsonl"] for command in TEXT_COMMANDS[:3]]
    check_not_loaded(commands, "sqlite_utils", folder=tmp_path)
