"""One line above what a database holds: what is shown, and how much of it."""

from __future__ import annotations

from textual.strip import Strip

from inspector.text.measure import clip
from inspector.ui.lines import LineWidget, gap, margin
from inspector.ui.palette import Role


class RawBar(LineWidget):
    """A title and facts, as many as there is room for."""

    def __init__(self) -> None:
        super().__init__(id="raw-bar")
        self._title = ""
        self._facts: tuple[tuple[str, Role], ...] = ()

    def show(self, title: str, *facts: tuple[str, Role]) -> None:
        """Safe texts, the most important first."""
        self._title, self._facts = title, tuple(fact for fact in facts if fact[0])
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """The line."""
        line, cut = self.line(width), self.ui.glyphs.cut
        edge, end = margin(width), width - margin(width)
        line.put(edge, "")
        if self._title:
            # Names are long: facts about them keep their room.
            least = sum(len(text) + gap(width) for text, _ in self._facts[:1])
            room = max((end - edge) // 2, end - edge - least)
            line.put(edge, clip(self._title, room, ellipsis=cut), Role.STRONG)
        for text, role in self._facts:
            skip = gap(width) if line.cells > edge else 0
            room = end - line.cells - skip
            if room < min(8, len(text)):
                break
            line.add(clip(text, room, ellipsis=cut), role, skip=skip)
        return line.strip()
