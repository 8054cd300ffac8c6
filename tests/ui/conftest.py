"""A terminal that says nothing about itself, whoever runs the tests."""

import pytest

ABOUT_THE_TERMINAL = ("COLORFGBG", "LC_ALL", "LC_CTYPE", "TERM_PROGRAM", "TEXTUAL")


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ABOUT_THE_TERMINAL:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
