"""A program in our own terminal: it gets keys and signals, and leaves the terminal as it was."""

import json
import os
import signal
import sys
from typing import Any

import pytest

from tests.process.driving import MARK
from tests.resume.terminal import Terminal

PYTHON = [sys.executable, "-m", "tests.process.driving"]
FINE = {"code": 0, "same_modes": True, "same_handler": True, "foreground": True, "pids": 1}


def drive(program: str, *argv: str, size: tuple[int, int] = (36, 120)) -> Terminal:
    return Terminal([*PYTHON, program, *argv], os.environ, size=size)


def told(terminal: Terminal) -> Any:
    assert terminal.wait() == 0, terminal.text()
    line = [one for one in terminal.written.decode().splitlines() if MARK in one][-1]
    return json.loads(line.partition(MARK)[2])


def script(text: str, **given: Any) -> Terminal:
    return drive("/bin/sh", "sh", "-c", text, **given)


def test_it_has_our_keyboard_and_our_screen() -> None:
    with script("printf 'name? '; read name; echo hello $name; test -t 1") as terminal:
        terminal.until("name?")
        terminal.press("you\r")
        terminal.until("hello you")
        assert told(terminal) == FINE


def test_modes_that_it_leaves_behind_are_put_back() -> None:
    with script("stty raw -echo; printf '\\033[?25l\\033[?1000h'; exit 4") as terminal:
        assert told(terminal) == {**FINE, "code": 4}
        assert not terminal.screen.cursor.hidden
        assert terminal.written.rindex(b"\x1b[?1000l") > terminal.written.rindex(b"\x1b[?1000h")


def test_unread_input_is_discarded() -> None:
    with script("echo ready; sleep 0.3") as terminal:
        terminal.until("ready")
        terminal.press("Launch it\r")
        assert told(terminal) == FINE
    with drive(
        sys.executable, "python", "-c",
        "import os, sys; print('ready', flush=True); os.read(0, 1)",
    ) as terminal:  # fmt: skip
        terminal.until("ready")
        terminal.press("a\rb")
        assert told(terminal) == FINE


def test_interrupting_is_for_the_program_alone() -> None:
    with script("trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done") as one:
        one.until("ready")
        one.press("\x03")
        one.until("caught")
        assert told(one) == {**FINE, "code": 7}


def test_its_own_signals_are_those_of_any_program() -> None:
    rests = "import signal; print('ready', flush=True); signal.pause()"
    with drive(sys.executable, "python", "-c", rests) as terminal:
        terminal.until("ready")
        terminal.press("\x03")
        assert told(terminal)["code"] == -signal.SIGINT


def test_quitting_is_not_ignored_by_inheritance() -> None:
    with drive(
        sys.executable, "python", "-c",
        "import signal; print([signal.getsignal(one) is signal.SIG_IGN for one in"
        " (signal.SIGQUIT, signal.SIGTSTP)], signal.getsignal(signal.SIGINT) is"
        " signal.default_int_handler)",
    ) as terminal:  # fmt: skip
        assert told(terminal) == FINE
        assert "[False, False] True" in terminal.text()


def test_the_foreground_group_is_restored() -> None:
    take = (
        "import os, signal; signal.signal(signal.SIGTTOU, signal.SIG_IGN); os.setpgid(0, 0);"
        " os.tcsetpgrp(0, os.getpgrp()); print('taken', flush=True)"
    )
    with drive(sys.executable, "python", "-c", take) as terminal:
        assert told(terminal) == FINE
        assert "taken" in terminal.text()


def test_a_terminal_without_a_size_has_one_meanwhile() -> None:
    with script("stty size", size=(0, 0)) as terminal:
        assert told(terminal) == FINE
        assert b"36 120" in terminal.written
    with script("stty size", size=(24, 80)) as terminal:
        assert told(terminal) == FINE
        assert b"24 80" in terminal.written


@pytest.mark.parametrize("program", ["/nowhere/at-all", "/", "/etc/hostname"])
def test_a_file_that_cannot_be_executed_is_reported(program: str) -> None:
    with drive(program, "x") as terminal:
        assert "Could not be started" in told(terminal)["why"]


def test_descriptors_of_ours_are_closed() -> None:
    listing = "import os; print(sorted(one for one in os.listdir('/dev/fd') if int(one) > 3))"
    with drive(sys.executable, "python", "-c", listing) as terminal:
        assert told(terminal) == FINE
        assert "[]" in terminal.text()
