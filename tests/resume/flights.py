"""Runs and pre-flights for plans."""

from __future__ import annotations

from typing import Any

from inspector.model.preflight import Caution, Command, Decision, Position, PreFlight
from inspector.model.run import Run, RunKind
from inspector.model.status import Status
from inspector.model.store import Health, Store, WriteStyle

KEY = "openprose:/project/runs/one/state.db#one"
PROMPT = "Resume (do not restart) OpenProse run one.\nThe rest."


def run(title: str = "nightly-audit", **given: Any) -> Run:
    store = Store("/project/runs/one/state.db", "openprose", "v5", WriteStyle.APPEND, Health.OK)
    whole: dict[str, Any] = {
        "key": KEY,
        "run_id": "one",
        "status": Status.INTERRUPTED,
        "raw_status": "interrupted",
    }
    whole.update(given)
    return Run(kind=RunKind.PROGRAM, store=store, title=title, **whole)


def asking(folder: str, prompt: str = PROMPT, **given: Any) -> PreFlight:
    """A run that a host is asked to resume."""
    whole: dict[str, Any] = {
        "position": Position("parallel", statement_index=2, parallel_id="p1", rerun=("d",)),
        "stands": "parallel p1, statement 2",
        "done": ("branches a, b",),
        "will_run": ("branch d", "then the join"),
        "unknown": ("branch c: its value exists",),
        "warnings": (Caution("may_repeat", "It may run twice."),),
        "needs": ("a host",),
        "liveness": "unknown, nothing written for 11 h",
        "record": {"run": "interrupted", "events": "4"},
        "outcome": Status.INTERRUPTED,
    }
    whole.update(given)
    return PreFlight(KEY, True, None, prompt=prompt, folder=folder, **whole)


def commanding(folder: str, *argv: str, **given: Any) -> PreFlight:
    """A run whose runtime has a command of its own."""
    return PreFlight(
        KEY, True, None, Position("track"), command=Command(argv, folder), folder=folder, **given
    )


def waiting(folder: str, **given: Any) -> PreFlight:
    """A run that waits for a decision, resumed by a template of the user's."""
    whole: dict[str, Any] = {
        "fills": {"run_id": "r", "session_id": "s", "expected_version": "3"},
        "decisions": (
            Decision("approve", None, 'POST {base}/x\n\n{"decision": "approve"}'),
            Decision("deny", None, 'POST {base}/x\n\n{"decision": "deny"}'),
        ),
        "record": {"checkpoint": "suspended, version 3"},
        "outcome": Status.WAITING,
    }
    whole.update(given)
    return PreFlight(KEY, True, None, Position("approval"), folder=folder, **whole)
