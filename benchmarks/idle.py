"""What the screen costs while nothing happens: bytes to the terminal and processor time.

python -m benchmarks.idle [--short] [--runs N] [--seconds S]
"""

import time

from benchmarks.place import INSPECTOR, temporary_place
from benchmarks.report import Report, arguments, say
from benchmarks.runs import many
from benchmarks.terminal import Terminal

RUNS, RUNS_SHORT = 10_000, 500
LATEST_S = 120.0
QUIET_S = 3.0
"""So long without a byte, and all is shown."""
LOADING = "still to read"
BAR_PERCENT = 0.5


def main() -> int:
    """Measures and prints."""
    parser = arguments("Measures an idle screen.")
    parser.add_argument("--runs", type=int, help=f"how many ({RUNS}; --short {RUNS_SHORT})")
    parser.add_argument("--seconds", type=float, help="how long (10; --short 5)")
    options = parser.parse_args()
    seconds = options.seconds or (5.0 if options.short else 10.0)
    count = options.runs or (RUNS_SHORT if options.short else RUNS)
    report = Report("idle", options.short)
    with temporary_place() as place:
        say(f"making {count} runs")
        names = many(place.watched, count, place.scratch)
        with Terminal([*INSPECTOR, str(place.watched)], place.environment) as terminal:
            terminal.wait_for(names[0][-6:], LATEST_S)
            _settle(terminal)
            say(f"idle for {seconds:g} s")
            before, spent = terminal.received(), terminal.cpu_seconds()
            began = time.monotonic()
            time.sleep(seconds)
            took = time.monotonic() - began
            written = terminal.received() - before
            spent = terminal.cpu_seconds() - spent
            terminal.quit()
    report.add(f"bytes to the terminal in {seconds:g} s, {count} runs", written, bar=0)
    report.add("processor time", spent, "s", kind="time")
    report.add("share of a processor", spent / took * 100, "%", kind="ratio", bar=BAR_PERCENT)
    return report.finish(options.json)


def _settle(terminal: Terminal) -> None:
    """Waits until nothing has come for a while; what never rests is measured as it is."""
    end = time.monotonic() + LATEST_S
    while time.monotonic() < end:
        before = terminal.received()
        time.sleep(QUIET_S)
        if terminal.received() == before and LOADING not in terminal.text():
            return


if __name__ == "__main__":
    raise SystemExit(main())
