"""Runs over two chains: what waits, what is linked, and which record is right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.model.clock import parse_now
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.view import RunView
from tests.query.grimoire.building import EXECUTE, STAMP, Book, Ledger, write

NOW = parse_now("2026-11-29T20:13:47Z")
RUN = "20261129T200047.000Z-qmwc9f"
MANIFEST = json.dumps(
    {
        "runtime_mode": "cast_execute",
        "cross_chain": {"mode": "execute", "handoff_timeout_sec": 900, "run_id": RUN},
    }
)


def summary(destination: str, handoff: str) -> str:
    """What the source's row was given when it was saved."""
    tracks = [{"trackId": "source", "status": "completed"}]
    tracks.append({"trackId": "destination", "status": destination})
    return json.dumps(
        {"tracks": tracks, "handoffs": [{"handoffId": "handoff:bridge", "status": handoff}]}
    )


def source(status: str = "submitted", destination: str = "waiting", **handoff: Any) -> Book:
    """A source that sent a handoff, as `cast` without --watch leaves it."""
    ledger = Ledger(RUN, "Src").begin()
    ledger.action("bridge", "300000", type="bridge", asset="USDC", toChain=8453)
    ledger.ready().commit("bridge")
    ledger.add(
        "handoff_submitted",
        "evt_cc_20",
        handoffId="handoff:bridge",
        trackId="source",
        stepId="bridge",
        asset="USDC",
        submittedAmount="300000",
        originChainId=1,
        destinationChainId=8453,
    )
    ledger.add("track_waiting", "evt_cc_21", trackId="destination", chainId=8453)  # fmt: skip
    book = Book().whole(ledger, provenance=MANIFEST, cross_chain=summary("waiting", "submitted"))
    book.track(RUN, "source", "Src", "completed").track(RUN, "destination", "Dst", destination)
    book.row("run_step_results", run_id=RUN, track_id="source", step_id="bridge",
             status="confirmed", reference="0x0")  # fmt: skip
    return book.handoff(RUN, status, **handoff)


@pytest.fixture
def look() -> Iterator[Callable[[Path], tuple[list[Run], list[RunView]]]]:
    stores: list[GrimoireStore] = []

    def look_(path: Path) -> tuple[list[Run], list[RunView]]:
        store = GrimoireStore(str(path), lambda: NOW)
        stores.append(store)
        runs = list(store.summarize()[1])
        views: list[RunView] = []
        for run in runs:
            reader = store.open(run)
            views.append(reader.refresh())
            reader.close()
        return runs, views

    yield look_
    for store in stores:
        store.close()


Look = Callable[[Path], tuple[list[Run], list[RunView]]]


def lanes(view: RunView) -> dict[str, tuple[str, str | None]]:
    """Tracks and handoffs of the timeline: how they stand."""
    steps = map(view.describe, range(len(view.steps)))
    return {s.id: (s.status.value, s.raw_status) for s in steps if s.id.startswith("lifecycle")}


def message(run: Run, code: str) -> str:
    return next(finding.message for finding in run.findings if finding.code == code)


def test_a_handoff_that_was_sent_makes_its_run_wait(tmp_path: Path, look: Look) -> None:
    (run,), (view,) = look(source().save(tmp_path / "g.db"))
    assert (run.status, run.title) == (Status.WAITING, "Src → Dst")
    assert run.raw_status == "success=1; track destination=waiting; handoff=submitted"
    assert run.progress.note == "handoff sent"
    assert (run.ended_at, run.duration_ms) == (None, None)
    said = message(run, "waiting")
    assert "300,000 USDC from chain 1 to chain 8453, sent 13 m ago" in said
    assert "no expiry recorded; a resume times out 900 s after it starts" in said
    assert view.run.status is Status.WAITING
    assert message(view.run, "waiting") == said
    assert lanes(view) == {
        "lifecycle": ("waiting", None),
        "lifecycle/source": ("completed", "completed"),
        "lifecycle/destination": ("waiting", "waiting"),
        "lifecycle/handoff:bridge": ("waiting", "submitted"),
    }


def test_an_expiry_that_is_recorded_is_told(tmp_path: Path, look: Look) -> None:
    book = source(expires_at="2026-11-29T20:20:00.000Z")
    (run,), _ = look(book.save(tmp_path / "g.db"))
    assert message(run, "waiting").endswith("; expires 20:20.")


def test_the_tables_are_right_where_summaries_are_old(tmp_path: Path, look: Look) -> None:
    """A resume changes tracks and handoffs, and leaves the source's row and ledger as they were."""
    book = source("settled", "completed", settled_amount="299850")
    destination = Ledger(RUN, "Dst").begin().ready()
    resumed = json.dumps({"resumed_from_run_id": RUN, "cross_chain": {"mode": "execute"}})
    book.whole(destination, provenance=resumed)
    (dst, src), (dst_view, src_view) = look(book.save(tmp_path / "g.db"))
    assert (src.status, dst.status) == (Status.COMPLETED, Status.COMPLETED)
    said = message(src, "stale_summary")
    assert "destination waiting → completed" in said
    assert "handoff:bridge submitted → settled" in said
    assert lanes(src_view)["lifecycle/destination"] == ("completed", "completed")
    assert lanes(dst_view)["lifecycle/handoff:bridge"] == ("completed", "settled")
    assert dst.mode == "execute"


def test_the_runs_of_both_chains_are_linked(tmp_path: Path, look: Look) -> None:
    book = source("settled", "completed").whole(Ledger(RUN, "Dst").begin().ready())
    (dst, src), (dst_view, src_view) = look(book.save(tmp_path / "g.db"))
    assert (dst.parent_key, src.parent_key) == (src.key, None)
    for view, other in ((dst_view, src), (src_view, dst)):
        steps = map(view.describe, range(len(view.steps)))
        keys = [s.ref.get("run_key") for s in steps if s.kind is StepKind.TRACK]
        assert other.key in keys


def test_a_destination_that_failed(tmp_path: Path, look: Look) -> None:
    book = source("settled", "waiting")
    path = book.save(tmp_path / "g.db")
    write(
        path, ("UPDATE run_tracks SET status='failed', error='boom' WHERE role='destination'", [])
    )
    Book().whole(Ledger(RUN, "Dst").begin().ready("rejected"), success=0, error="boom").save(path)
    (dst, src), (_, src_view) = look(path)
    assert (src.status, dst.status) == (Status.COMPLETED, Status.FAILED)
    assert message(src, "track_failed") == "Track destination failed: boom"
    assert lanes(src_view)["lifecycle"] == ("failed", None)


def test_a_handoff_that_arrived_waits_for_a_resume(tmp_path: Path, look: Look) -> None:
    (run,), _ = look(source("settled").save(tmp_path / "g.db"))
    assert (run.status, run.progress.note) == (Status.WAITING, "handoff arrived")
    assert "waiting to be resumed" in message(run, "waiting")


def test_a_handoff_under_way_waits_whatever_its_tracks_say(tmp_path: Path, look: Look) -> None:
    (run,), _ = look(source("submitted", "pending").save(tmp_path / "g.db"))
    assert run.status is Status.WAITING


def test_only_the_source_waits(tmp_path: Path, look: Look) -> None:
    """A resume writes the destination's run before its track: each is told by its own record."""
    book = source("settled").whole(Ledger(RUN, "Dst").begin().ready("rejected"), success=0)
    (dst, src), _ = look(book.save(tmp_path / "g.db"))
    assert (src.status, dst.status) == (Status.WAITING, Status.FAILED)


def test_records_leave_out_what_is_null(tmp_path: Path) -> None:
    store = GrimoireStore(str(source().save(tmp_path / "g.db")), lambda: NOW)
    reader = store.open(store.summarize()[1][0])
    reader.refresh()
    assert reader.record("tracks")[0] == {
        "runId": RUN, "trackId": "source", "role": "source", "spellId": "Src", "chainId": 1,
        "status": "completed", "updatedAt": STAMP,
    }  # fmt: skip
    assert "settledAmount" not in reader.record("handoffs")[0]
    assert reader.record("steps")[0]["reference"] == "0x0"
    reader.close()
    store.close()


@pytest.mark.parametrize("status", ["failed", "expired"])
def test_a_handoff_that_came_to_nothing_waits_no_more(
    status: str, tmp_path: Path, look: Look
) -> None:
    book = source(status, "failed", reason="deposit refunded")
    (run,), (view,) = look(book.save(tmp_path / "g.db"))
    assert run.status is Status.COMPLETED
    assert lanes(view)["lifecycle/handoff:bridge"] == ("failed", status)


def test_what_a_pruned_run_waits_for_is_still_told(tmp_path: Path, look: Look) -> None:
    book = Book().ledger(Ledger(RUN, "Src").begin())
    book.track(RUN, "source", "Src", "completed").track(RUN, "destination", "Dst", "waiting")
    runs, _ = look(book.handoff(RUN, "submitted").save(tmp_path / "g.db"))
    (run,) = runs
    assert run.status is Status.WAITING
    assert {finding.code for finding in run.findings} == {"orphan", "waiting"}


def test_a_source_that_was_undone_names_its_transaction(tmp_path: Path, look: Look) -> None:
    ledger = Ledger(RUN, "Src").begin().action("bridge", type="bridge", asset="USDC").ready()
    ledger.add("commit_started")
    ledger.add("drift_check", field="gas:bridge", passed=True)
    ledger.add("commit_completed", success=False)
    error = "[ACTION_COMMIT_FAILED] Action step 'bridge' failed: Transaction reverted"
    book = Book().whole(ledger, success=0, error=error, provenance=EXECUTE)
    book.track(RUN, "source", "Src", "failed", error=error)
    book.row("run_step_results", run_id=RUN, track_id="source", step_id="bridge", status="failed",
             reference="0xdead", error="Transaction reverted")  # fmt: skip
    _, (view,) = look(book.save(tmp_path / "g.db"))
    steps = {s.id: s for s in map(view.describe, range(len(view.steps)))}
    assert steps["commit/bridge"].status is Status.FAILED
    assert steps["commit/bridge"].ref["tx_hash"] == "0xdead"


def test_the_past_is_told_by_the_ledger_alone(tmp_path: Path) -> None:
    """Tracks and handoffs have no events of their own: travelling shows what was written then."""
    store = GrimoireStore(str(source("settled", "completed").save(tmp_path / "g.db")), lambda: NOW)
    (run,) = store.summarize()[1]
    reader = store.open(run)
    newest = reader.refresh()
    past = reader.at(newest.total_events - 1)
    assert lanes(past)["lifecycle/handoff:bridge"] == ("waiting", "submitted")
    assert lanes(newest)["lifecycle/handoff:bridge"] == ("completed", "settled")
    reader.close()
    store.close()


def test_last_activity_is_the_newest_record_of_the_run(tmp_path: Path, look: Look) -> None:
    path = source().save(tmp_path / "g.db")
    write(path, ("UPDATE run_handoffs SET updated_at = '2026-11-29T20:09:00.000Z'", []))
    (run,), _ = look(path)
    assert run.last_activity_at == parse_now("2026-11-29T20:09:00Z")
    assert parse_now(STAMP) < NOW
