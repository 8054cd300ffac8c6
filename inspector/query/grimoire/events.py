"""Entries of a ledger as facts, whatever is missing in them. Pure.

Source: the ledger events of Grimoire's core (git 0179eb2). An entry is identified by its index, not
its id: the commit of a run numbers its entries anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

LIFECYCLE = frozenset(
    {
        "handoff_submitted", "handoff_settled", "handoff_expired",
        "track_waiting", "track_resumed", "track_completed",
    }
)  # fmt: skip
"""Added after the preview and commit of a cross-chain run."""

PREVIEW = frozenset(
    {
        "preview_started", "run_started", "run_completed", "run_failed", "receipt_generated",
        "preview_completed", "approval_required",
    }
)  # fmt: skip
"""About the preview as a whole, wherever they occur."""

COMMIT = frozenset({"commit_started", "commit_completed"})
"""About the commit as a whole."""

STEP = frozenset({"step_started", "step_completed", "step_failed", "step_skipped"})

ADVISORY = frozenset(
    {
        "advisory_started", "advisory_model_used", "advisory_tool_execution_start",
        "advisory_tool_execution_update", "advisory_tool_execution_end", "advisory_completed",
        "advisory_failed", "advisory_rate_limited",
    }
)  # fmt: skip

INSIDE = frozenset(
    {
        "binding_set", "constraint_evaluated", "action_simulated", "value_delta", "event_emitted",
        "error_caught", "retry_attempted", "retry_succeeded", "retry_exhausted",
        "policy_check_passed", "policy_check_failed", "state_read", "state_write",
        "circuit_breaker_triggered", "circuit_breaker_action", "guard_passed", "guard_failed",
        "action_submitted", "action_confirmed", "action_reverted", "drift_check",
    }
)  # fmt: skip
"""Inside a step or between two."""

KNOWN = LIFECYCLE | PREVIEW | COMMIT | STEP | ADVISORY | INSIDE

_LAST_INSTANT = 8_640_000_000_000_000
"""The latest ECMAScript time value, in ms."""


class Fact(NamedTuple):
    """One entry of a ledger."""

    n: int
    """Its number, from 1."""
    id: str | None
    """Not unique."""
    at: int | None
    """UTC ms."""
    at_raw: object
    type: str | None
    """None for an entry without an event."""
    body: Mapping[str, Any]
    """The event's own fields."""
    whole: object
    """The raw entry."""

    def text(self, name: str) -> str | None:
        """Return a field as text; None if it is missing or null."""
        value = self.body.get(name)
        return value if value is None or isinstance(value, str) else str(value)

    def mapping(self, name: str) -> Mapping[str, object]:
        """Return a field that is an object; empty if it is anything else."""
        value = self.body.get(name)
        return value if isinstance(value, dict) else {}


def fact_of(n: int, entry: object) -> Fact:
    """Return an entry as a fact; anything but an object gives a fact without a type."""
    if not isinstance(entry, dict):
        return Fact(n, None, None, None, None, {}, entry)
    event = entry.get("event")
    body = event if isinstance(event, dict) else {}
    kind = body.get("type")
    name = entry.get("id")
    stamp = entry.get("timestamp")
    return Fact(
        n,
        name if name is None or isinstance(name, str) else str(name),
        instant_of(stamp),
        stamp,
        kind if isinstance(kind, str) else None,
        body,
        entry,
    )


def instant_of(stamp: object) -> int | None:
    """Return a number of ms since 1970 as an instant (UTC ms); None for anything else."""
    if type(stamp) is int:
        return stamp if abs(stamp) <= _LAST_INSTANT else None
    if isinstance(stamp, bool) or not isinstance(stamp, int | float):
        return None
    if isinstance(stamp, float):
        if not math.isfinite(stamp):
            return None
        stamp = math.floor(stamp)
    return stamp if abs(stamp) <= _LAST_INSTANT else None


def is_lifecycle(fact: Fact) -> bool:
    """Return whether an entry was added when a cross-chain run was saved."""
    return fact.type in LIFECYCLE or (fact.id is not None and fact.id.startswith("evt_cc_"))
