"""What JavaScript programs write: instants, ids and JSON, which follow from the clock alone."""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import UTC, datetime


def iso(at: int) -> str:
    """An instant (UTC ms) as `Date.toISOString` gives it."""
    seconds, rest = divmod(at, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


def digest(*parts: object) -> str:
    """64 hex digits that follow from the parts."""
    return hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()


def uuid_of(*parts: object) -> str:
    """A random-looking UUID that follows from the parts."""
    return str(uuid.UUID(digest(*parts)[:32], version=4))


def compact(value: object) -> str:
    """JSON as `JSON.stringify` gives it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
