"""Small file trees as the runtimes leave them. A database is made by another process."""

import subprocess
import sys
from pathlib import Path

RUN = "20260317-143052-a7b3c9"

_SQL = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement)
connection.close()
"""


def sql(path: Path, *statements: str) -> Path:
    """Executes statements in a database, in another process; makes its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-IS", "-c", _SQL, str(path), *statements], check=True)
    return path


def database(path: Path) -> Path:
    """A file that starts as every SQLite database does, which is all that discovery reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"SQLite format 3\0" + bytes(84))
    return path


def run(root: Path, name: str = RUN) -> Path:
    """A run folder with a database, below the OpenProse root."""
    folder = root / "runs" / name
    database(folder / "state.db")
    return folder


def file(path: Path, content: bytes = b"x") -> Path:
    """Any file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
