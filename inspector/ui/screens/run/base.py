"""The parts of a run's screen: what stands where, what arrives, which tab is in front."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult

from inspector.live.feed import Feed, Message, Overview, Reading, Subscription
from inspector.model.run import Run
from inspector.query.view import RunView, Tab
from inspector.ui.command_screen import CommandScreen, GlyphMeaning, PaneHelp
from inspector.ui.commands import Hint
from inspector.ui.lines import NARROW
from inspector.ui.panes.base import Pane
from inspector.ui.panes.position import Position, position_of
from inspector.ui.panes.queries import Answered, RunQueries
from inspector.ui.panes.step_detail import BESIDE
from inspector.ui.panes.timeline import TimelinePane
from inspector.ui.panes.timeline_rows import explain
from inspector.ui.screens.run.commands import RUN
from inspector.ui.screens.run.early_keys import WAIT, EarlyKeys
from inspector.ui.screens.run.head import HeadState, Identity, RunHeader, RunTabs, labels
from inspector.ui.screens.run.panes import make_pane
from inspector.ui.screens.run.playback import Playback
from inspector.ui.widgets.frame import READ_ONLY, Footer, Tabs
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.text_view import TextView

TRAVELLING: tuple[tuple[str, str], ...] = (
    ("live", "return to now"),
    ("travel.back", "event"),
    ("travel.step-back", "step"),
    ("pause", "play"),
)
"""The footer while travelling."""

OF_THE_TIMELINE = frozenset(("enter", "inward", "outward"))
"""Commands whose own words are about steps; another tab says what they do there."""

WIDEST = 1_000
"""Columns in which a footer leaves nothing out."""

FIRST = Tab("timeline", "Timeline")
"""What there is before the first view tells more."""


class RunFooter(Footer):
    """The footer of a run: in a wide terminal there is more that helps."""

    MOST = 10


class RunBase(CommandScreen):
    """Head, tabs and footer of one run, and the views of it that arrive."""

    SCOPE: ClassVar[str] = RUN
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-middle"), (BESIDE, "-wide")]  # noqa: RUF012

    def __init__(self, feed: Feed, run: Run) -> None:
        super().__init__()
        self.feed = feed
        self.run_shown = run
        self.playback = Playback()
        self._read_percent: int | None = None
        self._queries = RunQueries(feed, run.key, self)
        self._panes: dict[str, Pane] = {}
        self._tabs: tuple[Tab, ...] = (FIRST,)
        self._active = 0
        self._composed = False
        self._landed_on: int | None = None
        self._chose = False
        self._early = EarlyKeys()

    @property
    def subject(self) -> Run:
        """The run that is shown."""
        return self.run_shown

    def compose(self) -> ComposeResult:
        """Head, tabs, the first tab, footer."""
        yield RunHeader(self.run_shown)
        yield Identity(self.run_shown)
        yield RunTabs()
        pane = self._panes[FIRST.part] = self._make_pane(FIRST)
        yield pane
        yield RunFooter()

    def on_mount(self) -> None:
        """Follows the run, and starts the second hand; it draws only what changes."""
        self._composed = True
        self.subscribe()
        self.set_interval(1.0, self._tick)
        if self.playback.shown is not None:
            self.show_view(self.playback.shown)
        self._show_head()
        self.pane.main.focus()

    def on_screen_resume(self) -> None:
        """Asks again for what the screen in front may have asked otherwise."""
        self.subscribe()

    def subscribe(self) -> None:
        """Asks for the view that is to be shown: the newest, or that of a traveller."""
        self.feed.follow([Subscription(self.run_shown.key, self.playback.at)])

    # What arrives

    def receive(self, message: Message) -> None:
        """Takes what the feed delivered."""
        if isinstance(message, Overview):
            self._take_overview(message)
            return
        if isinstance(message, Reading):
            self._take_reading(message)
            return
        if message.run.key != self.run_shown.key:
            return
        before = self.playback.shown
        is_shown = self.playback.take(message)
        if not self._composed:
            # What came before there was anything to show it on is shown on mounting.
            return
        if is_shown:
            self.show_view(message, before)
        else:
            self._show_head()

    def _take_overview(self, overview: Overview) -> None:
        """Until the run itself was read, the list tells how it stands and why it cannot be."""
        if self.playback.shown is None and self._composed:
            key = self.run_shown.key
            self.run_shown = next((run for run in overview.runs if run.key == key), self.run_shown)
            self._show_head()

    def _take_reading(self, reading: Reading) -> None:
        """A long read goes on: how far it is."""
        if reading.key == self.run_shown.key and self._composed:
            self._read_percent = min(99, 100 * reading.done // reading.of)
            self._show_head()

    def show_view(self, view: RunView, before: RunView | None = None) -> None:
        """Shows a view everywhere, in one go."""
        self.run_shown = view.run
        with self.app.batch_update():
            self._take_tabs(view)
            self.timeline_pane.paused = self.playback.paused
            for pane in self._ready_panes:
                pane.take(view)
            self._stand()
            self._show_head()
        if before is None or before.travelling != view.travelling:
            self.show_hints()

    def _position(self) -> Position | None:
        """Where in the run one stands: at the event that is travelled to, or the chosen step."""
        timeline, view = self.timeline_pane.timeline, self.playback.shown
        if view is None or not 0 <= timeline.step < len(view.steps):
            return None
        step = timeline.index.status_source(timeline.step)
        return position_of(view, step, chosen=self._chose and not timeline.tailing)

    def _stand(self) -> None:
        if self.pane.ready:
            self.pane.stand(self._position())

    @on(LineList.Moved)
    def _cursor_moved(self, message: LineList.Moved) -> None:
        """The step on which the timeline opens is nobody's choice, any other one is."""
        view, timeline = self.playback.shown, self.timeline_pane.timeline
        if message.lines is not timeline or view is None or view.travelling:
            return
        if self._landed_on is None or view.partial:
            self._landed_on = timeline.step
        elif timeline.step != self._landed_on:
            self._chose = True
        self._stand()

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        message.stop()
        message.take(message.answer)
        self._perform_early()

    def _tick(self) -> None:
        if self.is_current and self.pane.ready:
            self.pane.tick()

    def _show_head(self) -> None:
        view = self.playback.shown
        axis_told = self._tabs[self._active].part == FIRST.part
        missed, percent = self.playback.missed, self._read_percent
        standing = HeadState(view, self.timeline_pane.timed, axis_told, missed, percent)
        self.query_one(RunHeader).show(self.run_shown, standing)
        self.query_one(Identity).show(self.run_shown, standing)
        self.query_one(RunTabs).show(labels(self._tabs, self.ui.glyphs), self._active)

    @on(TimelinePane.AxisChanged)
    def _axis_changed(self) -> None:
        self._show_head()
        self.show_hints()

    # Tabs

    @property
    def pane(self) -> Pane:
        """The tab in front."""
        return self._panes[self._tabs[self._active].part]

    @property
    def _ready_panes(self) -> list[Pane]:
        """The tabs that were opened; one that is being opened takes its view when it is there."""
        return [pane for pane in self._panes.values() if pane.ready]

    @property
    def timeline_pane(self) -> TimelinePane:
        """The first tab."""
        pane = self._panes[FIRST.part]
        assert isinstance(pane, TimelinePane)
        return pane

    def _make_pane(self, tab: Tab) -> Pane:
        return make_pane(tab, self._queries, self.run_shown)

    def _take_tabs(self, view: RunView) -> None:
        """The tabs that the runtime offers now; the one in front stays in front."""
        if view.travelling:
            return
        tabs = view.tabs or (FIRST,)
        if tabs[0].part != FIRST.part:
            tabs = (FIRST, *(tab for tab in tabs if tab.part != FIRST.part))
        part = self._tabs[self._active].part
        self._tabs = tabs
        parts = [tab.part for tab in tabs]
        if part in parts:
            self._active = parts.index(part)
        else:
            self._open_tab(0)

    def _open_tab(self, index: int, place: str | None = None) -> None:
        tab = self._tabs[index]
        self._active = index
        self._early.begin()
        pane = self._panes.get(tab.part)
        for other in self._panes.values():
            other.display = other is pane
        if pane is None:
            pane = self._panes[tab.part] = self._make_pane(tab)
            mounted = self.mount(pane)
            self.call_later(self._opened, pane, mounted, place)
        elif pane.ready:
            pane.stand(self._position())
            pane.opened()
            if place is not None:
                pane.aim(place)
            pane.main.focus()
        self._perform_early()
        if self._early.waiting:
            self.set_timer(WAIT, partial(self._perform_early, pane))
        self._show_head()
        self.show_hints()

    def on_key(self, event: events.Key) -> None:
        """What is for a list that is not there yet is put off."""
        if self._early.keeps(event, self.ui.keys):
            event.stop()

    def _perform_early(self, late: Pane | None = None) -> None:
        """Performs keys that were put off, once there are rows; `late` has none after a while."""
        if not self._early.waiting or not self.pane.ready:
            return
        main = self.pane.main
        if self.pane is late or not isinstance(main, LineList) or main.row_count:
            for key in self._early.end():
                self.app.post_message(key)

    async def _opened(self, pane: Pane, mounted: object, place: str | None) -> None:
        """The pane is there now: it takes what it is to show."""
        await mounted  # type: ignore[misc]
        if self.playback.shown is not None:
            pane.take(self.playback.shown)
        pane.stand(self._position())
        pane.opened()
        if place is not None:
            pane.aim(place)
        if pane is self.pane:
            pane.main.focus()
        self._perform_early()

    @on(Tabs.Picked)
    def _picked_tab(self, event: Tabs.Picked) -> None:
        self._open_tab(event.index, self._source_place())

    def open_part(self, part: str) -> Pane | None:
        """Opens the tab of a part and returns it; None when the runtime has no such tab."""
        for index, tab in enumerate(self._tabs):
            if tab.part == part:
                self._open_tab(index)
                return self.pane
        return None

    def action_tab(self, number: str) -> None:
        """Opens a tab by its number."""
        index = int(number) - 1
        if index < len(self._tabs):
            self._open_tab(index, self._source_place())
        else:
            self.show_message(f"There is no tab {index + 1}: this run has {len(self._tabs)}.")

    def _source_place(self) -> str | None:
        return self.pane.source_location() if self.pane.ready else None

    # Footer and help

    def show_hints(self, right: str = READ_ONLY) -> None:
        """The footer of what is in front; while travelling that of travelling."""
        keys, found = self.ui.keys, []
        view = self.playback.shown
        travelling = view is not None and view.travelling
        hints = TRAVELLING if travelling else self.pane.hints(self.size.width)
        for name, word in hints:
            alone = name.endswith(".alone")
            command = name.removesuffix(".alone")
            shown, word = keys.shown(command), self.hint_word(command, word)
            if shown and word:
                found.append(Hint(shown.partition(" ")[0] if alone else shown, word))
        if isinstance(self.focused, TextView) and not travelling:
            moves = (keys.shown("cursor.down"), keys.shown("cursor.up"))
            found.insert(0 if self.focused.marked else 1, Hint(" ".join(moves).strip(), "scroll"))
        last = keys.hints([self.HELP_HINT])
        for footer in self.query(Footer):
            footer.show(found, last[0] if last else None, right)

    def hint_word(self, name: str, word: str) -> str:
        """The word in the footer for a command now; nothing where it would do nothing."""
        return word

    def on_descendant_focus(self) -> None:
        """Another part has the keys."""
        self.show_hints()

    def on_resize(self, event: events.Resize) -> None:
        """What fits in the footer depends on the width."""
        self.show_hints()

    def here(self) -> PaneHelp | None:
        """The tab in front with the words of its footer; the timeline's are the screen's own."""
        if self.pane is self.timeline_pane or not self.pane.ready:
            return None
        hints = self.pane.hints(WIDEST)
        words = {name.removesuffix(".alone"): word for name, word in hints}
        return PaneHelp(self._tabs[self._active].title, words, OF_THE_TIMELINE)

    def explain(self) -> Sequence[GlyphMeaning]:
        """The signs of the selected row."""
        timeline = self.timeline_pane.timeline
        if self.pane is not self.timeline_pane or timeline.cursor < 0 or timeline.view is None:
            return ()
        return explain(timeline.picture(timeline.cursor), self.ui.glyphs)

    def on_zone_changed(self) -> None:
        """Times are told in another zone."""
        self._show_head()
        for pane in self._ready_panes:
            pane.redraw()
