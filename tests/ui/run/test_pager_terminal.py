"""The real screen in a pseudo-terminal: a value in the pager and back, nothing touched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import make
from tests.resume.terminal import Terminal

# It stays open as long as a reader would: after one that ends at once, Inspector waits for a key.
PAGER = """
import sys, pathlib, time
time.sleep(0.6)
text = pathlib.Path(sys.argv[-1]).read_text()
print("PAGED", sys.argv[1:-1], text)
print("PRIVATE", oct(pathlib.Path(sys.argv[-1]).stat().st_mode & 0o777))
input("the pager waits ")
"""
EVIL = "\x1b]52;c;ZXZpbA==\x07 and AKIAIOSFODNN7EXAMPLE"


def told(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Every file with what would change if it were written."""
    found = {}
    for path in folder.rglob("*"):
        seen = path.stat()
        found[str(path)] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found


def test_a_value_is_read_in_the_pager_and_the_screen_returns(tmp_path: Path) -> None:
    make(tmp_path, rows(done(1, "x")), bindings=[("evil", None, "let", EVIL)])
    pager = tmp_path / "pager.py"
    pager.write_text(PAGER)
    runs = tmp_path / "runs"
    before = told(runs)
    env = {
        **os.environ,
        "PAGER": f"'{sys.executable}' '{pager}' -R",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    with Terminal([sys.executable, "-m", "inspector", str(runs)], env) as terminal:
        terminal.until("1 run")
        terminal.press("\r")
        terminal.until("1 Timeline")
        terminal.press("2")
        terminal.until(lambda shown: "scope" in shown and "evil" in shown)
        terminal.press("p")
        text = terminal.until("the pager waits")
        assert "PAGED ['-R']" in text and "PRIVATE 0o600" in text
        assert "\\x1b]52;c;" in text and "masked" in text
        terminal.press("\r")
        terminal.until(lambda shown: "PAGED" not in shown and "evil" in shown)
        terminal.press("q")
        assert terminal.wait() == 0
        assert b"\x1b]52" not in terminal.written
        assert b"AKIAIOSFODNN7EXAMPLE" not in terminal.written
    assert told(runs) == before
