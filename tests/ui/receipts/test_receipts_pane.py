"""The tab of receipts: listings, triggers, verdicts, tokens and costs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from inspector.config.settings import Price, Settings
from inspector.query import receipts as typed
from inspector.query.openprose.receipts.files import file_rows, rows_to_receipts
from inspector.query.openprose.receipts.ledger import ledger_of
from inspector.query.receipts import ReceiptLedger, TokenSum
from inspector.ui.panes.receipt_ledger import (
    BLOCKS,
    NOT_SIGNED,
    Listing,
    block,
    chart_cells,
    verdict,
)
from inspector.ui.panes.receipts import ReceiptsPane
from inspector.ui.screens.run.screen import RunScreen
from tests.query.openprose.logs.receipts import receipt
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import app_over, open_run, settle, shown
from tests.ui.screens import shown as lines_of

Receipt = dict[str, Any]
SIZES = ((160, 50), (80, 24), (40, 15))


def episode() -> list[Receipt]:
    """A signal wakes two readers; one is woken again for nothing, one fails."""
    inbox = receipt("inbox", source="external", input_fingerprints=["one"])
    reader = receipt("reader", refs=(inbox["content_hash"],), input_fingerprints=["x", "y"])
    again = receipt("reader", reader, status="skipped", refs=(inbox["content_hash"],),
                    input_fingerprints=["x", "y"])  # fmt: skip
    other = receipt("inbox", inbox, source="external", input_fingerprints=["two"],
                    fingerprints={"@atomic": "moved"})  # fmt: skip
    broke = receipt("writer", status="failed", reason="the model refused",
                    refs=(reader["content_hash"], other["content_hash"]))  # fmt: skip
    return [inbox, reader, again, other, broke]


def ledger(made: list[Receipt]) -> ReceiptLedger:
    data = "\n".join(json.dumps(one) for one in made).encode()
    return ledger_of(rows_to_receipts(file_rows("x.jsonl", data), 1)).answer()


class Reader(FakeReader):
    ledger: ReceiptLedger

    def receipts(self) -> ReceiptLedger:
        return self.ledger


@asynccontextmanager
async def receipts_of(
    made: list[Receipt],
    size: tuple[int, int] = (160, 50),
    prices: Mapping[str, Price] | None = None,
) -> AsyncIterator[tuple[Pilot[None], RunScreen]]:
    """The tab in front."""
    reader = Reader(pictured.research)
    reader.ledger = ledger(made)
    app = app_over(RunFeed(pictured.research, reader))
    app.settings = Settings(prices=prices or {})
    async with app.run_test(size=size) as pilot:
        screen = open_run(app)
        await settle(pilot)
        await pilot.press("3")
        await settle(pilot)
        assert isinstance(screen.pane, ReceiptsPane)
        yield pilot, screen


def lines_with(screen: RunScreen, *words: str) -> list[str]:
    return [line for line in shown(screen) if all(word in line for word in words)]


def ids(screen: RunScreen) -> list[Any]:
    pane = screen.pane
    assert isinstance(pane, ReceiptsPane)
    return [getattr(one, "id", None) for one in pane.list.records]


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settle(pilot)


async def test_the_three_listings() -> None:
    async with receipts_of(episode()) as (pilot, screen):
        assert ids(screen) == [1, 2, 3, 4, 5]
        await press(pilot, "j", "l")
        assert ids(screen) == [1, 4, 2, 3, 5]
        assert lines_with(screen, "receipt 2 of reader"), "the cursor stays on its receipt"
        await press(pilot, "l")
        assert lines_with(screen, "cause", "external")
        assert lines_with(screen, "node", "writer")
        await press(pilot, "l", "h")
        assert lines_with(screen, "sums")


async def test_enter_follows_each_trigger_and_escape_goes_back() -> None:
    async with receipts_of(episode()) as (pilot, screen):
        await press(pilot, "G", "enter")
        assert lines_with(screen, "receipt 2 of reader")
        await press(pilot, "enter")
        assert lines_with(screen, "receipt 1 of inbox")
        await press(pilot, "escape", "escape")
        assert lines_with(screen, "receipt 5 of writer")
        await press(pilot, "enter")
        assert lines_with(screen, "receipt 4 of inbox"), "the second reference"


async def test_changed_inputs_and_moved_facets() -> None:
    async with receipts_of(episode()) as (pilot, screen):
        await press(pilot, "j", "j", "j")
        assert lines_with(screen, "input 1 of 1 changed since receipt 1: one → two")
        assert lines_with(screen, "@atomic", "t → moved")
        assert lines_with(screen, "wakes the subscribers of these facets")
        await press(pilot, "k")
        assert lines_with(screen, "contract and inputs unchanged", "nothing to do")


async def test_failure_reason_and_skipped_receipts_are_shown() -> None:
    async with receipts_of(episode()) as (pilot, screen):
        assert lines_with(screen, "» skipped")
        await press(pilot, "G")
        assert lines_with(screen, "▲", "the model refused")
        assert lines_with(screen, '"failure_reason"'), "the semantic diff"


async def test_a_verified_chain_is_called_not_signed() -> None:
    async with receipts_of(episode()) as (_, screen):
        assert lines_with(screen, "✓", "canonical", "verified", NOT_SIGNED)


async def test_a_broken_chain_is_shown_in_the_head_and_at_its_receipt() -> None:
    made = episode()
    made[0]["cost"]["tokens"]["fresh"] = 1
    async with receipts_of(made) as (pilot, screen):
        assert lines_with(screen, "✗", "chain broken in 1 of 3 nodes")
        assert not lines_with(screen, NOT_SIGNED, "all")
        assert lines_with(screen, "▲", "is not as it was written")
        assert lines_with(screen, "differs from the recorded address")
        await press(pilot, "j", "j", "j")
        assert lines_with(screen, "▲", "does not follow from receipt 1")


async def test_an_input_that_differs_is_named_where_one_node_alone_moved_to_it() -> None:
    first = receipt("inbox", source="external", fingerprints={"@atomic": "a1", "mail": "m"})
    woke = receipt("reader", refs=(first["content_hash"],), input_fingerprints=["a1", "m"])
    moved = receipt("inbox", first, source="external", fingerprints={"@atomic": "a2", "mail": "n"})
    other = receipt("copy", refs=(moved["content_hash"],), fingerprints={"@atomic": "b", "c": "n"})
    again = receipt("reader", woke, refs=(moved["content_hash"], other["content_hash"]),
                    input_fingerprints=["a2", "n"])  # fmt: skip
    async with receipts_of([first, woke, moved, other, again]) as (pilot, screen):
        await press(pilot, "G")
        assert lines_with(screen, "a1 → a2, @atomic of inbox")
        assert lines_with(screen, "input 2 of 2", "m → n")
        assert not lines_with(screen, "m → n,"), "two facets moved to it"


async def test_what_moved_to_a_fingerprint_only_afterwards_is_not_an_input() -> None:
    first = receipt("inbox", source="external", fingerprints={"@atomic": "a1"})
    reader = receipt("reader", refs=(first["content_hash"],), input_fingerprints=["a1"])
    moved = receipt("inbox", first, source="external", fingerprints={"@atomic": "a2"})
    again = receipt("reader", reader, input_fingerprints=["a2"],
                    fingerprints={"@atomic": "b", "seen": "a2"})  # fmt: skip
    async with receipts_of([first, reader, moved, again]) as (pilot, screen):
        await press(pilot, "G")
        assert lines_with(screen, "a1 → a2, @atomic of inbox")


async def test_a_broken_link_shows_both_addresses() -> None:
    made = episode()
    made[3] = {**made[3], "prev": "sha256:" + "0" * 64}
    async with receipts_of(made) as (pilot, screen):
        await press(pilot, "f")
        assert lines_with(screen, "…000000000000, but receipt 1 is …")


async def test_f_cycles_through_failed_and_broken_receipts() -> None:
    made = episode()
    made[3] = {**made[3], "prev": "sha256:" + "0" * 64}
    async with receipts_of(made) as (pilot, screen):
        await press(pilot, "f")
        assert lines_with(screen, "receipt 4 of inbox")
        await press(pilot, "f")
        assert lines_with(screen, "receipt 5 of writer")
        await press(pilot, "f")
        assert lines_with(screen, "receipt 4 of inbox"), "after the last one the first"
        assert isinstance(screen.pane, ReceiptsPane), "it does not leave for the timeline"


async def test_no_subscriber_woken_only_if_no_receipt_was() -> None:
    inbox = receipt("inbox", source="external")
    still = receipt("inbox", inbox, source="external")
    reader = receipt("reader", refs=(still["content_hash"],))
    async with receipts_of([inbox, still, reader]) as (pilot, screen):
        await press(pilot, "j")
        assert lines_with(screen, "woke", "3 reader")
        assert not lines_with(screen, "no subscriber woken")


async def test_narrow_columns_keep_the_end_of_node_names() -> None:
    made = [receipt(f"responsibility.of-a-long-name.{one}") for one in ("strong", "weak")]
    async with receipts_of(made, (80, 24)) as (_, screen):
        assert lines_with(screen, ".strong  ")
        assert lines_with(screen, ".weak  ")


async def test_help_and_commands_say_what_keys_do_in_this_tab() -> None:
    async with receipts_of(episode()) as (pilot, _):
        await press(pilot, "question_mark")
        told = "\n".join(lines_of(pilot.app))
        assert "Trigger" in told
        assert "Fold or unfold" not in told
        await press(pilot, "escape", "colon")
        offered = "\n".join(lines_of(pilot.app))
        assert "Trigger" in offered
        assert "Unfold, or the next scope" not in offered


async def test_no_receipt_is_never_green() -> None:
    async with receipts_of([]) as (_, screen):
        assert lines_with(screen, "no receipt, so nothing is verified")
        assert not lines_with(screen, "✓", "no receipt")


async def test_costs_only_with_prices() -> None:
    async with receipts_of(episode()) as (_, screen):
        assert not lines_with(screen, "USD")
    prices = {"m": Price(input=Decimal(3), cache_read=Decimal("0.3"))}
    async with receipts_of(episode(), prices=prices) as (pilot, screen):
        assert lines_with(screen, "USD by your prices")
        assert lines_with(screen, "cost", "0.000312 USD")
        await press(pilot, "h")
        assert lines_with(screen, "external", "USD")


async def test_enter_on_a_sum_goes_to_its_receipts() -> None:
    async with receipts_of(episode()) as (pilot, screen):
        await press(pilot, "h", "G", "enter")
        assert lines_with(screen, "receipt 5 of writer")


@pytest.mark.parametrize("size", SIZES)
async def test_the_tab_fits_every_size(size: tuple[int, int]) -> None:
    async with receipts_of(episode(), size) as (pilot, screen):
        assert lines_with(screen, "inbox")
        assert all(len(line) <= size[0] for line in shown(screen))
        await press(pilot, "h")
        await press(pilot, "h")


def test_the_verdict_counts_nodes() -> None:
    assert verdict(ledger([]))[0] is None
    holds, said = verdict(ledger(episode()))
    assert holds and said.endswith(NOT_SIGNED)
    without = [{key: value for key, value in one.items() if key != "content_hash"}
               for one in episode()]  # fmt: skip
    assert "except the newest receipt of 2" in verdict(ledger(without))[1]


def test_listings_are_cyclic() -> None:
    for listing in Listing:
        assert listing.next().next(-1) is listing
        assert listing.next(len(Listing)) is listing


_ONE = ledger([receipt("a")]).receipts[0]
_TOKENS = st.builds(TokenSum, st.just(1), st.integers(0, 10**6), st.integers(0, 10**6))
_SPENT = st.lists(
    st.builds(
        lambda tokens, status: replace(_ONE, tokens=tokens, status=status),
        st.none() | _TOKENS,
        st.sampled_from(["rendered", "failed"]),
    ),
    max_size=30,
)


@given(_SPENT, st.integers(1, 20), st.integers(-1, 29))
def test_the_chart_leaves_no_receipt_out(
    made: list[typed.Receipt], width: int, selected: int
) -> None:
    cells = chart_cells(made, width, selected)
    assert len(cells) == min(width, len(made))
    assert sum(one.receipts for one in cells) == len(made)
    fresh = sum(one.tokens.fresh for one in made if one.tokens is not None)
    assert sum(one.fresh for one in cells) == fresh
    assert sum(one.selected for one in cells) == (0 <= selected < len(made))
    assert any(one.failed for one in cells) == any(one.status == "failed" for one in made)


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_something_is_never_drawn_as_nothing(amount: int, most: int) -> None:
    drawn = block(min(amount, most), most, BLOCKS)
    assert (drawn == BLOCKS[0]) == (amount == 0)


async def test_a_memo_names_no_provider_and_no_model() -> None:
    memo = receipt("a", status="skipped")
    memo["cost"].update(provider="none", model="none")
    async with receipts_of([memo]) as (_, screen):
        assert not lines_with(screen, "none/none")
        assert lines_with(screen, "cost", "reused 40", "–")


async def test_low_terminals_have_no_chart() -> None:
    async with receipts_of(episode(), (40, 15)) as (_, screen):
        assert screen.query_one("#ledger-head").size.height == 2
    async with receipts_of(episode(), (40, 24)) as (_, screen):
        assert screen.query_one("#ledger-head").size.height == 3
    async with receipts_of(episode(), (120, 36)) as (_, screen):
        assert screen.query_one("#ledger-head").size.height == 4
