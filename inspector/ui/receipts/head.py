"""Above the receipts: whether the chains hold, what came out, what was spent, and when."""

from __future__ import annotations

from textual.strip import Strip

from inspector.model.status import Status
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import tokens
from inspector.ui.lines import Line, LineWidget, gap, margin
from inspector.ui.palette import Role
from inspector.ui.receipts.book import Book, Way, cost_words, verdict
from inspector.ui.receipts.chart import ASCII_BLOCKS, BLOCKS, Cell, block, cells_of
from inspector.ui.receipts.columns import STATUS

LABEL = 8


class LedgerHead(LineWidget):
    """Four lines; where the terminal is low, the first two."""

    def __init__(self) -> None:
        super().__init__(id="ledger-head")
        self._book = Book()
        self._way = Way.ORDER
        self._chosen = -1
        self._told = ""

    def show(self, book: Book, way: Way, chosen: int, told: str) -> None:
        """Takes a reading, the place of the chosen receipt, and what stands instead of it."""
        self._book, self._way, self._chosen, self._told = book, way, chosen, told
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """A line."""
        line = self.line(width)
        line.put(margin(width), "")
        if self._told:
            if not y:
                line.add(clip(self._told, width - 2 * margin(width)), Role.MUTED)
        elif y == 0:
            self._verdict(line, width)
        elif y == 1:
            self._sums(line, width)
        elif self._book.receipts:
            self._chart(line, width, fresh=y == 2)
        return line.strip()

    def _verdict(self, line: Line, width: int) -> None:
        glyphs = self.ui.glyphs
        holds, said = verdict(self._book)
        if holds is None:
            line.add(glyphs.nothing, Role.MUTED)
        else:
            sign, role = (glyphs.completed, Role.SUCCESS) if holds else (glyphs.failed, Role.ERROR)
            line.add(sign, role)
        way = self._way.value
        room = width - margin(width) - line.cells - cell_width(way) - gap(width)
        line.add(clip(said, max(8, room - 1), ellipsis=glyphs.cut), skip=1)
        if line.cells + 1 + cell_width(way) <= width - margin(width):
            line.right(width - margin(width), way, Role.MUTED)

    def _sums(self, line: Line, width: int) -> None:
        glyphs, document = self.ui.glyphs, self._book.document
        end, space = width - margin(width), gap(width)
        pieces: list[tuple[str, Role]] = []
        for word, count in document.get("dispositions", {}).items():
            sign = glyphs.of(STATUS.get(word, Status.UNKNOWN))
            role = Role.ERROR if word == "failed" else Role.MUTED
            pieces.append((f"{sign} {count:,} {glyphs.safe(word)}", role))
        total = document.get("tokens_total", {})
        if total and self._book.receipts:
            pieces.append((f"fresh {tokens(total['fresh'])}", Role.TEXT))
            pieces.append((f"reused {tokens(total['reused'])}", Role.MUTED))
        if document.get("cost_unreadable"):
            pieces.append((f"{document['cost_unreadable']:,} unreadable costs", Role.WARNING))
        if self._book.money is not None and self._book.receipts:
            pieces.append((f"{cost_words(self._book.money)} by your prices", Role.TEXT))
        for number, (text, role) in enumerate(pieces):
            skip = space if number else 0
            if line.cells + skip + cell_width(text) > end:
                break
            line.add(text, role, skip=skip)

    def _chart(self, line: Line, width: int, *, fresh: bool) -> None:
        room = width - 2 * margin(width) - LABEL
        cells = cells_of(self._book.receipts, room, self._chosen)
        most = max((max(one.fresh, one.reused) for one in cells), default=0)
        blocks = ASCII_BLOCKS if self.ui.glyphs.ascii else BLOCKS
        line.add("fresh" if fresh else "reused", Role.MUTED)
        line.put(margin(width) + LABEL, "")
        for cell in cells:
            sign, role = self._cell(cell, most, blocks, fresh=fresh)
            line.add(sign, role)

    def _cell(self, cell: Cell, most: int, blocks: str, *, fresh: bool) -> tuple[str, Role]:
        sign = block(cell.fresh if fresh else cell.reused, most, blocks)
        role = Role.DONE if fresh else Role.GUIDE
        if sign == blocks[0]:
            sign = self.ui.glyphs.pending if fresh else " "
            role = Role.FAINT
        if cell.failed and fresh:
            sign, role = self.ui.glyphs.failed, Role.ERROR
        if cell.chosen:
            role = Role.ACCENT
            sign = self.ui.glyphs.caret if sign == " " else sign
        return sign, role
