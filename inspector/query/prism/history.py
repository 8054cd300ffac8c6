"""Recorded facts one by one, what they say in words, and what a run's events point out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.derive.steps import StepTable
from inspector.model.run import Finding, Run
from inspector.model.step import Event, OpenConstruct, Step, StepKind
from inspector.query.prism import truth, view
from inspector.query.prism.cells import (
    instant_of,
    mapping,
    message_of,
    message_text,
    name_of,
    text_or_none,
    whole_number,
)
from inspector.query.prism.event_pages import read_event_records
from inspector.query.prism.heads import Checkpoint
from inspector.query.prism.load import Loaded
from inspector.query.prism.state import State
from inspector.query.prism.timeline import Timeline
from inspector.query.tables import Tables
from inspector.query.view import RunView

MOST_OWN_EVENTS = 200
"""Of a step with more the first and the last are given."""


def events(
    connection: sqlite3.Connection, tables: Tables, rowids: Sequence[int], numbers: Sequence[int]
) -> list[Event]:
    """The events in these rows under these numbers; one that is gone has no content."""
    found = read_event_records(connection, tables, rowids)
    return [_event(n, record) for n, record in zip(numbers, found, strict=True)]


def _event(n: int, record: Mapping[str, Any] | None) -> Event:
    if record is None:
        return Event(n, None, "gone", None, None, None, "this event was taken away", {})
    told = mapping(record.get("event"))
    at = record.get("timestamp")
    status = mapping(told.get("metadata")).get("status")
    return Event(
        n=n,
        id=text_or_none(record.get("id")),
        kind=text_or_none(record.get("type")) or "",
        raw_status=name_of(status),
        at=instant_of(at),
        at_raw=text_or_none(at),
        text=event_text(told),
        payload=record,
    )


def event_text(told: Mapping[str, Any]) -> str:
    """What an event says, in words."""
    if "error" in told:
        error = message_of(told["error"]) or "error"
        return ": ".join(part for part in (_subject(told), error) if part)
    if "message" in told:
        return message_text(told["message"])
    content = mapping(told.get("content"))
    if content:
        text = content.get("text")
        return text if isinstance(text, str) else _subject(content)
    return _subject(told)


def _subject(told: Mapping[str, Any]) -> str:
    """What an event is about: a tool, a guardrail, a limit, a model, a turn."""
    for key, inner in (
        ("call", "name"),
        ("result", "name"),
        ("record", "guardrail"),
        ("breach", "limit"),
        ("interruption", "reason"),
    ):
        name = name_of(mapping(told.get(key)).get(inner))
        if name is not None:
            return name
    model = name_of(mapping(mapping(told.get("metadata")).get("model")).get("model"))
    named = model or name_of(told.get("name")) or name_of(told.get("finishReason"))
    if named is not None:
        return named
    turn = whole_number(told.get("turn"))
    return "" if turn is None else f"turn {turn}"


def own_events(shown: RunView, step: int) -> list[int]:
    """Numbers of the events that belong to the step itself, oldest first."""
    first, last = shown.steps.first[step], shown.steps.last[step]
    if not first:
        return []
    of_step = shown.step_of_event[first - 1 : last]
    numbers = [n for n, one in enumerate(of_step, first) if one == step]
    if len(numbers) <= MOST_OWN_EVENTS:
        return numbers
    half = MOST_OWN_EVENTS // 2
    return [*numbers[:half], *numbers[-half:]]


def describer(steps: StepTable, checkpoint: Checkpoint | None) -> Callable[[int], Step]:
    """Makes steps into objects, with the segment and turn around them."""
    deadline = None if checkpoint is None else name_of(checkpoint.value.get("deadlineAt"))

    def describe(number: int) -> Step:
        step = steps.step(number)
        given: dict[str, Any] = {}
        for around in (number, *steps.ancestors(number)):
            kind = steps.kind_of(around)
            if kind in (StepKind.SEGMENT, StepKind.TURN):
                # Both are called by their number.
                word, _, place = steps.label[around].partition(" ")
                given.setdefault(word, int(place))
        if step.kind is StepKind.WAIT and deadline is not None:
            given["deadline"] = deadline
        return replace(step, ref={**given, **step.ref})

    return describe


def findings(
    loaded: Loaded,
    timeline: Timeline,
    state: State,
    run: Run,
    open_: Sequence[OpenConstruct],
    now: int,
) -> Iterator[Finding]:
    """What the events up to a state point out."""
    settled = run.last_activity_at is None or now - run.last_activity_at >= view.SETTLED_MS
    last = state.turn if state.turn >= 0 else state.segment
    yield from truth.event_findings(
        loaded.head,
        outcome=state.outcome,
        finish_reason=state.finish_reason,
        asked=state.asked,
        breaches=state.breaches,
        last_step=state.steps.path(last) if last >= 0 else None,
        settled=settled,
    )
    yield from view.unended(run.status, open_)
    if timeline.repeats:
        yield Finding(
            "sequence_repeats",
            "Sequence numbers of its events repeat; they are shown as they were written.",
        )
    for event in state.malformed[:20]:
        yield Finding(
            "damaged", f"Event {event} is not readable as JSON; it is shown raw.", f"event:{event}"
        )
    if state.malformed_count > 20:
        yield Finding("damaged", f"{state.malformed_count - 20} more events are not readable.")


def concerns(finding: Finding, step: Step, numbers: Sequence[int]) -> bool:
    """Whether a finding is about this step or one of its events."""
    if finding.ref == step.id:
        return True
    table, _, number = (finding.ref or "").partition(":")
    return table == "event" and number.isdigit() and int(number) in numbers
