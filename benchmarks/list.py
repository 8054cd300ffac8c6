"""Ten thousand run folders: first rows, all summaries, and the same again when nothing changed.

    python -m benchmarks.list [--short] [--runs N]

The yardstick is one `sqlite3` process that opens each database and reads its run.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from benchmarks.place import INSPECTOR, Place, temporary_place
from benchmarks.report import Report, arguments, say
from benchmarks.runs import many
from benchmarks.terminal import Terminal
from inspector.live.feed import Message, Overview
from inspector.live.watched import WatchedWorkspace
from inspector.model.clock import system_clock
from inspector.query.workspace import Workspace

RUNS, RUNS_SHORT = 10_000, 500
LATEST_S = 120.0
SCREENFUL = 25
TURNS = 3
FIRST_ROWS_S, COLD_RATIO, WARM_RATIO = 0.5, 1.5, 0.1

FIRST = "first rows"
ALL, ALL_CPU = "all summaries on the list", "all summaries on the list, processor"
COLD, WARM = "discovery and summaries alone", "the same again, nothing changed"
CLI, CLI_CPU = "one CLI that opens each", "one CLI that opens each, processor"
LISTED = "runs on the list"

Measured = dict[str, float]
"""Seconds, and how many runs."""


def main() -> int:
    """Measures and prints."""
    parser = arguments("Measures a list of very many runs.")
    parser.add_argument("--runs", type=int, help=f"how many ({RUNS}; --short {RUNS_SHORT})")
    parser.add_argument("--measure", metavar="ROOT", help="measure here, in this process")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return 0
    count = options.runs or (RUNS_SHORT if options.short else RUNS)
    report = Report("list", options.short)
    with temporary_place() as place:
        say(f"making {count} runs")
        names = many(place.watched, count, place.scratch)
        say("reading them")
        turns = [_turn(place, names) for _ in range(TURNS)]
        _tell(report, count, turns)
        _on_screen(report, place, names)
    return report.finish(options.json)


def measure(root: str) -> Measured:
    """Seconds that the screen waits for its list, and those of two rounds without a screen."""
    found: Measured = {}
    done = threading.Event()
    began, spent = time.monotonic(), time.process_time()

    def deliver(message: Message) -> None:
        if isinstance(message, Overview):
            if len(message.runs) >= SCREENFUL:
                found.setdefault(FIRST, time.monotonic() - began)
            if message.runs and not message.loading:
                found.setdefault(ALL, time.monotonic() - began)
                found.setdefault(ALL_CPU, time.process_time() - spent)
                found[LISTED] = len(message.runs)
                done.set()

    feed = WatchedWorkspace(Workspace([root], system_clock(), root))
    feed.start(deliver)
    done.wait(LATEST_S)
    feed.stop()
    workspace = Workspace([root], system_clock(), root)
    for name in (COLD, WARM):
        began = time.monotonic()
        workspace.discover()
        for _ in workspace.summaries():
            pass
        found[name] = time.monotonic() - began
    workspace.close()
    return found


def _turn(place: Place, names: Sequence[str]) -> Measured:
    """The yardstick and ours, one right after the other."""
    cli = _opened_by_cli(place, names)
    command = [sys.executable, "-m", "benchmarks.list", "--measure", str(place.watched)]
    environment = dict(place.environment)
    told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found: Measured = json.loads(told.stdout)
    return found | cli


def _opened_by_cli(place: Place, names: Sequence[str]) -> Measured:
    """What one process takes that opens each database and reads its run; nothing without it."""
    command = shutil.which("sqlite3")
    if command is None:
        return {}
    script = "".join(
        f".open '{place.watched}/runs/{name}/state.db'\nSELECT * FROM run;\n" for name in names
    )
    began, spent = time.monotonic(), os.times()
    subprocess.run(
        [command, "-batch"],
        input=script,
        env=dict(place.environment),
        check=True,
        text=True,
        stdout=subprocess.DEVNULL,
    )
    now = os.times()
    user, system = now.children_user, now.children_system
    cpu = user + system - spent.children_user - spent.children_system
    return {CLI: time.monotonic() - began, CLI_CPU: cpu}


def _tell(report: Report, count: int, turns: Sequence[Measured]) -> None:
    report.add("runs missing from the list", count - min(one[LISTED] for one in turns), bar=0)
    for name in (FIRST, ALL, ALL_CPU, COLD, WARM, CLI, CLI_CPU):
        if name in turns[0]:
            bar = FIRST_ROWS_S if name == FIRST else None
            seconds = statistics.median(one[name] for one in turns)
            report.add(f"{name}, {count} runs", seconds, "s", kind="time", bar=bar)
    if CLI not in turns[0]:
        report.remark("There is no sqlite3 command here: no ratios.")
        return
    for name, yardstick, bar in (
        (ALL, CLI, COLD_RATIO),
        (ALL_CPU, CLI_CPU, None),
        (COLD, CLI, None),
        (WARM, CLI, WARM_RATIO),
    ):
        ratio = statistics.median(one[name] / one[yardstick] for one in turns)
        report.add(f"{name} : {yardstick}", ratio, kind="ratio", bar=bar)


def _on_screen(report: Report, place: Place, names: Sequence[str]) -> None:
    """From the start of the program to the newest run's row."""
    with Terminal([*INSPECTOR, str(place.watched)], place.environment) as terminal:
        terminal.wait_for(names[0][-6:], LATEST_S)
        instant = terminal.first_ns(names[0][-6:])
        terminal.quit()
    report.add("first rows that never came on the screen", int(instant is None), bar=0)
    if instant is not None:
        seconds = (instant - terminal.started_ns) / 1e9
        report.add("program start to first rows on the screen", seconds, "s", kind="time")


if __name__ == "__main__":
    raise SystemExit(main())
