"""From a pre-flight to the very command, or to why none can be started."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.preflight import Decision, refused
from inspector.resume.plan import Choices, make_plan
from tests.resume.flights import KEY, PROMPT, asking, commanding, run, waiting
from tests.resume.stand_ins import program


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is all of PATH."""
    for name in ("claude", "codex", "grimoire", "mine"):
        program(tmp_path / "bin", name, "true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def test_a_host_is_asked_in_the_project(installed: Path, tmp_path: Path) -> None:
    plan = make_plan(run(), asking(str(tmp_path)), Choices())
    assert plan.command is not None and plan.can_launch
    assert plan.command.argv == ("claude", "-p", PROMPT)
    assert (plan.command.cwd, plan.host) == (str(tmp_path), "claude")
    assert plan.program == str(installed / "claude")


def test_a_person_chooses_the_host(installed: Path, tmp_path: Path) -> None:
    choices = Choices({"own": ["mine", "--ask", "{prompt}"]}, host="own")
    plan = make_plan(run(), asking(str(tmp_path)), choices)
    assert plan.command is not None and plan.command.argv == ("mine", "--ask", PROMPT)
    plan = make_plan(run(), asking(str(tmp_path)), Choices(host="clyde"))
    assert plan.command is None and "clyde" in (plan.problem or "")


def test_a_run_that_is_not_resumable_has_no_command(installed: Path) -> None:
    plan = make_plan(run(), refused(KEY, "it says that it is completed"), Choices())
    assert plan.command is None and not plan.can_launch
    assert plan.problem == "It says that it is completed."


def test_a_folder_that_is_gone_disables_the_launch(installed: Path, tmp_path: Path) -> None:
    for folder in (str(tmp_path / "gone"), "", "relative", f"{tmp_path}\0"):
        plan = make_plan(run(), asking(folder), Choices())
        assert plan.command is None and plan.problem and "folder" in plan.problem


def test_a_missing_program_leaves_the_command_to_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    plan = make_plan(run(), commanding(str(tmp_path), "grimoire", "resume", "x"), Choices())
    assert plan.command is not None and not plan.can_launch
    assert plan.problem == "There is no program 'grimoire' on the PATH; the command can be copied."


def test_a_prompt_too_long_for_an_argument_is_reported(installed: Path, tmp_path: Path) -> None:
    plan = make_plan(run(), asking(str(tmp_path), "x" * 200_000), Choices())
    assert plan.command is None and "too long" in (plan.problem or "")


def test_nothing_is_decided_for_a_person(installed: Path, tmp_path: Path) -> None:
    template = Choices(templates={"openprose": ["mine", "{run_id}", "{decision}"]})
    plan = make_plan(run(), waiting(str(tmp_path)), template)
    assert plan.problem == "Choose approve or deny first." and plan.request is None
    chosen = Choices(templates={"openprose": ["mine", "{run_id}", "{decision}"]}, decision="deny")
    plan = make_plan(run(), waiting(str(tmp_path)), chosen)
    assert plan.command is not None and plan.command.argv == ("mine", "r", "deny")
    assert plan.request is not None and "deny" in plan.request and plan.can_launch


def test_a_decision_is_required_for_any_template(installed: Path, tmp_path: Path) -> None:
    plan = make_plan(
        run(), waiting(str(tmp_path)), Choices(templates={"openprose": ["mine", "{run_id}"]})
    )
    assert plan.command is not None and not plan.can_launch


def test_a_decision_that_would_do_harm_is_refused(installed: Path, tmp_path: Path) -> None:
    late = (Decision("approve", "its time ran out", "POST"), Decision("deny", None, "POST"))
    choices = Choices(templates={"openprose": ["mine", "{decision}"]}, decision="approve")
    plan = make_plan(run(), waiting(str(tmp_path), decisions=late), choices)
    assert plan.problem == "Its time ran out." and not plan.can_launch


def test_without_a_template_there_is_only_the_request(installed: Path, tmp_path: Path) -> None:
    plan = make_plan(run(), waiting(str(tmp_path)), Choices(decision="approve"))
    assert plan.command is None and "[openprose]" in (plan.problem or "")
    assert plan.request is not None and plan.request.startswith("POST")


def test_a_decision_for_a_run_that_needs_none(installed: Path, tmp_path: Path) -> None:
    plan = make_plan(run(), asking(str(tmp_path)), Choices(decision="deny"))
    assert plan.problem == "This run does not wait for a decision."


@given(st.text(), st.text())
def test_no_text_of_a_run_becomes_anything_but_a_word(run_id: str, state: str) -> None:
    flight = commanding("/", "grimoire", "resume", run_id, "--state-dir", state)
    plan = make_plan(run(), flight, Choices())
    if plan.command is not None:
        assert plan.command.argv == ("grimoire", "resume", run_id, "--state-dir", state)
