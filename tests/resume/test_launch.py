"""The steps of a launch: lock, check, log, verdict; each can refuse."""

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.model.preflight import PreFlight, refused
from inspector.model.status import Status
from inspector.resume.launch import (
    LOG_NAME,
    MAX_OUTPUTS,
    OUTPUTS,
    TERMINAL,
    Launching,
    Refused,
    Verdict,
    check,
    claim,
    held_by,
    launch_count,
    launches,
    output_folder,
)
from inspector.resume.lock import AlreadyRunning
from inspector.resume.plan import Choices, Plan, make_plan
from tests.resume.flights import KEY, asking, run, waiting
from tests.resume.stand_ins import program

NOW = 1_768_573_931_000


@pytest.fixture
def flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreFlight:
    program(tmp_path / "bin", "claude", "true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return asking(str(tmp_path))


def plan_of(flight: PreFlight, folder: Path) -> Plan:
    return make_plan(run(), flight, Choices(), launch_count(folder, KEY))


def claimed(flight: PreFlight, folder: Path) -> Launching:
    return claim(folder, plan_of(flight, folder), lambda: NOW)


def test_a_launch_is_logged_from_beginning_to_verdict(flight: PreFlight, tmp_path: Path) -> None:
    launching = claimed(flight, tmp_path)
    launching.begin(TERMINAL)
    (begun,) = launches(tmp_path)
    assert (begun["state"], begun["where"], begun["run"]) == ("running", "terminal", KEY)
    after = replace(flight, record={"run": "completed", "events": "9"}, outcome=Status.COMPLETED)
    outcome = launching.end(1, after)
    assert outcome.verdict is Verdict.COMPLETED
    (ended,) = launches(tmp_path)
    assert (ended["state"], ended["verdict"], ended["exit_code"]) == ("ended", "completed", 1)
    assert ended["changes"] == ["run: interrupted → completed", "events: 4 → 9"]


def test_a_second_launch_is_refused_while_the_first_lives(
    flight: PreFlight, tmp_path: Path
) -> None:
    launching = claimed(flight, tmp_path)
    with pytest.raises(AlreadyRunning, match="Already running"):
        claimed(flight, tmp_path)
    held = held_by(tmp_path, KEY)
    assert held is not None and held.startswith("Already running")
    plan = make_plan(run(), flight, Choices(), 0, held)
    assert plan.problem == held and plan.command is not None
    launching.end(0, flight)
    assert held_by(tmp_path, KEY) is None
    claimed(flight, tmp_path).release()


def test_a_plan_made_before_another_launch_is_out_of_date(
    flight: PreFlight, tmp_path: Path
) -> None:
    looked_at = plan_of(flight, tmp_path)
    launching = claimed(flight, tmp_path)
    launching.begin(TERMINAL)
    launching.end(0, flight)
    with pytest.raises(Refused, match="someone else"):
        claim(tmp_path, looked_at, lambda: NOW)
    claim(tmp_path, plan_of(flight, tmp_path), lambda: NOW).release()


def test_a_run_that_changed_is_not_launched(flight: PreFlight, tmp_path: Path) -> None:
    plan = plan_of(flight, tmp_path)
    check(plan, flight, Choices())
    grown = replace(flight, record={**flight.record, "events": "5"})
    with pytest.raises(Refused, match="events 4 → 5"):
        check(plan, grown, Choices())
    with pytest.raises(Refused, match="No longer resumable"):
        check(plan, refused(KEY, "it completed"), Choices())
    assert flight.position is not None
    elsewhere = replace(flight, position=replace(flight.position, statement_index=3))
    with pytest.raises(Refused, match="position"):
        check(plan, elsewhere, Choices())
    with pytest.raises(Refused, match="command changed meanwhile"):
        check(plan, replace(flight, prompt="other words"), Choices())


def test_a_deadline_that_passed_meanwhile_stops_an_approval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "mine", "true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    choices = Choices(templates={"openprose": ["mine", "{decision}"]}, decision="approve")
    flight = waiting(str(tmp_path))
    plan = make_plan(run(), flight, choices)
    late = (replace(flight.decisions[0], why_not="its time ran out"), flight.decisions[1])
    with pytest.raises(Refused, match="time ran out"):
        check(plan, replace(flight, decisions=late), choices)


def test_a_plan_with_a_problem_acquires_no_lock(tmp_path: Path) -> None:
    plan = make_plan(run(), refused(KEY, "it is over"), Choices())
    with pytest.raises(Refused, match="It is over"):
        claim(tmp_path, plan, lambda: NOW)
    assert not (tmp_path / "locks").exists()


def test_a_launch_that_cannot_be_logged_is_not_started(flight: PreFlight, tmp_path: Path) -> None:
    launching = claimed(flight, tmp_path)
    (tmp_path / LOG_NAME).mkdir()
    with pytest.raises(Refused, match="cannot be logged"):
        launching.begin(TERMINAL)
    launching.release()


def test_a_program_that_did_not_start_is_no_success(flight: PreFlight, tmp_path: Path) -> None:
    launching = claimed(flight, tmp_path)
    launching.begin(TERMINAL)
    assert launching.end(None, None, started=False).verdict is Verdict.NOT_STARTED
    assert launches(tmp_path)[0]["verdict"] == "not_started"


def test_a_launch_without_a_recorded_end_is_unknown(flight: PreFlight, tmp_path: Path) -> None:
    launching = claimed(flight, tmp_path)
    launch = launching.begin(TERMINAL)
    launching.release()
    assert launches(tmp_path)[0]["state"] == "unknown"
    told = tmp_path / OUTPUTS / launch.id
    told.mkdir(parents=True)
    (told / "ended.json").write_text('{"exit_code": 3}')
    (found,) = launches(tmp_path)
    assert (found["state"], found["exit_code"]) == ("ended", 3)


def test_old_outputs_go_those_of_living_programs_stay(tmp_path: Path) -> None:
    for number in range(MAX_OUTPUTS + 5):
        told = output_folder(tmp_path, f"{number:03d}")
        told.mkdir(parents=True)
        if number != 0:
            (told / "ended.json").write_text('{"exit_code": 0}')
    kept = {one.name for one in (tmp_path / OUTPUTS).iterdir()}
    assert "000" in kept and len(kept) <= MAX_OUTPUTS + 1
