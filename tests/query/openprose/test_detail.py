"""What the detail of a step shows, and what is kept up to date beside the events."""

from __future__ import annotations

import json
from pathlib import Path

from inspector.query.openprose.run_reader import MOST_OWN_EVENTS
from tests.query.openprose.builders import (
    branch,
    done,
    executing,
    exited,
    failed,
    loop,
    parallel,
    retry,
    round_,
    rows,
)
from tests.query.openprose.databases import OTHER_EXECUTIONS, Opened, make
from tests.store.writers import Writer


def test_a_step_has_its_own_rows_values_and_findings(tmp_path: Path, opened: Opened) -> None:
    path = make(
        tmp_path,
        rows(executing(1, "do b", block="b"), failed(2, parent=1), done(3),
             retry(2, 2, 3, parent=1)),
        bindings=[("x", 1, "let", "inner"), ("x", None, "let", "outer")],
        also=["CREATE TABLE x_cost (execution_id INTEGER, tokens INTEGER)",
              "INSERT INTO x_cost VALUES (2, 100), (3, 50), (4, 7)"],
    )  # fmt: skip
    run = opened(path)
    view = run.refresh()
    number = next(n for n in range(len(view.steps)) if view.steps.path(n) == "1/2")
    detail = run.context(number)
    assert [event.id for event in detail.events] == [2, 4]
    assert [event.n for event in detail.events] == [2, 4]
    assert [value.value for value in detail.values.values] == ["inner"]
    assert [row["tokens"] for row in detail.related["x_cost"]] == [100, 7]
    assert detail.step.ref["frame"] == 1


def test_rows_inside_are_not_the_step_s_own(tmp_path: Path, opened: Opened) -> None:
    run = opened(make(tmp_path, rows(loop("l1", 3), done(1), round_("l1", 1), done(1))))
    run.refresh()
    assert [event.id for event in run.context(0).events] == [1]


def test_of_very_many_rows_the_first_are_shown(tmp_path: Path, opened: Opened) -> None:
    run = opened(make(tmp_path, rows(*(retry(1, n, 9999) for n in range(2, 500)))))
    run.refresh()
    assert [event.n for event in run.context(0).events] == list(range(1, MOST_OWN_EVENTS + 1))


def test_events_that_are_gone_move_no_other(tmp_path: Path, opened: Opened) -> None:
    """Rows were taken away since the view was made: the numbers of the rest stay theirs."""
    path = make(tmp_path, rows(*(done(n) for n in range(1, 9))))
    run = opened(path)
    run.refresh()
    with Writer(path) as writer:
        writer.sql("DELETE FROM execution WHERE id = 3")
        events = run.events(1, 100)
    assert [(event.n, event.id) for event in events] == [(n, n) for n in (1, 2, 4, 5, 6, 7, 8)]


def test_a_step_in_a_branch_says_which_parallel_it_is_in(tmp_path: Path, opened: Opened) -> None:
    inner = {"parallel_id": "p1", "branch": "a"}
    run = opened(make(tmp_path, rows(
        parallel("p1", "a b", 2), loop("l1", 2, 3, **inner), done(4), branch("p1", "b", index=2),
        exited("l1", index=3), parallel("p2", "x", 5),
    )))  # fmt: skip
    view = run.refresh()
    refs = {view.steps.path(n): view.describe(n).ref for n in range(len(view.steps))}
    assert refs["p1.a/l1[1]/4"]["parallel_id"] == "p1"
    assert (refs["p1.b"]["branch"], refs["p1.b"]["parallel_id"]) == ("b", "p1")
    assert refs["p2.x"]["parallel_id"] == "p2"
    assert refs["p1"]["parallel_id"] == "p1"


def test_a_frame_that_only_values_name_resolves(tmp_path: Path, opened: Opened) -> None:
    path = make(
        tmp_path,
        [("a", *done(1))],
        execution=OTHER_EXECUTIONS["text ids"],
        bindings=[("x", "nobody", "let", "1"), ("y", None, "let", "2")],
    )
    found = opened(path).values("nobody")
    assert {value.name: value.value for value in found.values} == {"x": "1", "y": "2"}


class TestReceiptsBesideTheEvents:
    """They are judged again whenever a cell of theirs changed, not only when one was added."""

    def receipt(self, fresh: int) -> str:
        cells = {
            "node": "n", "contract_fingerprint": "c", "status": "rendered",
            "wake": json.dumps({"source": "self", "refs": []}), "input_fingerprints": "[]",
            "fingerprints": json.dumps({"@atomic": "x"}), "semantic_diff": "{}",
            "cost": json.dumps({"provider": "p", "model": "m", "surprise_cause": "self",
                                "tokens": {"fresh": fresh, "reused": 0}}),
            "sig": json.dumps({"scheme": "none", "null_reason": "local"}),
        }  # fmt: skip
        values = ", ".join(f"'{value}'" for value in cells.values())
        return f"INSERT INTO receipt ({', '.join(cells)}) VALUES ({values})"

    def test_an_edited_receipt_is_seen(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(done(1)), also=[self.receipt(10)])
        run = opened(path)
        assert run.refresh().run.tokens.total == 10
        with Writer(path) as writer:
            writer.sql("UPDATE receipt SET cost = replace(cost, '\"fresh\": 10', '\"fresh\": 99')")
            assert run.refresh().run.tokens.total == 99
            writer.sql("DELETE FROM receipt")
            assert run.refresh().run.tokens.total is None
            writer.sql(self.receipt(5), self.receipt(6))
            assert run.refresh().run.tokens.total == 11
