"""Amounts as text: with every digit, or the number of digits where there is no room."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.derive.money import all_digits
from inspector.query.pnl import SUMS, PnlWarning, warning_sentence
from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED, amount, count
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.lines import wrapped
from inspector.ui.palette import Role
from inspector.ui.pnl.model import AssetRow, PnlModel
from inspector.ui.widgets.text_view import TextBuilder

BAR_CELLS = 8
"""The usual width of a short amount."""

_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))

TITLES = {name: name for name in SUMS} | {"unaccounted": "unexplained"}
"""The titles of sums."""

LABEL = 13

FIELDS = 3
"""Cells between the fields of a line."""

MOST_LINES = 400
"""Lines of one text: enough for a number of tens of thousands of digits."""


def decimals_of(asset: AssetRow, ui: UiContext) -> int:
    """Return the decimals in the user's settings; 0 for base units."""
    known = None if asset.is_gas else ui.assets.get(asset.name)
    return known.decimals if known is not None else 0


def symbol_of(asset: AssetRow, ui: UiContext) -> str:
    """Return the asset's symbol in the settings, or its name as recorded. Safe text."""
    known = None if asset.is_gas else ui.assets.get(asset.name)
    name = known.symbol if known is not None and known.symbol else asset.name
    return safe(name, ui.glyphs)


def figure(asset: AssetRow, number: int | None, ui: UiContext, *, sign: bool = False) -> str:
    """Return an amount with every digit; `–` if none is recorded."""
    if number is None:
        return ui.glyphs.plain(NOT_RECORDED)
    return amount(number, decimals=decimals_of(asset, ui), sign=sign)


def in_cells(text: str, cells: int) -> str:
    """Return an amount if it fits, else its number of digits; a cut number would mislead."""
    if len(text) <= cells:
        return text
    digits = sum(character.isdigit() for character in text)
    return clip(f"{'-' if text.startswith('-') else ''}{count(digits)} digits", cells)


def in_groups(text: str, cells: int) -> list[str]:
    """Return an amount over several lines, broken between groups of digits where possible."""
    lines = [""]
    for group in text.replace(",", ",\n").split("\n"):
        while len(group) > cells:
            lines += [group[:cells]]
            group = group[cells:]
        if len(lines[-1]) + len(group) > cells:
            lines.append("")
        lines[-1] += group
    return [line for line in lines if line]


def role_of(number: int | None, column: str) -> Role:
    """Return the colour of an amount of a column."""
    if not number:
        return Role.FAINT
    if column == "net":
        return Role.ERROR if number < 0 else Role.STRONG
    if column == "unaccounted":
        return Role.WARNING
    if number < 0:
        return Role.ERROR
    return Role.TEXT if column == "realised" else Role.MUTED


def on_a_bar(number: int, decimals: int) -> str:
    """Return a signed amount for a bar, truncated if long: `+107.5`, `+11.2M`, `-1.1e77`."""
    text = amount(number, decimals=decimals, sign=True)
    if len(text) < BAR_CELLS:
        return text
    sign, size = text[0], abs(number)
    units, rest = divmod(size, 10**decimals)
    if units >= 10**15:
        digits = all_digits(units)
        return f"{sign}{digits[0]}.{digits[1]}e{len(digits) - 1}"
    for scale, unit in _UNITS:
        if units >= scale:
            whole, part = divmod(units, scale)
            tenth = f".{part * 10 // scale}" if part or rest else ""
            return f"{sign}{whole}{tenth}{unit}"
    hundredths = rest * 100 // 10**decimals
    if units or hundredths:
        return f"{sign}{units}.{hundredths:02d}"
    return f"{sign}<0.01"


def spread(needed: Sequence[int], usual: Sequence[int], room: int) -> list[int] | None:
    """Return the widths of columns: the usual ones if all fit, else what they need.

    None if there is no room; `room` is without the gaps between columns.
    """
    if all(map(int.__le__, needed, usual)) and sum(usual) <= room:
        return list(usual)
    if sum(needed) > room:
        return None
    cells, spare = list(needed), room - sum(needed)
    for column, most in enumerate(usual):
        more = min(spare, max(0, most - cells[column]))
        cells[column] += more
        spare -= more
    return cells


# Lines of facts, amounts and warnings. All text is safe.


def fact(page: TextBuilder, label: str, text: str, role: Role = Role.TEXT) -> None:
    """Add a label and a text beside it."""
    room = max(8, page.room - LABEL)
    for number, part in enumerate(wrapped(text, room, MOST_LINES, page.ui.glyphs.cut)):
        line = page.line()
        line.put(page.margin, "" if number else label, Role.MUTED)
        line.put(page.margin + LABEL, part, role)


def field(page: TextBuilder, label: str, text: str, role: Role, begun: bool) -> bool:
    """Add a label and an amount; return True if another may follow on the line.

    `begun` if the last line consists of such fields.
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
    """Add a warning."""
    glyphs = page.ui.glyphs
    for number, part in enumerate(wrapped(text, page.room - 2, MOST_LINES, glyphs.cut)):
        line = page.line()
        line.put(page.margin, "" if number else glyphs.finding, Role.WARNING)
        line.put(page.margin + 2, part, Role.TEXT)


def money(ui: UiContext, model: PnlModel, name: str, number: int) -> str:
    """Return an amount with its asset."""
    asset = model.asset(name)
    return f"{figure(asset, number, ui)} {symbol_of(asset, ui)}"


def recorded_money(ui: UiContext, model: PnlModel, name: str, text: str) -> str:
    """Return an amount recorded as text, which may not be a number, with its asset."""
    asset = model.asset(name)
    number = safe(amount(text, decimals=decimals_of(asset, ui)), ui.glyphs)
    return f"{number} {symbol_of(asset, ui)}"


def warning_text(ui: UiContext, model: PnlModel, warning: PnlWarning) -> str:
    """Return a warning with its amount in the units of the screen."""
    step = safe(str(warning.step_id), ui.glyphs)
    moved = "" if warning.amount is None else money(ui, model, warning.name, warning.amount)
    return ui.glyphs.plain(warning_sentence(warning, model.session.ledger.total, step, moved))
