"""A run folder without a database through our commands: head, findings, events, what is lost."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.query.openprose.logs.folders import (
    LONG_AGO,
    RUN,
    Answers,
    answers,
    build,
    reader,
    settle,
    store,
)
from tests.query.openprose.logs.shapes import DELEGATED, ELDER, LOGS

__all__ = ["answers"]
Make = Callable[..., Answers]

FRONT = """---
run_id: 20260521-070809-5e5e03
system: fossil-search
started_at: 2026-05-21T07:08:09Z
ended_at: 2026-05-21T07:12:00Z
status: {status}
error: "searcher.EveryCallFailed"
---

# vm.log

"""


def test_the_head_of_a_log(answers: Make) -> None:
    run = answers(DELEGATED)
    shown = run.ask("show")["run"]
    assert shown["run_id"] == "20260317-143052-a7b3c9"
    assert (shown["title"], shown["status"], shown["raw_status"]) == (
        "deep-research", "completed", "---end",
    )  # fmt: skip
    assert shown["ended_at"] == "2026-03-17T14:35:22.000Z" and shown["started_at"] is None
    assert shown["order_only"] and shown["kind"] == "program"
    (record,) = run.ask("record", "run")["records"]
    assert record["upstream"] == ["20260306-112233-f4a5b6", "20260306-112234-f4a5b7"]
    assert record["root"] == "research/deep-research"
    assert record["lines"] == DELEGATED.count("\n")


@pytest.mark.parametrize(("name", "variant"), [("vm.log.md", "log"), ("state.md", "log-v1")])
def test_stores_by_their_generation(answers: Make, name: str, variant: str) -> None:
    (found,) = answers("1→ a ✓\n", name=name).ask("runs")["stores"]
    assert (found["variant"], found["write_style"], found["health"]) == (variant, "append", "ok")


@pytest.mark.parametrize(
    ("log", "title", "run_id"),
    [
        ("# run:x-1 build.prose\n", "build.prose", "x-1"),
        ("# run:x-1\nprogram: ~/p/team/fix.prose.md\n", "fix", "x-1"),
        ("## run: x-1  two words\n", "two words", "x-1"),
        ("1→ a ✓\n", RUN, RUN),
        ("some prose\n", RUN, RUN),
        ("# run:x-1 a\nroot: src/r.prose.md  # always\n1→ root: other ✓\n", "a", "x-1"),
    ],
)
def test_titles_and_ids(answers: Make, log: str, title: str, run_id: str) -> None:
    (run,) = answers(log).ask("runs")["runs"]
    assert (run["title"], run["run_id"]) == (title, run_id)


@pytest.mark.parametrize(
    ("word", "end", "status", "raw", "codes"),
    [
        ("failed", "---error 2026-05-21T07:12:00Z x\n", "failed", "failed", []),
        (
            "completed",
            "---error 2026-05-21T07:12:00Z x\n",
            "failed",
            "completed",
            ["contradiction"],
        ),
        ("completed", "", "running", "completed", ["contradiction"]),
        ("running", "", "running", "running", []),
        ("Complete", "---end\n", "completed", "Complete", []),
        ("interrupted", "", "running", "interrupted", ["contradiction"]),
        ("stalled", "", "running", "stalled", ["unknown_status"]),
    ],
)
def test_the_front_matter_is_the_raw_word(
    answers: Make, word: str, end: str, status: str, raw: str, codes: list[str]
) -> None:
    run = answers(FRONT.format(status=word) + f"1→ a ✓\n{end}")
    shown = run.ask("show")
    assert shown["events"] == 1 + bool(end)
    assert (shown["run"]["status"], shown["run"]["raw_status"]) == (status, raw)
    assert shown["run"]["started_at"] == "2026-05-21T07:08:09.000Z"
    assert [one["code"] for one in shown["findings"]] == codes
    if end == "---end\n":
        assert shown["run"]["ended_at"] == "2026-05-21T07:12:00.000Z"


def test_silence_is_told_from_the_newest_file(
    tmp_path: Path, set_now: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build(tmp_path, "1→ a ✓\n", {"workspace/b/notes.md": "x"})
    run = Answers(folder, capsys)
    set_now(str(LONG_AGO + 20 * 60_000))
    assert run.codes() == ["quiet"]
    settle(folder / "workspace", LONG_AGO + 19 * 60_000)
    assert run.codes() == []
    assert run.ask("show")["run"]["last_activity_at"] == "2023-11-14T22:32:20.000Z"


def test_what_the_end_leaves_open(answers: Make, tmp_path: Path) -> None:
    log = "1→ ∥start a,b\n1a→ a ✓\n2→ server ⇒ x (delegate: r)\n3→ loop:1/2\n3→ loop:2/2\n"
    assert answers(log + "---end\n").codes() == ["contradiction", "contradiction"]
    view = reader(build(tmp_path / "b", log + "---error x\n")).refresh()
    assert [one.code for one in view.run.findings] == ["never_finished"] * 3
    assert [(one.kind.value, one.statement_index) for one in view.open] == [
        ("parallel", 1), ("statement", 2), ("loop", 3),
    ]  # fmt: skip


def test_a_loop_in_its_last_round_needs_no_exit(answers: Make) -> None:
    assert answers("3→ loop:1/2\n3→ loop:2/2\n---end\n").codes() == []


def test_a_run_that_is_opened_again_says_so_once(answers: Make) -> None:
    run = answers("1→ a ✓\n---end\n---resume 2026-01-01 (why)\n1→ a ✓\n---error x\n")
    shown = run.ask("show")
    (finding,) = shown["findings"]
    assert (finding["code"], finding["ref"]) == ("re_opened", "line:3")
    assert "line 2" in finding["message"] and "why" in finding["message"]
    assert shown["run"]["status"] == "failed" and shown["run"]["raw_status"] == "---error"


def test_a_folder_without_a_record(answers: Make) -> None:
    run = answers(None, {"bindings/a.md": "A", "program.prose": "session 'x'"})
    (found,) = run.ask("runs")["stores"]
    assert (found["health"], found["reason"]) == ("empty", "the folder holds no record yet")
    shown = run.ask("show")
    assert (shown["run"]["status"], shown["events"], shown["steps"]) == ("unknown", 0, [])
    assert [one["value"] for one in run.ask("values")["values"]] == ["A"]
    assert run.ask("record", "lines")["records"] == []


def test_an_empty_log(answers: Make) -> None:
    run = answers("")
    assert run.ask("runs")["stores"][0]["health"] == "empty"
    assert run.ask("show")["run"]["status"] == "unknown"


@pytest.mark.parametrize("what", ["fifo", "link", "folder"])
def test_a_log_that_is_no_file_is_not_opened(
    tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build(tmp_path, None)
    path = folder / "vm.log.md"
    if what == "fifo":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to("/etc/passwd")
    (run,) = Answers(folder, capsys).ask("runs")["runs"]
    assert (run["status"], [one["code"] for one in run["findings"]]) == ("unknown", ["unreadable"])


def test_the_list_says_what_the_run_says(tmp_path: Path) -> None:
    long = "".join(f"{n}→ step {n} ✓\nprose about it\n" for n in range(1, 3000))
    tails = ["", "---end 2026-01-01T00:00:00Z\n", "---end\n" + "prose\n" * 9000,
             "---end\n9→ more ✓", "---error x\n---test PASS\n", "---end\n---resume\n"]  # fmt: skip
    for number, tail in enumerate(tails):
        folder = build(tmp_path / str(number), ELDER[:40] + "\n" + long + tail)
        (cheap,) = store(folder).summarize()[1]
        whole = reader(folder).refresh().run
        for name in ("key", "title", "status", "raw_status", "ended_at", "started_at", "run_id"):
            assert getattr(cheap, name) == getattr(whole, name), (name, tail[:20])
        assert not cheap.complete and whole.complete


def test_a_summary_is_made_anew_only_when_something_was_written(tmp_path: Path) -> None:
    folder = build(tmp_path, "1→ a ✓\n")
    ours = store(folder)
    first = ours.summarize()
    assert ours.summarize() is first and not ours.changed()
    with (folder / "vm.log.md").open("a") as log:
        log.write("---end\n")
    assert ours.changed()
    assert ours.summarize()[1][0].status == "completed"
    assert not ours.outgrown()
    (folder / "state.db").touch()
    assert ours.outgrown()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(LOGS, st.booleans())
def test_no_line_is_lost(tmp_path_factory: pytest.TempPathFactory, lines: list[str],
                         ended: bool) -> None:  # fmt: skip
    text = "\n".join(lines) + ("\n" if ended else "")
    folder = build(tmp_path_factory.mktemp("run"), text)
    run = reader(folder)
    view = run.refresh()
    data = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    raw = data.split("\n")
    expected = [line.rstrip("\r") for line in (raw if raw[-1] else raw[:-1])]
    shown = run.record("lines")
    assert [row["text"].rstrip("\r") for row in shown] == expected
    assert [row["line"] for row in shown] == list(range(1, len(expected) + 1))

    told = [row["text"] for row in shown if row["event"] is None]
    events = run.events(1, view.total_events)
    for event in events:
        told += [shown[int(event.payload["line"]) - 1]["text"], *event.payload.get("notes", ())]
        assert event.text == shown[int(event.payload["line"]) - 1]["text"].strip()
    assert [line.rstrip("\r") for line in told] == expected
    assert [event.n for event in events] == list(range(1, view.total_events + 1))
    assert run.changed() is False


@settings(max_examples=40, deadline=None)
@given(LOGS, st.lists(st.integers(0, 40), max_size=4))
def test_grown_and_read_at_once(tmp_path_factory: pytest.TempPathFactory, lines: list[str],
                                cuts: list[int]) -> None:  # fmt: skip
    root = tmp_path_factory.mktemp("run")
    text = "".join(f"{line}\n" for line in lines)
    folder = build(root / "a", "")
    growing = reader(folder)
    for step, cut in enumerate([*sorted(cuts), len(lines)], 1):
        part = "".join(f"{line}\n" for line in lines[:cut])
        (folder / "vm.log.md").write_bytes(part.encode("utf-8", "surrogatepass"))
        settle(folder, LONG_AGO + step)
        growing.refresh()
    whole = reader(build(root / "b", text))
    ours, theirs = growing.refresh(), whole.refresh()
    assert _told(ours) == _told(theirs)
    for event in range(0, theirs.total_events + 1, 3):
        assert _told(growing.at(event)) == _told(whole.at(event))


def _told(view: Any) -> list[Any]:
    return [
        [view.describe(step) for step in range(len(view.steps))],
        list(view.step_of_event),
        list(view.failures),
        view.open,
        [one for one in view.run.findings if one.code != "quiet"],
        view.run.status,
        view.events,
    ]


def test_travelling_shows_what_stood_there_then(answers: Make) -> None:
    run = answers(ELDER)
    then = run.ask("show", "--at", "5")
    assert then["events"] == 5 and then["total_events"] == 19
    assert {step["id"]: step["status"] for step in then["steps"]} == {
        "1": "completed", "p2": "running", "p2.a": "completed", "p2.b": "completed",
        "p2.c": "completed",
    }  # fmt: skip
    assert then["run"]["status"] == "running"


def test_long_notes_are_given_as_far_as_they_can_be_held(tmp_path: Path) -> None:
    folder = build(tmp_path, "1→ a ✓\n" + "note\n" * 400_000 + "2→ b ✓\n")
    run = reader(folder)
    run.refresh()
    (event,) = run.events(1, 1)
    omitted = event.payload["notes_omitted_bytes"]
    assert 0 < omitted < 400_000 * 5
    assert len(run.record("lines")) == 10_000
    assert run.record("lines:400001")[-1] == {
        "line": 400_002, "event": 2, "role": "marker", "text": "2→ b ✓",
    }  # fmt: skip


def test_a_large_log_is_never_held(tmp_path: Path) -> None:
    note = "a line of prose about what was done, which no marker begins\n" * 200
    folder = build(tmp_path, "".join(f"{n}→ node-{n} ✓\n{note}" for n in range(1500)))
    size = (folder / "vm.log.md").stat().st_size
    tracemalloc.start()
    try:
        view = reader(folder).refresh()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert view.events == 1500 and size > 16 << 20
    assert peak < size / 3


def test_a_line_longer_than_is_held_is_shown_in_pieces(tmp_path: Path) -> None:
    long = "é" * 100_000
    run = reader(build(tmp_path, f"1→ {long} ✓\n2→ b ✓\n"))
    view = run.refresh()
    assert view.events == 2
    rows = run.record("lines")
    assert {row["line"] for row in rows[:-1]} == {1} and rows[-1]["line"] == 2
    assert "".join(row["text"] for row in rows[:-1]) == f"1→ {long} ✓"
