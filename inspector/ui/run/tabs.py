"""The tabs of a run: what its runtime can be asked about."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from inspector.query.view import Tab
from inspector.text.measure import cell_width
from inspector.ui.glyphs import Glyphs
from inspector.ui.lines import gap, margin
from inspector.ui.palette import Role
from inspector.ui.run.label import safe
from inspector.ui.widgets.frame import TabLabel, Tabs


def labels(tabs: Sequence[Tab], glyphs: Glyphs) -> list[TabLabel]:
    """Tabs as they are drawn; a verdict that has a sign is told by it."""
    marks = {"ok": (glyphs.completed, Role.MUTED), "broken": (glyphs.failed, Role.ERROR)}
    found = []
    for tab in tabs:
        mark, role = marks.get(tab.mark or "", (safe(tab.mark or "", glyphs), Role.MUTED))
        found.append(TabLabel(safe(tab.title, glyphs), tab.count, mark, role))
    return found


class RunTabs(Tabs):
    """Tabs that give up counts first, then long names, then all names but the active one's."""

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
    """The first word of a name."""
    return title.partition(" ")[0]
