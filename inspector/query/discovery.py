"""Discovery with the layouts of the built-in runtimes."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.query.registry import built_in_backends
from inspector.store.discover import Discovery, Limits
from inspector.store.discover import discover as search
from inspector.store.places import RunFolderNames

_NO_LIMITS = Limits()


def discover(
    paths: Sequence[str], *, home: str | None, cwd: str, limits: Limits = _NO_LIMITS
) -> Discovery:
    """Search PATHs, else `cwd` and `home`, for stores of every runtime.

    Stores of other distributions are found as databases, by their tables. Raises MissingPath.
    """
    layouts = [backend.layout for backend in built_in_backends()]
    return search(paths, layouts, home=home, cwd=cwd, limits=limits)


def run_folder_names() -> RunFolderNames:
    """Return the files by which run folders of all runtimes are watched."""
    found = [backend.run_folder_names for backend in built_in_backends()]
    return RunFolderNames(
        databases=tuple(name for one in found for name in one.databases),
        logs=tuple(name for one in found for name in one.logs),
        nested=tuple(name for one in found for name in one.nested),
    )
