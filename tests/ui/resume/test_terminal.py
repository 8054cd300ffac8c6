"""The real screen in a pseudo-terminal: it steps aside for a program, and comes back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.config.folders import state_dir
from inspector.resume.launch import launches
from tests.resume.stand_ins import RUN_ID, crossing, grimoire
from tests.resume.terminal import Terminal


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Inspector over a project whose destination waits for a password."""
    crossing(tmp_path / "project")
    path = f"{grimoire(tmp_path / 'bin').parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **os.environ,
        "PATH": path,
        "STAND_IN": "password",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    command = [sys.executable, "-m", "inspector", str(tmp_path / "project")]
    with Terminal(command, env) as terminal:
        terminal.until("XSource")
        yield terminal


def test_a_password_is_typed_in_the_real_terminal_and_the_screen_returns(screen: Terminal) -> None:
    screen.press("r")
    screen.until("Launch in this terminal   asks for confirmation")
    screen.press("L")
    screen.until(f"Type {RUN_ID} to launch.")
    screen.press("\x1b")
    screen.until("Launch in this terminal   asks for confirmation")
    screen.press("L")
    screen.until(f"Type {RUN_ID} to launch.")
    screen.press(f"{RUN_ID}\r")
    text = screen.until("Keystore password:")
    assert f"Resuming run {RUN_ID}..." in text
    ours, left = screen.written.rindex(b"\x1b[?1049h"), screen.written.rindex(b"\x1b[?1049l")
    asked = screen.written.rindex(b"Keystore password:")
    assert ours < left < asked, "the screen has stepped aside"
    screen.press("opensesame\r")
    text = screen.until("Press Enter to return to Inspector.")
    assert "✔ Cross-chain run resumed successfully." in text and "opensesame" not in text
    # Keys that were meant for the program are nothing to the screen.
    screen.press("q\r")
    words = ("Completed.", "The program ended with exit code 0.", "waiting → completed")
    screen.until(lambda shown: all(word in shown for word in words))
    screen.press("\r")
    screen.until(lambda shown: "Completed." not in shown and "XDest" in shown)
    screen.press("q")
    assert screen.wait() == 0
    (launch,) = launches(state_dir())
    assert (launch["verdict"], launch["where"], launch["exit_code"]) == ("completed", "terminal", 0)
