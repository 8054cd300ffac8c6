"""How long after a commit it is detected, and how long until it is painted.

    python -m benchmarks.latency [--short] [--through run|list|events]

Another process commits rows and notes the instant after each commit. Detected: a view that holds
the row has been read and delivered to whoever follows the run, who takes them as fast as they come.
Painted: the bytes with the row's text have come out of the terminal, at most ten frames a second.
Rows that a later frame has scrolled past count as painted with the first row after them.
"""

import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from benchmarks.place import Place, temporary_place
from benchmarks.report import Report, arguments, say
from benchmarks.runs import LIVE
from benchmarks.viewer import THROUGH, USUAL, Through, follow_run, leave
from benchmarks.writers import Stamping, make_run, text_of

FIRST = 3
SETTLE_S = 1.0
BAR_DETECTED_MS = 50.0
BAR_PAINTED_MS = 150.0
MODES = {"rollback": ("delete", False), "WAL": ("wal", True)}
"""Journal mode, and whether the writer keeps its connection, as long-lived programs do."""


@dataclass(frozen=True, slots=True)
class Load:
    """How often rows are committed."""

    name: str
    pause_ms: tuple[int, int]
    rows: int
    rows_short: int


LOADS = (
    Load("sparse, 150-400 ms", (150, 400), 60, 8),
    Load("burst, 10-30 ms", (10, 30), 300, 50),
)


def main() -> int:
    """Measures and prints."""
    parser = arguments("Measures commit to detected and commit to painted.")
    parser.add_argument("--through", choices=THROUGH, default=USUAL)
    options = parser.parse_args()
    report = Report("latency", options.short)
    for mode in MODES:
        for load in LOADS:
            rows = load.rows_short if options.short else load.rows
            say(f"{mode}, {load.name}: {rows} rows detected, then painted")
            with temporary_place() as place:
                _detected(report, place, mode, load, rows)
            with temporary_place() as place:
                _painted(report, place, mode, load, rows, options.through)
    return report.finish(options.json)


def _detected(report: Report, place: Place, mode: str, load: Load, rows: int) -> None:
    journal, keep = MODES[mode]
    database = make_run(place.watched / "runs" / LIVE, journal, FIRST)
    with Following(place) as following:
        following.wait_for(FIRST)
        time.sleep(SETTLE_S)
        committed = Stamping(database, FIRST + 1, rows, load.pause_ms, keep=keep).committed()
        following.wait_for(FIRST + rows)
        seen = following.seen()
    instants = {number: seen[at] for number in committed if (at := _next(seen, number))}
    _tell(report, f"detected, {mode}, {load.name}", committed, instants, BAR_DETECTED_MS)


def _painted(
    report: Report, place: Place, mode: str, load: Load, rows: int, through: Through
) -> None:
    journal, keep = MODES[mode]
    database = make_run(place.watched / "runs" / LIVE, journal, FIRST)
    with follow_run(place, LIVE, text_of(FIRST), through) as terminal:
        time.sleep(SETTLE_S)
        committed = Stamping(database, FIRST + 1, rows, load.pause_ms, keep=keep).committed()
        terminal.wait_for(text_of(FIRST + rows), SETTLE_S * 5)
        time.sleep(SETTLE_S / 5)
        painted = {int(text[1:]): at for text, at in terminal.every(r"w\d{6}").items()}
        leave(terminal, through)
    instants = {number: painted[at] for number in committed if (at := _next(painted, number))}
    name = f"painted, {mode}, {load.name}"
    _tell(report, name, committed, instants, BAR_PAINTED_MS)
    skipped = sum(number not in painted for number in committed)
    report.add(f"{name}: rows that only a later frame showed", skipped, kind="note")


def _next(instants: Mapping[int, int], number: int) -> int | None:
    """The first number from this one on that has an instant."""
    known = sorted(instants)
    at = bisect_left(known, number)
    return known[at] if at < len(known) else None


def _tell(
    report: Report, name: str, committed: Mapping[int, int], seen: Mapping[int, int], bar: float
) -> None:
    delays = [(seen[number] - committed[number]) / 1e6 for number in seen]
    if delays:
        report.times(name, delays, bar)
    report.add(f"{name}: rows of {len(committed)} never seen", len(committed) - len(seen), bar=0)


class Following:
    """The process that follows the run of a place, and what it has told."""

    def __init__(self, place: Place) -> None:
        command = [sys.executable, "-m", "benchmarks.follower", str(place.watched), LIVE]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(place.environment),
        )
        self._seen: dict[int, int] = {}
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Following":
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def seen(self) -> dict[int, int]:
        """Number of events → the instant of the first view that held so many."""
        return dict(self._seen)

    def wait_for(self, events: int) -> None:
        """Waits until so many events were delivered."""
        end = time.monotonic() + 20
        while max(self._seen, default=0) < events and time.monotonic() < end:
            time.sleep(0.02)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            events, instant = line.split()
            self._seen.setdefault(int(events), int(instant))


if __name__ == "__main__":
    raise SystemExit(main())
