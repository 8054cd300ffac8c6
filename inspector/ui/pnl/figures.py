"""Amounts as cells: every digit, or how many there are where they have no room."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.derive.money import all_digits
from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED, amount, count
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.palette import Role
from inspector.ui.pnl.book import AssetLine

BAR_CELLS = 8
"""The longest short form of an amount that is usual."""

_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))


def decimals_of(asset: AssetLine, ui: UiContext) -> int:
    """Decimals that the user's settings name; 0 = base units."""
    known = None if asset.is_gas else ui.assets.get(asset.name)
    return known.decimals if known is not None else 0


def symbol_of(asset: AssetLine, ui: UiContext) -> str:
    """What the asset is called: as the user's settings say, or as it is recorded. Safe text."""
    known = None if asset.is_gas else ui.assets.get(asset.name)
    name = known.symbol if known is not None and known.symbol else asset.name
    return safe(name, ui.glyphs)


def figure(asset: AssetLine, number: int | None, ui: UiContext, *, sign: bool = False) -> str:
    """An amount with every digit; `–` where none is recorded."""
    if number is None:
        return ui.glyphs.plain(NOT_RECORDED)
    return amount(number, decimals=decimals_of(asset, ui), sign=sign)


def in_cells(text: str, cells: int) -> str:
    """An amount where it has room, else how many digits it has: a cut number would be another."""
    if len(text) <= cells:
        return text
    digits = sum(character.isdigit() for character in text)
    return clip(f"{'-' if text.startswith('-') else ''}{count(digits)} digits", cells)


def in_groups(text: str, cells: int) -> list[str]:
    """An amount over several lines, each of whole groups of digits where they have room."""
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
    """How an amount of a column looks."""
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
    """An amount for a bar, with its sign: whole where it is short, else cut, never rounded.

    `+107.5`, `+11.2M`, `-1.1e77`.
    """
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
    """Cells of columns: the usual ones if all fit into them, else what they need; None = no room.

    `room` is for the columns alone, without what is between them.
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
