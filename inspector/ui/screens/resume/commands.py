"""What can be done in the dialog about resuming a run."""

from __future__ import annotations

from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.registry import presentation_of
from inspector.ui.commands import Command

RESUME = "resume"
_HERE = (RESUME,)

RESUME_COMMANDS = (
    Command("do", "Do what the cursor is on", ("enter",), _HERE, hint="do it", in_palette=False),
    Command("command.copy", "Copy the command", ("y",), _HERE),
    Command(
        "prompt.copy",
        "Copy the prompt, or the request to a server",
        ("p",),
        _HERE,
        help="A prompt is what a host is told; the request is what a Prism server is sent.",
    ),
    Command("plan.save", "Save the plan as Markdown", ("e",), _HERE),
    Command("host.next", "Ask another host", ("h",), _HERE),
    Command("decision.next", "Approve or deny", ("d",), _HERE),
    Command("launch", "Launch in this terminal; asks once more", ("L",), _HERE),
    Command(
        "launch.behind",
        "Launch in the background; asks once more",
        ("B",),
        _HERE,
        help="It goes on when Inspector ends. Nobody can answer what it asks.",
    ),
)


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
