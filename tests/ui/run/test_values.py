"""Values, recorded rows and other records: sizes first, contents when asked for, secrets masked."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.app import App

from inspector.model.value import Value
from inspector.ui.clipboard import MOST_BYTES, copy
from inspector.ui.content import content_of
from tests.ui.run import pictured
from tests.ui.run.fakes import RunFeed
from tests.ui.run.screens import on_screen, settle, shown
from tests.ui.waiting import wait_for


def with_values(*values: Value, whole: Sequence[Value] = ()) -> RunFeed:
    feed = pictured.research_feed()
    feed.reader.values_by_scope = {None: values}
    feed.reader.whole = whole or values
    return feed


def value(name: str, text: str | None, **given: object) -> Value:
    size = len(text or "")
    return Value(name, "root", "let", "text", size, text, text or "", row=1, **given)  # type: ignore[arg-type]


async def test_a_value_is_laid_out_below_the_table() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("2", *"jjjjjj")
        await settle(pilot)
        lines = shown(screen)
        assert any("self-reported, not verified" in line and "8 lines" in line for line in lines)
        assert any('2    "score": 0.71,' in line for line in lines)


async def test_a_tab_that_is_being_opened_can_be_left_asked_and_opened_again() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        view = screen.playback.shown
        assert view is not None
        for number in range(1, 1 + len(view.tabs)):
            screen.action_tab(str(number))
            for name in ("enter", "inward", "outward", "find", "zoom", "copy.value"):
                screen.action_command(name)
            screen.show_view(view)
            screen.on_zone_changed()
            screen._on_second()
            screen.action_tab("1")
            screen.action_tab(str(number))
        screen.action_tab("2")
        await settle(pilot)
        assert any("api_key" in line for line in shown(screen))


async def test_secrets_are_masked_in_table_content_and_copy() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("2", *"jjjjjjjjj")
        await settle(pilot)
        assert not any("t0k3n" in line for line in shown(screen))
        assert any("‹masked: " in line for line in shown(screen))
        await pilot.press("y")
        assert "t0k3n" not in pilot.app.clipboard
        assert "masked" in pilot.app.clipboard


async def test_scopes_are_resolved_by_the_reader() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "l")
        await settle(pilot)
        lines = shown(screen)
        assert any("seen from root" in line for line in lines)
        assert "values root" in feed.reader.asked
        assert not any("api_key" in line for line in lines)
        await pilot.press("h")
        await settle(pilot)
        assert any("api_key" in line for line in shown(screen))


async def test_a_large_value_tells_its_size_and_is_read_on_enter() -> None:
    large = Value("report", "root", "let", "text", 12_000_000, None, "begins so", row=3)
    whole = Value("report", "root", "let", "text", 12_000_000, "the whole\nreport", "", row=3)
    feed = with_values(large, whole=[whole])
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        assert any("12 MB: enter shows it" in line for line in shown(screen))
        assert not any("full" in asked for asked in feed.reader.asked)
        await pilot.press("enter")
        await settle(pilot)
        assert any("the whole" in line for line in shown(screen))


async def test_the_filter_narrows_the_table_and_escape_clears_it() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("2", "/", *"res")
        await settle(pilot)
        lines = shown(screen)
        assert any("3 of 11" in line for line in lines)
        assert not any("audience" in line for line in lines)
        await pilot.press("escape")
        await settle(pilot)
        assert any("audience" in line for line in shown(screen))


async def test_values_that_cannot_be_read_say_why() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        feed.busy = True
        await pilot.press("2")
        await settle(pilot)
        assert any("The store is locked" in line for line in shown(screen))


async def test_the_cursor_stays_on_its_value_when_others_appear() -> None:
    first, second = value("b", "two"), value("c", "three")
    feed = with_values(first, second)
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "j")
        await settle(pilot)
        feed.reader.values_by_scope = {None: (value("a", "one"), first, second)}
        feed.tell(pictured.research())
        await wait_for(pilot, lambda: any('"one"' in line for line in shown(screen)))
        cursor = next(line for line in shown(screen) if line.startswith("▌"))
        assert '"three"' in cursor


async def test_rows_are_read_in_pages_and_shown_as_they_stand() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("7")
        await settle(pilot)
        assert feed.reader.asked[-1] == "events 1"
        assert any("row 12" in line for line in shown(screen))
        await pilot.press("G", "Y")
        assert "event 38" in pilot.app.clipboard
        assert any('"id": 38' in line for line in shown(screen))


async def test_parts_without_a_pane_of_their_own_show_their_records() -> None:
    feed = pictured.research_feed()
    feed.reader.records["agents"] = ({"name": "critic", "token": "sk-ant-" + "a1B2" * 12},)
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("4")
        await settle(pilot)
        lines = shown(screen)
        assert any('"name": "critic"' in line for line in lines)
        assert not any("a1B2" in line for line in lines)
        await pilot.press("5")
        await settle(pilot)
        assert any("no such records" in line for line in shown(screen))


def test_every_digit_of_a_number_stays() -> None:
    text = '{"wei": 19876543210987654321, "tiny": 1e-400, "x": [1.10, NaN]}'
    lines = [line.lead + line.key + line.rest for line in content_of("v", text, "text").lines]
    assert lines == [
        "{",
        '  "wei": 19876543210987654321,',
        '  "tiny": 1e-400,',
        '  "x": [',
        "    1.10,",
        "    NaN",
        "  ]",
        "}",
    ]


def test_what_only_looks_like_json_is_shown_as_it_stands() -> None:
    for text in ('{"a": ', "[" * 100_000, "{not json}"):
        content = content_of("v", text, "text")
        assert content.kind == "text"
        assert content.lines[0].rest == text


def test_controls_are_visible_in_contents() -> None:
    content = content_of("v", "a\x1b]52;c;ZXZpbA==\x07\nb\u202ec", "text")
    assert [line.rest for line in content.lines] == [
        "a\\x1b]52;c;ZXZpbA==\\x07",
        "b\\u202ec",
    ]


class Terminal(App[None]):
    """Remembers what it was given to copy."""


def test_what_is_too_large_for_a_terminal_goes_into_a_private_file(tmp_path: Path) -> None:
    app = Terminal()
    assert "clipboard" in copy(app, "short", "the error", folder=tmp_path)
    assert app.clipboard == "short"
    said = copy(app, "x" * (MOST_BYTES + 1), "../the name", folder=tmp_path / "copies")
    (path,) = (tmp_path / "copies").iterdir()
    assert str(path) in said
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.parent == tmp_path / "copies"
    assert path.read_text() == "x" * (MOST_BYTES + 1)
    assert app.clipboard == "short"


def test_a_copy_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = copy(Terminal(), "x" * (MOST_BYTES + 1), "name", folder=tmp_path / "file" / "in")
    assert "no file could be written" in said


@pytest.mark.parametrize("what", ["y", "Y"])
async def test_copying_says_what_it_did(what: str) -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press(what)
        assert "Copied" in shown(screen)[-1]
        expected = "Connection timeout" if what == "y" else "execution 36"
        assert expected in pilot.app.clipboard
