"""Logs folded for tests, and what they gave in few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inspector.model.step import Step
from inspector.query.openprose.logs import view
from inspector.query.openprose.logs.events import Scanner
from inspector.query.openprose.logs.fold import apply, fold
from inspector.query.openprose.logs.folder import Surroundings
from inspector.query.openprose.logs.state import LogState


def folded(text: str | Iterable[str], *, pieces: int = 0) -> LogState:
    """The state after a whole log, fed at once or in pieces of so many bytes."""
    lines = text if isinstance(text, str) else "".join(f"{line}\n" for line in text)
    data = lines.encode("utf-8", "surrogatepass")
    scanner, state = Scanner(), LogState()
    size = pieces or len(data) or 1
    for at in range(0, len(data), size):
        fold(scanner.feed(data[at : at + size]), state)
    found = scanner.unfinished()
    if found is not None:
        apply(state, found, whole=False)
    return state


class Steps:
    """The steps of a log, by id."""

    def __init__(self, text: str | Iterable[str], names: Iterable[str] = ()) -> None:
        self.state = folded(text)
        self.shown = view.show(self.state, Surroundings(names=frozenset(names)))
        described = [self.shown.describe(n) for n in range(len(self.shown.steps))]
        self.by_id: dict[str, Step] = {step.id: step for step in described}

    def __getitem__(self, name: str) -> Step:
        return self.by_id[name]

    def statuses(self) -> dict[str, str]:
        """Id → status."""
        return {name: step.status.value for name, step in self.by_id.items()}

    def of_event(self, n: int) -> str:
        """The id of the step that an event belongs to."""
        return self.shown.steps.path(self.state.event_step[n - 1])


def facts(state: LogState) -> list[Any]:
    """All that a fold made, to be compared with another."""
    steps = state.steps
    return [
        [steps.step(n) for n in range(len(steps))],
        list(state.event_step),
        list(state.lines),
        list(state.failures),
        state.ended,
        list(state.remarks),
        list(state.numbers),
    ]
