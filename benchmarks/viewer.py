"""What stands before a person while a run goes on: the screen, or `events --follow`."""

from typing import Literal

from benchmarks.place import INSPECTOR, Place
from benchmarks.terminal import Terminal

Through = Literal["screen", "events"]
READY_S = 20.0


def follow_run(place: Place, run: str, shown: str, through: Through) -> Terminal:
    """Follows a run of the place in a terminal; returns once the text `shown` is there."""
    watched = str(place.watched)
    if through == "events":
        command = [*INSPECTOR, "events", run, "--follow", "--in", watched]
        terminal = Terminal(command, place.environment)
    else:
        terminal = Terminal([*INSPECTOR, watched], place.environment)
        _expect(terminal, run[-6:])
        terminal.press("\r")
        _expect(terminal, "following")
    _expect(terminal, shown)
    return terminal


def leave(terminal: Terminal, through: Through) -> int:
    """Ends what was looked at, as a person would; gives the exit code."""
    return terminal.quit("q" if through == "screen" else "\x03")


def _expect(terminal: Terminal, text: str) -> None:
    if not terminal.wait_for(text, READY_S):
        screen = terminal.text()
        terminal.stop()
        raise RuntimeError(f"{text!r} did not come; instead:\n{screen}")
