"""Tabs of records: their columns, agents with what is missing of them, unknown parts."""

from __future__ import annotations

from datetime import UTC
from itertools import pairwise
from typing import Any

import pytest

from inspector.config.settings import Asset
from inspector.model.clock import parse_now
from inspector.model.status import Status
from inspector.model.step import Event
from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.query.openprose.present import AGENTS
from inspector.query.presentation import Column, Format, RecordTable
from inspector.query.view import Capabilities, ValueList
from inspector.ui.context import UiContext
from inspector.ui.panes.records import cell_text, guessed_table, place_columns, status_of
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, settle, shown

UTC_EVENING = UiContext(clock=lambda: parse_now("2026-11-29T23:00:00Z"), zone=UTC)


class Reader(FakeReader):
    """Has an attachment, and an older row of a value."""

    capabilities = Capabilities(value_versions=True, attachments=True)

    def versions(self, name: str) -> ValueList:
        rows = [value(name, "first", row=1), value(name, "second", row=2)]
        return ValueList(None, 2, tuple(rows))

    def attachment(self, path: str, most: int = 65_536) -> tuple[Attachment, bytes]:
        return Attachment(path, AttachmentVerdict.OK, 12), b"# The report"


def value(name: str, text: str, **given: Any) -> Value:
    return Value(name, "root", "let", "text", len(text), text, text, **given)


def feed_with() -> RunFeed:
    return RunFeed(pictured.research, Reader(pictured.research))


def lines_with(screen: Any, *words: str) -> list[str]:
    return [line for line in shown(screen) if all(word in line for word in words)]


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


async def test_an_agent_shows_its_memory_its_segments_and_those_that_are_missing() -> None:
    segments = [
        {"segment_number": 1, "timestamp": "2026-01-15T14:32:15Z", "prompt": "Review",
         "summary": "all well"},
        {"segment_number": 4, "summary": "later"},
    ]  # fmt: skip
    captain: dict[str, Any] = {
        "scope": "run", "name": "captain", "memory": "knows the way", "segments": segments,
        "gap": [2, 3],
    }  # fmt: skip
    ghost: dict[str, Any] = {
        "scope": "project", "name": "ghost", "memory": None, "segments": [], "orphan": True,
        "unreadable": "memory.md is a link",
    }  # fmt: skip
    feed = feed_with()
    feed.reader.records = {"agents": [captain, ghost]}
    async with on_screen(feed, (120, 44)) as (pilot, screen):
        await pilot.press("4")
        await settle(pilot)
        told = ("knows the way", "segment 1", "segment 2: missing", "segment 3: missing")
        lines = shown(screen)
        at = [lines.index(lines_with(screen, one)[0]) for one in (*told, "segment 4")]
        assert at == sorted(at)
        assert lines_with(screen, "segment 1", "Review")
        assert lines_with(screen, "segments missing: 2, 3")
        await pilot.press("j")
        await settle(pilot)
        assert lines_with(screen, "memory.md is a link; segments without an agent of this name")


@pytest.mark.parametrize("size", [(120, 36), (40, 15)])
async def test_enter_shows_a_record_alone_and_escape_the_table(size: tuple[int, int]) -> None:
    feed = feed_with()
    memory = "\n".join(f"line {number}" for number in range(8))
    feed.reader.records = {"agents": [{"scope": "run", "name": "captain", "memory": memory}]}
    async with on_screen(feed, size) as (pilot, screen):
        await pilot.press("4")
        await settle(pilot)
        assert lines_with(screen, "scope", "name", "segments")
        await pilot.press("enter")
        await settle(pilot)
        assert lines_with(screen, "line 7")
        assert not lines_with(screen, "scope", "name", "segments")
        assert lines_with(screen, "esc", "all records")
        await pilot.press("escape")
        await settle(pilot)
        assert lines_with(screen, "scope", "name", "segments")


async def test_a_part_without_records_says_so_in_a_sentence() -> None:
    feed = feed_with()
    feed.reader.records = {"agents": []}
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("4")
        await settle(pilot)
        assert lines_with(screen, "No agents recorded")
        assert not lines_with(screen, "0 records")


async def test_long_kinds_of_events_are_whole_where_there_is_room() -> None:
    feed = pictured.triage_feed()
    feed.reader.rows = lambda number: Event(
        number, number, "constraint_evaluated", None, 0, None, f"row {number}", {}
    )
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("6")
        await settle(pilot)
        await settle(pilot)
        assert lines_with(screen, "constraint_evaluated", "row 1")


async def test_source_is_shown_in_numbered_lines_as_it_stands() -> None:
    feed = feed_with()
    text = "---\nname: x\n---\n\n# Title\n\nsession **one**\n"
    feed.reader.records = {"source": [{"path": "root.prose.md", "size": 9, "text": text}]}
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("6")
        await settle(pilot)
        assert lines_with(screen, "7  session **one**")


async def test_source_opens_at_the_line_of_the_step_under_the_cursor() -> None:
    feed = feed_with()
    text = "".join(f"line {number}\n" for number in range(1, 90))
    feed.reader.records = {"source": [
        {"path": "root.prose.md", "size": 9, "text": text},
        {"path": "sources/b.prose.md", "size": 9, "text": text},
    ]}  # fmt: skip
    async with on_screen(feed) as (pilot, screen):
        pane = screen.timeline_pane
        pane.source_location = lambda: "sources/b.prose.md:77"  # type: ignore[method-assign]
        await pilot.press("6")
        await settle(pilot)
        assert lines_with(screen, "▌", "77  line 77")
        assert lines_with(screen, "▌", "sources/b.prose.md")
        await pilot.press("k")
        await settle(pilot)
        assert not lines_with(screen, "line 77"), "another file begins at its beginning"


def test_columns_leave_from_the_right_and_never_overlap() -> None:
    table = AGENTS
    for width in range(20, 200):
        placed = place_columns(table, width)
        assert placed
        for left, right in pairwise(placed):
            assert left.end < right.start
        assert placed[-1].end <= width


def test_records_of_an_unknown_part_have_columns_all_the_same() -> None:
    table = guessed_table([{"name": "latency", "value": 3, "note": None}])
    assert [column.title for column in table.columns] == ["name", "value", "note"]
    assert cell_text({"note": None}, table.columns[2], UiContext()) == "–"
    assert guessed_table([]).columns


def test_ids_are_short_and_what_a_record_says_has_the_room() -> None:
    records = [
        {"id": f"entry_{at:030}", "sessionId": "s", "runId": "r", "kind": "message",
         "message": {"role": "user", "api_key": "hunter2hunter2"}}
        for at in range(3)
    ]  # fmt: skip
    table = guessed_table(records)
    assert [column.title for column in table.columns] == ["id", "message", "kind"]
    assert [column.title for column in table.columns if column.grows] == ["message"]
    said = cell_text(records[0], table.columns[1], UiContext())
    assert said.startswith('{"role"') and "hunter2" not in said
    for width in (38, 60, 120):
        assert "message" in [one.column.title for one in place_columns(table, width)]


def test_amounts_are_in_base_units_unless_the_settings_name_the_decimals() -> None:
    column = Column("sent", 18, "amount", Format.AMOUNT, asset="asset")
    record = {"amount": "300000", "asset": "USDC"}
    assert cell_text(record, column, UiContext()) == "300,000 USDC"
    with_decimals = UiContext(assets={"USDC": Asset(6, "USD")})
    assert cell_text(record, column, with_decimals) == "0.3 USD"
    assert cell_text({"asset": "USDC", "amount": None}, column, UiContext()) == "–"


def test_times_recorded_as_text_are_shown_as_clock_times() -> None:
    record = {"at": "2026-11-29T22:30:00Z", "text": "soon"}
    assert cell_text(record, Column("at", 9, "at", Format.CLOCK), UTC_EVENING) == "22:30:00.000"
    assert cell_text(record, Column("at", 9, "at", Format.WHEN), UTC_EVENING) == "22:30"
    assert cell_text(record, Column("at", 9, "text", Format.WHEN), UTC_EVENING) == "soon"


def test_only_declared_status_words_have_a_known_status() -> None:
    table = RecordTable((), "id", status="status", statuses={"done": Status.COMPLETED})
    assert status_of({"status": "done"}, table) is Status.COMPLETED
    assert status_of({"status": "lost"}, table) is Status.UNKNOWN
    assert status_of({"status": 1}, table) is Status.UNKNOWN
    assert status_of({"status": "done"}, RecordTable((), "id", status="status")) is None


def test_growing_columns_share_the_spare_room() -> None:
    columns = (
        Column("a", 5, "a", grows=True),
        Column("b", 5, "b"),
        Column("c", 5, "c", grows=True),
    )
    placed = place_columns(RecordTable(columns, "a"), 100)
    assert [one.end - one.start for one in placed] == [42, 5, 43]
    assert placed[-1].end == 98
