"""Text that strangers wrote is shown as it stands: no markup, no escape, no broken column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.events import Paste

from inspector.live.feed import Looked, Overview
from inspector.model.run import Finding, Run
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health
from inspector.text.measure import cell_width
from tests.ui import pictured
from tests.ui.fakes import FakeStep, run, store, view
from tests.ui.pictured import at
from tests.ui.screens import feed_of, inspector, settle, shown

MARKUP = (
    "[/",
    "[0] hi",
    "[b + ",
    "[@click=app.quit]x[/]",
    "[data: /m?id=bb-609b-]",
    "[bold]loud[/bold]",
)
CONTROLS = {
    "\x1b]52;c;ZXZpbA==\x07": "\\x1b]52;c;ZXZpbA==\\x",
    "\x1b[2Jgone": "\\x1b[2Jgone",
    "a\u202eb": "a\\u202eb",
    "c\x9b31m": "c\\x9b31m",
    "over\rwrite": "over\\rwrite",
}
WIDE = ("日本語の要約", "👩‍🔬 lab", "❄️ cold", "e\u0301" * 12, "a\u200bb", "שלום עולם")
FORBIDDEN = {"\x1b", "\x07", "\x9b", "\r", "\n", "\u202e", "\u200b"}


def of(title: str) -> Run:
    base = run(title, title, Status.FAILED, started=at("14:00"), ended=at("14:01"), done=3)
    return replace(base, findings=(Finding("odd", title, title),), raw_status=title)


def over(*runs: Run) -> Overview:
    return Overview(tuple(each.store for each in runs), runs, pictured.AS_OF)


@pytest.mark.parametrize("text", MARKUP)
async def test_markup_is_text_everywhere(text: str) -> None:
    broken = of(text)
    steps = (FakeStep(StepKind.STATEMENT, text, Status.FAILED, 1, 2, error=text),)
    seen = view(broken, steps, 2, failures=(2,))
    app = inspector(over(broken), seen)
    text = text.strip()
    async with app.run_test(size=(160, 36)) as pilot:
        await settle(pilot)
        lines = shown(app)
        assert text in lines[5]
        assert sum(text in line for line in lines) >= 4
        await pilot.press("!")
        await settle(pilot)
        assert sum(text in line for line in shown(app)) >= 3
        await pilot.press("escape", "?")
        await settle(pilot)
        assert any(text in line for line in shown(app))
        await pilot.press("escape", "/", *text)
        await settle(pilot)
        assert text in shown(app)[2]
        assert app.is_running


@pytest.mark.parametrize("text", list(CONTROLS))
async def test_controls_are_shown_as_escapes(text: str) -> None:
    app = inspector(over(of(text)))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        for key in ("!", "escape"):
            lines = shown(app)
            assert any(CONTROLS[text] in line for line in lines)
            assert not FORBIDDEN & set("".join(lines))
            await pilot.press(key)
            await settle(pilot)


async def test_pasted_controls_are_shown_as_escapes() -> None:
    app = inspector()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("/")
        await pilot.pause()
        app.screen.query_one("#filter").post_message(Paste("a\x1b[2J"))
        await settle(pilot)
        assert "a\\x1b[2J" in shown(app)[2]


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36)])
async def test_wide_text_keeps_columns_where_they_are(size: tuple[int, int]) -> None:
    runs = [of(text) for text in WIDE]
    plain = of("plain")
    app = inspector(over(plain, *runs))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        strips = app.screen._compositor.render_strips()
        assert {strip.cell_length for strip in strips} == {size[0]}
        rows = [strip.text for strip in strips if strip.text.lstrip("▌ ").startswith("✗")][-6:]
        assert len(rows) == len(WIDE)
        assert len({cell_width(row[: row.index("1m 00s")]) for row in rows}) == 1


async def test_secrets_are_masked_in_the_list() -> None:
    secret = "sk-ant-api03-" + "Ab1" * 30
    app = inspector(over(of(f"key {secret}")))
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        for key in ("!", "escape", "?"):
            assert secret not in "".join(shown(app))
            await pilot.press(key)
            await settle(pilot)


async def test_where_we_looked_and_why_not_are_text_too() -> None:
    nothing = Overview(
        (store("/x/[b]\x1b[2J.db", health=Health.UNREADABLE, reason="[/] \x1b[31m"),),
        (),
        pictured.AS_OF,
        looked=(Looked("./[b]\x1b[2J", "[@click=app.quit]no[/]"),),
        notices=("[/bold] \u202e",),
    )
    app = inspector(nothing)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert any("./[b]\\x1b[2J" in line for line in shown(app))
        assert any("[@click=app.quit]no[/]" in line for line in shown(app))
        await pilot.press("!")
        await settle(pilot)
        text = "\n".join(shown(app))
        assert "[/bold] \\u202e" in text
        assert "[/] \\x1b[31m" in text


async def test_place_is_text() -> None:
    app = inspector()
    app.place = "~/[bold]\x1b[2J"
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "~/[bold]\\x1b[2J" in shown(app)[0]
        assert feed_of(app).overview is not None
