"""What stands before a person while a run goes on."""

from typing import Literal

from benchmarks.place import INSPECTOR, Place
from benchmarks.terminal import Terminal

Through = Literal["run", "list", "events"]
THROUGH: tuple[Through, ...] = ("run", "list", "events")
"""The screen of the run; the list, where the run is selected; `events --follow`."""
USUAL: Through = "run"
READY_S = 30.0


def follow_run(place: Place, run: str, shown: str, through: Through) -> Terminal:
    """Follows a run of the place in a terminal; returns once the text `shown` is there."""
    watched = str(place.watched)
    if through == "events":
        command = [*INSPECTOR, "events", run, "--follow", "--in", watched]
    else:
        command = [*INSPECTOR, watched]
    terminal = Terminal(command, place.environment)
    if through != "events":
        _expect(terminal, run[-6:])
    if through == "run":
        terminal.press("\r")
        _expect(terminal, "following")
    _expect(terminal, shown)
    return terminal


def leave(terminal: Terminal, through: Through) -> int:
    """Ends what was looked at, as a person would; gives the exit code."""
    return terminal.quit("\x03" if through == "events" else "q")


def _expect(terminal: Terminal, text: str) -> None:
    if not terminal.wait_for(text, READY_S):
        screen = terminal.text()
        terminal.stop()
        raise RuntimeError(f"{text!r} did not come; instead:\n{screen}")
