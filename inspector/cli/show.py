"""`inspector show RUN`: steps as a tree, and findings."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from inspector.cli.errors import FINE, UserError
from inspector.cli.output import (
    brief,
    is_terminal,
    shown,
    write_json,
    write_jsonl,
    write_line,
    write_status,
    write_text,
)
from inspector.cli.workspace import reader
from inspector.export import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.model.step import Step
    from inspector.query.view import RunView

_SIGNS = {
    "running": "*", "waiting": "!", "completed": "+", "failed": "x", "interrupted": "#",
    "pending": ".", "skipped": ">", "not_needed": "-", "unconfirmed": "~", "unknown": "?",
}  # fmt: skip
_DEEPEST = 20
"""Indented levels; deeper steps are prefixed with their depth."""
_MOST_IN_TREE = 5_000
"""Steps that are drawn with guides; larger runs are only indented."""


def run(options: argparse.Namespace) -> int:
    """Show one run, now or after its first N events."""
    with reader(options) as (_, _, opened):
        view = opened.refresh()
        if options.at is not None:
            if options.at > view.total_events:
                raise UserError(f"The run has {view.total_events} events, not {options.at}.")
            view = opened.at(options.at)
        if options.json:
            write_json("show", documents.show(view, options.depth), reveal=options.reveal)
        elif options.jsonl:
            steps = documents.show(view, options.depth)["steps"]
            write_jsonl("show", steps, reveal=options.reveal)
        else:
            _print_head(view, options)
            _print_steps(view, options)
    return FINE


def _print_head(view: RunView, options: argparse.Namespace) -> None:
    from inspector.text.numbers import duration

    one = view.run
    raw = "not recorded" if one.raw_status is None else shown(one.raw_status)
    title = shown(one.title, reveal=options.reveal)
    write_status(f"{title}   {one.status}   (recorded: {raw})", one.status)
    times = "no times recorded" if one.order_only else f"{duration(one.duration_ms).strip()}"
    variant = f"{one.runtime} {one.store.variant or '?'}, {one.store.write_style}"
    events = f"{view.events} {'event' if view.events == 1 else 'events'}"
    write_line(f"{shown(one.run_id or '-')}   {variant}   {times}   {events}")
    for finding in one.findings:
        write_status(f"^ {shown(finding.message, reveal=options.reveal)}", "waiting")
    write_line()


def _print_steps(view: RunView, options: argparse.Namespace) -> None:
    numbers = list(_shown_steps(view, options.depth))
    if is_terminal() and len(numbers) <= _MOST_IN_TREE:
        from inspector.cli.terminal import StepTree

        tree = StepTree()
        for number, level in numbers:
            step = view.describe(number)
            label, error = _label(step, options.reveal), _error(step, options.reveal)
            prefix = f"({level}) " if level > _DEEPEST else ""
            tree.add(min(level, _DEEPEST), _SIGNS[step.status], prefix + label, step.status, error)
        if numbers:
            write_text(str(tree))
        return
    for number, level in numbers:
        step = view.describe(number)
        indent = "  " * min(level, _DEEPEST) + (f"({level}) " if level > _DEEPEST else "")
        label, error = _label(step, options.reveal), _error(step, options.reveal)
        write_status(f"{_SIGNS[step.status]} {indent}{label}{error}", step.status)


def _shown_steps(view: RunView, depth: int | None) -> Iterator[tuple[int, int]]:
    """Yield each step, parents first, with its level from 0; only `depth` levels if given."""
    from inspector.derive.steps import levels_of

    levels = levels_of(view.steps)
    children: dict[int, list[int]] = {}
    for number, parent in enumerate(view.steps.parent):
        children.setdefault(parent, []).append(number)
    stack = list(reversed(children.get(-1, [])))
    while stack:
        number = stack.pop()
        if depth is None or levels[number] <= depth:
            yield number, levels[number] - 1
        stack.extend(reversed(children.get(number, [])))


def _label(step: Step, reveal: bool) -> str:
    from inspector.model.step import StepKind

    name = step.label
    if step.kind is StepKind.BRANCH:
        name = f"<{step.ref.get('branch')}> {name}"
    elif step.kind is StepKind.ITERATION:
        name = f"[{step.iteration}]"
    elif step.ref.get("statement_index") is not None:
        name = f"{step.ref['statement_index']} {name}"
    tries = f"  x{len(step.attempts)}" if len(step.attempts) > 1 else ""
    return f"{brief(name, reveal=reveal).rstrip()}{tries}"


def _error(step: Step, reveal: bool) -> str:
    return f"  {brief(step.error, reveal=reveal)}" if step.error else ""
