"""Header, tabs and footer at every width."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from inspector.model.status import Status
from inspector.ui.commands import Hint
from inspector.ui.widgets.frame import Footer, Header, TabLabel, Tabs

HINTS = [Hint("enter", "open"), Hint("/", "filter"), Hint("n", "needs me"), Hint("s", "sort")]
TABS = [
    TabLabel("Timeline"),
    TabLabel("Values", 14),
    TabLabel("Receipts", 31, "✓"),
    TabLabel("Agents", 2),
    TabLabel("World model", 5),
    TabLabel("Source"),
    TabLabel("Raw"),
]


class Frame(App[None]):
    """The three parts, filled like those of the pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.picked: list[int] = []

    def compose(self) -> ComposeResult:
        yield Header()
        yield Tabs()
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Header).show_run("deep-research", Status.RUNNING, 52_327_000)
        self.query_one(Tabs).show(TABS, 0)
        self.query_one(Footer).show(HINTS, Hint("?", "help"))

    def on_tabs_picked(self, message: Tabs.Picked) -> None:
        self.picked.append(message.index)


async def drawn(width: int) -> list[str]:
    app = Frame()
    async with app.run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def test_wide() -> None:
    header, names, rule, _, footer = await drawn(120)
    assert header.startswith("  Inspector / deep-research   ● running ")
    assert header.endswith("as of 14:32:07")
    assert len(header) == 118
    assert names == (
        "  1 Timeline   2 Values 14   3 Receipts 31 ✓   4 Agents 2   5 World model 5   6 Source"
        "   7 Raw"
    )
    assert rule == "  " + "━" * 10 + "─" * 106
    assert footer == (
        "  enter open   / filter   n needs me   s sort   ? help".ljust(109) + "read-only"
    )


async def test_narrow() -> None:
    header, names, rule, _, footer = await drawn(40)
    assert header == " ● deep-research".ljust(31) + "14:32:07"
    assert names == " 1 Timeline  2  3  4  5  6  7"
    assert rule == " " + "━" * 10 + "─" * 28
    assert footer == " enter open  / filter  ? help"


@pytest.mark.parametrize("width", [60, 64, 70, 80, 90, 100])
async def test_what_does_not_fit_leaves_in_its_order(width: int) -> None:
    header, names, _, _, footer = await drawn(width)
    assert len(header) <= width - 2
    assert len(names) <= width - 2
    assert "1 Timeline" in names
    assert names.rstrip().endswith(("7 Raw", "7"))
    assert "? help" in footer
    assert footer.endswith("read-only")


async def test_a_click_picks_a_tab() -> None:
    app = Frame()
    async with app.run_test(size=(120, 5)) as pilot:
        await pilot.click(Tabs, offset=(16, 0))
        await pilot.click(Tabs, offset=(13, 0))
        assert app.picked == [1]


async def test_a_sentence_stands_in_the_footer_until_it_is_taken_back() -> None:
    app = Frame()
    async with app.run_test(size=(60, 5)) as pilot:
        footer = app.query_one(Footer)
        footer.show_message("This cannot be done now.")
        await pilot.pause()
        assert app.screen._compositor.render_strips()[4].text.strip() == "This cannot be done now."
        footer.show_message("")
        await pilot.pause()
        assert "? help" in app.screen._compositor.render_strips()[4].text


@pytest.mark.parametrize("size", [(20, 5), (23, 30), (100, 4), (16, 4)])
async def test_what_is_too_small_says_so(size: tuple[int, int]) -> None:
    app = Frame()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        text = app.screen._compositor.render_strips()[0].text
        assert text.rstrip() == "too small: 24x5"[: size[0]]
