"""A run of a million rows: its end on the screen, keys while the rest is read, the whole of it.

    python -m benchmarks.huge [--short] [--rows N]

The yardstick of reading the whole is one `sqlite3` process that reads every row.
"""

import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from benchmarks.place import INSPECTOR, Place, temporary_place
from benchmarks.report import Report, arguments, say
from benchmarks.runs import LIVE
from benchmarks.terminal import Terminal
from benchmarks.writers import make_run, text_of

ROWS, ROWS_SHORT = 1_000_000, 60_000
LATEST_S = 300.0
KEYS, KEYS_SHORT = 60, 8
BETWEEN_KEYS_S = 0.15
KEY_LATEST_S = 2.0
END_S, WHOLE_RATIO, KEY_MS, LEFT_S = 0.5, 10.0, 50.0, 1.0

END_MISSING = "ends that never came on the screen"
WHOLE_MISSING = "runs that were never read whole"
UNANSWERED = "keys that nothing came of"
LEFT_BEHIND = "programs that did not end when they were left"


def main() -> int:
    """Measures and prints."""
    parser = arguments("Measures how a run of very many rows opens.")
    parser.add_argument("--rows", type=int, help=f"how many ({ROWS}; --short {ROWS_SHORT})")
    options = parser.parse_args()
    rows = options.rows or (ROWS_SHORT if options.short else ROWS)
    report = Report("huge", options.short)
    with temporary_place() as place:
        say(f"making a run of {rows} rows")
        database = make_run(place.watched / "runs" / LIVE, "delete", rows)
        scan = _scan(database)
        say("opening it")
        _open(report, place, rows, scan, KEYS_SHORT if options.short else KEYS)
        say("opening and leaving it")
        _leave(report, place, rows)
    return report.finish(options.json)


def _scan(database: Path) -> float | None:
    """Seconds that the command takes to read every row; None where there is none."""
    command = shutil.which("sqlite3")
    if command is None:
        return None
    taken = []
    for _ in range(3):
        began = time.monotonic()
        subprocess.run(
            [command, "-readonly", str(database), "SELECT * FROM execution"],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        taken.append(time.monotonic() - began)
    return statistics.median(taken)


def _open(report: Report, place: Place, rows: int, scan: float | None, keys: int) -> None:
    with Terminal([*INSPECTOR, str(place.watched)], place.environment) as terminal:
        terminal.wait_for(LIVE[-6:], LATEST_S)
        before = terminal.received()
        began = time.monotonic_ns()
        terminal.press("\r")
        newest = text_of(rows)
        came = terminal.wait_for(newest, LATEST_S, before)
        shown = terminal.first_ns(newest, before)
        report.add(END_MISSING, int(not came), bar=0)
        if shown is not None:
            seconds = (shown - began) / 1e9
            report.add("key to the end of the run", seconds, "s", kind="time", bar=END_S)
        _keys(report, terminal, keys)
        said = f"event {rows:,}"
        came = terminal.wait_for(said, LATEST_S, before)
        report.add(WHOLE_MISSING, int(not came), bar=0)
        whole = terminal.first_ns(said, before)
        if whole is None:
            return
        seconds = (whole - began) / 1e9
        report.add("key to the whole run", seconds, "s", kind="time")
        if scan is not None:
            report.add("one CLI that reads every row", scan, "s", kind="time")
            report.add("the whole run : one CLI", seconds / scan, kind="note", bar=WHOLE_RATIO)


def _keys(report: Report, terminal: Terminal, most: int) -> None:
    """Moves the cursor while the rest is read; how long each move takes to be painted."""
    taken: list[float] = []
    lost = 0
    for number in range(most):
        if "reading" not in terminal.screen()[0]:
            break
        painted = _key(terminal, "j" if number % 2 else "k")
        if painted is None:
            lost += 1
        else:
            taken.append(painted)
        time.sleep(BETWEEN_KEYS_S)
    report.add(UNANSWERED, lost, bar=0)
    if not taken:
        report.remark("The whole run was there before a key could be pressed.")
        return
    report.add("keys while it is read", len(taken), kind="note")
    report.add("key to paint, p50", statistics.median(taken), "ms", kind="time", bar=KEY_MS)
    report.add("key to paint, longest", max(taken), "ms", kind="time")


def _key(terminal: Terminal, key: str) -> float | None:
    """Milliseconds from a key to the first thing that is written after it."""
    began = time.monotonic_ns()
    terminal.press(key)
    terminal.wait_until(lambda: terminal.first_after(began) is not None, KEY_LATEST_S)
    painted = terminal.first_after(began)
    return None if painted is None else (painted - began) / 1e6


def _leave(report: Report, place: Place, rows: int) -> None:
    """Leaves the program as soon as the end is there: nothing goes on reading."""
    with Terminal([*INSPECTOR, str(place.watched)], place.environment) as terminal:
        terminal.wait_for(LIVE[-6:], LATEST_S)
        terminal.press("\r")
        terminal.wait_for(text_of(rows), LATEST_S)
        began = time.monotonic()
        terminal.press("q")
        ended = terminal.wait_until(lambda: not terminal.running, LATEST_S)
        seconds = time.monotonic() - began
        report.add(LEFT_BEHIND, int(not ended), bar=0)
        report.add("key to the program's end", seconds, "s", kind="time", bar=LEFT_S)
    left = os.listdir(place.environment["XDG_RUNTIME_DIR"])
    report.add("private folders left behind", len(left), bar=0)


if __name__ == "__main__":
    raise SystemExit(main())
