"""Which pager it is, and what it is given."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from inspector.process import foreground
from inspector.process.foreground import NoPager, Pager, pager_of, read_in


def program(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_pager_command_is_split_into_arguments(tmp_path: Path) -> None:
    chosen = program(tmp_path, "my pager")
    found = pager_of({"PAGER": f"'{chosen}' -R '; touch x'", "PATH": ""})
    assert found == Pager(str(chosen), (str(chosen), "-R", "; touch x"))


@pytest.mark.parametrize("environ", [{}, {"PAGER": ""}, {"PAGER": "  "}])
def test_less_is_the_default_pager(environ: dict[str, str], tmp_path: Path) -> None:
    less = program(tmp_path, "less")
    assert pager_of({**environ, "PATH": str(tmp_path)}) == Pager(str(less), ("less",))


def test_only_pager_is_asked(tmp_path: Path) -> None:
    program(tmp_path, "less")
    program(tmp_path, "other")
    path = str(tmp_path)
    assert pager_of({"MANPAGER": "other", "PATH": path}).words == ("less",)


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({}, "No pager: less was not found. Set $PAGER, or save."),
        ({"PAGER": "gone -x"}, "$PAGER names gone, which was not found. Set $PAGER, or save."),
        ({"PAGER": "less '"}, "$PAGER is not valid: unclosed quote."),
    ],
)
def test_no_pager_is_a_sentence(environ: dict[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(NoPager) as caught:
        pager_of({**environ, "PATH": str(tmp_path)})
    assert str(caught.value) == sentence


def test_the_pager_is_given_the_file_as_one_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[bool] = []
    monkeypatch.setattr(foreground, "until_enter", lambda: waited.append(True))
    told = tmp_path / "told"
    chosen = program(
        tmp_path,
        "p",
        f"import sys, pathlib; pathlib.Path({str(told)!r}).write_text(repr(sys.argv[1:]))",
    )
    path = str(tmp_path / "a b; c")
    code = read_in(Pager(str(chosen), ("p", "-R")), path, dict(os.environ))
    assert code == 0
    assert told.read_text() == repr(["-R", path])
    # It was over in no time: what it printed would be gone with the next frame.
    assert waited == [True]


def test_a_pager_in_which_something_was_read_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[bool] = []
    monkeypatch.setattr(foreground, "until_enter", lambda: waited.append(True))
    monkeypatch.setattr(foreground, "MIN_PAGER_SECONDS", 0.0)
    chosen = program(tmp_path, "p", "raise SystemExit(5)")
    assert read_in(Pager(str(chosen), ("p",)), "x", dict(os.environ)) == 5
    assert waited == []
