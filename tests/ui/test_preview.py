"""What the pane below the list says of the selected run."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import pytest
from textual.screen import Screen

from inspector.derive.steps import StepTable
from inspector.live.feed import Feed, Overview, Subscription
from inspector.model.run import Finding, Run
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health
from inspector.query.view import RunView
from tests.ui import pictured
from tests.ui.fakes import FakeStep, run, store, view
from tests.ui.pictured import NOW, at
from tests.ui.screens import feed_of, inspector, settle, shown

WIDE = (120, 36)
BROKEN = run(
    "release-notes", "1", Status.FAILED, started=at("14:00"), ended=at("14:01"), done=8, failed=1
)


def over(*runs: Run) -> Overview:
    return Overview(tuple(each.store for each in runs), runs, pictured.AS_OF)


async def pane(of: Run, *views: RunView, size: tuple[int, int] = WIDE) -> list[str]:
    """The preview of a run, line by line, without the empty ones."""
    app = inspector(over(of), *views)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        first = 25 if size == WIDE else size[1] - 7
        return [line.strip() for line in shown(app)[first:-1] if line.strip()]


async def test_an_error_comes_before_findings_and_the_rest_is_counted() -> None:
    findings = tuple(Finding("odd", text) for text in ("one", "two", "three"))
    broken = replace(BROKEN, findings=findings)
    steps = (
        FakeStep(StepKind.STATEMENT, "fetch", Status.COMPLETED, 1, 1),
        FakeStep(StepKind.STATEMENT, "publish", Status.FAILED, 2, 3, error="HTTP 503\nbusy"),
    )
    lines = await pane(broken, view(broken, steps, 3, failures=(3,)))
    assert lines[0] == "release-notes   failed   ended 14:01 after 1m 00s"
    assert lines[1] == "✗ publish: HTTP 503\\nbusy   and 3 more"
    assert lines[2].split() == ["steps", "1", "3", "events"]
    assert lines[4].startswith("✗   publish")
    assert lines[4].endswith("HTTP 503\\nbusy")


async def test_until_the_steps_are_read_it_says_what_the_list_knows() -> None:
    assert await pane(BROKEN) == [
        "release-notes   failed   ended 14:01 after 1m 00s",
        "8 done   1 ✗",
    ]


async def test_recorded_times_make_a_ruler_of_time() -> None:
    timed = replace(BROKEN, order_only=False)
    fetch = FakeStep(StepKind.STATEMENT, "fetch", Status.COMPLETED, 1, 2)
    seen = view(timed, (fetch,), 2, as_of=NOW)
    steps: StepTable = seen.steps
    steps.started[0], steps.ended[0] = at("14:00:15"), at("14:00:30")
    steps.stretch(0, at("14:00:15"))
    steps.stretch(0, at("14:00:30"))
    lines = await pane(timed, seen)
    assert lines[1].startswith("steps")
    assert "14:00:00" in lines[1]
    assert lines[2].split()[-1] == "━" * 10
    assert "events" not in lines[1]


async def test_a_raw_word_of_its_own_is_told() -> None:
    odd = replace(BROKEN, status=Status.UNKNOWN, raw_status="Done!")
    assert "unknown, recorded as Done!" in (await pane(odd))[0]


async def test_a_store_that_cannot_be_read_says_why() -> None:
    sick = store(health=Health.UNREADABLE, reason="The file is not a database.")
    lines = await pane(replace(BROKEN, store=sick, status=Status.UNKNOWN, raw_status=None))
    assert lines[0] == "release-notes   unknown   The file is not a database."


async def test_clocks_that_ran_backwards_are_told() -> None:
    odd = replace(BROKEN, started_at=at("14:02"))
    assert "before its start: a clock was wrong" in (await pane(odd))[0]


async def test_what_lives_is_told_without_an_age_in_seconds() -> None:
    alive = run("a", "1", Status.RUNNING, started=NOW - 90_000, written=NOW - 3_000)
    assert (await pane(alive))[0] == "a   running   last write less than a minute ago"


async def test_a_loop_shows_its_rounds() -> None:
    steps = (
        FakeStep(StepKind.LOOP, "loop until complete", Status.RUNNING, 1, 9),
        FakeStep(StepKind.ITERATION, "draft", Status.COMPLETED, 1, 4, 0, 1),
        FakeStep(StepKind.ITERATION, "draft", Status.RUNNING, 5, 9, 0, 2),
    )
    alive = run("a", "1", Status.RUNNING, started=NOW - 90_000, written=NOW)
    seen = view(alive, steps, 9)
    lines = await pane(alive, seen)
    assert lines[1].startswith("↻   loop until compl…  1/2")
    assert lines[2].startswith("✓   [1] draft")
    assert lines[3].startswith("●   [2] draft")
    assert lines[3].endswith("╍╍")


async def test_where_it_is_low_steps_share_a_line() -> None:
    lines = await pane(pictured.AUDIT, pictured.audit_view(), size=(80, 24))
    assert lines[-1].startswith("∥ p1   ✓ a ━━━━━━   ✓ b ━━━━━━━━   ≈ c ╍╍╍╍")
    assert lines[-1].endswith("· d")


async def test_a_view_of_another_run_is_not_shown() -> None:
    other = pictured.audit_view()
    app = inspector(over(BROKEN), other)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        feed_of(app).tell(other)
        await settle(pilot)
        assert "read ledgers" not in "\n".join(shown(app))


async def test_a_thousand_views_are_not_kept() -> None:
    app = inspector(pictured.overview(100))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        for each in pictured.earlier(100):
            feed_of(app).tell(view(each, (), 0))
        await settle(pilot)
        kept = app.screen_stack[-1]
        assert len(getattr(kept, "_views", {})) <= 9


class OpenedScreen(Screen[None]):
    """Stands in for the screen of a run."""

    BINDINGS = [("escape", "dismiss", "Back")]  # noqa: RUF012

    def __init__(self, feed: Feed, of: Run) -> None:
        super().__init__()
        self.feed = feed
        self.of = of
        feed.follow([Subscription(of.key, 3)])


async def test_enter_opens_the_run_and_coming_back_follows_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("inspector.ui.screens.run.screen")
    module.RunScreen = OpenedScreen  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "inspector.ui.screens.run.screen", module)
    app = inspector()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j", "enter")
        await settle(pilot)
        assert isinstance(app.screen, OpenedScreen)
        assert app.screen.of.key == pictured.FAILED.key
        await pilot.press("escape")
        await settle(pilot)
        assert feed_of(app).subscriptions[-1] == (Subscription(pictured.FAILED.key),)
