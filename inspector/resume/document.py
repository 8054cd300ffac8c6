"""The facts of a resume plan in words, and the plan as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.model.clock import rfc3339
from inspector.resume.command import shell_line
from inspector.resume.plan import Plan, sentence
from inspector.text.escape import visible, visible_lines
from inspector.text.mask import mask


def facts(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yields the facts of a plan as label and sentence, most important first."""
    flight = plan.preflight
    if not flight.resumable:
        yield "not resumable", sentence(flight.reason or "")
    rows: Sequence[tuple[str, Sequence[str]]] = (
        ("stopped at", [flight.stands] if flight.stands else []),
        ("running?", [flight.liveness] if flight.liveness else []),
        ("keep", flight.done),
        ("unconfirmed", flight.unknown),
        ("will run", [", ".join(flight.will_run)] if flight.will_run else []),
        ("warning", [one.message for one in flight.warnings]),
        ("needs", [", ".join(flight.needs)] if flight.needs else []),
    )
    for label, lines in rows:
        for line in lines:
            yield label, line


def markdown(plan: Plan) -> str:
    """Returns the plan as Markdown, with secrets masked and all recorded text escaped."""
    run, flight = plan.run, plan.preflight
    lines = [f"# Resume {_text(run.title)}", "", "Nothing has been started.", ""]
    lines += [
        f"* run: {_text(run.key)}",
        f"* status: {run.status}, recorded: {_text(run.raw_status or 'nothing')}",
    ]
    lines += [f"* {label}: {_text(line)}" for label, line in facts(plan)]
    if flight.deadline is not None:
        lines.append(f"* approve before: {rfc3339(flight.deadline)}")
    if flight.judged:
        lines.append(f"* outcome: {_text(flight.judged)}")
    if plan.problem is not None and flight.resumable:
        lines.append(f"* not launchable: {_text(plan.problem)}")
    if plan.command is not None:
        lines += ["", "## Command", "", *_block(shell_line(plan.command), "sh")]
    if flight.prompt is not None:
        lines += ["", "## Prompt", "", *_block(flight.prompt, "")]
    if plan.request is not None:
        lines += ["", "## Request", "", *_block(plan.request, "http")]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    safe = visible(mask(text).text)
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+-!|~&" else char for char in safe)


def _block(text: str, language: str) -> list[str]:
    """Returns a code block with a fence longer than any inside it."""
    shown = visible_lines(mask(text).text.rstrip("\n"))
    fence = "`" * 3
    while any(fence in line for line in shown):
        fence += "`"
    return [f"{fence}{language}", *shown, fence]
