"""Row models of the timeline, computed from a view when a row is first seen, and cached.

Pure; the timeline draws them.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import NamedTuple

from inspector.derive.axis import Axis
from inspector.derive.bars import Bar, BarGlyphs, bar_text, closed_bar, dashed_bar, open_bar
from inspector.derive.progress import begin_event, count_children, progress
from inspector.derive.steps import NO_TIME
from inspector.derive.tree import WIDE, Row, TreeIndex
from inspector.model.status import ENDED, Status
from inspector.model.step import StepKind
from inspector.query.view import RunView
from inspector.text.numbers import NOT_RECORDED, duration, tokens
from inspector.text.parse_time import plausible
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import name_of, progress_text
from inspector.ui.palette import Role
from inspector.ui.panes.timeline_rows import RowModel

OPEN = {Status.RUNNING, Status.WAITING}
"""Statuses of steps whose bar is still open."""

KEPT = 4_096
"""Maximum cached row models."""

_BAR_ROLE = {
    Status.COMPLETED: Role.DONE,
    Status.RUNNING: Role.ACCENT,
    Status.WAITING: Role.WARNING,
    Status.INTERRUPTED: Role.WARNING,
    Status.FAILED: Role.ERROR,
}


class Duration(NamedTuple):
    """Text and role of the duration column."""

    text: str
    role: Role


class RowModels:
    """Row models of a view on one axis."""

    def __init__(
        self,
        view: RunView,
        tree: TreeIndex,
        axis: Axis,
        glyphs: Glyphs,
        *,
        timed: bool,
        now: int,
        bare: bool = False,
    ) -> None:
        self.view = view
        self.tree = tree
        self.axis = axis
        self.glyphs = glyphs
        self.timed = timed
        self.now = now
        self.bare = bare
        """True if counts are shown without the glyph of their construct."""
        self._kept: dict[int, RowModel] = {}
        self._leaf = BarGlyphs(glyphs.bar, glyphs.bar_from, glyphs.bar_to, glyphs.open_bar)
        self._parent = BarGlyphs(
            glyphs.parent_bar, glyphs.parent_from, glyphs.parent_to, glyphs.open_parent
        )

    def of(self, row: int) -> RowModel:
        """The model of a row."""
        found = self._kept.get(row)
        if found is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            found = self._kept[row] = self._picture(next(self.tree.walk(row)))
        return found

    def forget(self) -> None:
        """Clears the cache after rows have moved."""
        self._kept.clear()

    def _picture(self, row: Row) -> RowModel:
        table = self.view.steps
        status = table.status_of(self.tree.status_source(row.step))
        shared = row.inner != row.step
        described = self.view.describe(row.step)
        inner = self.view.describe(row.inner) if shared else None
        name = name_of(described, inner, table.segment[row.step], self.glyphs)
        children = self.tree.children(row.inner) if row.open is not None else array("i")
        note = name.note or self._hidden(row, children)
        cell, bar, role = self._bar(row, status, children)
        took = self._duration(row, status)
        return RowModel(
            step=row.step,
            depth=row.depth,
            open=row.open,
            status=status,
            sign=name.sign,
            label=name.text,
            short=name.short,
            note=note,
            counted=progress_text(
                progress(table, row.inner, children), self.glyphs, bare=self.bare
            ),
            tokens=self._tokens(row),
            duration=took.text,
            duration_role=took.role,
            bar_cell=cell,
            bar=bar,
            bar_role=role,
        )

    def _hidden(self, row: Row, children: array[int]) -> str:
        """Summary of the failures and running branches that a collapsed parallel hides."""
        table = self.view.steps
        if row.open is not False or table.kind_of(row.inner) is not StepKind.PARALLEL:
            return ""
        if len(children) <= WIDE:
            return ""
        counts = count_children(table, children)
        said = []
        if counts.failed:
            said.append(f"{self.glyphs.failed} {counts.failed:,}")
        if counts.running:
            said.append(f"{self.glyphs.running} {counts.running:,}")
        return "  ".join(said)

    def _tokens(self, row: Row) -> str:
        extra = self.view.steps.extra.get(row.step)
        used = extra.ref.get("tokens") if extra is not None else None
        return tokens(used) if isinstance(used, int) else ""

    def _duration(self, row: Row, status: Status) -> Duration:
        if not self.timed:
            return Duration("", Role.MUTED)
        table = self.view.steps
        step = row.inner if row.open is None else row.step
        begun, ended = table.started[step], table.ended[step]
        if status in OPEN:
            return Duration("open", Role.TEXT)
        if row.open is not None and NO_TIME in (begun, ended):
            begun, ended = table.span_start[row.step], table.span_stop[row.step]
        if NO_TIME in (begun, ended):
            return Duration(NOT_RECORDED, Role.FAINT)
        text = duration(ended - begun, clock_ms=self.view.run.clock_ms)
        if ended < begun:
            return Duration(text, Role.WARNING)
        return Duration(text, Role.TEXT if row.open is None else Role.MUTED)

    def _bar(self, row: Row, status: Status, children: array[int]) -> tuple[int, str, Role]:
        parent = row.open is not None
        span = self._span(row, children)
        if span is None:
            return 0, "", Role.MUTED
        bar = self._shape(status, *span)
        role = _BAR_ROLE.get(status, Role.MUTED)
        if parent and status not in OPEN and status is not Status.UNCONFIRMED:
            role = Role.GUIDE
        return bar.cell, bar_text(bar, self._parent if parent else self._leaf), role

    def _shape(self, status: Status, begin: int, end: int) -> Bar:
        if status is Status.UNCONFIRMED:
            return dashed_bar(self.axis, begin, end)
        if status in OPEN:
            return open_bar(self.axis, begin, self.position)
        if status is Status.INTERRUPTED:
            return open_bar(self.axis, begin, end)
        return closed_bar(self.axis, begin, end)

    @cached_property
    def position(self) -> int:
        """Where open bars end: the newest event, now, or the end of a finished run."""
        if not self.timed:
            return self.view.events
        over = self.view.run.status in ENDED or self.view.travelling
        return _latest(self.view) if over else self.now

    def _span(self, row: Row, children: array[int]) -> tuple[int, int] | None:
        """First and last event or time (UTC ms) of a step; None if not recorded."""
        table = self.view.steps
        if not self.timed:
            inside = array("i", [row.inner]) if row.inner != row.step else children
            begin = begin_event(table, row.step, inside)
            if not begin and len(children):
                begin = begin_event(table, row.inner, children)
            return (begin, table.span_last[row.step]) if begin else None
        begin, end = table.span_start[row.step], table.span_stop[row.step]
        if not plausible(begin, self.now):
            begin = table.started[row.step]
        if not plausible(begin, self.now):
            return None
        return begin, end if plausible(end, self.now) and end >= begin else begin


def _latest(view: RunView) -> int:
    """The newest recorded time of the run (UTC ms)."""
    ended = view.run.ended_at
    if ended is not None and not view.travelling:
        return ended
    newest = max(view.steps.span_stop, default=NO_TIME)
    return newest if newest != NO_TIME else view.as_of
