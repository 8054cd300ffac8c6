"""The source files of the package, parsed once for all architecture tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "inspector"


@dataclass(frozen=True, slots=True)
class Source:
    """One module."""

    name: str
    """Dotted, without `__init__`."""
    path: str
    """Relative to the checkout."""
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The first two or three parts of the name: a layer, or a part of `query` or `ui`."""
        parts = self.name.split(".")
        deep = parts[1:2] in (["query"], ["ui"]) and len(parts) > 3
        return ".".join(parts[: 3 if deep else 2])


@cache
def package_sources() -> tuple[Source, ...]:
    """All modules of `inspector`, in order of their paths."""
    return tuple(_sources())


def _sources() -> Iterator[Source]:
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = file.read_text(encoding="utf-8")
        yield Source(name, str(file.relative_to(ROOT)), text, ast.parse(text))


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Docstrings, also those below an attribute: every statement that is only a string."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value
