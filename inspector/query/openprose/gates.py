"""Gates: places where a run waits for a person's answer. They are shown and never answered.

Source: OpenProse state document, "Approval Gates": a row of `gates` is pending until somebody
approves or rejects it, or its deadline passes; who answers must write the audit trail first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.model.clock import rfc3339
from inspector.model.run import Finding
from inspector.query.openprose.events import text_of
from inspector.query.tables import Tables
from inspector.text.numbers import age
from inspector.text.parse_time import parse_instant

PENDING = "pending"
MOST_GATES = 100
_PROMPT_CHARS = 200


@dataclass(frozen=True, slots=True)
class Gate:
    """An unanswered gate."""

    name: str
    prompt: str
    deadline: int | None
    """UTC ms; None without a deadline or if it cannot be parsed."""
    deadline_raw: str | None


def pending_gates(connection: sqlite3.Connection, tables: Tables) -> Sequence[Gate]:
    """Return unanswered gates, oldest first; none if the table cannot be read."""
    table = tables.get("gates")
    if table is None or not table.has("status"):
        return ()
    columns = (
        table.column("id", "gate_id", "name"),
        f"substr({table.column('prompt')}, 1, {_PROMPT_CHARS})",
        table.column("timeout_at"),
    )
    sql = (
        f"SELECT {', '.join(columns)} FROM gates WHERE status = ?"
        f" ORDER BY {table.order} LIMIT {MOST_GATES}"
    )
    try:
        rows = connection.execute(sql, (PENDING,)).fetchall()
    except sqlite3.DatabaseError:
        return ()
    return tuple(
        Gate(
            text_of(name),
            text_of(prompt),
            parse_instant(deadline),
            None if deadline is None else text_of(deadline),
        )
        for name, prompt, deadline in rows
    )


def waiting(gates: Iterable[Gate], now: int) -> Iterable[Finding]:
    """Report each gate and its deadline. A deadline that passed is reported, not acted upon."""
    for gate in gates:
        name = f"gate {gate.name}" if gate.name else "a gate"
        asked = f": {gate.prompt}" if gate.prompt else "."
        if gate.deadline is None:
            until = f" until {gate.deadline_raw}" if gate.deadline_raw else ""
            yield Finding("gate_pending", f"Waits for an answer to {name}{until}{asked}", gate.name)
            continue
        when = _in_words(gate.deadline) or gate.deadline_raw or ""
        if gate.deadline < now:
            passed = age(now - gate.deadline)
            yield Finding(
                "gate_expired",
                f"No answer to {name}; its deadline passed at {when}, {passed} ago{asked}",
                gate.name,
            )
        else:
            left = age(gate.deadline - now)
            yield Finding(
                "gate_pending",
                f"Waits for an answer to {name} until {when}, {left} from now{asked}",
                gate.name,
            )


def _in_words(instant: int) -> str | None:
    """Return an instant to the minute, with its time zone."""
    exact = rfc3339(instant)
    return None if exact is None else f"{exact[:16].replace('T', ' ')} UTC"
