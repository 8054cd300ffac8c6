"""Inspector watches, explains and resumes agent runs from the databases that they leave behind.

    import inspector

    with inspector.open("~/work") as workspace:
        for run in workspace.runs(status="failed"):
            print(run.title, workspace.run(run.key).steps())

The names below are the public interface, documented in docs/API.md and loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.api import (
        Ambiguous,
        NoMatch,
        NotRecorded,
        Results,
        Run,
        StoreUnavailable,
        Workspace,
        open,
    )

__version__ = "0.1.0"

__all__ = [
    "Ambiguous",
    "NoMatch",
    "NotRecorded",
    "Results",
    "Run",
    "StoreUnavailable",
    "Workspace",
    "__version__",
    "open",
]


def __getattr__(name: str) -> Any:
    """Load the public interface on first use; the command line never needs it."""
    if name in __all__:
        from inspector import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
