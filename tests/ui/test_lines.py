"""Long lists draw what is seen, once, and keep their cursor in sight."""

from __future__ import annotations

from collections.abc import Hashable

from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.geometry import Region
from textual.strip import Strip

from inspector.ui.lines import Line
from inspector.ui.palette import Ground
from inspector.ui.widgets.line_list import LineList

ROWS = 200_000


class Numbers(LineList):
    """Rows with their numbers; every tenth is a heading."""

    DEFAULT_CSS = "Numbers { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.rows = ROWS
        self.values: dict[int, int] = {}
        self.head = True

    @property
    def row_count(self) -> int:
        return self.rows

    @property
    def has_head(self) -> bool:
        return self.head

    def selectable(self, row: int) -> bool:
        return row % 10 != 0

    def version(self, row: int) -> Hashable:
        return (row, self.values.get(row))

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        line = Line(width, self.ui.styles, Ground.SELECT if cursor else Ground.BG)
        line.put(2, f"row {row} {self.values.get(row, '')}")
        return line.strip()

    def paint_head(self, width: int, top: int) -> Strip:
        line = Line(width, self.ui.styles)
        line.put(2, f"head {top}")
        return line.strip()


class Lists(App[None]):
    """One list that fills the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[int] = []

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        self.chosen.append(message.row)

    def compose(self) -> ComposeResult:
        yield Numbers()


def lines(app: Lists) -> Numbers:
    return app.query_one(Numbers)


async def test_a_frame_costs_what_is_seen_whatever_the_length() -> None:
    app = Lists()
    async with app.run_test(size=(60, 21)) as pilot:
        numbers = lines(app)
        numbers.focus()
        numbers.move_to(1)
        await pilot.pause()
        assert numbers.painted <= 22
        before = numbers.painted
        await pilot.press("j")
        await pilot.pause()
        assert 1 <= numbers.painted - before <= 2
        before = numbers.painted
        await pilot.press("G")
        await pilot.pause()
        assert numbers.cursor == ROWS - 1
        assert 20 <= numbers.painted - before <= 21
        before = numbers.painted
        await pilot.press("g")
        await pilot.pause()
        assert numbers.painted - before <= 2


async def test_a_change_draws_its_row_and_no_other() -> None:
    app = Lists()
    async with app.run_test(size=(60, 21)) as pilot:
        numbers = lines(app)
        await pilot.pause()
        before = numbers.painted
        numbers.values[7] = 1
        numbers.values[150_000] = 1
        numbers.repaint()
        await pilot.pause()
        assert numbers.painted - before == 1
        assert "row 7 1" in app.screen._compositor.render_strips()[8].text


async def test_the_same_again_draws_nothing() -> None:
    app = Lists()
    async with app.run_test(size=(60, 21)) as pilot:
        numbers = lines(app)
        await pilot.pause()
        refreshed: list[object] = []
        numbers.refresh = lambda *regions, **_: refreshed.append(regions)  # type: ignore[method-assign, assignment]
        numbers.repaint()
        numbers.rows_changed()
        assert not refreshed


async def test_the_cursor_passes_over_headings_and_stays_in_sight() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.focus()
        numbers.move_to(1)
        for key, expected in (
            ("k", 1),
            ("j", 2),
            ("pagedown", 11),
            ("up", 9),
            ("down", 11),
            ("pageup", 2),
            ("end", ROWS - 1),
            ("j", ROWS - 1),
            ("home", 1),
        ):
            await pilot.press(key)
            assert numbers.cursor == expected, key
            assert expected in numbers.visible_rows, key
        assert numbers.top == 0


async def test_a_row_shows_the_heading_above_it() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.move_to(60)
        numbers.move_to(41)
        await pilot.pause()
        assert numbers.top == 40


async def test_the_head_stays_and_speaks_of_the_top() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.move_to(1_005)
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert strips[0].text.split()[:2] == ["head", str(numbers.top)]
        assert strips[1].text.strip() == f"row {numbers.top}"


async def test_the_head_says_how_far_one_sees_while_not_all_rows_fit() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.rows = 22
        numbers.rows_changed(1)
        await pilot.pause()
        head = app.screen._compositor.render_strips()[0].text
        assert head.endswith("10 of 22  ")
        await pilot.press("G")
        await pilot.pause()
        assert app.screen._compositor.render_strips()[0].text.endswith("22 of 22  ")
        await pilot.press("g")
        numbers.rows = 10
        numbers.rows_changed(1)
        await pilot.pause()
        assert app.screen._compositor.render_strips()[0].text.strip() == "head 0"


async def test_without_room_in_the_head_a_line_below_says_it_and_hides_no_row() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.head = False
        numbers.rows = 22
        numbers.rows_changed(1)
        numbers.focus()
        await pilot.pause()
        texts = [strip.text.strip() for strip in app.screen._compositor.render_strips()]
        assert texts == [*(f"row {row}" for row in range(10)), "10 of 22"]
        await pilot.press("G")
        await pilot.pause()
        texts = [strip.text.strip() for strip in app.screen._compositor.render_strips()]
        assert texts == [*(f"row {row}" for row in range(12, 22)), "22 of 22"]
        assert numbers.row_at(10) == -1


async def test_a_move_on_the_screen_leaves_what_tells_how_far_as_it_is() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.rows = 22
        numbers.rows_changed(1)
        await pilot.pause()
        refreshed: list[Region] = []
        numbers.refresh = lambda *regions, **_: refreshed.extend(regions)  # type: ignore[method-assign, assignment]
        numbers.move_to(2)
        assert sorted(region.y for region in refreshed) == [2, 3]


async def test_rows_that_go_leave_the_cursor_on_the_last() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.move_to(150_005)
        numbers.rows = 6
        numbers.rows_changed()
        await pilot.pause()
        assert numbers.cursor == 5
        assert numbers.top == 0
        numbers.rows = 0
        numbers.rows_changed()
        await pilot.pause()
        assert numbers.cursor == -1


async def test_the_mouse_points_and_chooses() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        await pilot.hover(Numbers, offset=(5, 4))
        assert numbers.hover == 3
        await pilot.hover(Numbers, offset=(5, 1))
        assert numbers.hover == -1
        await pilot.click(Numbers, offset=(5, 4))
        assert numbers.cursor == 3
        assert not app.chosen
        await pilot.click(Numbers, offset=(5, 4))
        assert app.chosen == [3]
        await pilot.click(Numbers, offset=(5, 0))
        assert numbers.cursor == 3


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    app = Lists()
    async with app.run_test(size=(60, 11)) as pilot:
        numbers = lines(app)
        numbers.move_to(1)
        await pilot.pause()
        for _ in range(4):
            numbers.post_message(
                MouseScrollDown(numbers, 5, 5, 0, 1, 0, shift=False, meta=False, ctrl=False)
            )
        await pilot.pause()
        assert numbers.top >= 4
        assert numbers.cursor == 1
        await pilot.press("tab")
        numbers.focus()
        await pilot.press("j")
        assert 2 in numbers.visible_rows


async def test_resizing_keeps_the_cursor_in_sight() -> None:
    app = Lists()
    async with app.run_test(size=(60, 30)) as pilot:
        numbers = lines(app)
        numbers.move_to(27)
        for size in ((20, 5), (200, 60), (30, 8)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert 27 in numbers.visible_rows
