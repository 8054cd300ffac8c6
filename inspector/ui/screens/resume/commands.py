"""The command that opens the resume dialog, and the commands in it."""

from __future__ import annotations

from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.registry import presentation_of
from inspector.ui.commands import Command

RESUME = "resume"
_HERE = (RESUME,)

RESUME_COMMANDS = (
    Command("do", "Run the selected action", ("enter",), _HERE, hint="run", in_palette=False),
    Command("command.copy", "Copy the command", ("y",), _HERE),
    Command(
        "prompt.copy",
        "Copy the prompt, or the request to a server",
        ("p",),
        _HERE,
        help="The prompt is for the host, the request for the server that resumes the run.",
    ),
    Command("plan.save", "Save the plan as Markdown", ("e",), _HERE),
    Command("host.next", "Switch to the next host", ("h",), _HERE),
    Command("decision.next", "Switch between approve and deny", ("d",), _HERE),
    Command("launch", "Launch in this terminal (asks for confirmation)", ("L",), _HERE),
    Command(
        "launch.behind",
        "Launch in the background (asks for confirmation)",
        ("B",),
        _HERE,
        help="Keeps running after Inspector exits. Prompts of the program cannot be answered.",
    ),
)


RESUMING_COMMANDS = (
    Command(
        "resume",
        "Resume this run",
        ("r",),
        ("runs", "run"),
        hint="resume…",
        help="Opens the plan: where the run stopped and the exact command. Starts nothing yet.",
    ),
)


def why_not_resume(run: Run | None) -> str | None:
    """Why a run cannot be resumed, from its status alone; None if the dialog has to find out."""
    if run is None:
        return "No run selected."
    resumes = presentation_of(run.runtime).can_resume_completed
    if run.status is Status.COMPLETED and not resumes:
        return "The run is completed; nothing to resume."
    return None
