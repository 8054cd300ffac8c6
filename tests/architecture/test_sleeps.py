"""No test sleeps for a fixed time: it waits for a condition with `tests.waiting`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import ROOT

ALLOWED = {
    "tests/waiting.py": "polls",
    "tests/ui/waiting.py": "polls",
    "tests/recorder.py": "polls",
    "tests/resume/stand_in_grimoire.py": "is a slow program",
    "tests/live/test_many_runs.py": "is a slow receiver",
    "tests/ui/pnl/test_pnl.py": "is a slow reader",
}


def sleeps(tree: ast.Module) -> Iterator[int]:
    """Lines with `time.sleep(…)`, `asyncio.sleep(…)` but for 0, or `pilot.pause(…)`."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        name = ast.unparse(node.func)
        yields = ast.unparse(node.args[0]) == "0"
        if (name in ("time.sleep", "asyncio.sleep") and not yields) or name.endswith("pilot.pause"):
            yield node.lineno


def test_tests_wait_for_conditions() -> None:
    found: dict[str, list[int]] = {}
    for file in sorted((ROOT / "tests").rglob("*.py")):
        lines = list(sleeps(ast.parse(file.read_text(encoding="utf-8"))))
        if lines:
            found[str(Path(file).relative_to(ROOT))] = lines
    assert not {name: lines for name, lines in found.items() if name not in ALLOWED}
    assert not ALLOWED.keys() - found.keys(), "no longer needed"
