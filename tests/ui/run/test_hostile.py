"""Whatever a run records, its screen stays a screen: every line exact, nothing executed."""

from __future__ import annotations

import pytest

from inspector.derive.steps import NO_TIME
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.text.measure import cell_width
from tests.ui.run.fakes import (
    COMPLETED,
    FAILED,
    PENDING,
    RUNNING,
    FakeReader,
    Part,
    RunFeed,
    run_of,
    view_of,
)
from tests.ui.run.screens import on_screen, settle, shown, timeline

STATEMENT = StepKind.STATEMENT
MARKUP = (
    "[/",
    "[0] hi",
    "[b + ",
    "[@click=app.exit]x[/]",
    "[data: /m?id=bb-609b-]",
    "[red]r[/red]",
)
CONTROLS = (
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b[2J",
    "\u202egnp.exe",
    "\x9b31m",
    "over\rwritten",
    "a\nb\tc",
)
WIDE = (
    "日本語の要約を作る長い名前の手順",
    "👩‍🔬 research",
    "❄️ snow",
    "e\u0301te\u0301",
    "z\u200bw",
    "שלום עולם",
)
SIZES = [(40, 15), (80, 24), (120, 36), (160, 50)]


def feed_of(parts: list[Part], title: str = "run", **given: object) -> RunFeed:
    failures = [part.last for part in parts if part.status is FAILED]
    total = max((part.last for part in parts), default=0)
    run = run_of(title, status=RUNNING, **given)  # type: ignore[arg-type]
    reader = FakeReader(lambda at: view_of(run, parts, total, failures=failures))
    return RunFeed(reader._views, reader)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("texts", [MARKUP, CONTROLS, WIDE], ids=["markup", "controls", "wide"])
async def test_hostile_text_is_only_text(texts: tuple[str, ...], size: tuple[int, int]) -> None:
    parts = [
        Part(STATEMENT, text, FAILED, number, number, error=text, ref={text: text})
        for number, text in enumerate(texts, start=1)
    ]
    feed = feed_of(parts, title=texts[0], findings=texts)
    async with on_screen(feed, size) as (pilot, screen):
        for key in ("j", "j", "enter", "y", "7", "1", "escape"):
            await pilot.press(key)
            await settle(pilot)
            if not screen.is_current:
                break
            for line in screen._compositor.render_strips():
                assert line.cell_length == size[0]
                assert cell_width(line.text) == size[0]
                assert all(map(draws, line.text))


def draws(character: str) -> bool:
    """Whether a character is drawn, or joins characters that are."""
    return character.isprintable() or character in "\u200d\ufe0f"


async def test_a_long_label_takes_one_line() -> None:
    parts = [Part(STATEMENT, "x" * 10_000 + "\n" * 50, RUNNING, 1, 1, error="y" * 10_000)]
    async with on_screen(feed_of(parts), (40, 15)) as (_, screen):
        assert timeline(screen).row_count == 1
        assert sum("xxx" in line for line in shown(screen)) == 1


@pytest.mark.parametrize("wide", [5_000])
async def test_a_wide_parallel_is_one_row_that_tells_what_failed_and_runs(wide: int) -> None:
    branches = [
        Part(StepKind.BRANCH, "", COMPLETED, 2 + number, 2 + number, 0, str(number))
        for number in range(wide)
    ]
    branches[4_711] = Part(StepKind.BRANCH, "", FAILED, 4_713, 4_713, 0, "4711")
    for number in (1, 2, 3):
        branches[number] = Part(
            StepKind.BRANCH, "", RUNNING, 2 + number, 2 + number, 0, str(number)
        )
    parts = [Part(StepKind.PARALLEL, "fan out", RUNNING, 1, 1), *branches]
    async with on_screen(feed_of(parts)) as (pilot, screen):
        rows = timeline(screen)
        assert rows.step == 4_712
        await pilot.press("h", "h")
        await settle(pilot)
        row = next(line for line in shown(screen) if line.startswith("▌"))
        assert "4,996/5,000" in row
        assert "✗ 1  ● 3" in row
        painted = rows.painted
        await pilot.press("enter")
        await settle(pilot)
        assert rows.row_count == wide + 1
        assert rows.painted - painted < 60
        await pilot.press("f")
        assert rows.step == 4_712


@pytest.mark.parametrize("size", SIZES)
async def test_two_hundred_levels_tell_their_depth_and_overflow_nothing(
    size: tuple[int, int],
) -> None:
    parts = [
        Part(StepKind.BLOCK, f"do level {depth}", RUNNING, depth + 1, depth + 1, depth - 1)
        for depth in range(200)
    ]
    parts.append(Part(STATEMENT, "innermost", FAILED, 201, 201, 199))
    async with on_screen(feed_of(parts), size) as (pilot, screen):
        lines = shown(screen)
        cursor = next(line for line in lines if line.startswith("▌"))
        assert "…200" in cursor
        assert "innermost" in cursor
        for line in screen._compositor.render_strips():
            assert line.cell_length == size[0]
        await pilot.press("h", "h")
        assert timeline(screen).row_count == 200


async def test_a_run_without_steps_says_nothing_wrong() -> None:
    async with on_screen(feed_of([])) as (pilot, screen):
        await pilot.press("j", "k", "enter", "h", "l", "f", "y", "Y", "w", "1", ".", "[", "space")
        await settle(pilot)
        assert screen.is_current
        assert timeline(screen).row_count == 0


async def test_a_view_that_lost_its_steps_keeps_the_screen_alive() -> None:
    parts = [Part(STATEMENT, f"s{number}", RUNNING, number, number) for number in range(1, 9)]
    feed = feed_of(parts)
    async with on_screen(feed) as (pilot, screen):
        del parts[2:]
        feed.tell(view_of(run_of("run"), parts, 2))
        await settle(pilot)
        assert timeline(screen).row_count == 2
        feed.tell(view_of(run_of("run"), [], 0))
        await settle(pilot)
        await pilot.press("j", "enter", "y")
        assert timeline(screen).row_count == 0


async def test_backward_and_impossible_times_are_told_and_freeze_nothing() -> None:
    now = 1_768_570_327_000
    parts = [
        Part(STATEMENT, "fine", COMPLETED, 1, 1, started=now - 60_000, ended=now - 50_000),
        Part(STATEMENT, "backward", COMPLETED, 2, 2, started=now - 40_000, ended=now - 45_000),
        Part(STATEMENT, "ancient", COMPLETED, 3, 3, started=0, ended=9_999 * 31_556_952_000),
        Part(STATEMENT, "none", COMPLETED, 4, 4),
    ]
    feed = feed_of(parts, order_only=False, started_at=now - 60_000)
    async with on_screen(feed, (160, 50)) as (_, screen):
        rows = {
            line[7:15].strip(): line for line in shown(screen) if line.startswith(("  ✓", "▌ ✓"))
        }
        assert "10.0s" in rows["1 fine"] if "1 fine" in rows else "10.0s" in rows["fine"]
        assert "-5.0s" in rows["backward"]
        assert "–" in rows["none"]
        assert timeline(screen).span is not None
        assert timeline(screen).span.start == now - 60_000  # type: ignore[union-attr]
        assert NO_TIME not in (timeline(screen).span.start, timeline(screen).span.stop)  # type: ignore[union-attr]


async def test_what_was_named_but_has_no_row_has_no_bar() -> None:
    parts = [
        Part(StepKind.PARALLEL, "p", RUNNING, 1, 1),
        Part(StepKind.BRANCH, "", PENDING, 0, 0, 0, "a"),
        Part(StepKind.BRANCH, "", Status.UNCONFIRMED, 2, 2, 0, "b"),
    ]
    async with on_screen(feed_of(parts)) as (_, screen):
        rows = timeline(screen)
        assert rows.row_model(1).bar == ""
        assert set(rows.row_model(2).bar) == {"╍"}
