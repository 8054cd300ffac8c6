"""Values where one stands: at a chosen step, or at the event that is travelled to."""

from __future__ import annotations

from dataclasses import replace

from inspector.model.value import Then, Value
from inspector.query.view import Capabilities, RunView, StepContext, ValueList
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, settle, shown


def named(name: str, text: str, **given: object) -> Value:
    return Value(name, "root", "let", "text", len(text), text, text, row=1, **given)  # type: ignore[arg-type]


class ThenReader(FakeReader):
    """Knows which values there were: `old` before event 20, `new` from then on."""

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        return ValueList(frame, 1, (named("result", "as of now"),))

    def values_at(self, event: int, frame: str | None = None, *, full: bool = False) -> ValueList:
        self.asked.append(f"values at {event} in {frame}")
        found = (
            named("result", f"that of event {event}", then=Then.WRITTEN, written_event=3),
            named("lost", "perhaps", then=Then.UNKNOWN),
        )
        return ValueList(frame, 2, found, at=event)

    def context(self, step: int) -> StepContext:
        end = self._views(None).steps.span_last[step]
        return replace(super().context(step), values=self.values_at(end, "root"))


def then(at: int | None = None) -> RunView:
    return replace(pictured.research(at), capabilities=Capabilities(values_over_time=True))


def feed() -> RunFeed:
    return RunFeed(then, ThenReader(then))


def has(screen: object, *words: str) -> bool:
    return any(all(word in line for word in words) for line in shown(screen))  # type: ignore[arg-type]


async def test_until_a_step_is_chosen_values_are_as_of_now() -> None:
    async with on_screen(feed()) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        assert has(screen, "result", "as of now")


async def test_the_tab_shows_what_names_meant_at_the_chosen_step() -> None:
    async with on_screen(feed()) as (pilot, screen):
        await pilot.press("g", "2")
        await settle(pilot)
        assert has(screen, "at event 1, in root")
        assert has(screen, "result", "that of event 1")
        assert has(screen, "written at event 3")
        assert has(screen, "lost", "write time unknown")
        await pilot.press("j")
        await settle(pilot)
        assert has(screen, "write time unknown")
        await pilot.press(".")
        await settle(pilot)
        assert has(screen, "result", "as of now")


async def test_every_scope_can_be_seen_at_that_event() -> None:
    run = feed()
    async with on_screen(run) as (pilot, screen):
        await pilot.press("g", "2", "h")
        await settle(pilot)
        assert "values at 1 in None" in run.reader.asked
        assert has(screen, "at event 1") and not has(screen, "in root")


async def test_a_traveller_sees_the_values_of_then_in_tab_and_detail() -> None:
    async with on_screen(feed()) as (pilot, screen):
        await pilot.press(*(["["] * 22))
        await settle(pilot)
        assert has(screen, "values at this event")
        assert has(screen, "result", "that of eve")
        assert has(screen, "write time unknown")
        assert has(screen, "as the record stood then; agents, receipts and findings are as of now")
        await pilot.press("2")
        await settle(pilot)
        assert has(screen, "result", "that of event 16")
        await pilot.press("[")
        await settle(pilot)
        assert has(screen, "result", "that of event 15")
