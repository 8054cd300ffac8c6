"""The runtimes that are understood: three built in, others from installed distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from inspector.query.backend import Backend
    from inspector.query.presentation import Presentation

BUILT_IN: Mapping[str, tuple[str, str]] = {
    "openprose": ("inspector.query.openprose.backend", "OpenProse"),
    "grimoire": ("inspector.query.grimoire.backend", "Grimoire"),
    "prism": ("inspector.query.prism.backend", "Prism"),
}
"""Name → module and class, imported when first needed."""

ENTRY_POINT_GROUP = "inspector.runtimes"
"""Distributions register a `Backend` class here, under the runtime's name."""


@cache
def _built_in(name: str) -> Backend:
    module, backend = BUILT_IN[name]
    return cast("Backend", getattr(import_module(module), backend)())


@cache
def _installed() -> Mapping[str, Backend]:
    """Backends of other distributions. Reading entry points takes milliseconds, hence cached."""
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINT_GROUP)
    return {one.name: cast("Backend", one.load()()) for one in found if one.name not in BUILT_IN}


def built_in_backends() -> Iterator[Backend]:
    """Yield the backends of this distribution."""
    for name in BUILT_IN:
        yield _built_in(name)


def backends() -> Iterator[Backend]:
    """Yield every backend, the built-in ones first; others are looked up only if asked for."""
    yield from built_in_backends()
    yield from _installed().values()


def backend_named(name: str) -> Backend:
    """Return the backend of a runtime. Raises KeyError for an unknown name."""
    return _built_in(name) if name in BUILT_IN else _installed()[name]


def recognise(tables: Mapping[str, Sequence[str]]) -> Backend | None:
    """Return the backend whose store has these tables (name → columns)."""
    return next((one for one in backends() if tables and one.recognise(tables)), None)


def presentation_of(runtime: str) -> Presentation:
    """Return what to say about the runs of a runtime."""
    return backend_named(runtime).presentation


def names() -> tuple[str, ...]:
    """Return the names of all runtimes, installed ones included."""
    return (*BUILT_IN, *_installed())
