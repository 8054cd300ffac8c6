"""The tab of receipts: chains and sums above, the ledger, and the receipt under the cursor."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from inspector.config.settings import Settings
from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.query.receipts import ReceiptLedger
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import record_content
from inspector.ui.lines import margin
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.records import RecordList
from inspector.ui.receipts.book import Book, Record, Way, book_of, trouble_of
from inspector.ui.receipts.columns import receipts_table, sums_table
from inspector.ui.receipts.head import LedgerHead
from inspector.ui.receipts.text import write, write_sum
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.text_view import TextBuilder, TextView

AGAIN = 0.5
"""Seconds between two readings while the run goes on."""
NO_RECEIPTS = "Runs of this runtime have no receipts of this kind."


class ReceiptsPane(Pane):
    """What was committed: in order, node by node, or added up."""

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="receipts-pane")
        self._book = Book()
        self._way = Way.ORDER
        self._told = "Reading."
        self._outdated = True
        self._again: Timer | None = None
        self._came_from: list[object] = []
        """Ids of the receipts from which Enter led here."""
        self._next_ref: dict[object, int] = {}
        """Which of several references Enter follows next, by receipt."""

    def compose(self) -> ComposeResult:
        """Head, ledger, receipt."""
        yield LedgerHead()
        yield RecordList()
        yield TextView(id="content")

    @property
    def list(self) -> RecordList:
        """The ledger."""
        return self.query_one(RecordList)

    @property
    def main(self) -> Widget:
        """The ledger."""
        return self.list

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """Enter follows what woke a receipt; h and l change the way of listing."""
        follow = ("enter", "its receipts" if self._way is Way.SUMS else "what woke it")
        other = f"{self._way.next(-1).value}, {self._way.next().value}"
        marked = (("failure.next", "broken or failed"),) if self.has_failures else ()
        copies = (("copy.value", "copy"), ("copy.location", "address"))
        return (follow, ("outward", other), *marked, *copies)

    def update(self, view: RunView) -> None:
        """Another view: there may be more receipts."""
        self._outdated = True
        if self.display and self._again is None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads the ledger if it may be another one."""
        if self._outdated:
            self._read()

    def redraw(self) -> None:
        """Another theme."""
        self._show(keep=True)

    def on_resize(self) -> None:
        """The receipt is written for a width."""
        if self.ready:
            self._tell(keep=True)

    def _read(self) -> None:
        self._again, self._outdated = None, False
        self.ask("receipts", self._load)

    async def _load(self) -> None:
        answer = await self.queries.ask(_ledger)
        if answer is None or isinstance(answer, Unavailable):
            self._told = NO_RECEIPTS if answer is None else answer.reason
        else:
            settings = getattr(self.app, "settings", None)
            prices = settings.prices if isinstance(settings, Settings) else {}
            self._told = ""
            self._book = book_of(answer, prices)
        self._show(keep=True)

    def _show(self, *, keep: bool) -> None:
        """Lists the ledger; with `keep` the cursor stays on its receipt."""
        chosen = self._record if keep else None
        rows, glyphs = self._book.rows(self._way), self.ui.glyphs
        if self._way is Way.SUMS:
            table = sums_table(rows, glyphs, money=self._book.money is not None)
        else:
            table = receipts_table(rows, glyphs)
        self.list.show(table, rows)
        if chosen is not None:
            self._go_back_to(chosen)
        self._tell(keep=keep)
        self._hints_changed()

    @property
    def _record(self) -> Record | None:
        return self.list.record if self.ready else None

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._tell(keep=False)

    def _tell(self, *, keep: bool) -> None:
        record = self._record
        place = self._place_of(record)
        self.query_one(LedgerHead).show(self._book, self._way, place, self._told)
        sheet = self.query_one(TextView)
        width = sheet.size.width
        if not width:
            return
        page = TextBuilder(self.ui, width, margin(width))
        page.rule() if self.ui.styles.plain else page.line()
        if record is not None and self._way is Way.SUMS:
            write_sum(page, record, self._book)
        elif record is not None:
            write(page, record, self._book, self._ref_of(record))
        sheet.show(page.strips(), keep=keep)

    def _place_of(self, record: Record | None) -> int:
        """The place of a receipt in the order of writing; -1 for anything else."""
        if record is None or self._way is Way.SUMS:
            return -1
        ids = (one.get("id") for one in self._book.receipts)
        return next((at for at, one in enumerate(ids) if one == record.get("id")), -1)

    # What can be done

    def action_inward(self) -> None:
        """The next way of listing."""
        self._turn(1)

    def action_outward(self) -> None:
        """The way of listing before."""
        self._turn(-1)

    def _turn(self, by: int) -> None:
        self._way = self._way.next(by)
        self._show(keep=True)

    def _hints_changed(self) -> None:
        show = getattr(self.screen, "show_hints", None)
        if callable(show):
            show()

    def action_enter(self) -> None:
        """Goes to the receipt that woke this one, the next one at each time; from a sum into it."""
        record = self._record
        if record is None:
            return
        if self._way is Way.SUMS:
            self._into(record)
            return
        at = self._ref_of(record)
        refs = record.get("woken_by") or ()
        if at < 0:
            return
        self._next_ref[record.get("id")] = at + 1
        self._came_from.append(record.get("id"))
        self._go_to(refs[at]["id"])

    def _ref_of(self, record: Record) -> int:
        """The place of the reference that Enter follows; -1 where none leads anywhere."""
        refs = record.get("woken_by") or ()
        known = [at for at, one in enumerate(refs) if one.get("id") is not None]
        if not known:
            return -1
        wanted = self._next_ref.get(record.get("id"), 0)
        return next((at for at in known if at >= wanted), known[0])

    @property
    def has_failures(self) -> bool:
        """Whether a receipt failed or does not hold."""
        return self._way is not Way.SUMS and bool(self._marked)

    @property
    def _marked(self) -> tuple[int, ...]:
        """The rows of receipts that failed or do not hold."""
        rows = enumerate(self.list.records if self.ready else ())
        return tuple(row for row, one in rows if trouble_of(one) is not None)

    def to_failure(self, *, forward: bool) -> None:
        """The next receipt that failed or does not hold; after the last one the first."""
        marked, here = self._marked, self.list.cursor
        ways = marked if forward else marked[::-1]
        beyond = (row for row in ways if (row > here if forward else row < here))
        self.list.move_to(next(beyond, ways[0]), notify=False)
        self._tell(keep=False)

    def _into(self, record: Record) -> None:
        key = "node" if record["of"] == "node" else "surprise_cause"
        self._way = Way.NODES if key == "node" else Way.ORDER
        self._show(keep=False)
        first = next((one for one in self.list.records if one.get(key) == record["group"]), None)
        if first is not None:
            self._go_to(first.get("id"))

    def _go_back_to(self, record: Record) -> None:
        """The cursor returns to its receipt or sum; where that is not listed, to the top."""
        if record.get("id") is not None and self._way is not Way.SUMS:
            self._go_to(record["id"])
            return
        same = (record.get("of"), record.get("group"))
        rows = ((one.get("of"), one.get("group")) for one in self.list.records)
        at = next((row for row, one in enumerate(rows) if "of" in record and one == same), 0)
        self.list.move_to(at, notify=False)

    def _go_to(self, number: object) -> None:
        for row, one in enumerate(self.list.records):
            if one.get("id") == number:
                self.list.move_to(row, notify=False)
                self._tell(keep=False)
                return

    def back(self) -> bool:
        """Back to the receipt from which Enter led here."""
        if not self._came_from:
            return False
        self._go_to(self._came_from.pop())
        return True

    def statement(self) -> str | None:
        """The node: its step is called so."""
        record = self._record
        node = None if record is None else record.get("node")
        return node if isinstance(node, str) and node else None

    def value_to_copy(self) -> Copy | None:
        """The receipt as it is recorded."""
        record = self._record
        if record is None:
            return None
        lines = (line.lead + line.key + line.rest for line in record_content(dict(record)).lines)
        return Copy(fit_to_copy(None, "\n".join(lines)), "the receipt")

    def location_to_copy(self) -> Copy | None:
        """Its content address."""
        record = self._record
        address = None if record is None else record.get("address")
        return None if address is None else Copy(fit_to_copy(None, str(address)), "the address")


def _ledger(reader: RunReader) -> ReceiptLedger | None:
    """On a reader's thread; None where a runtime has no receipts."""
    try:
        return reader.receipts()
    except KeyError:
        return None
