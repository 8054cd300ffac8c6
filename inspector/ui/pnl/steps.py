"""What each step of a spell moved of one asset, over all runs, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.palette import Role
from inspector.ui.pnl.book import AssetLine, Book, StepLine
from inspector.ui.pnl.figures import figure, role_of, symbol_of
from inspector.ui.pnl.writing import fact, field
from inspector.ui.widgets.text_view import TextBuilder

UNNAMED = "(no step is named)"
REALISED = "realised"
_COLUMNS = ("net", REALISED, "fees", "losses")
_STEP, _RUNS, _GAP = 20, 4, 2
_LEAST = (12, 12, 6, 6)
_BECAME = 16


class Steps:
    """Writes the lines for one asset."""

    def __init__(self, ui: UiContext, book: Book, asset: AssetLine) -> None:
        self._kit = ui
        self._asset = asset
        self._steps = [one for one in book.steps if self._moved(one)]

    def _moved(self, step: StepLine) -> bool:
        name = self._asset.name
        return name in step.sums or any(name in net for net in step.outcomes.values())

    def write(self, page: TextBuilder) -> None:
        """All of them; a table where every digit has room in it."""
        ui, title = self._kit, page.line()
        name = "" if self._asset.is_gas else f", {symbol_of(self._asset, ui)}"
        title.add(clip(f"by step{name}", page.room, ellipsis=ui.glyphs.cut), Role.STRONG)
        told = "each step over all runs, and what became of its moves"
        room = page.end - title.cells - 3
        if room > 8:
            title.add(clip(told, room, ellipsis=ui.glyphs.cut), Role.MUTED, skip=3)
        page.line()
        if self._asset.is_gas:
            fact(page, "", "gas is known of whole transactions: it is told run by run", Role.MUTED)
        elif not self._steps:
            fact(page, "", "no step moved it", Role.MUTED)
        elif not self._table(page):
            for step in self._steps:
                self._apart(page, step)

    def _numbers(self, step: StepLine) -> Sequence[int | None]:
        sums = step.sums.get(self._asset.name, {})
        real = step.outcomes.get(REALISED, {}).get(self._asset.name)
        return [sums.get("net"), real, sums.get("fees"), sums.get("losses")]

    def _became(self, step: StepLine) -> str:
        """Every outcome but what was realised, with its net."""
        name = self._asset.name
        said = [
            f"{word} {figure(self._asset, net[name], self._kit, sign=True)}"
            for word, net in step.outcomes.items()
            if word != REALISED and name in net
        ]
        return self._kit.glyphs.plain("   ".join(said))

    def _figures(self, step: StepLine) -> list[str]:
        sums = [figure(self._asset, number, self._kit) for number in self._numbers(step)]
        return sums

    def _table(self, page: TextBuilder) -> bool:
        """Writes a table if every figure fits; else nothing."""
        rows = [(step, self._figures(step)) for step in self._steps]
        cells = [max(least, *(len(row[at]) for _, row in rows)) for at, least in enumerate(_LEAST)]
        begin = page.margin + _STEP + _RUNS + _GAP
        became = begin + sum(cells) + _GAP * len(cells) + 1
        if became + _BECAME > page.end:
            return False
        self._heads(page, begin, cells, became)
        for step, texts in rows:
            line, cut = page.line(), self._kit.glyphs.cut
            line.put(page.margin, clip(self._name(step), _STEP - 1, ellipsis=cut), Role.TEXT)
            line.right(begin - _GAP, count(step.runs), Role.MUTED)
            end = begin - _GAP
            for title, text, wide, number in zip(
                _COLUMNS, texts, cells, self._numbers(step), strict=True
            ):
                end += _GAP + wide
                line.put(end - cell_width(text), text, role_of(number, title))
            line.put(became, clip(self._became(step), page.end - became, ellipsis=cut), Role.MUTED)
        return True

    def _heads(self, page: TextBuilder, begin: int, cells: Sequence[int], became: int) -> None:
        line = page.line()
        line.put(page.margin, "step", Role.MUTED)
        line.right(begin - _GAP, "runs", Role.MUTED)
        end = begin - _GAP
        for title, wide in zip(_COLUMNS, cells, strict=True):
            end += _GAP + wide
            line.right(end, title, Role.MUTED)
        line.put(became, "the rest", Role.MUTED)

    def _name(self, step: StepLine) -> str:
        return UNNAMED if step.name is None else safe(step.name, self._kit.glyphs)

    def _apart(self, page: TextBuilder, step: StepLine) -> None:
        """A step over as many lines as it takes."""
        ui, line = self._kit, page.line()
        runs = "1 run" if step.runs == 1 else f"{count(step.runs)} runs"
        line.add(clip(self._name(step), page.room - len(runs) - 3, ellipsis=ui.glyphs.cut))
        line.add(runs, Role.MUTED, skip=3)
        begun = False
        for title, text, number in zip(
            _COLUMNS, self._figures(step), self._numbers(step), strict=True
        ):
            begun = field(page, title, text, role_of(number, title), begun)
        became = self._became(step)
        if became:
            fact(page, "the rest", became, Role.MUTED)
