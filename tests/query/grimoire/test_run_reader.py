"""A run: what is shown of it, its past, its values and records, and what is read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.model.clock import parse_now
from inspector.model.status import Status
from inspector.query.grimoire import ledger_text, timeline
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.progress import ReadCancelled, no_progress
from inspector.query.run_reader import RunReader
from tests.query.grimoire.building import DRY_RUN, EXECUTE, START, Book, Ledger, write

NOW = parse_now("2026-11-29T21:00:00Z")
Opened = Callable[..., RunReader]


@pytest.fixture
def opened() -> Iterator[Opened]:
    closed: list[RunReader | GrimoireStore] = []

    def open_(path: Path, run_id: str | None = None) -> RunReader:
        store = GrimoireStore(str(path), lambda: NOW)
        closed.append(store)
        _, runs = store.summarize()
        reader = store.open(next(run for run in runs if run_id in (None, run.run_id)))
        closed.insert(0, reader)
        return reader

    yield open_
    for one in closed:
        one.close()


def codes(reader: RunReader) -> list[str]:
    return [finding.code for finding in reader.refresh().run.findings]


def path_in(tmp_path: Path) -> Path:
    return tmp_path / "grimoire.db"


@pytest.fixture(params=["kept", "read again"])
def text(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a ledger's text is kept, or is so large that it is read again from the store."""
    if request.param == "read again":
        monkeypatch.setattr(timeline, "KEPT_BYTES", 0)
        monkeypatch.setattr("inspector.query.grimoire.run_reader.KEPT_BYTES", 0)
        monkeypatch.setattr(ledger_text, "WINDOW", 500)


def sample() -> Ledger:
    ledger = Ledger("r1", "S").begin().add("guard_passed", guardId="g")
    ledger.add("step_started", stepId="a", kind="compute")
    for n in range(3):
        ledger.add("binding_set", name="total", value=n)
    ledger.add("step_completed", stepId="a", result={"assignments": []})
    ledger.add("step_started", stepId="b", kind="compute")
    ledger.add("binding_set", name="big", value=str(2**300))
    ledger.add("binding_set", name="deep", value={"é": [1, None, {"x": "日本"}]})
    return ledger.add("step_completed", stepId="b").action("c").ready()


def test_a_run_and_its_events(text: None, tmp_path: Path, opened: Opened) -> None:
    ledger = sample()
    reader = opened(Book().whole(ledger).save(path_in(tmp_path)))
    view = reader.refresh()
    assert (view.run.status, view.total_events) == (Status.COMPLETED, len(ledger.entries))
    assert (view.run.started_at, view.run.ended_at) == (START, ledger.at - 1)
    assert not view.run.order_only
    events = reader.events(1, 1000)
    assert [event.n for event in events] == list(range(1, len(ledger.entries) + 1))
    assert [event.payload for event in events] == [one["event"] for one in ledger.entries]
    assert [event.at for event in events] == [one["timestamp"] for one in ledger.entries]
    for first, count in ((1, 1), (3, 4), (len(events), 5), (len(events) + 1, 3), (2, 0)):
        assert list(reader.events(first, count)) == events[first - 1 : first - 1 + count]


def test_the_past_has_the_same_steps(text: None, tmp_path: Path, opened: Opened) -> None:
    reader = opened(Book().whole(sample()).save(path_in(tmp_path)))
    view = reader.refresh()
    for event in range(view.total_events + 1):
        past = reader.at(event)
        assert past.events == event
        assert list(past.step_of_event) == list(view.step_of_event[:event])
        ids = [past.describe(number).id for number in range(len(past.steps))]
        assert ids == [view.describe(number).id for number in range(len(past.steps))]
    assert reader.at(10**9) is view


def test_values_at_the_end_and_at_any_event(text: None, tmp_path: Path, opened: Opened) -> None:
    book = Book().state("S", '{"n": 2}', "2026-11-29T20:00:47.001Z")
    reader = opened(book.whole(sample(), final_state='{"n": 1}').save(path_in(tmp_path)))
    reader.refresh()
    found = {(one.name, one.scope): one for one in reader.values().values}
    assert found["total", "root"].value == "2"
    assert found["total", "root"].superseded == 2
    assert found["total", "root"].source_statement == "a"
    assert found["big", "root"].value == str(2**300)
    assert json.loads(found["deep", "root"].value or "") == {"é": [1, None, {"x": "日本"}]}
    assert found["deep", "root"].type == "json"
    assert (found["n", "final"].value, found["n", "persistent"].value) == ("1", "2")
    assert [one.name for one in reader.values("root").values] == ["total", "big", "deep"]
    assert [one.value for one in reader.values("6").values] == ["1"]
    assert reader.values("3").values == ()
    assert reader.values().rows == 7


def test_large_values_are_given_whole_only_when_asked_for(tmp_path: Path, opened: Opened) -> None:
    ledger = Ledger("r1", "S").begin().add("binding_set", name="x", value="é" * 100_000)
    reader = opened(Book().whole(ledger).save(path_in(tmp_path)))
    (short,), (whole,) = (reader.values("root", full=full).values for full in (False, True))
    assert (short.value, short.size, len(short.preview)) == (None, 200_000, 1024)
    assert whole.value == "é" * 100_000


def test_the_detail_of_a_step(text: None, tmp_path: Path, opened: Opened) -> None:
    book = Book().whole(sample()).track("r1", "source", "S", "completed")
    book.row("run_step_results", run_id="r1", track_id="source", step_id="c", status="confirmed")
    reader = opened(book.save(path_in(tmp_path)))
    view = reader.refresh()
    steps = {view.describe(n).ref.get("step_id"): n for n in range(len(view.steps))}
    detail = reader.context(steps["b"])
    assert [event.kind for event in detail.events] == [
        "step_started", "binding_set", "binding_set", "step_completed",
    ]  # fmt: skip
    assert [one.name for one in detail.values.values] == ["total", "big", "deep"]
    assert [one.name for one in reader.context(steps["a"]).values.values] == ["total"]
    related = reader.context(steps["c"]).related
    assert related["run_step_results"][0]["status"] == "confirmed"


def test_an_error_stands_where_it_happened(tmp_path: Path, opened: Opened) -> None:
    ledger = Ledger("r1", "S").begin().action("a").action("b").ready()
    ledger.commit("a", "b", success=False, confirmed=1)
    error = "[ACTION_COMMIT_FAILED] Action step 'b' failed: Transaction reverted"
    book = Book().whole(ledger, success=0, error=error, provenance=EXECUTE)
    reader = opened(book.save(path_in(tmp_path)))
    view = reader.refresh()
    steps = {one.id: one for one in map(view.describe, range(len(view.steps)))}
    assert steps["commit"].error == error
    assert (steps["commit/a"].status, steps["commit/a"].ref["note"]) == ("completed", "gas 21,000")
    assert (steps["commit/b"].status, steps["commit/b"].error) == ("failed", "Transaction reverted")
    assert reader.at(view.total_events - 1).run.status is Status.FAILED


@pytest.mark.parametrize(("provenance", "told"), [(EXECUTE, True), (DRY_RUN, False)])
def test_nested_actions_are_never_committed(
    provenance: str, told: bool, tmp_path: Path, opened: Opened
) -> None:
    ledger = Ledger("r1", "S").begin().add("step_started", stepId="p", kind="parallel")
    ledger.action("a").add("step_completed", stepId="p", result={}).ready()
    reader = opened(Book().whole(ledger, provenance=provenance).save(path_in(tmp_path)))
    view = reader.refresh()
    (action,) = [s for s in map(view.describe, range(len(view.steps))) if s.kind == "action"]
    assert (action.ref.get("note") == "never committed") is told
    assert ("never_committed" in codes(reader)) is told


def test_where_row_and_ledger_disagree(tmp_path: Path, opened: Opened) -> None:
    book = Book().whole(Ledger("r1", "S").begin().ready("rejected"))
    book.whole(Ledger("r2", "S").begin().ready(), success=0)
    path = book.save(path_in(tmp_path))
    assert codes(opened(path, "r1")) == ["contradiction"]
    assert codes(opened(path, "r2")) == ["contradiction"]


def test_a_row_with_another_id_than_its_entries(tmp_path: Path, opened: Opened) -> None:
    ledger = Ledger("20261129T200047-aaaaaa", "S").begin().ready("rejected")
    book = Book().run("S", "preview_1", success=0).text("S", "preview_1", ledger.text())
    assert codes(opened(book.save(path_in(tmp_path)))) == ["run_id_differs"]


def test_a_ledger_is_read_up_to_its_damage(tmp_path: Path, opened: Opened) -> None:
    good = Ledger("r1", "S").begin().step("a").text()
    book = Book().run("S", "r1").text("S", "r1", f'{good[:-1]},{{"id": "broken')
    reader = opened(book.save(path_in(tmp_path)))
    view = reader.refresh()
    assert view.total_events == 4
    assert codes(reader) == ["damaged"]
    assert len(reader.events(1, 10)) == 4


@pytest.mark.parametrize("value", ["null", "[]"])
def test_a_ledger_without_entries(value: str, tmp_path: Path, opened: Opened) -> None:
    reader = opened(Book().run("S", "r1").text("S", "r1", value).save(path_in(tmp_path)))
    view = reader.refresh()
    assert (view.total_events, len(view.steps), view.run.steps.total) == (0, 0, None)
    assert reader.refresh() is view
    assert list(reader.events(1, 5)) == []


def test_nothing_is_folded_again_without_need(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ledger = path_in(tmp_path), Ledger("r1", "S").begin().step("a")
    reader = opened(Book().whole(ledger).save(path))
    first = reader.refresh()
    folded: list[int] = []
    monkeypatch.setattr(timeline, "apply", _counted(folded))
    assert not reader.changed()
    Book().run("S", "r2").save(path)
    assert reader.changed()
    assert reader.refresh().total_events == first.total_events
    assert folded == []
    ledger.step("b").ready()
    write(path, ("UPDATE ledger SET entries = ?", [ledger.text()]))
    assert reader.refresh().total_events == len(ledger.entries)
    assert folded == list(range(5, len(ledger.entries) + 1))


def _counted(folded: list[int]) -> Callable[..., None]:
    from inspector.query.grimoire.fold import apply

    def counted(state: object, entry: object) -> None:
        apply(state, entry)  # type: ignore[arg-type]
        folded.append(state.events)  # type: ignore[attr-defined]

    return counted


def test_a_ledger_that_became_another_is_read_anew(
    text: None, tmp_path: Path, opened: Opened
) -> None:
    path = path_in(tmp_path)
    reader = opened(Book().whole(Ledger("r1", "S").begin().step("a").ready()).save(path))
    reader.refresh()
    other = Ledger("r1", "S").begin().step("b").ready()
    write(path, ("UPDATE ledger SET entries = ?", [other.text()]))
    view = reader.refresh()
    assert [s.ref.get("step_id") for s in map(view.describe, range(len(view.steps)))] == [None, "b"]
    write(path, ("DELETE FROM ledger", []))
    assert reader.refresh().total_events == 0
    assert codes(reader) == ["ledger_missing"]


def test_provenance_with_what_is_stale_and_what_changed(tmp_path: Path, opened: Opened) -> None:
    before = {"runtime_mode": "simulate", "generated_at": "a", "chain_id": 1}
    after = {
        "runtime_mode": "cast_dry_run", "generated_at": "b", "data_max_age_sec": 60,
        "stale_source_count": 1,
        "sources": [{"path": "x", "snapshot_age_sec": 61}, {"path": "y", "snapshot_age_sec": 5}],
    }  # fmt: skip
    book = Book().run("S", "r1", provenance=json.dumps(before))
    book.whole(Ledger("r2", "S").begin(), provenance=json.dumps(after))
    reader = opened(book.save(path_in(tmp_path)), "r2")
    (record,) = reader.record("provenance")
    assert [source.get("stale") for source in record["sources"]] == [True, None]
    changes = {one["name"]: one for one in record["since_the_run_before"]}
    assert changes["runtime_mode"]["before"] == {"runtime_mode": "simulate"}
    assert changes["runtime_mode"]["after"] == {"runtime_mode": "cast_dry_run"}
    assert changes["chain_id"]["change"] == "removed" and "after" not in changes["chain_id"]
    assert (changes["x"]["of"], changes["x"]["stale"]) == ("source", True)
    assert "generated_at" not in changes
    tabs = {tab.part: tab.mark for tab in reader.refresh().tabs}
    assert tabs["provenance"] == "1 stale"


def test_state_by_name(tmp_path: Path, opened: Opened) -> None:
    book = Book().state("S", '{"n": 3, "new": 1}').run("S", "r1", final_state='{"n": 1, "k": 0}')
    reader = opened(
        book.run("S", "r2", final_state='{"n": 2, "k": 0}').save(path_in(tmp_path)), "r2"
    )
    rows = {row["name"]: row for row in reader.record("state")}
    assert rows["n"] == {
        "name": "n", "saved_now": 3, "after_this_run": 2, "after_the_run_before": 1,
        "changed_by_this_run": True,
    }  # fmt: skip
    assert rows["k"]["changed_by_this_run"] is False
    assert rows["new"] == {"name": "new", "saved_now": 1, "changed_by_this_run": False}


def test_a_run_tells_the_session_of_its_spell(tmp_path: Path, opened: Opened) -> None:
    book = Book().whole(Ledger("r0", "S").begin().move("A", "2", "credit"))
    reader = opened(
        book.whole(Ledger("r1", "S").begin().move("A", "3", "credit")).save(tmp_path / "g.db")
    )
    sessions = [reader.session(limit) for limit in (1, 2, 0)]
    nets = [one.total_net for one in sessions if one is not None]
    assert nets == [3, 5, 5]
    assert "pnl" in {tab.part for tab in reader.refresh().tabs}


def test_parts_that_are_not_there(tmp_path: Path, opened: Opened) -> None:
    reader = opened(Book().run("S", "r1", provenance=None).save(path_in(tmp_path)))
    reader.refresh()
    assert [len(reader.record(part)) for part in ("run", "tracks", "handoffs", "steps")] == [
        1,
        0,
        0,
        0,
    ]
    assert reader.record("provenance") == []
    assert reader.record("store")[0]["counts"]["runs"] == 1
    with pytest.raises(KeyError):
        reader.record("agents")
    assert reader.receipts() is None


def test_a_spell_with_only_a_state_can_be_opened(tmp_path: Path, opened: Opened) -> None:
    reader = opened(Book().state("S", '{"a": 1}').save(path_in(tmp_path)))
    view = reader.refresh()
    assert (view.total_events, view.run.run_id) == (0, None)
    assert [one.name for one in reader.values().values] == ["a"]


def long_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries_: int = 400) -> Path:
    """A run whose ledger is long for this test."""
    monkeypatch.setattr("inspector.query.grimoire.run_reader.HEAVY_BYTES", 20_000)
    monkeypatch.setattr("inspector.query.grimoire.run_reader.TAIL_BYTES", 4_000)
    monkeypatch.setattr(ledger_text, "WINDOW", 2_000)
    ledger = Ledger("r1", "S").begin()
    for n in range(entries_ // 2):
        ledger.step(f"é{n}")
    return Book().whole(ledger.fail("end").ready("rejected"), success=0).save(path_in(tmp_path))


def test_the_end_of_a_long_run_is_there_before_the_whole(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened(long_run(tmp_path, monkeypatch))
    view = reader.newest()
    assert view is not None and view.partial and 5 < view.events < 50
    assert view.run.status is Status.FAILED
    labels = [view.steps.label[step] for step in range(len(view.steps))]
    assert any("end" in label for label in labels)
    whole = reader.refresh()
    assert not whole.partial and whole.total_events > 400
    assert reader.newest() is None


@pytest.mark.parametrize(
    "text",
    ["[", "[" + "9," * 20_000 + "9]", "null" + " " * 30_000],
    ids=["short", "numbers", "null"],
)
def test_the_end_of_a_long_ledger_that_is_none(
    text: str, tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.query.grimoire.run_reader.HEAVY_BYTES", 20_000)
    reader = opened(Book().run("S", "r1").text("S", "r1", text).save(path_in(tmp_path)))
    view = reader.newest()
    assert (view is None) == (len(text) < 20_000)
    assert view is None or view.events == 0
    reader.refresh()


def test_a_short_run_and_one_without_a_ledger_have_no_end_to_show_first(
    tmp_path: Path, opened: Opened
) -> None:
    path = Book().whole(Ledger("r1", "S").begin()).run("S", "r2").save(path_in(tmp_path))
    for run_id in ("r1", "r2"):
        reader = opened(path, run_id)
        assert reader.newest() is None


def test_a_long_reading_tells_how_far_it_is_and_ends_when_nobody_waits(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened(long_run(tmp_path, monkeypatch))
    told: list[int] = []

    def tire(done: int, of: int) -> None:
        told.append(done)
        if done > of // 2:
            raise ReadCancelled

    reader.on_progress(tire)
    with pytest.raises(ReadCancelled):
        reader.refresh()
    assert len(told) > 3 and told == sorted(told)
    reader.on_progress(no_progress)
    assert reader.refresh().total_events > 400
    assert reader.events(400, 1)[0].n == 400
