"""Tabs of records: receipts by order and by node, what woke one, world models, unknown parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.query.view import ValueList
from inspector.ui.run.record_columns import receipts_table, table_for
from inspector.ui.run.record_list import place
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, settle, shown


def receipt(
    number: int, node: str, woken_by: Sequence[str] = (), fresh: int = 100
) -> dict[str, Any]:
    return {
        "id": number,
        "node": node,
        "address": f"sha256:{number:064x}",
        "status": "rendered",
        "wake": {"source": "input", "refs": list(woken_by)},
        "surprise_cause": "input",
        "moved_facets": ["@atomic"],
        "tokens": {"fresh": fresh, "reused": 0},
        "trouble": [],
    }


class Reader(FakeReader):
    """Has receipts, an attachment, and an older row of a value."""

    document: Mapping[str, Any]

    def receipts(self) -> Mapping[str, Any]:
        return self.document

    def versions(self, name: str) -> ValueList:
        rows = [value(name, "first", row=1), value(name, "second", row=2)]
        return ValueList(None, 2, tuple(rows))

    def attachment(self, path: str, most: int = 65_536) -> tuple[Attachment, bytes]:
        return Attachment(path, AttachmentVerdict.OK, 12), b"# The report"


def value(name: str, text: str, **given: Any) -> Value:
    return Value(name, "root", "let", "text", len(text), text, text, **given)


def document(receipts: Sequence[Mapping[str, Any]], *, ok: bool | None = True) -> dict[str, Any]:
    broken = [] if ok else [{"receipt_id": 2, "why_code": "prev_mismatch", "why": "it was edited"}]
    nodes = [{"node": "a", "verdict": "verified", "receipts": 1, "broken": broken}]
    return {"chain_ok": ok, "nodes": nodes, "receipts": list(receipts)}


def feed_with(ok: bool | None = True) -> RunFeed:
    reader = Reader(pictured.research)
    first = receipt(1, "zebra")
    reader.document = document(
        [first, receipt(2, "apple", fresh=1000), receipt(3, "zebra", [first["address"]])], ok=ok
    )
    return RunFeed(pictured.research, reader)


def lines_with(screen: Any, *words: str) -> list[str]:
    return [line for line in shown(screen) if all(word in line for word in words)]


async def test_receipts_stand_in_the_order_of_writing_and_by_node() -> None:
    async with on_screen(feed_with()) as (pilot, screen):
        await pilot.press("3")
        await settle(pilot)
        nodes = [next(w for w in line.split() if w in ("zebra", "apple")) for line in
                 lines_with(screen, "rendered", "input")]  # fmt: skip
        assert nodes == ["zebra", "apple", "zebra"]
        await pilot.press("l")
        await settle(pilot)
        nodes = [next(w for w in line.split() if w in ("zebra", "apple")) for line in
                 lines_with(screen, "rendered", "input")]  # fmt: skip
        assert nodes == ["apple", "zebra", "zebra"]


async def test_enter_goes_to_the_receipt_that_woke_this_one() -> None:
    async with on_screen(feed_with()) as (pilot, screen):
        await pilot.press("3", "j", "j")
        await settle(pilot)
        assert lines_with(screen, "receipt 3 of zebra")
        await pilot.press("enter")
        await settle(pilot)
        assert lines_with(screen, "receipt 1 of zebra")


async def test_a_chain_that_holds_is_never_called_signed_and_a_broken_one_is_said() -> None:
    async with on_screen(feed_with()) as (pilot, screen):
        await pilot.press("3")
        await settle(pilot)
        assert lines_with(screen, "tamper-evident, not signed")
    async with on_screen(feed_with(ok=False)) as (pilot, screen):
        await pilot.press("3", "j")
        await settle(pilot)
        assert lines_with(screen, "does not hold", "it was edited")


async def test_no_receipt_is_never_green() -> None:
    feed = feed_with(ok=None)
    assert isinstance(feed.reader, Reader)
    feed.reader.document = {"chain_ok": None, "nodes": [], "receipts": []}
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("3")
        await settle(pilot)
        assert lines_with(screen, "no receipt, so nothing is verified")


async def test_an_attachment_shows_its_first_part_and_older_rows_come_on_request() -> None:
    feed = feed_with()
    held = value("report", "", attachment=Attachment("attachments/r.md", AttachmentVerdict.OK, 12))
    again = value("draft", "second", superseded=1, row=2)
    feed.reader.values_by_scope = {None: (held, again)}
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "enter")
        await settle(pilot)
        assert lines_with(screen, "The report")
        assert not lines_with(screen, '"first"')
        await pilot.press("v")
        await settle(pilot)
        assert lines_with(screen, '"first"', "superseded")


async def test_a_value_leads_to_the_step_that_wrote_it() -> None:
    feed = feed_with()
    view = pictured.research()
    label = view.steps.label[0]
    feed.reader.values_by_scope = {None: (value("question", "x", source_statement=label),)}
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "t")
        await settle(pilot)
        assert screen.pane is screen.timeline_pane
        assert screen.timeline_pane.timeline.step == 0


def test_columns_leave_from_the_right_and_never_overlap() -> None:
    table = receipts_table([receipt(1, "a")])
    for width in range(20, 200):
        placed = place(table, width)
        assert placed
        for left, right in pairwise(placed):
            assert left.end < right.start
        assert placed[-1].end <= width


def test_records_of_an_unknown_part_have_columns_all_the_same() -> None:
    table = table_for("x_metrics", [{"name": "latency", "value": 3, "note": None}])
    assert [column.title for column in table.columns] == ["name", "value", "note"]
    assert table.columns[2].text({"note": None}) == "–"
    assert table_for("nothing", []).columns
