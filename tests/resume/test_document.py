"""A plan for others: JSON with the promised fields, Markdown in which data is only text."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.cli.resume import plan_document
from inspector.export.documents import document
from inspector.model.preflight import Caution, refused
from inspector.resume.document import facts, markdown
from inspector.resume.plan import Choices, make_plan
from tests.resume.flights import KEY, asking, run, waiting
from tests.resume.stand_ins import program

PROMISED = (
    "run", "resumable", "reason", "position", "done", "will_run", "unknown", "warnings", "needs",
    "command", "prompt",
)  # fmt: skip
OF_A_POSITION = (
    "kind", "action", "statement_index", "after_statement_index", "parallel_id", "instance",
    "loop_id", "iteration", "frame", "depth", "keep", "rerun", "unconfirmed",
)  # fmt: skip


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "claude", "true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def test_the_promised_fields(tmp_path: Path) -> None:
    content = plan_document(make_plan(run(), asking(str(tmp_path)), Choices()))
    assert [name for name in PROMISED if name not in content] == []
    assert [name for name in OF_A_POSITION if name not in content["position"]] == []
    assert set(content["command"]) == {"argv", "cwd", "env"}
    assert content["warnings"] == [{"code": "may_repeat", "message": "It may run twice."}]
    whole = document("resume", content, reveal=False)
    assert whole["schema"] == "inspector.resume/1"


def test_runs_that_are_not_resumable(tmp_path: Path) -> None:
    content = plan_document(make_plan(run(), refused(KEY, "it is over"), Choices()))
    assert (content["resumable"], content["reason"]) == (False, "it is over")
    assert content["position"] is None and content["command"] is None


def test_facts_begin_with_why_not() -> None:
    assert next(facts(make_plan(run(), refused(KEY, "it is over"), Choices()))) == (
        "not resumable",
        "It is over.",
    )


def test_markdown_says_everything(tmp_path: Path) -> None:
    text = markdown(make_plan(run(), asking(str(tmp_path)), Choices()))
    for words in ("# Resume nightly", "branches a, b", "branch d, then the join", "may run twice",
                  "```sh\ncd ", "OpenProse run one"):  # fmt: skip
        assert words.replace("-", "\\-") in text or words in text, words


def test_markdown_of_a_decision_has_its_request(tmp_path: Path) -> None:
    plan = make_plan(run(), waiting(str(tmp_path), deadline=0), Choices(decision="deny"))
    text = markdown(plan)
    assert "POST {base}" in text and '"deny"' in text and "1970-01-01T00:00:00.000Z" in text


def test_data_is_no_markup(tmp_path: Path) -> None:
    hostile = "[x](javascript:1) <img src=x> `a` **b** \x1b[31m\u202e"
    flight = asking(
        str(tmp_path),
        prompt="a\n````\n# not a heading\n\x1b[0m",
        warnings=(Caution("x", hostile),),
        stands=hostile,
    )
    text = markdown(make_plan(run(hostile), flight, Choices()))
    assert "\x1b" not in text and "\u202e" not in text
    outside = re.sub(r"\\.", "", text.partition("## Command")[0])
    assert not set(outside.removeprefix("# ").replace("* ", "")) & set("[]()<>`*_#!")
    assert "\n`````" in text, "the fence is longer than any in the prompt"


def test_secrets_are_masked(tmp_path: Path) -> None:
    secret = "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    flight = replace(asking(str(tmp_path)), stands=secret)
    assert "abcdefghijklmnopqrstuvwxyz" not in markdown(make_plan(run(), flight, Choices()))
