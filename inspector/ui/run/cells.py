"""A cell of a database as text: what it is can be told from how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inspector.query.ask_sql import unique_names
from inspector.query.raw_pages import Cut, Withheld
from inspector.text.mask import mask_named
from inspector.text.numbers import count, size
from inspector.ui.glyphs import Glyphs
from inspector.ui.palette import Role
from inspector.ui.run.label import LONGEST

NULL = "NULL"
LEASE = "withheld"
HEX_BYTES = 32


class Written(NamedTuple):
    """Safe text, its hue, and whether it stands at the right of its column."""

    text: str
    role: Role
    right: bool


def written(name: str, cell: Any, glyphs: Glyphs) -> Written:
    """A cell on one line; `name` is the column's, because some names say that it is a secret."""
    if cell is None:
        return Written(NULL, Role.FAINT, False)
    if isinstance(cell, bool | int | float):
        return Written(str(cell), Role.TEXT, True)
    if isinstance(cell, Withheld):
        return Written(LEASE, Role.MUTED, False)
    head, length = (cell.head, cell.size) if isinstance(cell, Cut) else (cell, len(cell))
    if isinstance(head, bytes):
        return Written(f"blob {size(length)}", Role.MUTED, True)
    if not head:
        return Written("''", Role.FAINT, False)
    shown = glyphs.safe(mask_named(name, head[:LONGEST]).text)
    return Written(shown, Role.TEXT, False)


def told(cell: Any) -> str:
    """What a cell is, in words: its storage class and how long it is."""
    if cell is None:
        return "null"
    if isinstance(cell, Withheld):
        return "never read"
    if isinstance(cell, int):
        return "integer"
    if isinstance(cell, float):
        return "real"
    head, length = (cell.head, cell.size) if isinstance(cell, Cut) else (cell, None)
    if isinstance(head, bytes):
        return f"blob, {size(len(head) if length is None else length)}"
    return f"text, {count(len(head))} chars" if length is None else f"text, {size(length)}"


def full(cell: Any) -> Any:
    """A cell as the detail of a row and a copy have it."""
    if isinstance(cell, Withheld):
        return "‹never read›"
    head, length = (cell.head, cell.size) if isinstance(cell, Cut) else (cell, None)
    if isinstance(head, bytes):
        whole = len(head) if length is None else length
        digits = head[:HEX_BYTES].hex(" ")
        return f"‹blob, {size(whole)}› {digits}{' …' if whole > HEX_BYTES else ''}".rstrip()
    return head if length is None else f"{head}… ‹{size(length)} in all›"


def is_whole(cells: Sequence[Any]) -> bool:
    """Whether no cell of a row was cut."""
    return not any(isinstance(cell, Cut) for cell in cells)


def as_record(names: Sequence[str], cells: Sequence[Any]) -> Mapping[str, Any]:
    """A row by the names of its columns; names that repeat are numbered."""
    return dict(zip(unique_names(names), map(full, cells), strict=True))
