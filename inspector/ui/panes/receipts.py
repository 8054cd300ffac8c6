"""The tab of receipts: verdict, sums and chart, the ledger, and the selected receipt."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.strip import Strip

from inspector.config.settings import Settings
from inspector.export import documents
from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.receipts import Receipt
from inspector.query.view import Tab
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import tokens
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.lines import Line, LineWidget, gap, margin
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.master_detail import MasterDetailPane, copied_record
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.receipt_ledger import (
    ASCII_BLOCKS,
    BLOCKS,
    FAILED,
    STATUSES,
    Cell,
    LedgerModel,
    LedgerSum,
    Listing,
    Row,
    block,
    chart_cells,
    cost_text,
    problem_of,
    receipts_table,
    row_title,
    sums_table,
    verdict,
)
from inspector.ui.panes.receipt_text import write_receipt, write_sum
from inspector.ui.panes.records import RecordList
from inspector.ui.widgets.text_view import TextBuilder, TextView

LABEL_CELLS = 8
"""Width of the labels of the chart."""


class LedgerHead(LineWidget):
    """Verdict, sums and two lines of chart; in low terminals verdict and sums only."""

    def __init__(self) -> None:
        super().__init__(id="ledger-head")
        self._model = LedgerModel()
        self._listing = Listing.ORDER
        self._selected = -1
        self._note = ""

    def show(self, model: LedgerModel, listing: Listing, selected: int, note: str) -> None:
        """Shows a ledger, or a safe note instead; `selected` is the index of a receipt or -1."""
        self._model, self._listing, self._selected = model, listing, selected
        self._note = note
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Paint a line."""
        line = self.line(width)
        line.put(margin(width), "")
        if self._note:
            if not y:
                line.add(clip(self._note, width - 2 * margin(width)), Role.MUTED)
        elif y == 0:
            self._verdict(line, width)
        elif y == 1:
            self._sums(line, width)
        elif self._model.receipts:
            self._chart(line, width, fresh=y == 2)
        return line.strip()

    def _verdict(self, line: Line, width: int) -> None:
        glyphs = self.ui.glyphs
        verified, text = verdict(self._model.ledger)
        if verified is None:
            line.add(glyphs.nothing, Role.MUTED)
        elif verified:
            line.add(glyphs.completed, Role.SUCCESS)
        else:
            line.add(glyphs.failed, Role.ERROR)
        name = self._listing.value
        room = width - margin(width) - line.cells - cell_width(name) - gap(width)
        line.add(clip(text, max(8, room - 1), ellipsis=glyphs.cut), skip=1)
        if line.cells + 1 + cell_width(name) <= width - margin(width):
            line.right(width - margin(width), name, Role.MUTED)

    def _sums(self, line: Line, width: int) -> None:
        end, space = width - margin(width), gap(width)
        for number, (text, role) in enumerate(self._sum_pieces()):
            skip = space if number else 0
            if line.cells + skip + cell_width(text) > end:
                break
            line.add(text, role, skip=skip)

    def _sum_pieces(self) -> list[tuple[str, Role]]:
        glyphs, ledger, costs = self.ui.glyphs, self._model.ledger, self._model.costs
        pieces: list[tuple[str, Role]] = []
        for word, count in ledger.dispositions.items():
            glyph = glyphs.of(STATUSES.get(word, Status.UNKNOWN))
            role = Role.ERROR if word == FAILED else Role.MUTED
            pieces.append((f"{glyph} {count:,} {glyphs.safe(word)}", role))
        if ledger.receipts:
            pieces.append((f"fresh {tokens(ledger.tokens_total.fresh)}", Role.TEXT))
            pieces.append((f"reused {tokens(ledger.tokens_total.reused)}", Role.MUTED))
        if ledger.cost_unreadable:
            pieces.append((f"{ledger.cost_unreadable:,} unreadable costs", Role.WARNING))
        if ledger.receipts and costs is not None:
            pieces.append((f"{cost_text(costs.total)} by your prices", Role.TEXT))
        return pieces

    def _chart(self, line: Line, width: int, *, fresh: bool) -> None:
        room = width - 2 * margin(width) - LABEL_CELLS
        cells = chart_cells(self._model.receipts, room, self._selected)
        most = max((max(one.fresh, one.reused) for one in cells), default=0)
        line.add("fresh" if fresh else "reused", Role.MUTED)
        line.put(margin(width) + LABEL_CELLS, "")
        for cell in cells:
            line.add(*self._cell(cell, most, fresh=fresh))

    def _cell(self, cell: Cell, most: int, *, fresh: bool) -> tuple[str, Role]:
        glyphs = self.ui.glyphs
        blocks = ASCII_BLOCKS if glyphs.ascii else BLOCKS
        text = block(cell.fresh if fresh else cell.reused, most, blocks)
        role = Role.DONE if fresh else Role.GUIDE
        if text == blocks[0]:
            text, role = glyphs.pending if fresh else " ", Role.FAINT
        if cell.failed and fresh:
            text, role = glyphs.failed, Role.ERROR
        if cell.selected:
            return (glyphs.caret if text == " " else text), Role.ACCENT
        return text, role


class ReceiptsPane(MasterDetailPane):
    """The ledger in order, by node, or summed."""

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="receipts-pane")
        self._model = LedgerModel()
        self._listing = Listing.ORDER
        self._came_from: list[int] = []
        """Ids of the receipts from which Enter led here, for Esc."""
        self._next_ref: dict[int, int] = {}
        """Receipt id → index of the reference that Enter follows next."""

    def compose(self) -> ComposeResult:
        """Head, ledger, receipt."""
        yield LedgerHead()
        yield RecordList[Row]()
        yield TextView(id="content")

    @property
    def list(self) -> RecordList[Row]:
        """The ledger."""
        return self.query_one(RecordList)

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer, which depends on the listing."""
        follow = ("enter", "receipts" if self._listing is Listing.SUMS else "trigger")
        failures = (("failure.next", "broken or failed"),) if self.has_failures else ()
        copies = (("copy.value", "copy"), ("copy.location", "address"))
        return (follow, ("outward", "group"), *failures, *copies)

    async def load(self) -> None:
        """Reads the ledger."""
        answer = await self.queries.ask(lambda reader: reader.receipts())
        if answer is None or isinstance(answer, Unavailable):
            self.show_reason(answer)
        else:
            settings = getattr(self.app, "settings", None)
            prices = settings.prices if isinstance(settings, Settings) else {}
            self.note = ""
            self._model = LedgerModel.of(answer, prices)
        self._show(keep=True)

    def redraw(self) -> None:
        """Lists the ledger again."""
        self._show(keep=True)

    def _show(self, *, keep: bool) -> None:
        """Lists the ledger; with `keep` the cursor stays on its row."""
        selected = self._row if keep else None
        rows, glyphs = self._model.rows(self._listing), self.ui.glyphs
        if self._listing is Listing.SUMS:
            sums = [one for one in rows if isinstance(one, LedgerSum)]
            table = sums_table(sums, glyphs, money=self._model.costs is not None)
        else:
            receipts = [one for one in rows if isinstance(one, Receipt)]
            table = receipts_table(receipts, glyphs)
        self.list.show(table, rows)
        if selected is not None:
            self._select(row_title(selected), else_first=True)
        self.render_detail(keep=keep)
        self.hints_changed()

    @property
    def _row(self) -> Row | None:
        return self.list.record if self.ready else None

    @property
    def _receipt(self) -> Receipt | None:
        row = self._row
        return row if isinstance(row, Receipt) else None

    def render_detail(self, *, keep: bool) -> None:
        """Shows the head and the selected receipt or sum."""
        row, model = self._row, self._model
        index = model.receipts.index(row) if isinstance(row, Receipt) else -1
        self.query_one(LedgerHead).show(model, self._listing, index, self.safe_note())
        view = self.query_one(TextView)
        width = view.size.width
        if not width:
            return
        page = TextBuilder(self.ui, width, margin(width))
        page.rule() if self.ui.styles.plain else page.line()
        if isinstance(row, LedgerSum):
            write_sum(page, row, model)
        elif row is not None:
            write_receipt(page, row, model, self._ref_of(row))
        view.show(page.strips(), keep=keep)

    def _select(self, title: str, *, else_first: bool = False) -> None:
        """Moves the cursor to the row with a title."""
        titles = [row_title(one) for one in self.list.records]
        if title in titles:
            self.list.move_to(titles.index(title), notify=False)
        elif else_first:
            self.list.move_to(0, notify=False)

    # Commands

    def action_inward(self) -> None:
        """The next listing."""
        self._switch(1)

    def action_outward(self) -> None:
        """The previous listing."""
        self._switch(-1)

    def _switch(self, by: int) -> None:
        self._listing = self._listing.next(by)
        self._show(keep=True)

    def action_enter(self) -> None:
        """Goes from a receipt to one that woke it, the next one each time; from a sum into it."""
        row = self._row
        if isinstance(row, LedgerSum):
            self._open_sum(row)
        elif row is not None:
            index = self._ref_of(row)
            target = row.woken_by[index].id if index >= 0 else None
            if target is not None:
                self._next_ref[row.id] = index + 1
                self._came_from.append(row.id)
                self._go_to(target)

    def _ref_of(self, receipt: Receipt) -> int:
        """The index of the reference that Enter follows; -1 if the ledger contains none."""
        known = [at for at, one in enumerate(receipt.woken_by) if one.id is not None]
        if not known:
            return -1
        wanted = self._next_ref.get(receipt.id, 0)
        return next((at for at in known if at >= wanted), known[0])

    def _open_sum(self, one: LedgerSum) -> None:
        self._listing = Listing.NODES if one.by_node else Listing.ORDER
        self._show(keep=False)
        first = next((receipt for receipt in self._model.receipts if one.includes(receipt)), None)
        if first is not None:
            self._go_to(first.id)

    def _go_to(self, number: int) -> None:
        receipt = self._model.by_id(number)
        if receipt is not None:
            self._select(row_title(receipt))
            self.render_detail(keep=False)

    def back(self) -> bool:
        """Returns to the receipt from which Enter led here."""
        if not self._came_from:
            return False
        self._go_to(self._came_from.pop())
        return True

    @property
    def _problem_rows(self) -> tuple[int, ...]:
        rows = enumerate(self.list.records if self.ready else ())
        return tuple(row for row, one in rows if problem_of(one) is not None)

    @property
    def has_failures(self) -> bool:
        """True if a receipt failed or its chain does not hold."""
        return bool(self._problem_rows)

    def to_failure(self, *, forward: bool) -> None:
        """Moves to the next receipt that failed or whose chain does not hold, cyclic."""
        rows, cursor = self._problem_rows, self.list.cursor
        ordered = rows if forward else rows[::-1]
        beyond = (row for row in ordered if (row > cursor if forward else row < cursor))
        self.list.move_to(next(beyond, ordered[0]), notify=False)
        self.render_detail(keep=False)

    # The selection

    def statement(self) -> str | None:
        """The node, which is the name of its step."""
        receipt = self._receipt
        return receipt.node or None if receipt is not None else None

    def value_to_copy(self) -> Copy | None:
        """The receipt as recorded, or the sum."""
        row = self._row
        if row is None:
            return None
        if isinstance(row, LedgerSum):
            document = {row.kind: row.name, **documents.token_sum(row.tokens)}
            return copied_record(document, "the sum")
        return copied_record(documents.receipt(row), "the receipt")

    def location_to_copy(self) -> Copy | None:
        """The content address."""
        receipt = self._receipt
        if receipt is None or receipt.address is None:
            return None
        return Copy(fit_to_copy(None, receipt.address), "the address")
