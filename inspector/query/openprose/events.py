"""Reads rows of `execution` as typed facts.

Source: OpenProse state document, `execution` table and its examples (both write styles).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.text.parse_time import parse_instant

Row = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]
"""id, statement_index, statement_text, status, started_at, completed_at, error_message,
parent_id, metadata as recorded; None for a column that does not exist."""

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
"""Case-sensitive; any other word is unknown."""

APPEND_WORDS = frozenset({"started", "joined", "iteration", "exited", "retry"})
"""Words used only by writers that append rows (state document from 2026-01-23 on)."""

MAX_DEPTH = 200
"""JSON nested more deeply is not parsed; no construct's metadata is."""
SHORT = 512
"""Metadata up to this many characters is parsed once and cached."""

_DECODER = json.JSONDecoder()
_SPACE = (" ", "\t", "\n", "\r")


class Meta:
    """The facts in `metadata`; a field of the wrong type counts as absent.

    Immutable once read: rows with the same text share one instance.
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
    """Whether it has keys used only by writers that update rows in place."""
    malformed: bool = False
    whole: Mapping[str, Any] = MappingProxyType({})


NOTHING = Meta()
BROKEN = Meta()
BROKEN.malformed = True


def meta_of(raw: object) -> Meta:
    """Return the facts in a `metadata` cell; none unless it is a JSON object. Never raises."""
    if raw is None or raw == "" or raw == "{}":
        return NOTHING
    if isinstance(raw, bytes):
        raw = raw.decode("utf-8", "replace")
    if not isinstance(raw, str):
        return BROKEN
    return _read_short(raw) if len(raw) <= SHORT else _read_meta(raw)


def _read_meta(raw: str) -> Meta:
    if len(raw) > SHORT and raw.count("[") + raw.count("{") > MAX_DEPTH * 50:
        return BROKEN
    try:
        data, end = _DECODER.raw_decode(raw)
        if end != len(raw):
            data = _DECODER.decode(raw)
    except (ValueError, RecursionError):
        return BROKEN if raw[:1] not in _SPACE else _read_meta(raw.strip("".join(_SPACE)))
    if type(data) is not dict:
        return NOTHING if data is None else BROKEN
    meta = Meta()
    fields = meta.__dict__
    fields["whole"] = data
    for key, value in data.items():
        readers = _READERS.get(key)
        if readers is not None:
            for field, read in readers:
                fields[field] = read(value)
            if key in _UPDATE_KEYS:
                fields["update_style"] = True
    return meta


_read_short = lru_cache(maxsize=4096)(_read_meta)
"""Rows of one construct often repeat their metadata; long texts are not cached."""


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
    if isinstance(value, float) and value.is_integer() and 0 <= value < 2**53:
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
    "strategy": (),
}
_UPDATE_KEYS = frozenset(
    ("current_iteration", "max_iterations", "retry_attempt", "max_retries", "strategy")
)


def text_of(value: object) -> str:
    """Return any cell as text; bytes that are not UTF-8 become replacement characters."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def instant_of(value: object) -> int | None:
    """Return what `parse_instant` returns, faster for the format of `datetime('now')`."""
    if type(value) is str and len(value) == 19 and value[10] in " T":
        day = _day(value[:10])
        if day is not None and value[13] == value[16] == ":":
            hour, minute = _TWO_DIGITS.get(value[11:13], 99), _TWO_DIGITS.get(value[14:16], 99)
            second = _TWO_DIGITS.get(value[17:19], 99)
            if hour < 24 and minute < 60 and second < 60:
                return day + hour * 3_600_000 + minute * 60_000 + second * 1000
    return parse_instant(value)


_TWO_DIGITS = {f"{number:02d}": number for number in range(60)}


@lru_cache(maxsize=256)
def _day(text: str) -> int | None:
    return parse_instant(f"{text} 00:00:00")


def index_of(value: object) -> int | float | str | None:
    """Return a `statement_index` as a key: integers are equal in whatever type they are stored."""
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if value is None:
        return None
    text = text_of(value)
    number = text.strip()
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else text


COMPLETED = Status.COMPLETED
FAILED = Status.FAILED
INTERRUPTED = Status.INTERRUPTED
NOT_NEEDED = Status.NOT_NEEDED
PENDING = Status.PENDING
RUNNING = Status.RUNNING
UNKNOWN = Status.UNKNOWN

BLOCK = StepKind.BLOCK
BRANCH = StepKind.BRANCH
ITERATION = StepKind.ITERATION
LOOP = StepKind.LOOP
PARALLEL = StepKind.PARALLEL
STATEMENT = StepKind.STATEMENT
