"""Private attributes of Textual that the screen uses: each listed, explained and still there.

Textual may rename what is private in any release. A use that cannot be avoided has a comment on
its line or above it, and its name is listed here, so that an update that removes it fails a test.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tests.architecture.sources import Source, package_sources

LISTED: dict[str, str] = {
    "App._driver": "whether the terminal can be handed over, before the screen is suspended",
    "App._handle_exception": "a crash leaves a sentence and a log, not a traceback with data",
    "DOMNode._bindings": "bindings that depend on the settings or the instance",
    "Input._on_paste": "pasting several lines",
    "textual.keys._character_to_key": "names of keys in the settings",
    "Input._suggestion": "accepting a completion, and drawing the rest of it",
}
"""CLASS.ATTRIBUTE or MODULE.NAME of Textual → what we need it for."""

ABOVE = 2
"""Lines above a use in which its comment may be."""


@dataclass(frozen=True, slots=True)
class Use:
    """One place that reads, sets or overrides a private attribute of Textual."""

    name: str
    """CLASS.ATTRIBUTE."""
    place: str
    has_comment: bool


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def own_private(cls: type) -> frozenset[str]:
    """Private attributes that a class of Textual defines, on itself or in its methods."""
    names = set(vars(cls))
    try:
        tree = ast.parse(inspect.cleandoc(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        tree = ast.parse("")
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        ):
            names.add(node.attr)
    return frozenset(filter(is_private, names))


def textual_bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "textual"]


@cache
def all_private() -> dict[str, str]:
    """Private attribute → CLASS.ATTRIBUTE, of the classes of Textual that others hold."""
    found: dict[str, str] = {}
    for module, name in (
        ("textual.app", "App"),
        ("textual.screen", "Screen"),
        ("textual.widget", "Widget"),
        ("textual.driver", "Driver"),
    ):
        for cls in reversed(textual_bases(getattr(import_module(module), name))):
            found.update((one, f"{cls.__name__}.{one}") for one in own_private(cls))
    return found


def has_comment(lines: list[str], number: int) -> bool:
    near = lines[max(0, number - 1 - ABOVE) : number]
    return any(re.search(r"(^|\s)# ", line) for line in near)


def uses_of_class(source: Source, node: ast.ClassDef, cls: type) -> Iterator[Use]:
    """Private attributes of a Textual base that the body of a class uses through `self`."""
    private = {
        name: f"{base.__name__}.{name}"
        for base in reversed(textual_bases(cls))
        for name in own_private(base)
    }
    lines = source.text.splitlines()
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            name = inner.name
        elif isinstance(inner, ast.Attribute) and is_of_self(inner.value):
            name = inner.attr
        else:
            continue
        if name in private:
            place = f"{source.path}: {node.name}"
            yield Use(private[name], place, has_comment(lines, inner.lineno))


def is_of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def is_super(node: ast.expr) -> bool:
    """Whether this is `super()`: the override has the comment."""
    call = node.func if isinstance(node, ast.Call) else node
    return isinstance(call, ast.Name) and call.id == "super"


def uses_of_others(source: Source, ours: frozenset[str]) -> Iterator[Use]:
    """Private attributes of Textual used on another object, as in `app._driver`."""
    lines = source.text.splitlines()
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Attribute)
            and not is_of_self(node.value)
            and not is_super(node.value)
            and node.attr in all_private()
            and node.attr not in ours
        ):
            place = f"{source.path}: {ast.unparse(node)}"
            yield Use(all_private()[node.attr], place, has_comment(lines, node.lineno))


def uses_of_modules(source: Source) -> Iterator[Use]:
    """Private names imported from a module of Textual."""
    lines = source.text.splitlines()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "textual":
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                if "._" in name:
                    yield Use(name, source.path, has_comment(lines, node.lineno))


def defined(source: Source) -> set[str]:
    """Names of methods and attributes of `self` that a module of ours defines."""
    names = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return names


@cache
def uses() -> tuple[Use, ...]:
    sources = [one for one in package_sources() if one.name.startswith("inspector.ui")]
    ours = frozenset(name for source in sources for name in defined(source))
    found: list[Use] = []
    for source in sources:
        module = import_module(source.name)
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef):
                cls = getattr(module, node.name)
                if isinstance(cls, type) and textual_bases(cls):
                    found += uses_of_class(source, node, cls)
        found += (*uses_of_others(source, ours), *uses_of_modules(source))
    return tuple(found)


def test_private_attributes_are_listed() -> None:
    found: dict[str, set[str]] = {}
    for use in uses():
        found.setdefault(use.name, set()).add(use.place)
    assert not {name: found[name] for name in found if name not in LISTED}
    assert not [name for name in LISTED if name not in found], "no longer used"


def test_private_attributes_have_a_comment() -> None:
    assert not [f"{use.place} {use.name}" for use in uses() if not use.has_comment]


def test_private_attributes_still_exist() -> None:
    known = {f"{cls.__name__}.{name}" for cls in textual_classes() for name in own_private(cls)}
    for name in LISTED:
        module, _, attribute = name.rpartition(".")
        if module.startswith("textual."):
            assert hasattr(import_module(module), attribute), name
        else:
            assert name in known


def textual_classes() -> set[type]:
    """All classes of Textual that are loaded with the application."""
    import_module("inspector.ui.app")
    found: set[type] = set()
    pending: list[type] = [import_module("textual.message_pump").MessagePump]
    while pending:
        cls = pending.pop()
        found.update(textual_bases(cls))
        pending += cls.__subclasses__()
    return found
