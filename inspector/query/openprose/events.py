"""Rows of `execution` as facts: what each row says, whatever wrote it.

Source: OpenProse state document, `execution` table and its examples (both write styles).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from inspector.model.status import Status

Row = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]
"""id, statement_index, statement_text, status, started_at, completed_at, error_message,
parent_id, metadata: as they stand, None where the column does not exist."""

COLUMNS = (
    "id",
    "statement_index",
    "statement_text",
    "status",
    "started_at",
    "completed_at",
    "error_message",
    "parent_id",
    "metadata",
)

ROW_STATUS: dict[str, Status] = {
    "pending": Status.PENDING,
    "executing": Status.RUNNING,
    "started": Status.RUNNING,
    "retry": Status.RUNNING,
    "completed": Status.COMPLETED,
    "joined": Status.COMPLETED,
    "exited": Status.COMPLETED,
    "iteration": Status.COMPLETED,
    "failed": Status.FAILED,
    "skipped": Status.SKIPPED,
}
"""Exact and case-sensitive; any other word is unknown."""

APPEND_WORDS = frozenset({"started", "joined", "iteration", "exited", "retry"})
"""Words that only a writer uses who adds rows (state document from 2026-01-23 on)."""

MAX_DEPTH = 200
"""JSON nested deeper than this is not followed: it cannot be a construct's metadata."""


class Meta:
    """What `metadata` says about constructs; every field is absent unless it has the right type.

    Never changed after it was read: rows with the same text share one.
    """

    parallel_id: str | None = None
    branch: str | None = None
    branches: tuple[str, ...] | None = None
    loop_id: str | None = None
    iteration: int | None = None
    maximum: int | None = None
    condition: str | None = None
    reason: str | None = None
    attempt: int | None = None
    max_attempts: int | None = None
    current_iteration: int | None = None
    block: str | None = None
    depth: int | None = None
    update_style: bool = False
    """Has keys that only a writer uses who changes rows in place."""
    malformed: bool = False
    whole: Mapping[str, Any] = MappingProxyType({})


NOTHING = Meta()
BROKEN = Meta()
BROKEN.malformed = True


def meta_of(raw: object) -> Meta:
    """Reads one `metadata` cell; what is not a JSON object says nothing, and never raises."""
    if raw is None or raw == "" or raw == "{}":
        return NOTHING
    if isinstance(raw, bytes):
        raw = raw.decode("utf-8", "replace")
    if not isinstance(raw, str):
        return BROKEN
    return _read_meta(raw)


@lru_cache(maxsize=4096)
def _read_meta(raw: str) -> Meta:
    if raw.count("[") + raw.count("{") > MAX_DEPTH * 50:
        return BROKEN
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return BROKEN
    if data is None:
        return NOTHING
    if not isinstance(data, dict):
        return BROKEN
    meta = Meta()
    meta.whole = data
    for key, value in data.items():
        for field, read in _READERS.get(key, ()):
            setattr(meta, field, read(value))
    meta.update_style = not data.keys().isdisjoint(_UPDATE_KEYS)
    return meta


def _name(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def _names(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    names = (_name(item) for item in value)
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _count(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if isinstance(value, int) and 0 <= value < 2**53 else None


_READERS: dict[str, tuple[tuple[str, Callable[[object], object]], ...]] = {
    "parallel_id": (("parallel_id", _name),),
    "branch": (("branch", _name),),
    "branches": (("branches", _names),),
    "loop_id": (("loop_id", _name),),
    "iteration": (("iteration", _count),),
    "max": (("maximum", _count), ("max_attempts", _count)),
    "max_iterations": (("maximum", _count),),
    "max_retries": (("max_attempts", _count),),
    "max_attempts": (("max_attempts", _count),),
    "condition": (("condition", _name),),
    "reason": (("reason", _name),),
    "attempt": (("attempt", _count),),
    "retry_attempt": (("attempt", _count),),
    "current_iteration": (("current_iteration", _count),),
    "block": (("block", _name),),
    "depth": (("depth", _count),),
}
_UPDATE_KEYS = frozenset(
    ("current_iteration", "max_iterations", "retry_attempt", "max_retries", "strategy")
)


def text_of(value: object) -> str:
    """Any cell as text; bytes that are not UTF-8 become replacement characters."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def index_of(value: object) -> int | float | str | None:
    """A `statement_index` as it may be keyed: whole numbers are equal however they are stored."""
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if value is None:
        return None
    text = text_of(value)
    number = text.strip()
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else text
