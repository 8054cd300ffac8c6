"""Writers that do not let a reader through: one that was killed, and one that holds its lock."""

import re
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.place import INSPECTOR, Manifest, Place, private_folders_of, temporary_place
from benchmarks.report import Report, say
from benchmarks.runs import LIVE
from benchmarks.terminal import Terminal
from benchmarks.viewer import READY_S, Through, follow_run, leave
from benchmarks.writers import (
    OneRowPerCall,
    exclusive,
    kill_in_transaction,
    make_run,
    row_sql,
    text_of,
)

ROWS = 12
SETTLE_S = 1.0
RECOVERY_S = 5.0
LOOK_EVERY_S = 0.25
SAID_AFTER_S = 2.5
"""From when on the screen must say that what it shows is not the newest."""
WHY = re.compile(r"held\s+the\s+database")
SINCE = re.compile(r"held the database for \d+ s|since \d\d:\d\d:\d\d")


def killed(report: Report, through: Through) -> None:
    """A writer dies in a transaction whose pages are half in the database, journal beside it."""
    for mode, journal in (("rollback", "delete"), ("WAL", "wal")):
        say(f"{mode}: a writer is killed in a transaction")
        with temporary_place() as place:
            database = make_run(place.watched / "runs" / LIVE, journal, ROWS)
            _killed(report, f"{mode}, killed writer", place, database, through)


def _killed(report: Report, name: str, place: Place, database: Path, through: Through) -> None:
    lies: list[str] = []
    with follow_run(place, LIVE, text_of(ROWS), through) as terminal:
        kill_in_transaction(database)
        found = Manifest.of(place.watched)
        time.sleep(SETTLE_S)
        lies += _lies(terminal)
        leave(terminal, through)
    left = private_folders_of(terminal.pid)
    differences = found.differences(Manifest.of(place.watched))
    with follow_run(place, LIVE, text_of(ROWS), through) as terminal:
        time.sleep(SETTLE_S)
        lies += _lies(terminal)
        differences += found.differences(Manifest.of(place.watched))
        # The next writer of the run's own recovers it.
        trouble = OneRowPerCall().run(database, row_sql(ROWS + 2)).trouble
        came = terminal.wait_for(text_of(ROWS + 2), RECOVERY_S)
        lies += _lies(terminal)
        leave(terminal, through)
    _count(report, f"{name}: files changed, created or removed", differences)
    _count(report, f"{name}: uncommitted content shown", lies)
    _count(report, f"{name}: later writes that failed", [trouble] if trouble else [])
    _count(report, f"{name}: later rows not shown", [] if came else [text_of(ROWS + 2)])
    left += private_folders_of(terminal.pid)
    _count(report, f"{name}: private copies left behind", left)


def _lies(terminal: Terminal) -> list[str]:
    return ["uncommitted"] if terminal.holds("uncommitted") else []


def held(report: Report, through: Through, seconds: int) -> None:
    """`BEGIN EXCLUSIVE` for a while, with and without a commit that nobody could read before."""
    for rows in ((ROWS + 1,), ()):
        say(f"a writer holds its lock for {seconds} s{' after a commit' if rows else ''}")
        with temporary_place() as place:
            database = make_run(place.watched / "runs" / LIVE, "delete", ROWS)
            _held(report, place, database, rows, through, seconds)


def opened(report: Report) -> None:
    """The screen is opened while nobody can read the run: it says so, and recovers by itself."""
    say("the screen is opened while a writer holds its lock")
    name = "opened while the lock is held"
    with temporary_place() as place:
        database = make_run(place.watched / "runs" / LIVE, "delete", ROWS)
        with ExitStack() as lock:
            lock.enter_context(exclusive(database, ROWS + 1))
            with Terminal([*INSPECTOR, str(place.watched)], place.environment) as terminal:
                listed = terminal.wait_for(LIVE[-6:], READY_S)
                terminal.press("\r")
                said = terminal.wait_until(lambda: bool(WHY.search(terminal.text())), RECOVERY_S)
                early = terminal.holds(text_of(ROWS))
                before = terminal.text()
                lock.close()
                came = terminal.wait_for(text_of(ROWS + 1), RECOVERY_S)
                after = terminal.text()
                terminal.quit()
    _count(report, f"{name}: not listed", [] if listed else [before])
    _count(report, f"{name}: did not say why", [] if said else [before])
    _count(report, f"{name}: rows shown that could not be read", [before] if early else [])
    _count(report, f"{name}: not recovered", [] if came else [after])


def _held(
    report: Report,
    place: Place,
    database: Path,
    rows: Sequence[int],
    through: Through,
    seconds: int,
) -> None:
    name = "lock held after a commit" if rows else "lock held"
    with follow_run(place, LIVE, text_of(ROWS), through) as terminal:
        since = terminal.received()
        with exclusive(database, *rows):
            before = Manifest.of(place.watched)
            lost, unsaid = _watch(terminal, seconds, bool(rows))
            moved = before.differences(Manifest.of(place.watched))
            early = [text_of(row) for row in rows if terminal.holds(text_of(row), since)]
        freed = time.monotonic()
        trouble = OneRowPerCall().run(database, row_sql(ROWS + 2)).trouble
        came = terminal.wait_for(text_of(ROWS + 2), RECOVERY_S, since)
        report.add(f"{name}: shown again after", time.monotonic() - freed, "s", kind="time", bar=1)
        cleared = terminal.wait_until(lambda: not SINCE.search(terminal.text()), RECOVERY_S)
        leave(terminal, through)
    _count(report, f"{name} {seconds} s: looks without the last good view", lost)
    if rows and through != "events":
        _count(report, f"{name} {seconds} s: looks that did not say since when", unsaid)
    _count(report, f"{name} {seconds} s: files changed, created or removed", moved)
    _count(report, f"{name} {seconds} s: rows shown that could not be read", early)
    _count(report, f"{name} {seconds} s: writes that failed afterwards", [trouble] * bool(trouble))
    _count(report, f"{name} {seconds} s: not recovered", [] if came and cleared else ["stale"])


def _watch(terminal: Terminal, seconds: int, unread: bool) -> tuple[list[str], list[str]]:
    """Looks at the screen again and again: what was missing, and what was not said."""
    lost: list[str] = []
    unsaid: list[str] = []
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < seconds:
        text = terminal.text()
        if text_of(ROWS) not in text:
            lost.append(f"after {elapsed:.1f} s:\n{text}")
        if unread and elapsed > SAID_AFTER_S and not SINCE.search(text):
            unsaid.append(f"after {elapsed:.1f} s:\n{text}")
        time.sleep(LOOK_EVERY_S)
    return lost, unsaid


def _count(report: Report, name: str, examples: Sequence[str]) -> None:
    report.add(name, len(examples), bar=0)
    if examples:
        report.remark(f"{name}: {examples[0]}")
