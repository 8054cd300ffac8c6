"""How long until something is there: the screen, and an answer of the command line.

    python -m benchmarks.startup [--short]

Inspector and its yardsticks take turns, so that both meet the same machine. The first paint is the
first time that words have come out of the terminal; the yardstick is a bare Textual application.
"""

import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.place import INSPECTOR, Place, temporary_place
from benchmarks.report import Report, arguments, say
from benchmarks.runs import many
from benchmarks.terminal import Terminal

RUNS = 40
LATEST_S = 30.0
LETTERS = 10
"""So many letters and digits are words."""
BARE_RATIO, HARLEQUIN_RATIO = 2.0, 0.6
_CONTROL = re.compile(rb"\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
_LETTER = re.compile(rb"[0-9A-Za-z]")


def main() -> int:
    """Measures and prints."""
    options = arguments("Measures first paint and the command line's start.").parse_args()
    report = Report("startup", options.short)
    with temporary_place() as place:
        names = many(place.watched, RUNS, place.scratch)
        _paints(report, place, names, 3 if options.short else 9)
        _commands(report, place, 3 if options.short else 9)
    return report.finish(options.json)


def _paints(report: Report, place: Place, names: Sequence[str], times: int) -> None:
    watched = str(place.watched)
    programs: dict[str, Sequence[str]] = {
        "bare": [sys.executable, "-m", "benchmarks.bare"],
        "inspector": [*INSPECTOR, watched],
    }
    harlequin = shutil.which("harlequin", path=str(Path(sys.executable).parent))
    if harlequin is not None:
        programs["harlequin"] = [harlequin, f"{watched}/runs/{names[0]}/state.db"]
    else:
        report.remark("harlequin is not installed here: not compared.")
    say(f"first paint of {', '.join(programs)}, {times} times each")
    rows: list[float] = []

    def paint(command: Sequence[str]) -> float:
        with Terminal(command, place.environment) as terminal:
            terminal.wait_until(lambda: first_words(terminal) is not None, LATEST_S)
            if command[0] is INSPECTOR[0] and "inspector" in command:
                terminal.wait_for(names[0][-6:], LATEST_S)
                rows.append(_since_start(terminal, terminal.first_ns(names[0][-6:])))
            return _since_start(terminal, first_words(terminal))

    medians = in_turns({name: partial(paint, command) for name, command in programs.items()}, times)
    for name, milliseconds in medians.items():
        report.add(f"first paint, {name}", milliseconds, "ms", kind="time")
    report.add(f"first rows of {RUNS} runs", statistics.median(rows), "ms", kind="time")
    ours = medians["inspector"]
    report.add(
        "first paint, inspector : bare Textual",
        ours / medians["bare"],
        kind="ratio",
        bar=BARE_RATIO,
    )
    if "harlequin" in medians:
        ratio = ours / medians["harlequin"]
        report.add("first paint, inspector : harlequin", ratio, kind="ratio", bar=HARLEQUIN_RATIO)


def _commands(report: Report, place: Place, times: int) -> None:
    say(f"`runs --json` of {RUNS} runs, {times} times")
    commands = {
        "python -c 'import sqlite3'": [sys.executable, "-c", "import sqlite3"],
        "inspector --version": [*INSPECTOR, "--version"],
        f"runs --json of {RUNS} runs": [*INSPECTOR, "runs", "--json", "--in", str(place.watched)],
    }

    def run(command: Sequence[str]) -> float:
        began = time.monotonic()
        subprocess.run(command, env=dict(place.environment), check=True, capture_output=True)
        return (time.monotonic() - began) * 1000

    medians = in_turns({name: partial(run, command) for name, command in commands.items()}, times)
    for name, milliseconds in medians.items():
        report.add(name, milliseconds, "ms", kind="time")
    bare, _, whole = medians.values()
    report.add("runs --json : python -c 'import sqlite3'", whole / bare, kind="ratio")


def in_turns(measures: Mapping[str, Callable[[], float]], times: int) -> dict[str, float]:
    """The median of each, after one round that fills caches."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for turn in range(times + 1):
        for name, measure in measures.items():
            value = measure()
            if turn:
                taken[name].append(value)
    return {name: statistics.median(values) for name, values in taken.items()}


def first_words(terminal: Terminal) -> int | None:
    """The instant at which so many letters had come out that a person sees words."""
    letters = 0
    for instant, piece in terminal.pieces():
        letters += len(_LETTER.findall(_CONTROL.sub(b"", piece)))
        if letters >= LETTERS:
            return instant
    return None


def _since_start(terminal: Terminal, instant: int | None) -> float:
    if instant is None:
        raise RuntimeError(f"nothing was painted in {LATEST_S:g} s:\n{terminal.text()}")
    return (instant - terminal.started_ns) / 1e6


if __name__ == "__main__":
    raise SystemExit(main())
