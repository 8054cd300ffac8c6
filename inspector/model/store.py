"""A store of runs, and its health."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.model.trust import Own


class Health(StrEnum):
    """Readability of a store."""

    OK = "ok"
    BUSY = "busy"
    PARTIAL = "partial"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"
    GONE = "gone"
    DENIED = "denied"


class WriteStyle(StrEnum):
    """How a runtime records progress: adding rows, updating them, or both."""

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
    """Prism only: verdict on the schema."""
    verdict_note: str | None = None
    """Sentences: the reason, what Prism would report on opening it, and the remedy."""
