"""`show`, `events`, `values`, `record`, `watch`: one run, as JSON and as plain lines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.asking import Inspector, begin
from tests.query.openprose.builders import (
    branch,
    done,
    executing,
    exited,
    failed,
    joined,
    loop,
    parallel,
    retry,
    round_,
    rows,
)
from tests.query.openprose.databases import RUN_ID, add, make
from tests.store.writers import Writer

DESCRIBED = (
    loop("l1", 3, condition="**good**"), done(1), parallel("p1", "a b", 2),
    branch("p1", "a", index=2), branch("p1", "b", "failed", 2, error="no answer"),
    joined("p1", 2), round_("l1", 1), exited("l1"), failed(3, "timeout"), retry(3, 2, 3),
    done(3, attempt=2),
)  # fmt: skip
SECRET = "sk-ant-api03-" + "A1b2C3d4E5" * 8
EVIL = "a\x1b]52;c;ZXZpbA==\x07\x9b2J\u202e\u2066\x00\x7fz"
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make(tmp_path, rows(*DESCRIBED), bindings=[("report", None, "output", "all is well")])


class TestShow:
    def test_the_document(self, inspector: Inspector, run: Path) -> None:
        document = inspector("show", RUN_ID, "--json").json
        assert document["schema"] == "inspector.show/1"
        assert document["events"] == len(DESCRIBED)
        assert document["masked"] == 0
        steps = {step["id"]: step for step in document["steps"]}
        assert list(steps) == [
            "l1", "l1[1]", "l1[1]/1", "l1[1]/p1", "l1[1]/p1.a", "l1[1]/p1.b", "3",
        ]  # fmt: skip
        for step in steps.values():
            assert {
                "id", "parent", "kind", "label", "status", "raw_status", "started_at", "ended_at",
                "duration_ms", "first_event", "last_event", "iteration", "of", "instance",
                "error", "attempts", "max_attempts", "ref",
            } <= set(step)  # fmt: skip
            assert step["parent"] in (None, *steps)
        assert steps["l1"]["of"] == 3
        assert steps["l1"]["ref"]["reason"] == "condition_satisfied"
        assert steps["l1[1]"]["iteration"] == 1
        assert steps["l1[1]/p1"]["ref"]["joined"] is True
        assert steps["l1[1]/p1"]["instance"] == 1
        assert steps["l1[1]/p1.b"]["error"] == "no answer"
        assert [one["status"] for one in steps["3"]["attempts"]] == ["failed", "completed"]
        assert steps["3"]["max_attempts"] == 3

    def test_after_its_first_events(self, inspector: Inspector, run: Path) -> None:
        document = inspector("show", RUN_ID, "--json", "--at", "4").json
        assert (document["events"], document["total_events"]) == (4, len(DESCRIBED))
        assert [one["id"] for one in document["open"]] == ["l1", "p1"]
        assert {step["id"]: step["status"] for step in document["steps"]}["l1[1]/p1.b"] == "pending"
        assert inspector("show", RUN_ID, "--json", "--at", "0").json["steps"] == []

    @pytest.mark.parametrize(("depth", "count"), [("0", 0), ("1", 2), ("2", 3), ("9", 7)])
    def test_only_so_many_levels(
        self, inspector: Inspector, run: Path, depth: str, count: int
    ) -> None:
        assert len(inspector("show", RUN_ID, "--json", "--depth", depth).json["steps"]) == count
        text = inspector("show", RUN_ID, "--depth", depth).out
        assert len(text.partition("\n\n")[2].splitlines()) == count

    def test_the_tree_in_plain_lines(self, inspector: Inspector, run: Path) -> None:
        lines = inspector("show", RUN_ID).out.partition("\n\n")[2].splitlines()
        assert lines == [
            "+ 10 loop",
            "+   [1]",
            "+     1 session 1",
            "+     2 parallel:",
            "+       <a>",
            "x       <b>  no answer",
            "+ 3 session 3  x2",
        ]

    def test_steps_one_a_line(self, inspector: Inspector, run: Path) -> None:
        found = inspector("show", RUN_ID, "--jsonl").rows
        assert found == inspector("show", RUN_ID, "--json").json["steps"]

    def test_parents_that_come_after_their_children(
        self, inspector: Inspector, tmp_path: Path
    ) -> None:
        make(tmp_path, rows(done(2, parent=3), done(4, parent=1), executing(1, "do b", block="b")))
        document = inspector("show", RUN_ID, "--json", "--depth", "3").json
        assert [step["id"] for step in document["steps"]] == ["1/2", "1/2/4", "1"]
        lines = inspector("show", RUN_ID, "--depth", "3").out.partition("\n\n")[2].splitlines()
        assert lines == ["* 1 do b", "+   2 session 2", "+     4 session 4"]

    def test_deep_nesting_stays_on_its_lines(self, inspector: Inspector, tmp_path: Path) -> None:
        make(tmp_path, rows(*(executing(1, "do it", block="b", parent=n or None)
                              for n in range(200))))  # fmt: skip
        lines = inspector("show", RUN_ID).out.partition("\n\n")[2].splitlines()
        assert len(lines) == 200
        assert max(map(len, lines)) < 80
        assert "(199)" in lines[-1]

    def test_a_very_long_label_is_cut_in_the_line_and_whole_in_the_document(
        self, inspector: Inspector, tmp_path: Path
    ) -> None:
        long = "ä" * 100_000
        make(tmp_path, rows(failed(1, long, long)))
        (line,) = inspector("show", RUN_ID).out.partition("\n\n")[2].splitlines()
        assert len(line) < 1000
        assert "200 KB" in line
        (step,) = inspector("show", RUN_ID, "--json").json["steps"]
        assert step["label"] == step["error"] == long


class TestEvents:
    def test_the_document(self, inspector: Inspector, run: Path) -> None:
        document = inspector("events", RUN_ID, "--json").json
        assert document["schema"] == "inspector.events/1"
        assert [event["n"] for event in document["events"]] == list(range(1, len(DESCRIBED) + 1))
        first = document["events"][0]
        assert {"n", "id", "kind", "raw_status", "at", "at_raw", "text", "payload"} <= set(first)
        assert first["payload"]["metadata"]["loop_id"] == "l1"
        assert [event["kind"] for event in document["events"]][:4] == [
            "loop", "statement", "parallel", "branch",
        ]  # fmt: skip

    def test_one_a_line_and_in_plain_lines(self, inspector: Inspector, run: Path) -> None:
        assert (
            inspector("events", RUN_ID, "--jsonl").rows
            == (inspector("events", RUN_ID, "--json").json["events"])
        )
        lines = inspector("events", RUN_ID).out.splitlines()
        assert len(lines) == len(DESCRIBED)
        assert "timeout" in lines[8]

    def test_instants_keep_what_was_written(self, inspector: Inspector, tmp_path: Path) -> None:
        written = [
            "2026-01-16 20:00:00",
            "2026-01-16T20:00:00Z",
            "2026-01-16T22:00:00+02:00",
            "tomorrow",
        ]
        make(tmp_path, rows(*(done(n, started=at) for n, at in enumerate(written, 1))))
        events = inspector("events", RUN_ID, "--json").json["events"]
        assert [event["at"] for event in events] == ["2026-01-16T20:00:00.000Z"] * 3 + [None]
        assert [event["at_raw"] for event in events] == written

    def test_following_ends_when_the_run_ends(self, tmp_path: Path) -> None:
        path = make(tmp_path, rows(executing(1)))
        program = begin("events", RUN_ID, "--follow", "--jsonl", "--in", str(tmp_path))
        assert program.stdout is not None and program.stderr is not None
        assert json.loads(program.stdout.readline())["n"] == 1
        with Writer(path) as writer:
            add(writer, done(1), first=2)
            assert json.loads(program.stdout.readline())["raw_status"] == "completed"
            add(writer, done(2), done(3), first=3)
            assert [json.loads(program.stdout.readline())["n"] for _ in range(2)] == [3, 4]
            writer.sql("BEGIN", "INSERT INTO execution (statement_index, status) VALUES (4, 'x')",
                       "UPDATE run SET status = 'completed'", "COMMIT")  # fmt: skip
            rest, trouble = program.communicate(timeout=30)
        assert [json.loads(line)["n"] for line in rest.splitlines()] == [5]
        assert (program.returncode, trouble) == (0, "")


class TestValues:
    def test_the_document(self, inspector: Inspector, run: Path) -> None:
        document = inspector("values", RUN_ID, "--json").json
        assert document["schema"] == "inspector.values/1"
        assert (document["frame"], document["rows"]) == (None, 1)
        (value,) = document["values"]
        assert value["name"] == "report"
        assert value["value"] == value["preview"] == "all is well"
        assert (value["scope"], value["kind"], value["type"], value["size"]) == (
            "root", "output", "text", 11,
        )  # fmt: skip

    def test_only_one_name_as_a_frame_has_it(self, inspector: Inspector, tmp_path: Path) -> None:
        bindings = [("x", None, "let", "out"), ("x", 1, "let", "in"), ("y", 1, "let", "y")]
        make(tmp_path, rows(executing(1, "do b", block="b")), bindings=bindings)
        found = inspector("values", RUN_ID, "--json", "--frame", "1", "--name", "x").json
        assert [value["value"] for value in found["values"]] == ["in"]
        assert "in" in inspector("values", RUN_ID, "--frame", "1").out

    def test_a_giant_one_is_only_measured(self, inspector: Inspector, tmp_path: Path) -> None:
        make(tmp_path, bindings=[("big", None, "let", "word " * 100_000)])
        (value,) = inspector("values", RUN_ID, "--json").json["values"]
        assert (value["value"], value["size"]) == (None, 500_000)
        assert len(inspector("values", RUN_ID).out) < 1000
        (whole,) = inspector("values", RUN_ID, "--json", "--full").json["values"]
        assert len(whole["value"]) == 500_000


@pytest.mark.parametrize("option", ["--name", "--versions"])
def test_a_value_that_is_not_there_is_not_found(
    inspector: Inspector, run: Path, option: str
) -> None:
    answer = inspector("values", RUN_ID, option, "nope")
    assert (answer.code, answer.out) == (3, "")
    assert "No value is named 'nope'" in answer.err


def test_records_have_the_database_s_own_names(inspector: Inspector, run: Path) -> None:
    document = inspector("record", RUN_ID, "run", "--json").json
    assert document["schema"] == "inspector.record/1"
    assert document["records"][0]["state_mode"] is None
    assert "state_mode" in inspector("record", RUN_ID).out


def test_a_part_that_there_is_not_is_answered_with_those_that_there_are(
    inspector: Inspector, run: Path
) -> None:
    said = inspector("record", RUN_ID, "world-models").err
    assert "has no part 'world-models'. Parts: run, " in said
    for part in ("agents", "source", "tables"):
        assert part in said


class TestSecrets:
    """Hidden everywhere, counted, and shown to who asks for them."""

    @pytest.fixture
    def leaky(self, tmp_path: Path) -> Path:
        metadata = {"parallel_id": SECRET, "branches": ["a"], "note": f"Bearer {SECRET}"}
        described = [
            (1, 1, f"call with {SECRET}", "failed", None, None, f"denied: {SECRET}", None, None),
            (2, 2, "parallel:", "started", None, None, None, None, json.dumps(metadata)),
            (3, 3, "x", SECRET, SECRET, None, None, None, None),
        ]
        return make(
            tmp_path,
            described,
            bindings=[("api_key", None, "let", "hunter2"), ("text", None, "let", f"see {SECRET}"),
                      ("cut", None, "let", "word " * 200 + SECRET)],
            also=["ALTER TABLE execution ADD COLUMN key TEXT",
                  f"UPDATE execution SET key = '{SECRET}'",
                  f"UPDATE run SET root_path = '/x/{SECRET}.prose'",
                  "INSERT INTO bindings (name, attachment_path)"
                  f" VALUES ('file', 'https://user:{SECRET}@example.com/x')"],
        )  # fmt: skip

    COMMANDS = (
        ("runs",), ("show", RUN_ID), ("events", RUN_ID), ("values", RUN_ID),
        ("values", RUN_ID, "--full"), ("record", RUN_ID), ("record", RUN_ID, "tables"),
    )  # fmt: skip

    @pytest.mark.parametrize("form", [(), ("--json",), ("--jsonl",)])
    @pytest.mark.parametrize("words", COMMANDS)
    def test_nothing_shows_them(
        self, inspector: Inspector, leaky: Path, words: tuple[str, ...], form: tuple[str, ...]
    ) -> None:
        answer = inspector(*words, *form)
        assert answer.code == 0
        assert SECRET not in answer.out
        assert SECRET[:30] not in answer.out
        assert "hunter2" not in answer.out
        assert "masked" in answer.out or words[-1] == "tables"

    @pytest.mark.parametrize("form", [(), ("--json",), ("--jsonl",)])
    @pytest.mark.parametrize("words", [("show", RUN_ID), ("events", RUN_ID),
                                       ("values", RUN_ID, "--full")])  # fmt: skip
    def test_who_asks_sees_them(
        self, inspector: Inspector, leaky: Path, words: tuple[str, ...], form: tuple[str, ...]
    ) -> None:
        assert SECRET in inspector(*words, *form, "--reveal").out

    def test_they_are_counted(self, inspector: Inspector, leaky: Path) -> None:
        assert inspector("values", RUN_ID, "--json").json["masked"] >= 3
        assert inspector("values", RUN_ID, "--json", "--reveal").json["masked"] == 0

    def test_ids_of_steps_still_fit_together(self, inspector: Inspector, leaky: Path) -> None:
        steps = inspector("show", RUN_ID, "--json").json["steps"]
        ids = {step["id"] for step in steps}
        assert {step["parent"] for step in steps if step["parent"]} <= ids

    def test_watching_hides_them_too(self, inspector: Inspector, leaky: Path) -> None:
        with Writer(leaky) as writer:
            writer.sql("UPDATE run SET status = 'completed'")
        answer = inspector("watch", RUN_ID)
        assert SECRET not in answer.out


class TestControls:
    """Nothing in the data reaches the terminal as anything but text."""

    @pytest.fixture
    def hostile(self, tmp_path: Path) -> Path:
        metadata = json.dumps({"parallel_id": EVIL, "branches": [EVIL, "b"]})
        return make(
            tmp_path,
            [(1, 1, EVIL, EVIL, EVIL, None, EVIL, None, None),
             (2, 2, "parallel:", "started", None, None, None, None, metadata)],
            status="completed",
            bindings=[(EVIL, None, EVIL, EVIL)],
            also=[f"UPDATE run SET root_path = '{EVIL}'".replace("\x00", "")],
        )  # fmt: skip

    @pytest.mark.parametrize("form", [(), ("--json",), ("--jsonl",)])
    @pytest.mark.parametrize("reveal", [(), ("--reveal",)])
    @pytest.mark.parametrize("words", TestSecrets.COMMANDS)
    def test_only_as_escapes(
        self, inspector: Inspector, hostile: Path, words: tuple[str, ...],
        form: tuple[str, ...], reveal: tuple[str, ...],
    ) -> None:  # fmt: skip
        answer = inspector(*words, *form, *reveal)
        assert answer.code == 0
        assert not RAW.search(answer.out)

    def test_the_document_has_them_all(self, inspector: Inspector, hostile: Path) -> None:
        (first, *_) = inspector("show", RUN_ID, "--json").json["steps"]
        assert first["label"] == first["error"] == EVIL
        (value,) = inspector("values", RUN_ID, "--json").json["values"]
        assert value["name"] == value["value"] == EVIL

    def test_watching_is_safe_too(self, inspector: Inspector, hostile: Path) -> None:
        assert not RAW.search(inspector("watch", RUN_ID).out)


class TestWatch:
    @pytest.mark.parametrize(
        ("status", "code"), [("completed", 0), ("failed", 1), ("interrupted", 1)]
    )
    def test_the_exit_code_says_how_it_ended(
        self, inspector: Inspector, tmp_path: Path, status: str, code: int
    ) -> None:
        make(tmp_path, rows(done(1)), status=status)
        answer = inspector("watch", RUN_ID)
        assert answer.code == code
        assert len(answer.out.splitlines()) == 1

    def test_a_line_for_every_write_until_the_run_ends(self, tmp_path: Path) -> None:
        path = make(tmp_path, rows(executing(1)))
        program = begin("watch", "--in", str(tmp_path))
        assert program.stdout is not None and program.stderr is not None
        assert "event 1" in program.stdout.readline()
        with Writer(path) as writer:
            add(writer, done(1), first=2)
            assert "event 2" in program.stdout.readline()
            writer.sql("UPDATE run SET status = 'failed'")
            rest, trouble = program.communicate(timeout=30)
        assert "failed" in rest
        assert (program.returncode, trouble) == (1, "")

    def test_a_run_that_is_deleted_ends_it_too(self, tmp_path: Path) -> None:
        path = make(tmp_path, rows(executing(1)))
        program = begin("watch", "--in", str(tmp_path))
        assert program.stdout is not None and program.stderr is not None
        program.stdout.readline()
        path.unlink()
        _, trouble = program.communicate(timeout=30)
        assert program.returncode == 4
        assert "cannot be read: " in trouble


def test_two_answers_are_the_same(inspector: Inspector, run: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("INSPECTOR_NOW", "2026-01-16T20:00:00Z")
    for words in TestSecrets.COMMANDS:
        assert inspector(*words, "--json") == inspector(*words, "--json")
