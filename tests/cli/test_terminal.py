"""Text output on a terminal: tables and trees within its width, colour by status, NO_COLOR."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli import terminal
from tests.cli.asking import Inspector
from tests.query.openprose.builders import done, executing, failed, rows
from tests.query.openprose.databases import RUN_ID, make

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def on_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is a terminal of 80 columns with colours."""
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("INSPECTOR_NOW", "2026-01-16T19:00:02Z")


def plain(text: str) -> list[str]:
    """The lines without colours."""
    return [line.rstrip() for line in ESCAPES.sub("", text).splitlines()]


def test_steps_are_a_tree_coloured_by_status(inspector: Inspector, tmp_path: Path) -> None:
    make(tmp_path, rows(done(1), failed(2), executing(3)), status="failed")
    out = inspector("show", RUN_ID).out
    assert plain(out) == [
        f"{RUN_ID}   failed   (recorded: failed)",
        f"{RUN_ID}   openprose v5, append   no times recorded   3 events",
        "^ Statement 3 never ended.",
        "",
        "+ 1 session 1",
        "x 2 session 2  it broke",
        "* 3 session 3",
    ]
    assert "\x1b[1;31mx" in out and "\x1b[32m+" in out


def test_no_color_leaves_no_colours(
    inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, rows(done(1)))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[(?:3|9)\d", inspector("runs").out)


def test_a_table_fits_the_terminal_and_only_the_title_is_cut(
    inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / ("long " * 20), rows(done(1)))
    header, line, *_ = plain(inspector("runs").out)
    assert header.split() == ["STATUS", "TITLE", "RUN", "STARTED", "ELAPSED", "FINDINGS"]
    assert len(line) <= 80 and RUN_ID in line
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: False, raising=False)
    assert "…" not in inspector("runs").out


def test_markup_and_escapes_in_data_are_only_text() -> None:
    drawn = terminal.table([("NAME",), ("[red]x[/red] \\x1b[2J :smile:",)], (), (), ())
    assert plain(drawn) == ["NAME", "[red]x[/red] \\x1b[2J :smile:"]


@pytest.mark.parametrize(
    ("text", "style"),
    [("failed", "bold red"), ("is broken: a receipt was changed", "bold red"), ("other", "")],
)
def test_style_of_a_status_or_a_sentence(text: str, style: str) -> None:
    assert terminal.style_of(text) == style


def test_a_deep_tree_keeps_its_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = terminal.StepTree()
    tree.add(0, "+", "a", "completed")
    tree.add(1, "x", "b", "failed", "  boom")
    tree.add(1, "+", "c", "completed")
    tree.add(0, "+", "d", "completed")
    assert plain(str(tree)) == ["+ a", "├── x b  boom", "└── + c", "+ d"]


HEAVY = ("rich", "textual", "sqlite_utils")


@pytest.mark.parametrize("words", [("runs", "--json"), ("show", RUN_ID, "--jsonl")])
def test_output_for_programs_imports_neither_rich_nor_textual(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    make(tmp_path, rows(done(1)))
    script = (
        "import sys; from inspector.cli.main import main; main(sys.argv[1:]);"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done_ = subprocess.run(
        [sys.executable, "-c", script, *words, "--in", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done_.stderr == "[]\n"
