"""What a benchmark found: figures with their bars, as a table and as JSON."""

import argparse
import json
import math
import os
import platform
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Literal

from inspector.cli.output import write_table

Kind = Literal["count", "ratio", "time", "note"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured. At most `bar` is good; without a bar it is only told."""

    name: str
    value: float
    unit: str = ""
    kind: Kind = "count"
    bar: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the bar, if any, was kept."""
        return self.bar is None or self.value <= self.bar

    @property
    def violated(self) -> bool:
        """Whether this fails the benchmark: instants depend on the machine, counts do not."""
        return not self.kept and self.kind != "time"


@dataclass(slots=True)
class Report:
    """All figures of one benchmark."""

    name: str
    short: bool
    figures: list[Figure] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(
        self,
        name: str,
        value: float,
        unit: str = "",
        *,
        kind: Kind = "count",
        bar: float | None = None,
    ) -> None:
        """Notes a figure."""
        self.figures.append(Figure(name, value, unit, kind, bar))

    def times(self, name: str, milliseconds: Sequence[float], bar_of_p95: float) -> None:
        """Notes the median, the 95th percentile and the maximum of some delays."""
        self.add(f"{name}, p50", percentile(milliseconds, 0.5), "ms", kind="time")
        self.add(f"{name}, p95", percentile(milliseconds, 0.95), "ms", kind="time", bar=bar_of_p95)
        self.add(f"{name}, max", max(milliseconds), "ms", kind="time")

    def remark(self, sentence: str) -> None:
        """Notes what no figure says."""
        self.remarks.append(sentence)

    @property
    def violated(self) -> bool:
        """Whether a bar was missed that no machine excuses."""
        return any(figure.violated for figure in self.figures)

    def finish(self, as_json: bool) -> int:
        """Prints everything and gives the exit code: 1 when a bar was missed."""
        if as_json:
            told = {"benchmark": self.name, "short": self.short, "remarks": self.remarks}
            print(json.dumps(told | {"figures": [asdict(figure) for figure in self.figures]}))
        else:
            print(f"{self.name}{' (short)' if self.short else ''} on {machine()}")
            write_table([_HEAD, *map(_row, self.figures)], right=(1, 3))
            for remark in self.remarks:
                print(f"  {remark}")
        return int(self.violated)


_HEAD = ("", "MEASURED", "", "BAR", "")


def _row(figure: Figure) -> tuple[str, ...]:
    bar = "" if figure.bar is None else f"{figure.bar:g}"
    verdict = "" if figure.bar is None else "ok" if figure.kept else "MISSED"
    return (figure.name, _number(figure), figure.unit, bar, verdict)


def _number(figure: Figure) -> str:
    if figure.kind in ("count", "note") and figure.value == int(figure.value):
        return f"{int(figure.value):,}"
    return f"{figure.value:.2f}"


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of all values does not exceed."""
    ordered = sorted(values)
    if share == 0.5:
        return median(ordered)
    return ordered[math.ceil(share * len(ordered)) - 1]


def machine() -> str:
    """What the figures depend on."""
    return (
        f"{platform.system()} {platform.release()}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def arguments(about: str) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--short", action="store_true", help="the short mode of the tests")
    parser.add_argument("--json", action="store_true", help="figures as one JSON document")
    return parser


def say(sentence: str) -> None:
    """Tells the person who waits what is going on."""
    print(sentence, file=sys.stderr, flush=True)
