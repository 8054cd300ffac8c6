"""One place where a runtime keeps its runs, and how well it can be read."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.model.trust import Own


class Health(StrEnum):
    """How well a store can be read now."""

    OK = "ok"
    BUSY = "busy"
    PARTIAL = "partial"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"
    GONE = "gone"
    DENIED = "denied"


class WriteStyle(StrEnum):
    """How the runtime records progress: by adding rows, by changing them, or both."""

    APPEND = "append"
    UPDATE = "update"
    MIXED = "mixed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Store:
    """One database (or run log) of a known runtime."""

    path: Own[str]
    runtime: Own[str]
    """The name of its backend."""
    variant: Own[str | None]
    write_style: WriteStyle
    health: Health
    reason: str | None = None
    """A sentence for every health but `ok`."""
    verdict: Own[str | None] = None
    """Prism only: whether its schema is genuine."""
    verdict_note: str | None = None
    """Why, what Prism itself would say on opening it, and what to do; sentences."""
