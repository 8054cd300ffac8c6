"""Trees of runs that benchmarks look at."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.writers import kill_in_transaction, make_run

LIVE = "20260316-090000-live01"
AT_REST = {
    "20260315-080000-rest01": ("delete", 12, "completed"),
    "20260315-081500-walr02": ("wal", 12, "completed"),
    "20260315-083000-fail03": ("delete", 5, "failed"),
}
KILLED = {"20260315-084500-hotj04": "delete", "20260315-090000-walk05": "wal"}

_TEMPLATE = "20200101-000000-aaaaaa"
_BEGAN = b"2020-01-01 00:00:00"
_LONG_AGO = datetime(2026, 3, 15, 9, 30, tzinfo=UTC).timestamp()
_EVERY = timedelta(minutes=7)


def neighbours(watched: Path) -> None:
    """Runs at rest in every state in which a writer may leave one; nobody writes to them."""
    for name, (journal, rows, status) in AT_REST.items():
        make_run(watched / "runs" / name, journal, rows, status)
    for name, journal in KILLED.items():
        kill_in_transaction(make_run(watched / "runs" / name, journal, 12))
    log = watched / "runs/20260315-091500-logr06"
    log.mkdir()
    (log / "vm.log.md").write_text("# run:20260315-091500-logr06 a log\n---end\n")
    attachments = watched / "runs/20260315-080000-rest01/attachments"
    attachments.mkdir()
    (attachments / "findings.md").write_text("found\n" * 1000)
    for path in (watched / "runs").rglob("*"):
        os.utime(path, (_LONG_AGO, _LONG_AGO))


def many(watched: Path, count: int, scratch: Path) -> list[str]:
    """`count` finished runs of thirty rows, one every few minutes until a day ago; their names."""
    template = make_run(scratch / _TEMPLATE, "delete", 30, "completed").read_bytes()
    newest = datetime.now(UTC) - timedelta(days=1)
    names: list[str] = []
    for number in range(count):
        when = newest - number * _EVERY
        name = f"{when:%Y%m%d-%H%M%S}-{number:06d}"
        folder = watched / "runs" / name
        folder.mkdir(parents=True)
        database = folder / "state.db"
        # Of the same length: the database stays well formed.
        content = template.replace(_TEMPLATE.encode(), name.encode())
        database.write_bytes(content.replace(_BEGAN, f"{when:%Y-%m-%d %H:%M:%S}".encode()))
        os.utime(database, (when.timestamp(), when.timestamp()))
        names.append(name)
    return names
