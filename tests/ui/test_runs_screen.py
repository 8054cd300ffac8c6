"""The list of runs under the keys of a person and the ticks of a feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from inspector.live.feed import Overview, Subscription
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.ui.screens.runs import screen as runs_module
from inspector.ui.screens.runs.preview import Preview
from tests.ui import pictured
from tests.ui.fakes import run
from tests.ui.pictured import AUDIT, DEEP_RESEARCH, FAILED, NOW, TRIAGE, WAITING, at
from tests.ui.screens import feed_of, inspector, runs_screen, settle, shown
from tests.ui.waiting import wait_for

WIDE = (120, 36)


def with_run(overview: Overview, changed: Run) -> Overview:
    runs = tuple(changed if run.key == changed.key else run for run in overview.runs)
    return replace(overview, runs=runs)


def without(overview: Overview, key: str) -> Overview:
    return replace(overview, runs=tuple(run for run in overview.runs if run.key != key))


def few(*runs: Run) -> Overview:
    return Overview(tuple(run.store for run in runs), tuple(runs), pictured.AS_OF)


def titles(lines: Sequence[str]) -> list[str]:
    """The titles of a list at 40 columns, from top to bottom."""
    return [line[5:28].strip() for line in lines[1:14] if line[5:28].strip()]


async def test_it_opens_on_what_needs_someone() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert runs_screen(app).runs.key == WAITING.key
        lines = shown(app)
        assert lines[2].startswith("  ◆ 1 waiting   ✗ 1 failed today   ● 2 active   1 quiet")
        assert lines[2].endswith("1,204 runs   ▲ 3 problems")
        assert [line[2:15].strip() for line in lines if line[2:8] in ("needs ", "active", "quiet ")]


async def test_keys_move_over_headings_and_the_preview_follows() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"jjjj")
        await settle(pilot)
        assert runs_screen(app).runs.key == AUDIT.key
        text = "\n".join(shown(app))
        assert "running, as recorded   nothing written for 11 h" in text
        assert "‹c› draft notes" in text
        assert "value exists, no end recorded" in text


async def test_only_a_row_that_is_stayed_on_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_module, "PREVIEW_DELAY", 0.29)
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        feed_of(app).subscriptions.clear()
        await pilot.press(*"jjjj")
        await settle(pilot)
        assert feed_of(app).subscriptions == [(Subscription(AUDIT.key),)]


async def test_visible_rows_are_told_to_the_feed() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        seen = feed_of(app).seen[-1]
        assert seen[0] == WAITING.key
        assert 10 < len(seen) < 20
        await pilot.press("G")
        await settle(pilot)
        assert WAITING.key not in feed_of(app).seen[-1]


async def test_typing_filters_and_escape_clears() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        before = shown(app)
        await pilot.press("/", *"audit")
        await settle(pilot)
        lines = shown(app)
        assert lines[2].startswith("  / audit▏")
        assert "3 of 1,204 runs" in lines[2]
        assert lines[4].startswith("  quiet")
        assert [line[18:31] for line in lines[5:9] if line[18:19].isalpha()] == [
            "nightly-audit",
            "audit-ledgers",
            "nightly-audit",
        ]
        await pilot.press("escape")
        await settle(pilot)
        assert runs_screen(app).runs.key == AUDIT.key
        assert runs_screen(app).runs.top == 0
        await pilot.press("g")
        await settle(pilot)
        assert shown(app) == before


async def test_the_filter_shifts_nothing() -> None:
    for size in (WIDE, (80, 24), (40, 15)):
        app = inspector()
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            place = runs_screen(app).runs.region
            await pilot.press("/")
            await settle(pilot)
            assert runs_screen(app).runs.region == place


async def test_arrows_move_the_cursor_while_the_filter_is_typed() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("/", *"audit", "down")
        await settle(pilot)
        lines = shown(app)
        assert lines[2].startswith("  / audit▏")
        assert lines[7].startswith("▌ ✗ failed")


async def test_keys_that_are_commands_elsewhere_are_text_in_the_filter() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("/", *"q?n!")
        await settle(pilot)
        assert runs_screen(app).field.value == "q?n!"
        assert app.screen is runs_screen(app)


async def test_only_what_needs_me_and_all_again() -> None:
    app = inspector()
    async with app.run_test(size=(40, 15)) as pilot:
        await pilot.press("n")
        await settle(pilot)
        assert titles(shown(app)) == ["YieldRotation → Base", "release-notes"]
        await pilot.press("n")
        await settle(pilot)
        # One of its fourteen lines says how many more there are.
        assert len(titles(shown(app))) == 12


async def test_sorting_keeps_the_cursor_on_its_run() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"jjj")
        for _ in range(4):
            assert runs_screen(app).runs.key == TRIAGE.key
            await pilot.press("s")
            await pilot.pause()
        assert runs_screen(app).runs.key == TRIAGE.key


async def test_a_tick_changes_its_row_and_nothing_else() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        before, painted = shown(app), runs_screen(app).runs.painted
        newer = replace(DEEP_RESEARCH, steps=replace(DEEP_RESEARCH.steps, completed=13))
        feed_of(app).tell(with_run(pictured.overview(), newer))
        await settle(pilot)
        after = shown(app)
        changed = [
            y for y, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]
        ]
        assert changed == [8]
        assert "  13   ∥ 2/3" in after[8]
        assert runs_screen(app).runs.painted - painted == 1


async def test_rows_change_their_order_only_after_the_cursor_has_rested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs_module, "REST", 0.8)
    app = inspector(few(WAITING, FAILED, DEEP_RESEARCH, TRIAGE))
    async with app.run_test(size=(40, 15)) as pilot:
        await pilot.press("j")
        again = run("zzz-new", "9", Status.RUNNING, started=NOW, written=NOW)
        feed_of(app).tell(few(WAITING, FAILED, DEEP_RESEARCH, TRIAGE, again))
        await settle(pilot)
        assert "zzz-new" not in titles(shown(app))
        await wait_for(pilot, lambda: titles(shown(app))[2] == "zzz-new")
        assert runs_screen(app).runs.key == FAILED.key


async def test_the_cursor_keeps_its_run_and_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_module, "REST", 0.0)
    app = inspector()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = runs_screen(app)
        key = pictured.earlier(600)[500].key
        assert screen.runs.go_to(key)
        await pilot.pause()
        line = screen.runs.screen_line_of(screen.runs.cursor)
        new = [
            run(f"new {n}", f"n{n}", Status.RUNNING, started=NOW, written=NOW) for n in range(300)
        ]
        overview = pictured.overview()
        feed_of(app).tell(replace(overview, runs=(*new, *overview.runs)))
        await settle(pilot)
        assert screen.runs.key == key
        assert screen.runs.screen_line_of(screen.runs.cursor) == line


async def test_an_untouched_cursor_stays_on_the_first_run() -> None:
    app = inspector(few(DEEP_RESEARCH, TRIAGE))
    async with app.run_test(size=(40, 15)) as pilot:
        await settle(pilot)
        assert runs_screen(app).runs.key == DEEP_RESEARCH.key
        feed_of(app).tell(few(DEEP_RESEARCH, TRIAGE, FAILED, WAITING))
        await settle(pilot)
        assert runs_screen(app).runs.key == WAITING.key
        assert runs_screen(app).runs.top == 0


async def test_titles_have_the_place_of_amounts_where_no_run_moves_money() -> None:
    title = "a-title-that-is-longer-than-20"
    app = inspector(few(replace(FAILED, title=title), TRIAGE))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert title in shown(app)[5]
        assert not shown(app)[4].endswith("net")
        feed_of(app).tell(few(replace(FAILED, title=title), TRIAGE, WAITING))
        await settle(pilot)
        assert shown(app)[4].endswith("net")


async def test_a_run_that_is_gone_leaves_the_cursor_beside_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs_module, "REST", 0.0)
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j")
        feed_of(app).tell(without(pictured.overview(), FAILED.key))
        await settle(pilot)
        assert runs_screen(app).runs.key == DEEP_RESEARCH.key


async def test_a_run_that_is_gone_stands_until_the_cursor_has_rested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs_module, "REST", 60.0)
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j")
        for later in (1, 2):
            rest = without(pictured.overview(), FAILED.key)
            feed_of(app).tell(replace(rest, as_of=rest.as_of + later))
            await settle(pilot)
            assert FAILED.key in runs_screen(app).runs.shown_keys
        # What is asked for anew shows what there is.
        await pilot.press("n")
        await pilot.press("n")
        await settle(pilot)
        assert FAILED.key not in runs_screen(app).runs.shown_keys


async def test_elapsed_of_running_rows_follows_the_clock() -> None:
    now = [NOW]
    app = inspector(clock=lambda: now[0])
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        screen = runs_screen(app)
        before, painted = shown(app), screen.runs.painted
        now[0] += 1_000
        screen._tick()
        await pilot.pause()
        after = shown(app)
        assert [y for y in range(36) if before[y] != after[y]] == [8, 9]
        assert "2m 12s" in after[8]
        assert screen.runs.painted - painted == 2


async def test_a_run_falls_quiet_without_any_message() -> None:
    now = [NOW]
    app = inspector(clock=lambda: now[0])
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        now[0] += 120_000
        runs_screen(app)._tick()
        await settle(pilot)
        assert "3 quiet" in shown(app)[2]
        assert "active" not in shown(app)[2]


async def test_when_nothing_changes_nothing_is_drawn() -> None:
    app = inspector(few(FAILED, WAITING, AUDIT))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        drawn: list[object] = []
        app._display = lambda *args: drawn.append(args)  # type: ignore[method-assign]
        for _ in range(3):
            runs_screen(app)._tick()
            feed_of(app).tell(few(FAILED, WAITING, AUDIT))
            await settle(pilot)
        assert not drawn


async def test_ten_thousand_runs_cost_what_is_seen() -> None:
    app = inspector(pictured.overview(9_985))
    async with app.run_test(size=(160, 50)) as pilot:
        await settle(pilot)
        runs = runs_screen(app).runs
        assert runs.row_count > 10_000
        assert runs.painted <= 2 * 50
        for key in ("G", "pageup", "k", "g"):
            before = runs.painted
            await pilot.press(key)
            await pilot.pause()
            assert runs.painted - before <= 50, key


async def test_an_error_of_many_lines_is_one_line() -> None:
    text = "Traceback\n" + "  at line\n" * 2_000
    broken = replace(
        run("\n".join(["title"] * 500), "1", Status.FAILED, started=at("14:00"), ended=at("14:01")),
        raw_status=text,
    )
    app = inspector(few(broken))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        lines = shown(app)
        assert lines[5].startswith("▌ ✗ failed        title\\ntitle\\ntitle…")
        assert "\n" not in "".join(lines)


async def test_opening_without_a_run_says_why_not() -> None:
    app = inspector(few(FAILED))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("/", *"zzz", "enter")
        await pilot.pause()
        assert shown(app)[-1].strip() == "No run selected."
        assert "0 of 1 runs" in shown(app)[2]


async def test_escape_on_the_first_screen_says_how_to_leave() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("escape")
        await pilot.pause()
        assert "q quit" in shown(app)[-1]
        assert app.is_running


async def test_the_zone_changes_times_and_days(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "as of 20:02:07" in shown(app)[0]
        assert "20:00" in shown(app)[8]
        await pilot.press("T")
        await settle(pilot)
        assert "as of 14:32:07" in shown(app)[0]
        assert "14:30" in shown(app)[8]
        assert "Times are in UTC." in shown(app)[-1]


@pytest.mark.parametrize("size", [(40, 15), (60, 20), (80, 24), (99, 30), (120, 36), (200, 60)])
async def test_every_size_shows_status_title_and_elapsed(size: tuple[int, int]) -> None:
    app = inspector()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        lines = shown(app)
        assert len(lines) == size[1]
        assert all(len(line) <= size[0] for line in lines)
        row = next(line for line in lines if "deep-research" in line)
        assert "●" in row
        assert "2m 11s" in row
        assert "? help" in lines[-1]


async def test_resizing_while_runs_arrive_breaks_nothing() -> None:
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        for number in range(20):
            await pilot.resize_terminal(*((20, 5) if number % 2 else (200, 60)))
            feed_of(app).tell(pictured.overview(number))
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        assert shown(app)[2].endswith("34 runs   ▲ 3 problems")
        assert app.screen.query_one(Preview).size.height == 10
