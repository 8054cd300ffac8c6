"""The preview of the selected run below the list: status, problems, and its current steps."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from inspector.derive.axis import Axis, OrderAxis, Span, TimeAxis, span_of
from inspector.derive.bars import Bar, BarGlyphs, bar_text, closed_bar, dashed_bar, open_bar
from inspector.derive.groups import is_active
from inspector.derive.steps import NO_TIME, StepTable
from inspector.derive.summary_rows import RowSummary, focus, summary_rows
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health
from inspector.query.registry import presentation_of
from inspector.query.view import RunView
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import Zone, age, clock_time, count, duration
from inspector.ui.glyphs import Glyphs
from inspector.ui.lines import Line, LineWidget, gap, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, status_word, word_role
from inspector.ui.screens.runs.list import now_text

WIDE = 100
"""Minimum columns for a table of steps with bars on an axis."""
LOW = 10
"""Lines below which the steps share one line."""
IN_ONE_LINE = 8
LABEL_COLUMN = 4
AXIS_COLUMN = 28
AXIS_CELLS, WIDE_AXIS_CELLS = 40, 60
VERY_WIDE = 140
"""Minimum columns for the longer axis."""
INLINE_CELLS = 13
"""Length of the whole run in cells when the steps share one line."""

_OPEN = {Status.RUNNING, Status.WAITING}
_BAR_ROLE = {
    Status.COMPLETED: Role.DONE,
    Status.RUNNING: Role.ACCENT,
    Status.WAITING: Role.WARNING,
    Status.INTERRUPTED: Role.WARNING,
    Status.FAILED: Role.ERROR,
}


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step in the preview. All text is escaped and masked."""

    step: int
    status: Status
    glyph: str
    role: Role
    construct: str
    """Glyph of the construct (parallel, loop); empty for a plain step."""
    name: str
    """Short name of a branch, parallel or iteration; empty for others."""
    label: str
    note: str
    note_role: Role


def step_row(table: StepTable, step: int, glyphs: Glyphs) -> StepRow:
    """Texts and glyphs of one step."""
    status = table.status_of(step)
    kind = table.kind_of(step)
    extra = table.extra.get(step)
    construct = {StepKind.PARALLEL: glyphs.parallel, StepKind.LOOP: glyphs.loop}.get(kind, "")
    text = glyphs.safe(table.label[step])
    name, label = "", text or kind.value.replace("_", " ")
    if kind is StepKind.BRANCH:
        name = glyphs.safe(str(table.segment[step]))
        label = f"{glyphs.branch(name)} {text}".rstrip()
    elif kind is StepKind.ITERATION:
        name = f"[{table.segment[step]}]"
        label = f"{name} {text}".rstrip()
    elif kind is StepKind.PARALLEL:
        name = glyphs.safe(str(table.segment[step]))
    note, note_role = "", Role.MUTED
    if status is Status.UNCONFIRMED:
        note = "value exists, no end recorded"
    elif status is Status.NOT_NEEDED:
        note = "not needed"
    elif extra is not None and extra.error and status is Status.FAILED:
        note, note_role = glyphs.safe(extra.error), Role.ERROR
    elif not table.span_last[step]:
        note = "not recorded yet"
    return StepRow(
        step,
        status,
        glyphs.of(status),
        STATUS_ROLE[status],
        construct,
        name,
        label,
        note,
        note_role,
    )


def axis_of(view: RunView, cells: int, zone: Zone) -> Axis:
    """The axis of the preview: time if instants are recorded, else the order of events."""
    span = None if view.run.order_only else span_of(view.steps, view.run, view.as_of)
    if span is None:
        return OrderAxis(max(1, view.events), cells)
    # Idle gaps are not cut: there is no line for their marks.
    return TimeAxis(Span(span.start, span.stop), cells, zone)


def bar_of(view: RunView, row: StepRow, axis: Axis) -> Bar | None:
    """The bar of a step; None if nothing of it is recorded."""
    steps, step = view.steps, row.step
    if isinstance(axis, TimeAxis):
        first, last, now = steps.span_start[step], steps.span_stop[step], axis.span.stop
        if first == NO_TIME:
            return None
    else:
        first, last, now = steps.first[step], steps.span_last[step], view.events
        if not last:
            return None
        first = first or last
    if row.status is Status.UNCONFIRMED:
        return dashed_bar(axis, first, last)
    return open_bar(axis, first, now) if row.status in _OPEN else closed_bar(axis, first, last)


def bar_role(status: Status) -> Role:
    """The role of a bar."""
    return _BAR_ROLE.get(status, Role.MUTED)


def bar_glyphs(glyphs: Glyphs) -> BarGlyphs:
    """The glyphs of a leaf step's bar."""
    return BarGlyphs(glyphs.bar, glyphs.bar_from, glyphs.bar_to, glyphs.open_bar)


def inline_bar(bar: Bar, status: Status, glyphs: Glyphs) -> str:
    """A bar without an axis: only its length is shown."""
    dashed = 2 * bar.stop > bar.solid + 1
    halves = (2 * bar.stop if dashed else bar.solid) - bar.start
    cells = max(1, round(halves / 2))
    return (glyphs.open_bar if status is Status.UNCONFIRMED else glyphs.bar) * cells


@dataclass(frozen=True, slots=True)
class StatusText:
    """A status in a few words and a sentence about it, both escaped and masked."""

    status: str
    role: Role
    sentence: str
    short: str
    """The sentence for terminals too narrow to show the status."""


def status_text(run: Run, now: int, zone: Zone, glyphs: Glyphs) -> StatusText:
    """Describes the recorded status of a run, and what is not known (`now` in UTC ms)."""
    status = status_word(run.status)
    role = word_role(run.status)
    if run.status is Status.RUNNING and not is_active(run, now):
        status += ", as recorded"
    elif run.raw_status is not None and run.raw_status != run.status.value:
        status += f", recorded as {glyphs.safe(run.raw_status)}"
    sentence = _sentence(run, now, zone, glyphs)
    short = sentence.replace("liveness unknown", "may have stopped")
    return StatusText(status, role, glyphs.plain(sentence), glyphs.plain(short))


def _sentence(run: Run, now: int, zone: Zone, glyphs: Glyphs) -> str:
    if run.store.health is not Health.OK and run.store.reason:
        return glyphs.safe(run.store.reason)
    written = run.last_activity_at
    if run.status is Status.RUNNING:
        if written is None:
            return "time of last write unknown"
        if is_active(run, now):
            return "last write less than a minute ago"
        return f"nothing written for {age(now - written)}; liveness unknown"
    ended = _ending(run, now, zone)
    note = presentation_of(run.runtime).ended_note
    if note is None or run.status is Status.WAITING:
        return ended
    return f"{ended}; {note}" if ended else note


def _ending(run: Run, now: int, zone: Zone) -> str:
    written = run.last_activity_at
    if run.status is Status.WAITING:
        return "" if written is None else f"nothing written since {clock_time(written, now, zone)}"
    if run.ended_at is None:
        if written is None:
            return "no end recorded"
        return f"no end recorded; last write {clock_time(written, now, zone)}"
    ended = f"ended {clock_time(run.ended_at, now, zone)}"
    if run.started_at is not None and run.ended_at < run.started_at:
        return f"{ended}, before its start: a clock was wrong"
    return ended if run.duration_ms is None else f"{ended} after {duration(run.duration_ms)}"


class Preview(LineWidget):
    """A raised pane with an empty row above and below."""

    def __init__(self) -> None:
        super().__init__(id="preview")
        self._run: Run | None = None
        self._view: RunView | None = None
        self._lines: list[Strip] = []
        self._made_for: tuple[object, ...] = ()
        self._made_of: RunView | None = None

    def show(self, run: Run | None, view: RunView | None) -> None:
        """Shows a run, and its steps if they are loaded."""
        self._run = run
        self._view = view if view is not None and run is not None else None
        if self._view is not None and run is not None and self._view.run.key != run.key:
            self._view = None
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Paint a line of the pane."""
        self._make_lines(width)
        if y < len(self._lines):
            return self._lines[y]
        return self.line(width, Ground.RAISED).strip()

    def _make_lines(self, width: int) -> None:
        """Repaints all lines if anything they show has changed."""
        ui, run = self.ui, self._run
        described = status_text(run, ui.clock(), ui.zone, ui.glyphs) if run is not None else None
        made_for = (run, described, self.size, ui.epoch, ui.styles)
        if made_for != self._made_for or self._view is not self._made_of:
            self._made_for, self._made_of = made_for, self._view
            self._lines = self._all_lines(width, self.size.height)

    def _all_lines(self, width: int, height: int) -> list[Strip]:
        first = self.line(width, Ground.RAISED)
        if self.ui.styles.plain:
            first.put(0, self.ui.glyphs.rule * width, Role.GUIDE)
        lines = [first.strip()]
        run, view = self._run, self._view
        if run is None:
            return lines
        lines.append(self._head(run, width))
        tall = height >= LOW
        lines += self._problems(run, view, width, 2 if height > LOW else 1)
        room = height - len(lines) - 2
        if room > 0:
            lines.append(self.line(width, Ground.RAISED).strip())
            lines += self._steps(run, view, width, room, tall and width >= WIDE)
        return lines[: height - 1]

    def _head(self, run: Run, width: int) -> Strip:
        ui, edge, space = self.ui, margin(width), gap(width)
        described = status_text(run, ui.clock(), ui.zone, ui.glyphs)
        line = self.line(width, Ground.RAISED)
        title = clip(ui.glyphs.safe(run.title), width // 2, ellipsis=ui.glyphs.cut)
        line.put(edge, title, Role.STRONG)
        sentence = described.short
        if width >= WIDE:
            line.add(described.status, described.role, skip=space)
            sentence = described.sentence
        if sentence:
            room = width - edge - line.cells - space
            line.add(clip(sentence, room, ellipsis=ui.glyphs.cut), Role.MUTED, skip=space)
        return line.strip()

    def _problems(self, run: Run, view: RunView | None, width: int, most: int) -> list[Strip]:
        """The last error of a failed run, then its findings, at most `most` lines."""
        glyphs = self.ui.glyphs
        problems: list[tuple[str, Role, str]] = []
        error = _last_error(view) if view is not None and run.status is Status.FAILED else None
        if error:
            problems.append((glyphs.failed, Role.ERROR, glyphs.safe(error)))
        for finding in run.findings:
            problems.append((glyphs.finding, Role.WARNING, glyphs.safe(finding.message)))
        lines = []
        for index, (glyph, role, text) in enumerate(problems[:most]):
            line = self.line(width, Ground.RAISED)
            left = len(problems) - most if index == most - 1 else 0
            self._problem(line, glyph, role, text, left)
            lines.append(line.strip())
        return lines

    def _problem(self, line: Line, glyph: str, role: Role, text: str, left: int) -> None:
        edge, space = margin(line.width), gap(line.width)
        more = f"and {left} more" if left > 0 else ""
        room = line.width - edge - (edge + 2) - (cell_width(more) + space if more else 0)
        line.put(edge, glyph, role)
        text_role = Role.ERROR if role is Role.ERROR else Role.TEXT
        line.put(edge + 2, clip(text, room, ellipsis=self.ui.glyphs.cut), text_role)
        if more:
            line.add(more, Role.MUTED, skip=space)

    def _steps(
        self, run: Run, view: RunView | None, width: int, room: int, table: bool
    ) -> list[Strip]:
        if view is None or not len(view.steps):
            return self._counts(run, width)
        steps = view.steps
        table = table and room >= 2
        at = focus(steps, view.step_of_event, view.failures)
        found = summary_rows(steps, at, room - 1 if table else IN_ONE_LINE)
        rows = [step_row(steps, step, self.ui.glyphs) for step in found.steps]
        if not table:
            return [self._inline(view, found, rows, width)]
        axis = axis_of(view, _axis_cells(width), self.ui.zone)
        lines = [self._ruler(view, found, axis, width)]
        lines += [self._step(view, row, axis, width) for row in rows]
        return lines

    def _counts(self, run: Run, width: int) -> list[Strip]:
        """Progress known from the list, while the steps are loading."""
        edge, space = margin(width), gap(width)
        line = self.line(width, Ground.RAISED).strip()
        now, failure = now_text(run, self.ui.glyphs)
        if run.steps.completed is None and not now:
            return [line]
        written = self.line(width, Ground.RAISED)
        written.put(edge, "")
        if run.steps.completed is not None:
            written.add(f"{count(run.steps.completed)} done", Role.MUTED)
        skip = space if written.cells > edge else 0
        written.add(now, Role.ERROR if failure else Role.MUTED, skip=skip)
        return [written.strip()]

    def _construct(self, view: RunView, found: RowSummary) -> tuple[str, str, str]:
        """Glyph, name and count of the construct that contains the steps."""
        glyphs = self.ui.glyphs
        counted = f"{found.done}/{found.total}" if found.done is not None else ""
        if found.parent < 0:
            return "", "steps", counted
        parent = step_row(view.steps, found.parent, glyphs)
        return parent.construct, parent.name or parent.label, counted

    def _ruler(self, view: RunView, found: RowSummary, axis: Axis, width: int) -> Strip:
        edge = margin(width)
        line = self.line(width, Ground.RAISED)
        glyph, name, counted = self._construct(view, found)
        line.put(edge, glyph, Role.MUTED)
        room = AXIS_COLUMN - LABEL_COLUMN - 2 - (len(counted) + 2 if counted else 0)
        label = clip(name, room, ellipsis=self.ui.glyphs.cut)
        line.put(edge + LABEL_COLUMN, label, Role.MUTED)
        line.add(counted, Role.MUTED, skip=2 if counted else 0)
        start = edge + AXIS_COLUMN
        if isinstance(axis, OrderAxis):
            events = f"{count(view.events)} {'event' if view.events == 1 else 'events'}"
            if view.partial:
                events = f"newest {events}, loading earlier events"
            else:
                line.put(start, "1", Role.MUTED)
            line.right(start + axis.cells, events, Role.MUTED)
            return line.strip()
        for tick in axis.labels:
            line.put(start + tick.cell, tick.label, Role.MUTED)
        return line.strip()

    def _step(self, view: RunView, row: StepRow, axis: Axis, width: int) -> Strip:
        edge = margin(width)
        line = self.line(width, Ground.RAISED)
        line.put(edge, row.glyph, row.role)
        room = AXIS_COLUMN - LABEL_COLUMN - 2
        label = clip(row.label, room, ellipsis=self.ui.glyphs.cut)
        line.put(edge + LABEL_COLUMN, label, Role.TEXT)
        start = edge + AXIS_COLUMN
        bar = bar_of(view, row, axis)
        if bar is not None:
            text = bar_text(bar, bar_glyphs(self.ui.glyphs))
            # An unconfirmed step has no recorded end, so its color must not suggest one.
            role = Role.MUTED if row.status is Status.UNCONFIRMED else bar_role(row.status)
            line.put(start + bar.cell, text, role)
        note_at = start + axis.cells + 3
        note = clip(row.note, width - edge - note_at, ellipsis=self.ui.glyphs.cut)
        line.put(note_at, note, row.note_role)
        return line.strip()

    def _inline(self, view: RunView, found: RowSummary, rows: list[StepRow], width: int) -> Strip:
        edge, space = margin(width), gap(width)
        line = self.line(width, Ground.RAISED)
        glyph, name, _ = self._construct(view, found)
        line.put(edge, f"{glyph} {name}".strip(), Role.MUTED)
        axis = axis_of(view, INLINE_CELLS, self.ui.zone)
        for row in rows:
            name = clip(row.name or row.label, 12, ellipsis=self.ui.glyphs.cut)
            span = bar_of(view, row, axis)
            bar = inline_bar(span, row.status, self.ui.glyphs) if span else ""
            role = Role.MUTED if row.status is Status.UNCONFIRMED else bar_role(row.status)
            wide = 2 + cell_width(name) + (len(bar) + 1 if bar else 0)
            if line.cells + space + wide > width - edge:
                break
            line.add(row.glyph, row.role, skip=space)
            line.add(name, Role.TEXT if bar else Role.MUTED, skip=1)
            line.add(bar, role, skip=1 if bar else 0)
        return line.strip()


def _axis_cells(width: int) -> int:
    return WIDE_AXIS_CELLS if width >= VERY_WIDE else AXIS_CELLS


def _last_error(view: RunView) -> str | None:
    """The error of the last failed step, behind its label."""
    for event in reversed(view.failures[-20:]):
        extra = view.steps.extra.get(view.step_of_event[event - 1])
        if extra is not None and extra.error:
            label = view.steps.label[view.step_of_event[event - 1]]
            return f"{label}: {extra.error}" if label else extra.error
    return None
