"""Every string that a user may see, in one file to proof-read: `make strings` rewrites it.

A string counts as visible when it reads as prose (it has a space between words, or begins with a
capital letter) or is given to a parameter or class that shows it. Docstrings, SQL, patterns, style
sheets, keys of dictionaries and operands of comparisons do not count. Sections are layers and
strings are sorted, so that moving code within a layer changes nothing here.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import Source, docstrings, package_sources

FILE = Path(__file__).parent / "strings.txt"

SHOWN_BY_KEYWORD = frozenset(
    {
        *("about", "description", "empty", "head", "help", "hint", "label", "message", "note"),
        *("placeholder", "prompt", "reason", "sentence", "text", "title", "unit", "word"),
    }
)
SHOWN_BY_CALL = frozenset(
    {
        *(
            "Column",
            "Command",
            "Finding",
            "Hint",
            "Notice",
            "Problem",
            "Tab",
            "UserError",
            "Warning",
        ),
        *("add", "line", "notify", "print", "put", "say", "write", "write_line"),
    }
)
"""Functions and classes whose positional strings are shown, even if they are single words."""

PROSE = re.compile(r"[^\W\d_]{2,}[,;:.!?)]* [^\W\d_(‹{]|\{\} [^\W\d_]{2,}|[^\W\d_]{2,} \{\}")
CAPITAL = re.compile(r"[A-Z][a-z]+[.…:]?$")
NOT_PROSE = re.compile(
    r"""^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|BEGIN|COMMIT|ATTACH|EXPLAIN
        |FROM|WHERE|ORDER|GROUP|JOIN|LEFT|UNION|VALUES|ON|AND|LIMIT|CAST|CASE|COALESCE)\b
    |\(\?|\\[bdsw]|\{\n|^%[A-Za-z]
    |^[a-z]+([._:][a-z]+)+$""",
    re.VERBOSE,
)


def visible_strings() -> dict[str, set[str]]:
    """Layer → its visible strings."""
    found: dict[str, set[str]] = {}
    for source in package_sources():
        strings = set(strings_of(source))
        if strings:
            found.setdefault(source.package, set()).update(strings)
    return found


def strings_of(source: Source) -> Iterator[str]:
    """The visible strings of a module; what an f-string inserts reads as `{}`."""
    hidden = {id(node) for node in hidden_strings(source.tree)}
    shown = {id(node) for node in shown_strings(source.tree)}
    for node in ast.walk(source.tree):
        text = text_of(node)
        if text is None or id(node) in hidden or not re.search(r"[^\W\d_]", text):
            continue
        if NOT_PROSE.search(text) or len(text.split()) > 200:
            continue
        if id(node) in shown or PROSE.search(text) or CAPITAL.match(text):
            yield text


def text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def hidden_strings(tree: ast.Module) -> Iterator[ast.AST]:
    """Strings that are not shown, whatever they look like."""
    yield from docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            # Counted as a whole.
            yield from node.values
        elif isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            yield from ast.walk(node.format_spec)
        elif isinstance(node, ast.Dict):
            yield from (key for key in node.keys if key is not None)
        elif isinstance(node, ast.Subscript):
            yield from ast.walk(node.slice)
        elif isinstance(node, ast.Compare):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield from ast.walk(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield from ast.walk(node.returns)
        elif isinstance(node, ast.Assign) and is_named(node, "__all__", "DEFAULT_CSS", "CSS"):
            yield from ast.walk(node.value)
        elif isinstance(node, ast.Call) and name_of(node.func) in ("compile", "cast", "TypeVar"):
            yield from ast.walk(node)


def shown_strings(tree: ast.Module) -> Iterator[ast.AST]:
    """Strings that are given to something that shows them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if name_of(node.func) in SHOWN_BY_CALL:
                yield from node.args
            for keyword in node.keywords:
                if keyword.arg in SHOWN_BY_KEYWORD:
                    yield keyword.value


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_named(node: ast.Assign, *names: str) -> bool:
    return any(name_of(target) in names for target in node.targets)


def rendered() -> str:
    """The contents of the file."""
    lines = ["# Made by `make strings`. Read it through after changing a text."]
    for layer, strings in sorted(visible_strings().items()):
        lines += ["", f"## {layer}", *sorted(map(on_one_line, strings), key=sort_key)]
    return "\n".join(lines) + "\n"


def on_one_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def sort_key(text: str) -> tuple[str, str]:
    return text.strip(" {}.,:;()‹›'\"").casefold(), text


if __name__ == "__main__":
    FILE.write_text(rendered(), encoding="utf-8")
    sys.stdout.write(f"{FILE}\n")
