"""Words of a command: quoted so that a shell gives them back, refused where none can be given."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspector.model.preflight import Command
from inspector.resume.command import argument_error, program_of, quoted, shell_line
from tests.resume.stand_ins import program

HOSTILE = [
    "$(touch pwned)", "`id`", "'; rm -rf / #", "a b", "*", "!!", "~root", "-rf", "\x1b[201~id\n",
    "line\nbreak", "tab\there", "\x07", "‮gnp", "ü", "", "\\", "\"", "'", "\r", "\u2028", "&&",
]  # fmt: skip
BASH = shutil.which("bash")


def as_bash_reads(text: str) -> list[bytes]:
    assert BASH is not None
    script = f"printf '%s\\0' {text}"
    ran = subprocess.run([BASH, "--norc", "-c", os.fsencode(script)], capture_output=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split(b"\0")[:-1]


@pytest.mark.skipif(BASH is None, reason="needs bash")
@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
                min_size=1, max_size=12))  # fmt: skip
@example(HOSTILE)
def test_a_shell_parses_every_argument_back(words: list[str]) -> None:
    assert as_bash_reads(" ".join(map(quoted, words))) == [word.encode() for word in words]


@pytest.mark.parametrize("word", [*HOSTILE, "\udcff/name", "\ud800"])
def test_text_to_paste_has_no_control_characters_but_line_breaks(word: str) -> None:
    text = quoted(word).replace("\n", "")
    assert not [one for one in text if ord(one) < 32 or 0x7F <= ord(one) < 0xA0]
    assert "‮" not in text and "\u2028" not in text
    text.encode()


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_the_line_changes_the_folder_and_sets_the_environment(tmp_path: Path) -> None:
    folder = tmp_path / "a 'b'\nc"
    folder.mkdir()
    command = Command(
        ("sh", "-c", 'pwd; echo "$WHO"; echo "$0"', "$HOME"), str(folder), {"WHO": "x y"}
    )
    assert BASH is not None
    ran = subprocess.run([BASH, "-c", shell_line(command)], capture_output=True, text=True)
    assert ran.stdout == f"{folder}\nx y\n$HOME\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a", "b\0c"], "NUL"),
        (["a", "\ud800"], "characters"),
        (["a", "x" * 130_000], "too long"),
        (["a", *["x" * 100_000] * 3], "too long"),
        (["a", "\udcff", "x" * 50_000], None),
    ],
)
def test_words_that_no_program_can_be_given(words: list[str], why: str | None) -> None:
    found = argument_error(words)
    assert found is None if why is None else found is not None and why in found


def test_programs_are_searched_in_absolute_folders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = program(tmp_path / "tree", "claude", "true")
    real = program(tmp_path / "bin", "claude", "true")
    monkeypatch.chdir(planted.parent)
    for path in ("", ".", "tree", os.pathsep):
        assert program_of("claude", {"PATH": path}) is None
    assert program_of("claude", {"PATH": f".{os.pathsep}{real.parent}"}) == str(real)
    assert program_of("./claude", {"PATH": str(real.parent)}) is None
    assert program_of(str(real), {"PATH": ""}) == str(real)


def test_files_that_are_not_executable_are_no_programs(tmp_path: Path) -> None:
    path = program(tmp_path, "claude", "true")
    path.chmod(0o644)
    if os.geteuid() == 0 and os.access(path, os.X_OK):
        pytest.skip("this user may run anything")
    assert program_of("claude", {"PATH": str(tmp_path)}) is None
    (tmp_path / "codex").mkdir()
    assert program_of("codex", {"PATH": str(tmp_path)}) is None
