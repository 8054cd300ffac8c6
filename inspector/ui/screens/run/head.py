"""Head of the run screen: title, status, identity and first finding, above the tabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from textual.strip import Strip

from inspector.model.run import Run
from inspector.model.status import ENDED
from inspector.query.registry import presentation_of
from inspector.query.view import RunView, Tab
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import duration, local_moment, tokens, zone_label
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, Line, LineWidget, gap, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, status_word, word_role
from inspector.ui.widgets.frame import TabLabel, Tabs, clock_face

WIDE = 100
"""Minimum width, in columns, for the full identity."""

ID_CELLS = 14
"""Characters kept at the end of a longer run id."""


@dataclass(frozen=True, slots=True)
class HeadState:
    """State of the head that is not part of the run."""

    view: RunView | None = None
    timed: bool = False
    names_axis: bool = True
    """True to name the axis in the identity (timeline tab only)."""
    paused: int | None = None
    """Events that arrived since updates were paused; None while not paused."""
    reading: int | None = None
    """Progress of a long first read in percent; None if none is running."""


class RunHeader(LineWidget):
    """Title row: place, title and status, freshness at the right; violet while viewing the past."""

    DEFAULT_CSS = "RunHeader { height: 1; dock: top; }"

    def __init__(self, run: Run) -> None:
        super().__init__(id="header")
        self._run = run
        self._state = HeadState()

    def show(self, run: Run, state: HeadState) -> None:
        """Show a new state."""
        self._run, self._state = run, state
        self.repaint()

    @property
    def _travelling(self) -> bool:
        view = self._state.view
        return view is not None and view.travelling

    def paint_line(self, y: int, width: int) -> Strip:
        """Draw the row."""
        run, glyphs = self._run, self.ui.glyphs
        edge, narrow = margin(width), width < NARROW
        ground = Ground.TRAVEL if self._travelling else Ground.RAISED
        line = self.line(width, ground)
        right = self._right(narrow)
        taken = sum(cell_width(text) for text, _ in right) + 3 * max(0, len(right) - 1)
        room = width - 2 * edge - taken - 2
        title = safe(run.title, glyphs)
        sign, role, word = glyphs.of(run.status), STATUS_ROLE[run.status], status_word(run.status)
        if narrow:
            line.put(edge, sign, role)
            line.add(clip(title, room - 2, ellipsis=glyphs.cut), Role.STRONG, skip=1)
        else:
            line.put(edge, "Inspector", Role.MUTED)
            line.add("/", Role.GUIDE, skip=1)
            room -= 12 + 5 + cell_width(word)
            line.add(clip(title, room, ellipsis=glyphs.cut), Role.STRONG, skip=1)
            line.add(sign, role, skip=3)
            line.add(word, word_role(run.status), skip=1)
            raw = self._raw()
            if raw and line.cells + 3 + cell_width(raw) + 2 <= width - edge - taken:
                line.add(raw, Role.MUTED, skip=3)
        line.put(width - edge - taken, "")
        for number, (text, role) in enumerate(right):
            line.put_style(
                line.cells + (3 if number else 0),
                text,
                self.ui.styles.style(role, ground, bold=role is Role.TRAVEL),
            )
        return line.strip()

    def _raw(self) -> str:
        """Return the recorded status if it differs from the shown one."""
        raw = self._run.raw_status
        if raw is None or raw in (self._run.status.value, status_word(self._run.status)):
            return ""
        return f"recorded as {safe(raw, self.ui.glyphs)}"

    def _right(self, narrow: bool) -> list[tuple[str, Role]]:
        view, zone = self._state.view, self.ui.zone
        if view is None or view.partial:
            percent = self._state.reading
            return [("reading" if percent is None else f"reading {percent} %", Role.MUTED)]
        if view.travelling:
            if narrow:
                return [(f"{view.events:,}/{view.total_events:,}", Role.TRAVEL)]
            now = clock_face(self.ui.clock(), zone)
            return [("travelling", Role.TRAVEL), (f"now is {now}", Role.MUTED)]
        clock = clock_face(view.as_of, zone)
        said: list[tuple[str, Role]] = []
        if self._state.paused is not None:
            more = f" +{self._state.paused:,}" if self._state.paused else ""
            said.append((f"paused{more}", Role.WARNING))
        if view.stale_reason and not narrow:
            reason = safe(view.stale_reason, self.ui.glyphs)
            said.append((clip(reason, 40, ellipsis=self.ui.glyphs.cut), Role.WARNING))
        said.append((clock if narrow else f"as of {clock}", Role.MUTED))
        return said


class Identity(LineWidget):
    """Facts about the run on one line; the first finding or the selected position below."""

    def __init__(self, run: Run) -> None:
        super().__init__(id="identity")
        self._run = run
        self._state = HeadState()

    def show(self, run: Run, state: HeadState) -> None:
        """Show a new state."""
        self._run, self._state = run, state
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draw the facts, or the finding."""
        line = self.line(width)
        line.put(margin(width), "")
        if y == 0:
            self._facts(line, width)
            return line.strip()
        view, glyphs, space = self._state.view, self.ui.glyphs, gap(width)
        room = width - 2 * margin(width)
        if view is not None and view.travelling:
            line.add(f"at event {view.events:,} of {view.total_events:,}", Role.TRAVEL)
            now = [] if view.capabilities.values_over_time else ["the tab of values"]
            now += presentation_of(self._run.runtime).present_only
            note = f"as the record stood then; {', '.join(now)} and findings are as of now"
            line.add(clip(note, room - line.cells, ellipsis=glyphs.cut), Role.MUTED, skip=space)
        elif view is not None and view.partial:
            note = f"the newest {view.events:,} events, while all before them are read"
            line.add(clip(note, room, ellipsis=glyphs.cut), Role.MUTED)
        elif view is None and self._run.store.reason is not None:
            line.add(glyphs.finding, Role.WARNING)
            line.add(
                clip(safe(self._run.store.reason, glyphs), room - 2, ellipsis=glyphs.cut), skip=1
            )
        elif self._run.findings:
            line.add(glyphs.finding, Role.WARNING)
            more = len(self._run.findings) - 1
            rest = f"{more:,} more" if more else ""
            note = safe(self._run.findings[0].message, glyphs)
            left = room - 2 - (cell_width(rest) + space if rest else 0)
            line.add(clip(note, left, ellipsis=glyphs.cut), skip=1)
            line.add(rest, Role.MUTED, skip=space if rest else 0)
        return line.strip()

    def _facts(self, line: Line, width: int) -> None:
        skip, view = 0, self._state.view
        now = self.ui.clock() if view is None else view.as_of
        for fact in facts(self._run, self._state, now, self.ui.zone, width):
            text = safe(fact, self.ui.glyphs)
            if line.cells + skip + cell_width(text) > width - margin(width):
                break
            line.add(text, Role.MUTED, skip=skip)
            skip = gap(width)


def facts(run: Run, state: HeadState, now: int, zone: tzinfo | None, width: int) -> list[str]:
    """Return the identity facts, most important first; some are untrusted text.

    `now` is the time of the read (UTC ms), so that the facts change only with the run.
    """
    full = width >= WIDE
    found = [_short_id(run.run_id or "no run id")]
    if run.session is not None:
        found.append(f"session {run.session}")
    found.append(presentation_of(run.runtime).store_label(run.store, full))
    timed, names_axis = state.timed, state.names_axis
    if run.order_only:
        plain = "no times recorded" if full else "order of events, no times"
        found.append(f"{plain}: the axis is the order of events" if full and names_axis else plain)
    else:
        moment = run.started_at if run.started_at is not None else now
        order = "" if timed or not names_axis else ", in the order of events"
        found.append(f"times recorded, {zone_label(moment, zone)}{order}")
        found += _when(run, now, zone)
    if run.tokens.total is not None:
        found.append(f"{tokens(run.tokens.total)} tokens")
    for currency, amount in (run.cost or {}).items():
        found.append(f"${amount}" if currency == "USD" else f"{amount} {currency}")
    if full:
        found += presentation_of(run.runtime).head_facts(run)
    return found


def _short_id(run_id: str) -> str:
    return run_id if len(run_id) <= ID_CELLS else f"…{run_id[-ID_CELLS + 1 :]}"


def _when(run: Run, now: int, zone: tzinfo | None) -> list[str]:
    if run.started_at is None:
        return []
    begun = local_moment(run.started_at, zone)
    ended = local_moment(run.ended_at, zone) if run.ended_at is not None else None
    if begun is None:
        return []
    until = "now" if run.status not in ENDED else f"{ended:%H:%M:%S}" if ended else "no end"
    took = run.duration_ms if run.status in ENDED else now - run.started_at
    if until == "no end" or took is None or took < 0:
        return [f"{begun:%H:%M:%S} to {until}"]
    return [f"{begun:%H:%M:%S} to {until}, {duration(took)}"]


def labels(tabs: Sequence[Tab], glyphs: Glyphs) -> list[TabLabel]:
    """Return the tab labels; a verdict with a glyph is shown by it."""
    marks = {"ok": (glyphs.completed, Role.MUTED), "broken": (glyphs.failed, Role.ERROR)}
    found = []
    for tab in tabs:
        mark, role = marks.get(tab.mark or "", (safe(tab.mark or "", glyphs), Role.MUTED))
        found.append(TabLabel(safe(tab.title, glyphs), tab.count, mark, role))
    return found


class RunTabs(Tabs):
    """Tabs that drop counts first, then shorten names, then drop all names but the active one."""

    def _names(self, width: int, places: list[tuple[int, int, bool, bool]]) -> Strip:
        line = self.line(width)
        for index, (start, end, named, counted) in enumerate(places):
            label, active = self._labels[index], index == self._active
            line.put(start, str(index + 1), Role.MUTED)
            if named:
                title = label.title if counted or active else _short(label.title)
                line.add(title, Role.STRONG if active else Role.MUTED, skip=1)
            if counted and label.count is not None:
                line.add(f"{label.count:,}", Role.MUTED, skip=1)
            if label.mark and line.cells < end:
                line.add(label.mark, label.mark_role, skip=1)
        return line.strip()

    def _places(self, width: int) -> list[tuple[int, int, bool, bool]]:
        edge, space = margin(width), gap(width)
        found: list[tuple[int, int, bool, bool]] = []
        for named, counted, marked, apart in (
            (True, True, True, space),
            (True, False, True, 2),
            (True, False, False, 2),
            (False, False, False, 2),
        ):
            found, column = [], edge
            for index, label in enumerate(self._labels):
                active = index == self._active
                end = column + len(str(index + 1))
                if named or active:
                    title = label.title if counted or active else _short(label.title)
                    end += 1 + cell_width(title)
                if counted and label.count is not None:
                    end += 1 + len(f"{label.count:,}")
                end += 1 + cell_width(label.mark) if marked and label.mark else 0
                found.append((column, end, named or active, counted))
                column = end + apart
            if not found or found[-1][1] <= width - edge:
                break
        return found


def _short(title: str) -> str:
    """Return the first word of a name."""
    return title.partition(" ")[0]
