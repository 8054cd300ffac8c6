"""Nothing is disturbed: writes that fail and files that change while a run is followed.

    python -m benchmarks.disturb [--short] [--through run|list|events] [--control]

A writer without patience (busy timeout 0) appends a row per process, in rollback and in WAL mode.
Then a writer that is killed in a transaction, and one that holds the database exclusively. With
`--control` a reader that opens databases as readers usually do stands in for the screen: the same
measurements must then find what it does.
"""

import random
import time
from collections import Counter

from benchmarks.holds import held, killed, opened
from benchmarks.place import Manifest, Place, private_folders_of, temporary_place
from benchmarks.report import Report, arguments, say
from benchmarks.runs import LIVE, neighbours
from benchmarks.viewer import THROUGH, USUAL, Through, follow_run, leave
from benchmarks.witness import Witness
from benchmarks.writers import Meddler, OneRowPerCall, make_run, row_sql, text_of, texts_of

MODES = {"rollback": "delete", "WAL": "wal"}
BESIDE = {"rollback": {"state.db-journal"}, "WAL": {"state.db-wal", "state.db-shm"}}
"""What the writer itself puts beside its database, and takes away."""
FIRST = 3
"""Rows that are there before anyone looks."""
PAUSE_S = 0.02
LATEST_S = 10.0
SHOWN = r"w\d{6}"


def main() -> int:
    """Measures and prints."""
    parser = arguments("Counts what following a run does to its writer and to files.")
    parser.add_argument("--through", choices=THROUGH, default=USUAL)
    parser.add_argument("--control", action="store_true", help="a reader that does disturb")
    parser.add_argument("--commits", type=int, help="in each mode (1200; --short 500)")
    options = parser.parse_args()
    commits = options.commits or (500 if options.short else 1200)
    report = Report("disturb", options.short)
    writer = OneRowPerCall()
    report.remark(f"Writer: {writer.name}, busy timeout 0, one row per call.")
    for mode in MODES:
        say(f"{mode}: {commits} commits")
        with temporary_place() as place:
            through = None if options.control else options.through
            Stress(report, place, mode, writer, through).run(commits)
    if not options.control:
        killed(report, options.through)
        held(report, options.through, 3 if options.short else 12)
        opened(report)
    return report.finish(options.json)


class Stress:
    """One run that is written and followed at once."""

    def __init__(
        self,
        report: Report,
        place: Place,
        mode: str,
        writer: OneRowPerCall,
        through: Through | None,
    ) -> None:
        self._report = report
        self._place = place
        self._mode = mode
        self._writer = writer
        self._through = through
        neighbours(place.watched)
        self._database = make_run(place.watched / "runs" / LIVE, MODES[mode], FIRST)
        self._refused: Counter[str] = Counter()

    def run(self, commits: int) -> None:
        """Writes, lets it be followed, and notes what came of it."""
        watched = self._place.watched
        before = Manifest.of(watched)
        with Witness(watched) as witness:
            if self._through is None:
                with Meddler(watched):
                    self._write(commits)
            else:
                self._followed(commits, self._through)
        after = Manifest.of(watched)
        named = str(self._database.relative_to(watched))
        folder = str(self._database.parent.relative_to(watched))
        written = frozenset({named, folder})
        moved = before.differences(after, written=written)
        beside = {f"{folder}/{name}" for name in BESIDE[self._mode]}
        strangers = sorted(witness.appeared() - beside)
        self._count("writes that failed", self._refused.total(), self._refused)
        self._count("files changed, created or removed", len(moved), moved)
        self._count("names beside the writer's own", len(strangers), strangers)

    def _followed(self, commits: int, through: Through) -> None:
        terminal = follow_run(self._place, LIVE, text_of(FIRST), through)
        with terminal:
            numbers = self._write(commits)
            last = text_of(numbers[-1])
            came = terminal.wait_for(last, LATEST_S)
            shown = set(terminal.every(SHOWN))
            leave(terminal, through)
        committed = set(texts_of(self._database, self._place.scratch))
        self._report.add(
            f"{self._mode}: rows seen while they were written", len(shown), kind="note"
        )
        self._count("last rows that were never shown", int(not came), [last])
        invented = sorted(shown - committed)
        self._count("rows shown that nobody committed", len(invented), invented)
        left = private_folders_of(terminal.pid)
        self._count("private copies left behind", len(left), left)

    def _write(self, commits: int) -> list[int]:
        """Half of the rows one upon another, half with pauses; the numbers that were committed."""
        pauses = random.Random(commits)
        done: list[int] = []
        began = time.monotonic()
        for number in range(FIRST + 1, FIRST + commits + 1):
            if number > FIRST + commits // 2:
                time.sleep(pauses.uniform(0, PAUSE_S))
            outcome = self._writer.run(self._database, row_sql(number))
            if outcome.trouble:
                self._refused[outcome.trouble] += 1
            else:
                done.append(number)
        self._note("commits", len(done))
        rate = len(done) / (time.monotonic() - began)
        self._report.remark(f"{self._mode}: {rate:.0f} commits a second.")
        return done

    def _note(self, name: str, number: int) -> None:
        self._report.add(f"{self._mode}: {name}", number, kind="note")

    def _count(self, name: str, number: int, examples: object) -> None:
        self._report.add(f"{self._mode}: {name}", number, bar=0)
        if number:
            self._report.remark(f"{self._mode}: {name}: {examples}")


if __name__ == "__main__":
    raise SystemExit(main())
