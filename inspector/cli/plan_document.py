"""The JSON document of a resume plan."""

from __future__ import annotations

from dataclasses import asdict

from inspector.export import documents
from inspector.export.documents import Document
from inspector.model.clock import rfc3339
from inspector.model.preflight import Command, Decision
from inspector.resume.plan import Plan


def plan_document(plan: Plan) -> Document:
    """The content of `inspector.resume/1`."""
    flight = plan.preflight
    return {
        "run": documents.run(plan.run),
        "resumable": flight.resumable,
        "reason": flight.reason,
        "position": None if flight.position is None else asdict(flight.position),
        "stands": flight.stands,
        "done": list(flight.done),
        "will_run": list(flight.will_run),
        "unknown": list(flight.unknown),
        "warnings": [{"code": one.code, "message": one.message} for one in flight.warnings],
        "needs": list(flight.needs),
        "command": None if plan.command is None else command_document(plan.command),
        "prompt": flight.prompt,
        "launchable": plan.can_launch,
        "problem": plan.problem,
        "host": plan.host,
        "liveness": flight.liveness,
        "confirm": flight.confirm,
        "decisions": [_decision(one) for one in flight.decisions],
        "decision": plan.decision,
        "request": plan.request,
        "deadline": rfc3339(flight.deadline),
        "judged": flight.judged,
        "recorded": dict(flight.record),
        "outcome": flight.outcome,
        "launches": plan.launches,
    }


def command_document(command: Command) -> Document:
    """A command's words, folder and environment."""
    return {"argv": list(command.argv), "cwd": command.cwd, "env": dict(command.env)}


def _decision(one: Decision) -> Document:
    return {"word": one.word, "why_not": one.why_not, "request": one.request}
