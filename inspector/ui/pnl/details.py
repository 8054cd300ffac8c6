"""Below the assets:

a chart or the steps, the marked run, and columns that did not fit the table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

from textual.strip import Strip

from inspector.query.pnl import SUMS, Outcome, StepSums
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import clock_time, count
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.pnl.assets import RIGHT_TITLE, Layout
from inspector.ui.pnl.chart import Chart
from inspector.ui.pnl.figures import (
    FIELDS,
    LABEL,
    TITLES,
    fact,
    field,
    figure,
    in_groups,
    marked,
    money,
    recorded_money,
    role_of,
    symbol_of,
    warning_text,
)
from inspector.ui.pnl.model import AssetRow, Measure, PnlModel, RunBar
from inspector.ui.widgets.text_view import TextBuilder

LEAST_CHART, MOST_CHART = 10, 22
"""Lines of a chart."""
_COSTS = ("fees", "losses")
_GAP = "   "


class View(Enum):
    """What is shown below the assets, in the order of `n`."""

    COUNTED = Measure.COUNTED
    REALISED = Measure.REALISED
    SO_FAR = Measure.SO_FAR
    STEPS = None

    @property
    def next(self) -> View:
        """Return the next view, cyclic."""
        listed = list(View)
        return listed[(listed.index(self) + 1) % len(listed)]


class Details:
    """Writes the lines for one asset and one run."""

    def __init__(
        self,
        ui: UiContext,
        model: PnlModel,
        asset: AssetRow | None,
        cursor: int,
        limit: int,
        view: View = View.COUNTED,
    ) -> None:
        self._limit = limit
        self._view = view
        self._ui = ui
        self._model = model
        self._asset = asset
        self._cursor = cursor

    def strips(
        self, width: int, height: int, layout: Layout, shown: Collection[str]
    ) -> list[Strip]:
        """Return all lines; the warnings in `shown` are on the screen already."""
        before, after = self._page(width), self._page(width)
        if self._asset is not None:
            self._sums(before, self._asset, layout)
            if layout.beside is None:
                self._realised(before, self._asset)
            self._run(after, self._asset)
            self._outcomes(after, self._asset)
        self._warnings(after, shown)
        self._rest(after)
        if before.lines:
            before.line()
        head, foot = before.strips(), after.strips()
        if self._asset is None:
            return head + foot
        if self._view.value is None:
            return [*head, *self._steps(width, self._asset), *foot]
        room = height - len(head) - len(foot) - 1
        chart = Chart(self._ui, self._asset, self._model.runs, self._cursor, self._view.value)
        lines = chart.lines(width, min(MOST_CHART, max(LEAST_CHART, room)))
        blank = self._page(width)
        blank.line()
        return [*head, *(line.strip() for line in lines), *blank.strips(), *foot]

    def _page(self, width: int) -> TextBuilder:
        return TextBuilder(self._ui, width, margin(width), ground=Ground.BG)

    def _steps(self, width: int, asset: AssetRow) -> list[Strip]:
        page = self._page(width)
        StepTable(self._ui, self._model, asset).write(page)
        page.line()
        return page.strips()

    def _sums(self, page: TextBuilder, asset: AssetRow, layout: Layout) -> None:
        """Write the sums that did not fit the table."""
        begun = False
        for column in SUMS if asset.sums is not None else ():
            number = getattr(asset.sums, column)
            text = figure(asset, number, self._ui)
            if not layout.fits(column, text):
                begun = field(page, TITLES[column], text, role_of(number, column), begun)

    def _realised(self, page: TextBuilder, chosen: AssetRow) -> None:
        """Write the realised net of each asset, if it is not beside the sums."""
        if page.lines:
            page.line()
        page.line().add(RIGHT_TITLE, Role.STRONG)
        for asset in self._model.assets:
            if asset is not chosen and asset.realised is None:
                continue
            name = clip(symbol_of(asset, self._ui), LABEL - 2, ellipsis=self._ui.glyphs.cut)
            parts = in_groups(figure(asset, asset.realised, self._ui), max(8, page.room - LABEL))
            for number, part in enumerate(parts):
                line = page.line()
                label = "" if number else name
                line.put(page.margin, label, Role.STRONG if asset is chosen else Role.MUTED)
                line.put(page.margin + LABEL, part, role_of(asset.realised, "realised"))
            runs = f"in {_counted(asset.realised_runs, 'run')}"
            if asset.realised_runs and page.lines[-1].cells + FIELDS + len(runs) <= page.end:
                page.lines[-1].add(runs, Role.MUTED, skip=FIELDS)

    def _run(self, page: TextBuilder, asset: AssetRow) -> None:
        """Write the marked run."""
        if not 0 <= self._cursor < len(self._model.runs):
            return
        bar, ui = self._model.runs[self._cursor], self._ui
        mode = safe(bar.run.mode.replace("_", " "), ui.glyphs) if bar.run.mode else ""
        words = [figure(asset, bar.amount(asset), ui, sign=True), *self._run_facts(bar, asset)]
        words += [clock_time(bar.run.at, ui.clock(), ui.zone), mode]
        words.append(safe(bar.run.run_id, ui.glyphs))
        fact(page, f"run {bar.number}", _GAP.join(word for word in words if word))

    def _run_facts(self, bar: RunBar, asset: AssetRow) -> list[str]:
        """Return the outcomes of a run's moves of an asset, its costs and its gas."""
        ui, name, run = self._ui, asset.name, bar.run
        if asset.is_gas:
            return []
        words = [
            f"{outcome.words} {figure(asset, net[name], ui, sign=True)}"
            for outcome, net in run.by_outcome.items()
            if name in net
        ]
        if run.net and Outcome.REALISED not in run.by_outcome:
            words.append(f"realised {figure(asset, None, ui)}")
        sums = run.sums_of(name)
        if sums is not None:
            costs = {one: getattr(sums, one) for one in _COSTS}
            words += [f"{one} {figure(asset, cost, ui)}" for one, cost in costs.items() if cost]
        if run.transactions:
            words.append(f"gas {count(run.gas_used)}")
        return words

    def _outcomes(self, page: TextBuilder, asset: AssetRow) -> None:
        ui = self._ui
        words = [
            f"{outcome.words} {figure(asset, net, ui, sign=True)}"
            for outcome, net in asset.outcomes
        ]
        if asset.is_gas:
            transactions = self._model.session.realised.transactions
            words = [f"units of gas of {count(transactions)} confirmed transactions"]
        if words:
            fact(page, "outcomes", ui.glyphs.plain(_GAP.join(words)), Role.MUTED)

    def _warnings(self, page: TextBuilder, shown: Collection[str]) -> None:
        ui, model = self._ui, self._model
        for one in model.warnings:
            message = warning_text(ui, model, one)
            if message not in shown:
                marked(page, message)
        for why in model.session.realised.unaccounted:
            moved, reason = money(ui, model, why.name, why.amount), safe(why.reason, ui.glyphs)
            moves = _counted(why.moves, "move")
            marked(page, f"unexplained {moved} in {moves}: {why.message} ({reason})")

    def _rest(self, page: TextBuilder) -> None:
        glyphs, session = self._ui.glyphs, self._model.session
        for handoff in session.realised.pending:
            asset, recorded = str(handoff.asset), str(handoff.amount)
            moved = recorded_money(self._ui, self._model, asset, recorded)
            status, run_id = safe(str(handoff.status), glyphs), safe(handoff.run_id, glyphs)
            fact(page, "handoff", f"{status}, not realised: {moved} in run {run_id}")
        ledger = session.ledger
        for name, counts in (
            ("triggers", ledger.triggers),
            ("receipts", ledger.receipts),
            ("events", ledger.events),
        ):
            listed = _GAP.join(f"{safe(key, glyphs)} {count(n)}" for key, n in counts.items())
            fact(page, name, listed or "none", Role.MUTED)
        if page.width < NARROW:
            fact(page, "limit", f"the newest {self._limit} runs", Role.MUTED)
        for unread in session.unreadable:
            sentence = f"{unread.run_id}, {unread.part}: {unread.reason}"
            fact(page, "left out", glyphs.safe(sentence))


def _counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{count(number)} {noun}s"


def text_to_copy(ui: UiContext, model: PnlModel, asset: AssetRow) -> str:
    """Return an asset's amounts with every digit, one on each line."""
    lines = [f"{safe(model.session.name, ui.glyphs)} {safe(asset.name, ui.glyphs)}"]
    for column in SUMS if asset.sums is not None else ():
        lines.append(f"{TITLES[column]} {figure(asset, getattr(asset.sums, column), ui)}")
    return "\n".join([*lines, f"realised {figure(asset, asset.realised, ui)}"])


UNNAMED = "(no step)"
_REALISED = "realised"
_COLUMNS = ("net", _REALISED, "fees", "losses")
_STEP_CELLS, _RUNS_CELLS, _COLUMN_GAP = 20, 4, 2
_LEAST_CELLS = (12, 12, 6, 6)
_REST_CELLS = 16


class StepTable:
    """Writes the moves of one asset by step, over all runs."""

    def __init__(self, ui: UiContext, model: PnlModel, asset: AssetRow) -> None:
        self._ui = ui
        self._asset = asset
        self._steps = model.steps_of(asset)

    def write(self, page: TextBuilder) -> None:
        """Write a table if every digit fits, else a few lines for each step."""
        ui, title = self._ui, page.line()
        name = "" if self._asset.is_gas else f", {symbol_of(self._asset, ui)}"
        title.add(clip(f"by step{name}", page.room, ellipsis=ui.glyphs.cut), Role.STRONG)
        subtitle = "each step over all runs, by outcome"
        room = page.end - title.cells - 3
        if room > 8:
            title.add(clip(subtitle, room, ellipsis=ui.glyphs.cut), Role.MUTED, skip=3)
        page.line()
        if self._asset.is_gas:
            fact(page, "", "gas is recorded by transaction, not by step", Role.MUTED)
        elif not self._steps:
            fact(page, "", "not moved by any step", Role.MUTED)
        elif not self._write_table(page):
            for step in self._steps:
                self._write_step(page, step)

    def _numbers(self, step: StepSums) -> Sequence[int | None]:
        name = self._asset.name
        sums = step.sums_of(name)
        realised = step.by_outcome.get(Outcome.REALISED, {}).get(name)
        if sums is None:
            return [None, realised, None, None]
        return [sums.net, realised, sums.fees, sums.losses]

    def _figures(self, step: StepSums) -> list[str]:
        return [figure(self._asset, number, self._ui) for number in self._numbers(step)]

    def _other_outcomes(self, step: StepSums) -> str:
        name = self._asset.name
        words = [
            f"{outcome.words} {figure(self._asset, net[name], self._ui, sign=True)}"
            for outcome, net in step.by_outcome.items()
            if outcome is not Outcome.REALISED and name in net
        ]
        return self._ui.glyphs.plain(_GAP.join(words))

    def _write_table(self, page: TextBuilder) -> bool:
        """Write a table and return True, or nothing if a figure does not fit."""
        rows = [(step, self._figures(step)) for step in self._steps]
        cells = [
            max(least, *(len(row[at]) for _, row in rows)) for at, least in enumerate(_LEAST_CELLS)
        ]
        begin = page.margin + _STEP_CELLS + _RUNS_CELLS + _COLUMN_GAP
        rest = begin + sum(cells) + _COLUMN_GAP * len(cells) + 1
        if rest + _REST_CELLS > page.end:
            return False
        self._write_head(page, begin, cells, rest)
        cut = self._ui.glyphs.cut
        for step, texts in rows:
            line = page.line()
            line.put(page.margin, clip(self._name(step), _STEP_CELLS - 1, ellipsis=cut), Role.TEXT)
            line.right(begin - _COLUMN_GAP, count(step.runs), Role.MUTED)
            end = begin - _COLUMN_GAP
            for title, text, wide, number in zip(
                _COLUMNS, texts, cells, self._numbers(step), strict=True
            ):
                end += _COLUMN_GAP + wide
                line.put(end - cell_width(text), text, role_of(number, title))
            others = clip(self._other_outcomes(step), page.end - rest, ellipsis=cut)
            line.put(rest, others, Role.MUTED)
        return True

    def _write_head(self, page: TextBuilder, begin: int, cells: Sequence[int], rest: int) -> None:
        line = page.line()
        line.put(page.margin, "step", Role.MUTED)
        line.right(begin - _COLUMN_GAP, "runs", Role.MUTED)
        end = begin - _COLUMN_GAP
        for title, wide in zip(_COLUMNS, cells, strict=True):
            end += _COLUMN_GAP + wide
            line.right(end, title, Role.MUTED)
        line.put(rest, "other outcomes", Role.MUTED)

    def _name(self, step: StepSums) -> str:
        return UNNAMED if step.step_id is None else safe(step.step_id, self._ui.glyphs)

    def _write_step(self, page: TextBuilder, step: StepSums) -> None:
        ui, line = self._ui, page.line()
        runs = _counted(step.runs, "run")
        line.add(clip(self._name(step), page.room - len(runs) - 3, ellipsis=ui.glyphs.cut))
        line.add(runs, Role.MUTED, skip=3)
        begun = False
        for title, text, number in zip(
            _COLUMNS, self._figures(step), self._numbers(step), strict=True
        ):
            begun = field(page, title, text, role_of(number, title), begun)
        others = self._other_outcomes(step)
        if others:
            fact(page, "others", others, Role.MUTED)
