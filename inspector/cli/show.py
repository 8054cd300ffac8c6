"""`inspector show RUN`: steps as a tree, and findings."""

from __future__ import annotations

import argparse

from inspector.cli.errors import FINE, UserError
from inspector.cli.output import brief, line_cells, shown, write_json, write_jsonl, write_line
from inspector.cli.workspace import reader
from inspector.derive.steps import levels_of
from inspector.export import documents
from inspector.model.step import StepKind
from inspector.query.view import RunView
from inspector.text.measure import clip
from inspector.text.numbers import duration

_SIGNS = {
    "running": "*", "waiting": "!", "completed": "+", "failed": "x", "interrupted": "#",
    "pending": ".", "skipped": ">", "not_needed": "-", "unconfirmed": "~", "unknown": "?",
}  # fmt: skip
_DEEPEST = 20
"""Levels that are indented; deeper ones say how deep they are."""


def run(options: argparse.Namespace) -> int:
    """Shows one run, as it stands or after its first N events."""
    with reader(options) as (_, _, opened):
        view = opened.refresh()
        if options.at is not None:
            if options.at > view.total_events:
                raise UserError(f"The run has {view.total_events} events, not {options.at}.")
            view = opened.at(options.at)
        content = documents.show(view, options.depth)
        if options.json:
            write_json("show", content, reveal=options.reveal)
        elif options.jsonl:
            write_jsonl("show", content["steps"], reveal=options.reveal)
        else:
            _print(view, options)
    return FINE


def _print(view: RunView, options: argparse.Namespace) -> None:
    one = view.run
    raw = "not recorded" if one.raw_status is None else shown(one.raw_status)
    write_line(f"{shown(one.title, reveal=options.reveal)}   {one.status}   (recorded: {raw})")
    axis = "no times recorded" if one.order_only else f"{duration(one.duration_ms).strip()}"
    variant = f"{one.runtime} {one.store.variant or '?'}, {one.store.write_style}"
    told = f"{view.events} {'event' if view.events == 1 else 'events'}"
    write_line(f"{shown(one.run_id or '-')}   {variant}   {axis}   {told}")
    for finding in one.findings:
        write_line(f"^ {shown(finding.message, reveal=options.reveal)}")
    write_line()
    levels, cells = levels_of(view.steps), line_cells()
    for number in _tree_order(view):
        level = levels[number]
        if options.depth is None or level <= options.depth:
            line = _step_line(view, number, level - 1, options.reveal)
            write_line(clip(line, cells) if cells else line)


def _tree_order(view: RunView) -> list[int]:
    children: dict[int, list[int]] = {}
    for number, parent in enumerate(view.steps.parent):
        children.setdefault(parent, []).append(number)
    order: list[int] = []
    stack = list(reversed(children.get(-1, [])))
    while stack:
        number = stack.pop()
        order.append(number)
        stack.extend(reversed(children.get(number, [])))
    return order


def _step_line(view: RunView, number: int, depth: int, reveal: bool) -> str:
    step = view.describe(number)
    name = step.label
    if step.kind is StepKind.BRANCH:
        name = f"<{step.ref.get('branch')}> {name}"
    elif step.kind is StepKind.ITERATION:
        name = f"[{step.iteration}]"
    elif step.ref.get("statement_index") is not None:
        name = f"{step.ref['statement_index']} {name}"
    tries = f"  x{len(step.attempts)}" if len(step.attempts) > 1 else ""
    error = f"  {brief(step.error, reveal=reveal)}" if step.error else ""
    indent = "  " * min(depth, _DEEPEST) + (f"({depth}) " if depth > _DEEPEST else "")
    return f"{_SIGNS[step.status]} {indent}{brief(name, reveal=reveal).rstrip()}{tries}{error}"
