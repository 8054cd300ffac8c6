"""The proofs by measurement, in their short modes: counts, and ratios within one run, no times.

Other tests run beside them, so ratios get some room; the full modes are judged by their own bars.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.runs import LIVE
from benchmarks.writers import OneRowPerCall, exclusive, make_run, row_sql, text_of, texts_of

ROOT = Path(__file__).parents[2]
ROOM = 2.0
"""How far above its bar a ratio may be while other tests run."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Outcome:
    """What a benchmark said."""

    code: int
    values: dict[str, float]
    bars: dict[str, float]
    text: str

    def violations(self) -> dict[str, float]:
        """Counts that are not what they must be."""
        counts = [name for name, bar in self.bars.items() if bar == 0]
        assert counts
        return {name: self.values[name] for name in counts if self.values[name] > 0}

    def all_that_end_in(self, words: str) -> list[float]:
        """The values of figures of this kind."""
        return [value for name, value in self.values.items() if name.endswith(words)]


def measured(name: str, *options: str) -> Outcome:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--short", "--json", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    document = json.loads(done.stdout)
    figures = document["figures"]
    return Outcome(
        done.returncode,
        {one["name"]: one["value"] for one in figures},
        {one["name"]: one["bar"] for one in figures if one["bar"] is not None},
        "\n".join(document["remarks"]),
    )


def test_a_followed_run_is_not_disturbed() -> None:
    outcome = measured("disturb")
    assert not outcome.violations(), outcome.text
    assert outcome.code == 0
    assert sum(outcome.all_that_end_in(": commits")) >= 1000
    assert all(seen > 100 for seen in outcome.all_that_end_in("while they were written"))


def test_what_disturbs_is_found() -> None:
    outcome = measured("disturb", "--control", "--commits", "150")
    assert outcome.code == 1
    assert outcome.values["rollback: writes that failed"] > 0
    assert all(changed > 0 for changed in outcome.all_that_end_in("created or removed"))
    assert all(names > 0 for names in outcome.all_that_end_in("beside the writer's own"))


def test_every_commit_is_detected_and_painted() -> None:
    outcome = measured("latency")
    assert len(outcome.all_that_end_in("never seen")) == 8
    assert not outcome.violations(), outcome.text


def test_the_first_paint_is_near_that_of_a_bare_application() -> None:
    outcome = measured("startup")
    name = "first paint, inspector : bare Textual"
    assert outcome.values[name] <= ROOM * outcome.bars[name]


def test_a_list_misses_nothing_and_is_cheap_when_nothing_changed() -> None:
    outcome = measured("list")
    assert not outcome.violations(), outcome.text
    again = [name for name in outcome.bars if name.startswith("the same again")]
    assert all(outcome.values[name] <= ROOM * outcome.bars[name] for name in again)


def test_a_long_run_shows_its_end_then_the_whole_and_can_be_left() -> None:
    outcome = measured("huge")
    assert len([name for name, bar in outcome.bars.items() if bar == 0]) == 5
    assert not outcome.violations(), outcome.text


def test_an_idle_screen_writes_nothing() -> None:
    outcome = measured("idle")
    assert not outcome.violations(), outcome.text
    share = "share of a processor"
    assert outcome.values[share] <= ROOM * outcome.bars[share]


def test_without_the_command_python_writes_as_impatiently(tmp_path: Path) -> None:
    database = make_run(tmp_path / LIVE, "delete", 1)
    writer = OneRowPerCall(prefer_python=True)
    assert not writer.run(database, row_sql(2)).trouble
    with exclusive(database):
        assert "locked" in writer.run(database, row_sql(3)).trouble
    assert texts_of(database, tmp_path) == [text_of(1), text_of(2)]
