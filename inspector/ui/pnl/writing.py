"""Lines of facts, amounts and warnings, over as many lines as they take. All text is safe."""

from __future__ import annotations

from inspector.query.grimoire.session_document import warning_words
from inspector.text.numbers import amount
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.lines import wrapped
from inspector.ui.palette import Role
from inspector.ui.pnl.book import AssetLine, Book, Warned
from inspector.ui.pnl.figures import decimals_of, figure, in_groups, symbol_of
from inspector.ui.widgets.text_view import TextBuilder

LABEL = 13
FIELDS = 3
"""Cells between the fields of a line."""
MOST_LINES = 400
"""Of one text: enough for a number of tens of thousands of digits."""


def fact(page: TextBuilder, label: str, text: str, role: Role = Role.TEXT) -> None:
    """A label and text beside it."""
    room = max(8, page.room - LABEL)
    for number, part in enumerate(wrapped(text, room, MOST_LINES, page.ui.glyphs.cut)):
        line = page.line()
        line.put(page.margin, "" if number else label, Role.MUTED)
        line.put(page.margin + LABEL, part, role)


def field(page: TextBuilder, label: str, text: str, role: Role, begun: bool) -> bool:
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


def marked(page: TextBuilder, text: str) -> None:
    """Something to look at."""
    glyphs = page.ui.glyphs
    for number, part in enumerate(wrapped(text, page.room - 2, MOST_LINES, glyphs.cut)):
        line = page.line()
        line.put(page.margin, "" if number else glyphs.finding, Role.WARNING)
        line.put(page.margin + 2, part, Role.TEXT)


def asset_named(book: Book, name: str) -> AssetLine:
    """The asset of this name, also where no run's sums have it."""
    known = next((one for one in book.assets if one.name == name and not one.is_gas), None)
    return known or AssetLine(name, None, None, 0)


def money(ui: UiContext, book: Book, name: str, number: int) -> str:
    """An amount and what it is of, as everywhere on the screen."""
    asset = asset_named(book, name)
    return f"{figure(asset, number, ui)} {symbol_of(asset, ui)}"


def recorded_money(ui: UiContext, book: Book, name: str, text: str) -> str:
    """An amount that was recorded as text, which may be no number."""
    asset = asset_named(book, name)
    number = safe(amount(text, decimals=decimals_of(asset, ui)), ui.glyphs)
    return f"{number} {symbol_of(asset, ui)}"


def warning_text(ui: UiContext, book: Book, warned: Warned) -> str:
    """A warning with its amount in the units of everything else."""
    if warned.amount is None or warned.asset is None:
        return ui.glyphs.safe(warned.message)
    step = None if warned.step is None else safe(warned.step, ui.glyphs)
    moved = money(ui, book, warned.asset, warned.amount)
    return ui.glyphs.plain(warning_words(warned.code, step, moved))
