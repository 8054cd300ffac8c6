"""The application between a feed and its screens."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.geometry import Size

from inspector.config.settings import Settings
from inspector.live.feed import Feed, Overview
from inspector.ui.app import FeedMessage, InspectorApp, run_app
from inspector.ui.screens.command_palette import OfferList
from inspector.ui.screens.problems import ProblemsScreen
from inspector.ui.screens.runs.screen import RunsScreen
from tests.ui import pictured
from tests.ui.fakes import FakeFeed
from tests.ui.screens import feed_of, inspector, runs_screen, settle, shown
from tests.ui.waiting import wait_for

NO_RUNS = Overview((), (), pictured.AS_OF)


def front(app: InspectorApp) -> str:
    return type(app.screen).__name__


def test_a_newer_message_of_the_same_kind_replaces_an_older_one() -> None:
    overview = pictured.overview(0)
    view = pictured.audit_view()
    other = replace(view, run=replace(view.run, key="another"))
    assert FeedMessage(overview).can_replace(FeedMessage(overview))
    assert FeedMessage(view).can_replace(FeedMessage(view))
    assert not FeedMessage(view).can_replace(FeedMessage(other))
    assert not FeedMessage(view).can_replace(FeedMessage(overview))
    assert not FeedMessage(overview).can_replace(FeedMessage(view))


async def test_a_burst_is_shown_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []
    monkeypatch.setattr(RunsScreen, "receive", lambda screen, message: taken.append(message))
    app = inspector(pictured.overview(0))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        taken.clear()
        last = pictured.overview(0)
        for number in range(200):
            last = replace(last, as_of=last.as_of + number)
            feed_of(app).tell(last)
        await settle(pilot)
        assert 1 <= len(taken) <= 4
        assert taken[-1] is last


async def test_what_comes_while_the_list_is_covered_is_shown_when_it_is_seen_again() -> None:
    app = inspector(pictured.overview(0))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        feed_of(app).tell(replace(pictured.overview(0), as_of=pictured.at("15:00")))
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "as of 15:00:00" in shown(app)[0]


async def test_messages_come_from_other_threads() -> None:
    app = inspector(pictured.overview(0))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        newer = replace(pictured.overview(0), as_of=pictured.at("15:00"))
        thread = threading.Thread(target=feed_of(app).tell, args=(newer,))
        thread.start()
        thread.join()
        await settle(pilot)
        assert "as of 15:00:00" in shown(app)[0]
    feed_of(app).tell(newer)


async def test_reading_is_said_until_the_first_answer() -> None:
    app = inspector()
    feed_of(app).overview = None
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert shown(app)[0].endswith("loading")
        feed_of(app).tell(replace(NO_RUNS, loading=3))
        await settle(pilot)
        assert front(app) == "RunsScreen"
        assert "3 stores still loading" in shown(app)[2]


async def test_nothing_gives_way_to_the_first_run_and_comes_back() -> None:
    app = inspector(NO_RUNS)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert front(app) == "WelcomeScreen"
        feed_of(app).tell(pictured.overview(0))
        await settle(pilot)
        assert front(app) == "RunsScreen"
        assert "deep-research" in "".join(shown(app))
        feed_of(app).tell(NO_RUNS)
        await settle(pilot)
        assert front(app) == "WelcomeScreen"


async def test_the_first_run_waits_until_the_help_is_closed() -> None:
    app = inspector(NO_RUNS)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("?")
        feed_of(app).tell(pictured.overview(0))
        await settle(pilot)
        assert front(app) == "HelpScreen"
        await pilot.press("escape")
        await settle(pilot)
        assert front(app) == "RunsScreen"


async def test_help_shows_keys_and_signs_of_the_row() -> None:
    app = inspector()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"jjjj?")
        await settle(pilot)
        text = "\n".join(shown(app))
        assert "2 of 4 parallel branches done" in text
        assert "unconfirmed: its value exists" in text
        assert "Show only runs that need attention" in text
        assert "One page down" in text
        await pilot.press("escape")
        await pilot.pause()
        assert front(app) == "RunsScreen"


async def test_help_scrolls_where_it_is_low() -> None:
    app = inspector()
    async with app.run_test(size=(40, 15)) as pilot:
        await pilot.press("?", "G")
        await settle(pilot)
        assert "Last row" in "\n".join(shown(app)) or "Quit" in "\n".join(shown(app))


async def test_problems_lead_to_their_run(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(ProblemsScreen, "open_run", lambda screen, run: opened.append(run.key))
    app = inspector()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("!", "j", "enter")
        await settle(pilot)
        assert opened == [pictured.INTERRUPTED.key]
        await pilot.press("escape")
        await pilot.pause()
        assert front(app) == "RunsScreen"


async def test_a_problem_of_a_store_leads_nowhere_and_says_so() -> None:
    app = inspector(replace(pictured.overview(0), stores=pictured.UNKNOWN))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("!", "enter")
        await settle(pilot)
        assert shown(app)[-1].strip() == "This is not about a run."


async def test_the_palette_runs_a_command() -> None:
    app = inspector()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(":", *"attention", "enter")
        await settle(pilot)
        assert "2 of 1,204 runs" in shown(app)[2]


async def test_the_palette_says_what_cannot_be_done() -> None:
    app = inspector(pictured.overview(0))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("/", *"zzz", "tab")
        await pilot.pause()
        runs_screen(app).runs.focus()
        await pilot.press(":")
        await settle(pilot)
        offers = app.screen.query_one(OfferList).offers
        refused = {offer.command.id for offer in offers if offer.reason}
        assert refused == {"open", "resume"}
        assert any("No run selected" in line for line in shown(app))


async def test_keys_can_be_chosen() -> None:
    app = inspector(keys={"needs-me": ("m",), "filter": (), "nonsense": ("x",)})
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert "m needs me" in shown(app)[-1]
        assert "filter" not in shown(app)[-1]
        await pilot.press("n", "/")
        await settle(pilot)
        assert runs_screen(app).runs.shown_count == 1_204
        await pilot.press("m")
        await settle(pilot)
        assert runs_screen(app).runs.shown_count == 2
        await pilot.press("!")
        await settle(pilot)
        assert any("There is no command 'nonsense'" in line for line in shown(app))


async def test_quitting() -> None:
    for key in ("q", "ctrl+c"):
        app = inspector(pictured.overview(0))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(key)
            await pilot.pause()
            assert not app.is_running


def another(place: str) -> Callable[[], tuple[Feed, str]]:
    return lambda: (FakeFeed(pictured.overview(0)), place)


async def test_the_demonstration_takes_the_place_of_nothing() -> None:
    app = inspector(NO_RUNS, demonstration=another("demonstration"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        first = feed_of(app)
        await pilot.press("d")
        await wait_for(pilot, lambda: "demonstration" in shown(app)[0])
        await settle(pilot)
        assert first.stopped
        assert front(app) == "RunsScreen"
        assert "demonstration" in shown(app)[0]
        assert "deep-research" in "".join(shown(app))
        first.tell(NO_RUNS)
        await settle(pilot)
        assert front(app) == "RunsScreen"


async def test_another_folder_can_be_named() -> None:
    asked: list[str] = []

    def folder(path: str) -> tuple[Feed, str]:
        asked.append(path)
        if path != "/good":
            raise ValueError(f"There is no folder {path}.")
        return another(path)()

    app = inspector(NO_RUNS, folder=folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("o", *"/bad", "enter")
        await wait_for(pilot, lambda: shown(app)[-1].strip() == "There is no folder /bad.")
        assert front(app) == "WelcomeScreen"
        await pilot.press("o", *["backspace"] * 4, *"/good", "enter")
        await wait_for(pilot, lambda: "/good" in shown(app)[0])
        assert asked == ["/bad", "/good"]


async def test_what_is_not_possible_is_not_offered() -> None:
    app = inspector(NO_RUNS)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = "\n".join(shown(app))
        assert "demonstration" not in text
        assert "another folder" not in text
        await pilot.press("d")
        await pilot.pause()
        assert shown(app)[-1].strip() == "This is not possible here."


@pytest.mark.parametrize("theme", ["dark", "light", "cb-dark", "cb-light", "terminal"])
async def test_themes(theme: str) -> None:
    app = inspector(pictured.overview(0), theme=theme)
    async with app.run_test(size=(80, 24)):
        assert app.theme == theme
        assert app.native_ansi_color == (theme == "terminal")


async def test_no_colour_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = inspector(pictured.overview(0), theme="dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for strip in app.screen._compositor.render_strips():
            for segment in strip:
                style = segment.style
                assert style is None or style.color is None or style.color.is_default
                assert style is None or style.bgcolor is None or style.bgcolor.is_default
        assert any("✗ failed" in line for line in shown(app))


def test_the_feed_is_stopped_when_the_screen_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = FakeFeed(pictured.overview(0))

    def run(app: InspectorApp, *, mouse: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(InspectorApp, "run", run)
    with pytest.raises(KeyboardInterrupt):
        run_app(feed, Settings(), lambda: pictured.NOW, pictured.SCOPE)
    assert feed.stopped


async def test_no_animation_and_no_second_screen_of_keys() -> None:
    app = inspector(pictured.overview(0))
    async with app.run_test(size=(80, 24)):
        assert app.animation_level == "none"
        assert app.size == Size(80, 24)
        assert not app.ENABLE_COMMAND_PALETTE


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36)])
async def test_ascii_is_ascii_on_every_screen(size: tuple[int, int]) -> None:
    app = inspector(ascii="always")
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"jjjj")
        for key in ("escape", "s", "/", "escape", "!", "escape", "?", "G", "escape", ":"):
            await pilot.press(key)
            await settle(pilot)
            text = "\n".join(shown(app))
            assert text.isascii(), key
    app = inspector(pictured.WELCOME, ascii="always")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert "\n".join(shown(app)).isascii()
