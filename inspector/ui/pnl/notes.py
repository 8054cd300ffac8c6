"""What stands below the assets: the chart, and everything that the table has no room for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

from textual.strip import Strip

from inspector.text.measure import clip
from inspector.text.numbers import clock_time, count
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.pnl.book import AssetLine, Book, Measure, RunLine
from inspector.ui.pnl.chart import Chart
from inspector.ui.pnl.figures import figure, in_groups, role_of, symbol_of
from inspector.ui.pnl.steps import Steps
from inspector.ui.pnl.table import RIGHT_TITLE, Layout
from inspector.ui.pnl.writing import (
    FIELDS,
    LABEL,
    fact,
    field,
    marked,
    money,
    recorded_money,
    warning_text,
)
from inspector.ui.widgets.text_view import TextBuilder

LEAST_CHART, MOST_CHART = 10, 22
_COSTS = ("fees", "losses")


class Shown(Enum):
    """What stands below the assets, in the order in which one comes to it."""

    COUNTED = Measure.COUNTED
    REALISED = Measure.REALISED
    SO_FAR = Measure.SO_FAR
    STEPS = None

    @property
    def next(self) -> Shown:
        """The one after."""
        listed = list(Shown)
        return listed[(listed.index(self) + 1) % len(listed)]


class Notes:
    """Writes the lines for one asset and one run."""

    def __init__(
        self,
        ui: UiContext,
        book: Book,
        asset: AssetLine | None,
        cursor: int,
        limit: int,
        shown: Shown = Shown.COUNTED,
    ) -> None:
        self._limit = limit
        self._shown = shown
        self._kit = ui
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
        if self._shown.value is None:
            return [*head, *self._steps(width, self._asset), *foot]
        room = height - len(head) - len(foot) - 1
        runs, measure = self._book.runs, self._shown.value
        chart = Chart(self._kit, self._asset, runs, self._cursor, measure)
        lines = chart.lines(width, min(MOST_CHART, max(LEAST_CHART, room)))
        return [*head, *(line.strip() for line in lines), *self._blank(width), *foot]

    def _page(self, width: int) -> TextBuilder:
        return TextBuilder(self._kit, width, margin(width), ground=Ground.BG)

    def _steps(self, width: int, asset: AssetLine) -> list[Strip]:
        page = self._page(width)
        Steps(self._kit, self._book, asset).write(page)
        page.line()
        return page.strips()

    def _blank(self, width: int) -> list[Strip]:
        page = self._page(width)
        page.line()
        return page.strips()

    def _figures(self, page: TextBuilder, asset: AssetLine, layout: Layout) -> None:
        """The sums that the table has no room for, one behind the other."""
        begun = False
        for column, number in (asset.sums or {}).items():
            text = figure(asset, number, self._kit)
            if not layout.tells(column, text):
                begun = field(page, column, text, role_of(number, column), begun)

    def _realised(self, page: TextBuilder, chosen: AssetLine) -> None:
        """What was confirmed of each asset, where it does not stand beside the sums."""
        if page.lines:
            page.line()
        page.line().add(RIGHT_TITLE, Role.STRONG)
        for asset in self._book.assets:
            if asset is not chosen and asset.realised is None:
                continue
            name = clip(symbol_of(asset, self._kit), LABEL - 2, ellipsis=self._kit.glyphs.cut)
            parts = in_groups(figure(asset, asset.realised, self._kit), max(8, page.room - LABEL))
            for number, part in enumerate(parts):
                line = page.line()
                label = "" if number else name
                line.put(page.margin, label, Role.STRONG if asset is chosen else Role.MUTED)
                line.put(page.margin + LABEL, part, role_of(asset.realised, "realised"))
            number = asset.realised_runs
            runs = f"in {count(number)} {'run' if number == 1 else 'runs'}"
            if asset.realised_runs and page.lines[-1].cells + FIELDS + len(runs) <= page.end:
                page.lines[-1].add(runs, Role.MUTED, skip=FIELDS)

    def _run(self, page: TextBuilder, asset: AssetLine) -> None:
        """The marked run."""
        runs = self._book.runs
        if not 0 <= self._cursor < len(runs):
            return
        run, ui = runs[self._cursor], self._kit
        amount = figure(asset, run.amount(asset), ui, sign=True)
        words = [amount, *self._became(run, asset)]
        words += [clock_time(run.at, ui.clock(), ui.zone), _mode(run, ui)]
        words.append(safe(run.run_id, ui.glyphs))
        fact(page, f"run {run.number}", "   ".join(word for word in words if word))

    def _became(self, run: RunLine, asset: AssetLine) -> list[str]:
        """What became of a run's moves of an asset, what it cost, and its gas."""
        ui, name = self._kit, asset.name
        if asset.is_gas:
            return []
        said = [
            f"{word} {figure(asset, net[name], ui, sign=True)}"
            for word, net in run.outcomes.items()
            if name in net
        ]
        if run.net and "realised" not in run.outcomes:
            said.append(f"realised {figure(asset, None, ui)}")
        sums = run.sums.get(name, {})
        said += [f"{one} {figure(asset, sums[one], ui)}" for one in _COSTS if sums.get(one)]
        if run.transactions:
            said.append(f"gas {count(run.gas)}")
        return said

    def _outcomes(self, page: TextBuilder, asset: AssetLine) -> None:
        """What became of it, each outcome apart."""
        ui = self._kit
        said = [f"{one.word} {figure(asset, one.net, ui, sign=True)}" for one in asset.outcomes]
        if asset.is_gas:
            transactions = self._book.transactions
            said = [f"units of gas of {count(transactions)} confirmed transactions"]
        if said:
            fact(page, "outcomes", ui.glyphs.plain("   ".join(said)), Role.MUTED)

    def _warnings(self, page: TextBuilder, warned: Collection[str]) -> None:
        ui, book = self._kit, self._book
        for one in book.warnings:
            message = warning_text(ui, book, one)
            if message not in warned:
                marked(page, message)
        for why in book.unaccounted:
            moved, reason = money(ui, book, why.asset, why.amount), safe(why.reason, ui.glyphs)
            moves = "1 move" if why.moves == 1 else f"{count(why.moves)} moves"
            marked(page, f"unaccounted {moved} in {moves}: {why.message} ({reason})")

    def _rest(self, page: TextBuilder) -> None:
        glyphs = self._kit.glyphs
        for handoff in self._book.pending:
            moved = recorded_money(self._kit, self._book, handoff.asset, handoff.amount)
            status, run_id = safe(handoff.status, glyphs), safe(handoff.run_id, glyphs)
            fact(page, "handoff", f"{status}, not realised: {moved} in run {run_id}")
        for name, counted in self._book.counts:
            said = "   ".join(f"{safe(key, glyphs)} {count(n)}" for key, n in counted.items())
            fact(page, name, said or "none", Role.MUTED)
        if page.width < NARROW:
            fact(page, "limit", f"the newest {self._limit} runs", Role.MUTED)
        for left_out in self._book.left_out:
            fact(page, "left out", glyphs.safe(left_out))


def _mode(run: RunLine, ui: UiContext) -> str:
    return safe(run.mode.replace("_", " "), ui.glyphs) if run.mode else ""


def copied(ui: UiContext, book: Book, asset: AssetLine) -> str:
    """An asset's amounts with every digit, a line each."""
    lines: Sequence[str] = [f"{safe(book.spell, ui.glyphs)} {safe(asset.name, ui.glyphs)}"]
    sums = asset.sums or {}
    lines = [*lines, *(f"{column} {figure(asset, n, ui)}" for column, n in sums.items())]
    return "\n".join([*lines, f"realised {figure(asset, asset.realised, ui)}"])
