"""When `grimoire resume` may be asked, with which words, and when it must not be. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.model.preflight import PreFlight
from inspector.model.run import Run, RunKind
from inspector.model.status import Status
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.grimoire.preflight import Material, is_file, preflight, project_of, spell_path
from inspector.query.grimoire.records import Handoff, StepResult, Track
from inspector.query.grimoire.rows import CrossChainRows

NOW = 1_795_983_000_000
STAMP = "2026-11-29T20:00:47.000Z"
DATABASE = "/p/.grimoire/grimoire.db"
MANIFEST: dict[str, Any] = {
    "schema_version": "grimoire.cross_chain.phase1.v1",
    "mode": "execute",
    "destination_spell_id": "XDest",
    "destination_spell_path": "xdest.spell",
    "handoff_timeout_sec": 2,
}


def track(role: str, spell: str, status: str) -> Track:
    return Track("r", role, role, spell, 8453, status, None, None, STAMP)


def handoff(status: str, reason: str | None = None) -> Handoff:
    return Handoff(
        "r", "handoff:bridge", "source", "destination", "bridge", 1, 8453, "USDC", "3", None,
        status, "0x1", "0x1", reason, STAMP, STAMP, None,
    )  # fmt: skip


def result(where: str, step: str, status: str) -> StepResult:
    return StepResult("r", where, step, status, None, None, None, STAMP)


def flight(
    *,
    destination: str | None = "waiting",
    handoffs: tuple[Handoff, ...] = (handoff("settled"),),
    spells: tuple[str, ...] = ("XSource",),
    manifest: dict[str, Any] | None = None,
    results: tuple[StepResult, ...] = (),
    source: str = "completed",
    run_id: str | None = "r",
    there: bool = True,
) -> PreFlight:
    store = Store(DATABASE, "grimoire", "2", WriteStyle.APPEND, Health.OK)
    run = Run("k", RunKind.SPELL, store, run_id, "XSource", Status.WAITING, "success=1")
    tracks = [track("source", "XSource", source)]
    if destination is not None:
        tracks.append(track("destination", "XDest", destination))
    provenance = {"cross_chain": MANIFEST if manifest is None else manifest}
    rows = CrossChainRows(spells, provenance, tuple(tracks), handoffs, results, None)
    return preflight(Material(run, rows, DATABASE, "/p", there, NOW))


def argv(found: PreFlight) -> tuple[str, ...]:
    assert found.command is not None
    return found.command.argv


def test_a_settled_handoff_needs_no_watching() -> None:
    found = flight()
    assert argv(found) == ("grimoire", "resume", "r", "--state-dir", "/p/.grimoire")
    assert found.command is not None and found.command.cwd == "/p"
    assert found.command.env == {}, "a key is named, never given"
    assert found.stands == "handoff settled, destination XDest waiting"
    assert found.will_run == ("all of XDest on chain 8453",)


@pytest.mark.parametrize("status", ["submitted", "failed", "expired"])
def test_any_other_handoff_is_watched(status: str) -> None:
    found = flight(handoffs=(handoff(status, "refunded"),), destination="failed")
    assert "--watch" in argv(found)
    codes = {caution.code: caution.message for caution in found.warnings}
    assert "After 2 s of waiting" in codes["timeout"]
    if status != "submitted":
        assert "(refunded)" in codes[f"handoff_{status}"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"spells": ()}, "its row is gone"),
        ({"destination": "completed"}, "its destination is completed"),
        ({"manifest": {**MANIFEST, "mode": "simulate"}}, "it is a simulation"),
        ({"spells": ("XSource", "XDest")}, "XDest already has a row for this run"),
        ({"spells": ("XSource", "XDest"), "destination": "failed"}, "and then fail to record"),
        ({"manifest": {}}, "its manifest is missing"),
        ({"manifest": {**MANIFEST, "schema_version": "v9"}}, "its manifest is missing"),
        ({"destination": None}, "no destination"),
        ({"handoffs": ()}, "no handoff"),
        ({"source": "failed", "handoffs": (), "destination": "failed"}, "its source failed"),
        ({"there": False}, "'xdest.spell' does not exist"),
        ({"run_id": None}, "no run"),
        ({"run_id": "--help"}, "parsed as an option"),
    ],
)
def test_what_is_blocked_and_why(given: dict[str, Any], why: str) -> None:
    found = flight(**given)
    assert not found.resumable and found.reason is not None and why in found.reason
    assert found.command is None


def test_a_spell_on_one_chain_is_no_cast_that_could_be_resumed() -> None:
    store = Store(DATABASE, "grimoire", "2", WriteStyle.APPEND, Health.OK)
    run = Run("k", RunKind.SPELL, store, "r", "Solo", Status.FAILED, "success=0")
    rows = CrossChainRows(("Solo",), {"runtime_mode": "cast_execute"}, (), (), (), None)
    found = preflight(Material(run, rows, DATABASE, "/p", False, NOW))
    assert not found.resumable and "--data-replay r" in (found.reason or "")


def test_money_moves_only_when_it_was_executed() -> None:
    found = flight()
    assert found.confirm == "r" and "money_moves" in {one.code for one in found.warnings}
    dry = flight(manifest={**MANIFEST, "mode": "dry-run"})
    assert dry.confirm is None and "money_moves" not in {one.code for one in dry.warnings}


def test_steps_are_told_apart_by_what_is_known_of_them() -> None:
    results = (
        result("source", "bridge", "confirmed"),
        result("destination", "s1", "confirmed"),
        result("destination", "s2", "submitted"),
    )
    found = flight(results=results)
    assert found.done == ("step bridge of the source: confirmed",)
    assert found.unknown == (
        "step s1: confirmed, but Grimoire skips no step; it runs again",
        "step s2: submitted, outcome unknown; it runs again",
    )
    assert found.position is not None
    assert (found.position.keep, found.position.rerun, found.position.unconfirmed) == (
        ("source/bridge",), ("s1",), ("s2",),
    )  # fmt: skip


def test_what_a_resume_changes_is_recorded_before() -> None:
    assert flight(handoffs=(handoff("submitted"),)).record == {
        "track source": "completed",
        "track destination": "waiting",
        "handoff:bridge": "submitted",
        "rows of the run": "XSource",
    }
    assert flight(destination="failed", there=False).outcome is Status.FAILED
    assert flight(destination="odd", there=False).outcome is Status.UNKNOWN


def test_the_project_is_where_the_spell_was_started(tmp_path: Path) -> None:
    assert project_of("/a b/.grimoire/grimoire.db", "x.spell") == "/a b"
    (tmp_path / "state").mkdir()
    (tmp_path / "x.spell").touch()
    database = str(tmp_path / "state" / "grimoire.db")
    assert project_of(database, "x.spell") == str(tmp_path)
    assert project_of(database, "/abs/x.spell") == str(tmp_path / "state")
    assert project_of(database, None) == str(tmp_path / "state")
    assert is_file(str(tmp_path), "x.spell") and not is_file(str(tmp_path), "state")
    assert not is_file(str(tmp_path), "x\0y") and not is_file(str(tmp_path), None)


@pytest.mark.parametrize("provenance", [None, [], {}, {"cross_chain": 3}, {"cross_chain": {}}])
def test_a_provenance_of_any_shape(provenance: Any) -> None:
    assert spell_path(provenance) is None
