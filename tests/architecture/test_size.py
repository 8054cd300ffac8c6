"""Reminders about size, and a check that nothing is left unfinished.

A module is as large as its subject. Beyond these sizes it probably has two subjects: look for them,
and raise the limit rather than split a module that is read as one.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES_OF_A_MODULE = 800
LINES_OF_A_FUNCTION = 80
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|NotImplemented" r"Error")


def sources() -> Iterator[tuple[str, str]]:
    for folder in ("inspector", "tests", "benchmarks", "screenshots"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def long_functions(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LINES_OF_A_FUNCTION:
                yield f"{node.lineno}: {node.name} has {lines} lines"


def test_modules_have_one_subject() -> None:
    lengths = {name: text.count("\n") for name, text in sources()}
    assert "inspector/__init__.py" in lengths
    assert not {name: lines for name, lines in lengths.items() if lines > LINES_OF_A_MODULE}


def test_functions_have_one_subject() -> None:
    assert not [f"{name}:{found}" for name, text in sources() for found in long_functions(text)]


def test_nothing_is_left_unfinished() -> None:
    found = [
        f"{name}:{number}"
        for name, text in sources()
        for number, line in enumerate(text.splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not found
