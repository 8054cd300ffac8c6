"""Values as they were at an event of a run that records no times: what rows tell, and no more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.main import main
from inspector.model.value import Then
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import State
from inspector.query.openprose.value_times import Binding, write_times
from tests.query.openprose.builders import (
    Cells,
    branch,
    cells,
    done,
    executing,
    exited,
    joined,
    loop,
    parallel,
    round_,
    rows,
)
from tests.query.openprose.databases import NOW, Opened, make

WRITTEN, NOT_YET, UNKNOWN = Then.WRITTEN, Then.NOT_YET, Then.UNKNOWN
INSERT = (
    "INSERT INTO bindings (name, execution_id, binding, value, source_statement, updated_at)"
    " VALUES ({}, {}, 'let', {}, {}, {})"
)


def bind(name: str, text: str, source: str | None = None, frame: int | None = None,
         at: str | None = None) -> str:  # fmt: skip
    cells_ = (name, frame, text, source, at)
    return INSERT.format(
        *("NULL" if one is None else str(one) if isinstance(one, int) else "'" + one + "'"
          for one in cells_)
    )  # fmt: skip


def at_events(described: Sequence[Cells], *bindings: Binding) -> list[list[Then]]:
    """After no event, after one, … : what is told of each row."""
    folded = rows(*described)
    state = fold(folded, State())
    return [
        [one.then for one in write_times(bindings, state, event, NOW)]
        for event in range(len(folded) + 1)
    ]


def let(name: str, source: str | None = None, frame: int | None = None) -> Binding:
    return Binding(name, frame, source, None)


class TestWhatRowsTell:
    """The statement, the branch and the frame of a row, and the order of rows."""

    def test_the_statement_that_wrote_it(self) -> None:
        steps = [done(1, "let a = session: x"), done(2, "let ab = session"), done(3, "let b = y")]
        told = at_events(steps, let("b", "let b = y"), let("a", "let a = session"))
        assert told == [
            [NOT_YET, NOT_YET], [NOT_YET, WRITTEN], [NOT_YET, WRITTEN], [WRITTEN, WRITTEN],
        ]  # fmt: skip

    def test_the_number_of_the_statement(self) -> None:
        told = at_events([done(1, "x"), done(2, "y")], let("a", "2"))
        assert told == [[NOT_YET], [NOT_YET], [WRITTEN]]

    def test_the_beginning_of_a_longer_word_is_another_statement(self) -> None:
        assert at_events([done(1, "let about"), done(2)], let("a", "let ab")) == [[UNKNOWN]] * 3

    def test_between_its_beginning_and_its_end_it_may_be_there(self) -> None:
        steps = [done(1, "x"), executing(2, "let a = y"), done(2, "let a = y")]
        told = at_events(steps, let("a", "let a = y"))
        assert told == [[NOT_YET], [NOT_YET], [UNKNOWN], [WRITTEN]]

    def test_branches_of_a_parallel_write_file_type_called(self) -> None:
        steps = [parallel("p", "a b"), branch("p", "b"), branch("p", "a"), joined("p")]
        told = at_events(steps, let("a", "let a = session"), let("b", "let b = session"))
        assert told[:4] == [
            [NOT_YET, NOT_YET], [NOT_YET, NOT_YET], [NOT_YET, WRITTEN], [WRITTEN, WRITTEN],
        ]  # fmt: skip

    def test_each_round_wrote_one_row(self) -> None:
        steps = [loop("l"), done(3, "r = s"), round_("l", 1), done(3, "r = s"), round_("l", 2),
                 exited("l")]  # fmt: skip
        told = at_events(steps, let("r", "r = s"), let("r", "r = s"))
        assert told[1] == [NOT_YET, NOT_YET]
        assert told[2] == told[3] == [WRITTEN, NOT_YET]
        assert told[4] == [WRITTEN, WRITTEN]

    def test_which_round_wrote_the_only_row_is_not_guessed(self) -> None:
        steps = [loop("l"), done(3, "r = s"), round_("l", 1), done(3, "r = s"), round_("l", 2)]
        told = at_events(steps, let("r", "r = s"))
        assert told == [[NOT_YET], [NOT_YET], [UNKNOWN], [UNKNOWN], [WRITTEN], [WRITTEN]]

    def test_a_value_of_a_block_is_written_within_it(self) -> None:
        steps = [done(1, "x"), cells(2, "started", "do f", block="f"), done(3, "y", parent=2),
                 cells(2, "completed", "do f", block="f"), done(4)]  # fmt: skip
        told = at_events(steps, let("v", None, frame=2))
        assert [one for (one,) in told][:2] == [NOT_YET, NOT_YET]
        assert told[2] == [UNKNOWN]

    def test_a_counter_of_invocations_is_no_row(self) -> None:
        steps = [done(1, "x"), done(2, "let v = y")]
        assert at_events(steps, let("v", "let v = y", frame=1)) == [[NOT_YET], [NOT_YET], [WRITTEN]]

    def test_nothing_tells(self) -> None:
        steps = [done(1, "session"), done(2, "session")]
        assert at_events(steps, let("v"), let("w", "elsewhere")) == [[UNKNOWN, UNKNOWN]] * 3


_STEPS = st.lists(st.sampled_from("abc"), min_size=1, max_size=6)
_ROWS = st.lists(st.tuples(st.sampled_from("vw"), st.sampled_from("abcd")), max_size=6)


@given(_STEPS, _ROWS)
def test_what_was_written_stays_written_and_older_rows_come_first(
    steps: list[str], described: list[tuple[str, str]]
) -> None:
    bindings = [let(name, source) for name, source in described]
    told = at_events([done(n, text) for n, text in enumerate(steps, 1)], *bindings)
    order = (NOT_YET, UNKNOWN, WRITTEN)
    for row in range(len(bindings)):
        states = [order.index(moment[row]) for moment in told]
        assert states == sorted(states)
        if bindings[row].source in steps:
            assert told[-1][row] is WRITTEN


STEPS = rows(done(1, "let a = one"), done(2, "let b = two"), done(3, "let a = three"))
BOUND = (bind("a", "first", "let a = one"), bind("b", "x", "let b = two"),
         bind("a", "second", "let a = three"), bind("lost", "y"))  # fmt: skip


class TestOfARun:
    """What the reader and the command line say."""

    def test_the_row_counts_that_was_the_newest_then(self, tmp_path: Path, opened: Opened) -> None:
        run = opened(make(tmp_path, STEPS, also=BOUND))
        then = {one.name: one for one in run.values_at(2).values}
        assert (then["a"].value, then["a"].written_event) == ("first", 1)
        assert then["a"].superseded == 0
        assert (then["lost"].then, then["b"].then) == (UNKNOWN, WRITTEN)
        assert [one.name for one in run.values_at(0).values] == ["lost"]

    def test_after_the_newest_event_it_is_as_of_now(self, tmp_path: Path, opened: Opened) -> None:
        run = opened(make(tmp_path, STEPS, also=BOUND))
        assert run.values_at(3) == run.values()

    def test_a_frame_that_was_not_written_yet_hides_nothing(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        steps = rows(done(1, "x = root"), cells(2, "started", "do f", block="f"),
                     done(3, "x = own", parent=2), done(4))  # fmt: skip
        bound = (bind("x", "outer", "x = root"), bind("x", "inner", "x = own", frame=2))
        run = opened(make(tmp_path, steps, also=bound))
        assert [one.value for one in run.values_at(2, "2").values] == ["outer"]
        assert [one.value for one in run.values_at(3, "2").values] == ["inner"]

    def test_the_detail_shows_what_a_name_meant_there(self, tmp_path: Path, opened: Opened) -> None:
        run = opened(make(tmp_path, STEPS, also=BOUND))
        steps = run.refresh().step_of_event
        meant = [{one.name: one.value for one in run.context(step).values.values} for step in steps]
        assert [one.get("a") for one in meant] == ["first", "first", "second"]
        assert [one.get("b") for one in meant] == [None, "x", "x"]

    def test_instants_tell_where_they_are_recorded(self, tmp_path: Path, opened: Opened) -> None:
        steps = rows(*(executing(n, f"s{n}", started=f"2026-01-16 19:0{n}:00",
                                 ended=f"2026-01-16 19:0{n}:30") for n in (1, 2)))  # fmt: skip
        bound = (bind("a", "x", at="2026-01-16 19:01:10"), bind("b", "y", at="2026-01-16 19:02:10"))
        found = opened(make(tmp_path, steps, also=bound)).values_at(1).values
        assert [(one.name, one.then) for one in found] == [("a", WRITTEN)]


def ask(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["values", "latest", *words, "--json", "--reveal", "--in", str(root)]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_command_tells_values_at_an_event_and_at_a_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path, STEPS, also=BOUND)
    found = ask(tmp_path, capsys, "--at", "1")
    assert found["at"] == 1
    assert {one["name"]: one["then"] for one in found["values"]} == {
        "a": "written", "lost": "unknown",
    }  # fmt: skip
    main(["show", "latest", "--json", "--in", str(tmp_path)])
    step = json.loads(capsys.readouterr().out)["steps"][1]["id"]
    at_step = ask(tmp_path, capsys, "--step", step)
    assert (at_step["at"], at_step["frame"]) == (2, "root")
    assert main(["values", "latest", "--at", "1", "--in", str(tmp_path)]) == 0
    assert "write time unknown" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--at", "9"), ("--step", "nowhere")])
def test_a_step_or_event_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, str]
) -> None:
    make(tmp_path, STEPS, also=BOUND)
    assert main(["values", "latest", *words, "--in", str(tmp_path)]) in (2, 3)
    assert capsys.readouterr().err.count("\n") == 1
