"""What stands below the assets: the chart, and everything that the table has no room for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.strip import Strip

from inspector.text.measure import clip
from inspector.text.numbers import clock_time, count
from inspector.ui.kit import Kit
from inspector.ui.paint import NARROW, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.pnl.book import AssetLine, Book, RunLine
from inspector.ui.pnl.chart import Chart
from inspector.ui.pnl.figures import figure, in_groups, role_of, symbol_of
from inspector.ui.pnl.table import RIGHT_TITLE, Layout
from inspector.ui.run.label import safe
from inspector.ui.run.sheet import Page
from inspector.ui.wrap import wrapped

LABEL = 13
FIELDS = 3
"""Cells between the fields of a line."""
LEAST_CHART, MOST_CHART = 10, 22
MOST_LINES = 400
"""Of one text: enough for a number of tens of thousands of digits."""


class Notes:
    """Writes the lines for one asset and one run."""

    def __init__(
        self, kit: Kit, book: Book, asset: AssetLine | None, cursor: int, limit: int
    ) -> None:
        self._limit = limit
        self._kit = kit
        self._book = book
        self._asset = asset
        self._cursor = cursor

    def strips(
        self, width: int, height: int, layout: Layout, warned: Collection[str]
    ) -> list[Strip]:
        """All lines; the warnings in `warned` stand above already."""
        before, after = self._page(width), self._page(width)
        if self._asset is not None:
            self._figures(before, self._asset, layout)
            if layout.beside is None:
                self._realised(before, self._asset)
            self._run(after, self._asset)
            self._outcomes(after, self._asset)
        self._warnings(after, warned)
        self._rest(after)
        if before.lines:
            before.line()
        head, foot = before.strips(), after.strips()
        if self._asset is None:
            return head + foot
        room = height - len(head) - len(foot) - 1
        chart = Chart(self._kit, self._asset, self._book.runs, self._cursor)
        lines = chart.lines(width, min(MOST_CHART, max(LEAST_CHART, room)))
        return [*head, *(line.strip() for line in lines), *self._blank(width), *foot]

    def _page(self, width: int) -> Page:
        return Page(self._kit, width, margin(width), ground=Ground.BG)

    def _blank(self, width: int) -> list[Strip]:
        page = self._page(width)
        page.line()
        return page.strips()

    def _fact(self, page: Page, label: str, text: str, role: Role = Role.TEXT) -> None:
        """A label and safe text beside it, over as many lines as it takes."""
        room = max(8, page.room - LABEL)
        for number, part in enumerate(wrapped(text, room, MOST_LINES, self._kit.signs.cut)):
            line = page.line()
            line.put(page.margin, "" if number else label, Role.MUTED)
            line.put(page.margin + LABEL, part, role)

    def _figures(self, page: Page, asset: AssetLine, layout: Layout) -> None:
        """The sums that the table has no room for, one behind the other."""
        begun = False
        for column, number in (asset.sums or {}).items():
            text = figure(asset, number, self._kit)
            if not layout.tells(column, text):
                begun = self._field(page, column, text, role_of(number, column), begun)

    def _field(self, page: Page, label: str, text: str, role: Role, begun: bool) -> bool:
        """A label and an amount; says whether another may stand behind them on the line.

        `begun` = the last line has room at its end.
        """
        wide = len(label) + 1 + len(text)
        if wide > page.room:
            for number, part in enumerate(in_groups(text, max(8, page.room - LABEL))):
                line = page.line()
                line.put(page.margin, "" if number else label, Role.MUTED)
                line.put(page.margin + LABEL, part, role)
            return False
        fits = begun and page.lines[-1].cells + FIELDS + wide <= page.end
        line = page.lines[-1] if fits else page.line()
        line.add(label, Role.MUTED, skip=FIELDS if fits else 0)
        line.add(text, role, skip=1)
        return True

    def _realised(self, page: Page, chosen: AssetLine) -> None:
        """What was confirmed of each asset, where it does not stand beside the sums."""
        if page.lines:
            page.line()
        page.line().add(RIGHT_TITLE, Role.STRONG)
        for asset in self._book.assets:
            if asset is not chosen and asset.realised is None:
                continue
            name = clip(symbol_of(asset, self._kit), LABEL - 2, ellipsis=self._kit.signs.cut)
            parts = in_groups(figure(asset, asset.realised, self._kit), max(8, page.room - LABEL))
            for number, part in enumerate(parts):
                line = page.line()
                label = "" if number else name
                line.put(page.margin, label, Role.STRONG if asset is chosen else Role.MUTED)
                line.put(page.margin + LABEL, part, role_of(asset.realised, "realised"))
            runs = f"in runs {count(asset.realised_runs)}"
            if asset.realised_runs and page.lines[-1].cells + FIELDS + len(runs) <= page.end:
                page.lines[-1].add(runs, Role.MUTED, skip=FIELDS)

    def _run(self, page: Page, asset: AssetLine) -> None:
        """The marked run."""
        runs = self._book.runs
        if not 0 <= self._cursor < len(runs):
            return
        run, kit = runs[self._cursor], self._kit
        amount = figure(asset, run.amount(asset), kit, sign=True)
        words = [amount]
        if run.net and not asset.is_gas:
            real = figure(asset, run.realised.get(asset.name), kit, sign=True)
            words.append(f"realised {real}")
        words += [clock_time(run.at, kit.clock(), kit.zone), _mode(run, kit)]
        words.append(safe(run.run_id, kit.signs))
        self._fact(page, f"run {run.number}", "   ".join(word for word in words if word))

    def _outcomes(self, page: Page, asset: AssetLine) -> None:
        """What became of it, each outcome apart."""
        kit = self._kit
        said = [f"{one.word} {figure(asset, one.net, kit, sign=True)}" for one in asset.outcomes]
        if asset.is_gas:
            transactions = self._book.transactions
            said = [f"units of gas of {count(transactions)} confirmed transactions"]
        if said:
            self._fact(page, "outcomes", kit.signs.plain("   ".join(said)), Role.MUTED)

    def _warnings(self, page: Page, warned: Collection[str]) -> None:
        kit = self._kit
        for message in self._book.warnings:
            if message not in warned:
                self._marked(page, kit.signs.show(message))
        for why in self._book.unaccounted:
            asset = next((one for one in self._book.assets if one.name == why.asset), None)
            shown = figure(asset, why.amount, kit) if asset is not None else str(why.amount)
            name = symbol_of(asset, kit) if asset is not None else safe(why.asset, kit.signs)
            reason = safe(why.reason, kit.signs)
            moves = "1 move" if why.moves == 1 else f"{count(why.moves)} moves"
            self._marked(page, f"unaccounted {shown} {name} in {moves}: {why.message} ({reason})")

    def _marked(self, page: Page, text: str) -> None:
        signs = self._kit.signs
        for number, part in enumerate(wrapped(text, page.room - 2, MOST_LINES, signs.cut)):
            line = page.line()
            line.put(page.margin, "" if number else signs.finding, Role.WARNING)
            line.put(page.margin + 2, part, Role.TEXT)

    def _rest(self, page: Page) -> None:
        signs = self._kit.signs
        for one in self._book.pending:
            self._fact(page, "handoff", signs.show(one))
        for name, counted in self._book.counts:
            said = "   ".join(f"{safe(key, signs)} {count(n)}" for key, n in counted.items())
            self._fact(page, name, said or "none", Role.MUTED)
        if page.width < NARROW:
            self._fact(page, "limit", f"the newest {self._limit} runs", Role.MUTED)
        for one in self._book.left_out:
            self._fact(page, "left out", signs.show(one))


def _mode(run: RunLine, kit: Kit) -> str:
    return safe(run.mode.replace("_", " "), kit.signs) if run.mode else ""


def copied(kit: Kit, book: Book, asset: AssetLine) -> str:
    """An asset's amounts with every digit, a line each."""
    lines: Sequence[str] = [f"{safe(book.spell, kit.signs)} {safe(asset.name, kit.signs)}"]
    sums = asset.sums or {}
    lines = [*lines, *(f"{column} {figure(asset, n, kit)}" for column, n in sums.items())]
    return "\n".join([*lines, f"realised {figure(asset, asset.realised, kit)}"])
