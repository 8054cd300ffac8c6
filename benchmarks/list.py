"""Ten thousand run folders: first rows, all summaries, and the same again when nothing changed.

    python -m benchmarks.list [--short] [--runs N]

The yardstick is one `sqlite3` process that opens each database and reads its run.
"""

import json
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
FIRST_ROWS_S, COLD_RATIO, WARM_RATIO = 0.5, 1.5, 0.1


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
        times = 1 if options.short else 3
        yardstick = statistics.median(_opened_by_cli(place, names) for _ in range(times))
        ours = [_measured(place) for _ in range(times)]
        _tell(report, count, yardstick, ours)
        _on_screen(report, place, names)
    return report.finish(options.json)


def measure(root: str) -> dict[str, float]:
    """Seconds from the beginning of this function: what the screen is given, and a warm round."""
    began = time.monotonic()
    found: dict[str, float] = {}
    done = threading.Event()

    def deliver(message: Message) -> None:
        if isinstance(message, Overview):
            if len(message.runs) >= SCREENFUL:
                found.setdefault("first rows", time.monotonic() - began)
            if message.runs and not message.loading:
                found.setdefault("all summaries on the list", time.monotonic() - began)
                found["runs"] = len(message.runs)
                done.set()

    feed = WatchedWorkspace(Workspace([root], system_clock(), root))
    feed.start(deliver)
    done.wait(LATEST_S)
    feed.stop()
    workspace = Workspace([root], system_clock(), root)
    for name in ("cold", "warm"):
        began = time.monotonic()
        workspace.discover()
        found[f"discovery, {name}"] = time.monotonic() - began
        began = time.monotonic()
        for _ in workspace.summaries():
            pass
        found[f"summaries, {name}"] = time.monotonic() - began
    workspace.close()
    return found


def _measured(place: Place) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.list", "--measure", str(place.watched)]
    told = subprocess.run(
        command, env=dict(place.environment), check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(told.stdout)
    return found


def _opened_by_cli(place: Place, names: Sequence[str]) -> float:
    """Seconds that one process takes to open each database and read its run."""
    command = shutil.which("sqlite3")
    if command is None:
        return 0.0
    script = "".join(
        f".open '{place.watched}/runs/{name}/state.db'\nSELECT * FROM run;\n" for name in names
    )
    began = time.monotonic()
    subprocess.run(
        [command, "-batch"], input=script, env=dict(place.environment), check=True, text=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return time.monotonic() - began


def _tell(report: Report, count: int, yardstick: float, ours: Sequence[dict[str, float]]) -> None:
    medians = {name: statistics.median(one[name] for one in ours) for name in ours[0]}
    cold = medians["discovery, cold"] + medians["summaries, cold"]
    report.add("runs missing from the list", count - medians.pop("runs"), bar=0)
    for name, seconds in medians.items():
        bar = FIRST_ROWS_S if name == "first rows" else None
        report.add(f"{name}, of {count} runs", seconds, "s", kind="time", bar=bar)
    if not yardstick:
        report.remark("There is no sqlite3 command here: no ratios.")
        return
    report.add("one sqlite3 process that opens each", yardstick, "s", kind="time")
    all_of_them = medians["all summaries on the list"]
    report.add("all summaries : CLI", all_of_them / yardstick, kind="ratio", bar=COLD_RATIO)
    report.add("discovery and summaries alone : CLI", cold / yardstick, kind="ratio")
    warm = medians["summaries, warm"]
    report.add("summaries, warm : CLI", warm / yardstick, kind="ratio", bar=WARM_RATIO)
    again = warm + medians["discovery, warm"]
    report.add("discovery and summaries, warm : CLI", again / yardstick, kind="ratio")


def _on_screen(report: Report, place: Place, names: Sequence[str]) -> None:
    """From the start of the program to the newest run's row, and until nothing is loading."""
    with Terminal([*INSPECTOR, str(place.watched)], place.environment) as terminal:
        terminal.wait_for(names[0][-6:], LATEST_S)
        instant = terminal.first_ns(names[0][-6:])
        terminal.quit()
    if instant is None:
        report.add("rows on the screen that never came", 1, bar=0)
        return
    seconds = (instant - terminal.started_ns) / 1e9
    report.add("program start to first rows on the screen", seconds, "s", kind="time")


if __name__ == "__main__":
    raise SystemExit(main())
