"""The way into the dialog about resuming a run, from wherever a run is shown."""

from __future__ import annotations

from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.registry import presentation_of
from inspector.ui.commands import Command

RESUMING_COMMANDS = (
    Command(
        "resume",
        "What resuming this run would do",
        ("r",),
        ("runs", "run"),
        hint="resume…",
        help="Nothing is started by that: it shows where the run stands and the exact command.",
    ),
)


def why_not_resume(run: Run | None) -> str | None:
    """Why there is nothing to resume, as far as the list knows; the dialog knows more."""
    if run is None:
        return "There is no run under the cursor."
    resumes = presentation_of(run.runtime).can_resume_completed
    if run.status is Status.COMPLETED and not resumes:
        return "It is completed: there is nothing to resume."
    return None
