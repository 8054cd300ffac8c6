"""Large ledgers: memory is bounded by the largest one, and work grows no faster than the text."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.query.grimoire import ledger_text, timeline
from inspector.query.grimoire.accounting import RunAccounts
from inspector.query.grimoire.fold import apply
from inspector.query.grimoire.state import State
from inspector.query.grimoire.store_reader import GrimoireStore
from tests.growth import assert_grows_at_most
from tests.query.grimoire.building import Book, Ledger


def long_ledger(run_id: str, rounds: int) -> Ledger:
    ledger = Ledger(run_id, "Long").begin().add("step_started", stepId="loop", kind="loop")
    for n in range(rounds):
        ledger.step("a").add("binding_set", name="total", value=n)
        ledger.move("USDC", "1", "action:a:input")
    ledger.add(
        "step_completed", stepId="loop", result={"iterations": rounds, "resultsCount": rounds}
    )
    return ledger.ready()


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def store(tmp_path: Path) -> Callable[[int], GrimoireStore]:
    def make(runs: int) -> GrimoireStore:
        book, text = Book(), long_ledger("r", 700).text()
        for n in range(runs):
            book.run("Long", f"r{n}").text("Long", f"r{n}", text)
        path = book.save(tmp_path / f"{runs}" / "grimoire.db")
        return GrimoireStore(str(path), lambda: 0)

    return make


def test_a_session_holds_one_ledger_at_a_time(store: Callable[[int], GrimoireStore]) -> None:
    peaks = []
    for runs in (2, 6):
        one = store(runs)
        one.session("Long", 0)
        peaks.append(peak(lambda one=one: one.session("Long", 0)))  # type: ignore[misc]
        assert one.session("Long", 0).moves == runs * 700
        one.close()
    assert peaks[1] < 1.5 * peaks[0]


def test_a_list_reads_no_ledger(
    store: Callable[[int], GrimoireStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = store(3)
    text = len(long_ledger("r", 700).text())
    assert peak(one.summarize) < text
    one.close()


def test_what_is_kept_of_a_large_ledger_is_bounded_by_its_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timeline, "KEPT_BYTES", 0)
    content = long_ledger("r", 2000).text().encode()
    line = timeline.Timeline()
    tracemalloc.start()
    try:
        line.replace(content)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(line) == 2000 * 4 + 7
    assert kept < 4 * len(content)


@pytest.mark.parametrize("work", ["fold", "money"])
def test_work_grows_with_the_text_and_no_faster(work: str) -> None:
    def work_through(content: bytes) -> None:
        state, money = State(), RunAccounts()
        for page in ledger_text.pages(content):
            if work == "money":
                money.add_entries(page.entries)
            else:
                for entry in page.entries:
                    apply(state, entry)

    small, large = (long_ledger("r", rounds).text().encode() for rounds in (500, 8000))
    # Sixteen times the text: quadratic work would take 256 times as long.
    assert_grows_at_most(5 * 16, lambda: work_through(small), lambda: work_through(large))
