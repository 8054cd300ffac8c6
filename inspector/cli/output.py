"""How answers leave the program: one JSON document, JSON rows, or plain lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.cli.errors import NotWritten
from inspector.export.documents import document, row_document
from inspector.text.escape import json_text, visible
from inspector.text.mask import mask_named

LONGEST_TEXT = 400
"""Characters of a label or an error in a plain line."""
MASKED_TEXT = 100_000
"""Characters of it that are looked through for secrets."""
WIDEST = 100
"""Cells of the widest column; a longer text moves the rest of its own line only."""


def write_json(kind: str, content: Mapping[str, Any], *, reveal: bool, hidden: int = 0) -> None:
    """One document on standard output; `hidden` = masks that are in the content already."""
    found = document(kind, content, reveal=reveal)
    _write(json_text({**found, "masked": found["masked"] + hidden}, indent=2) + "\n")


def write_jsonl(kind: str, rows: Iterable[Mapping[str, Any]], *, reveal: bool) -> None:
    """One row a line, each written at once."""
    for row in rows:
        _write(json_text(row_document(kind, row, reveal=reveal)) + "\n")
        sys.stdout.flush()


def write_table(rows: Sequence[Sequence[str]], *, right: Iterable[int] = ()) -> None:
    """Aligned columns, the first row being their names; nothing wraps, nothing is cut."""
    from inspector.text.measure import cell_width, pad

    rights = set(right)
    wide = [[cell_width(cell) for cell in row] for row in rows]
    widths = [min(max(column), WIDEST) for column in zip(*wide, strict=True)]
    for row in rows:
        cells = [
            pad(cell, max(width, cell_width(cell)), "right" if at in rights else "left")
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        write_line("  ".join(cells).rstrip())


def write_line(line: str = "") -> None:
    """A line of our own making; what came from data must have gone through `shown` before."""
    _write(line + "\n")


def shown(text: str, *, reveal: bool = False, name: str | None = None) -> str:
    """Text from data as it may be printed: masked, with every control character made visible.

    `name` is what the text is the value of, when it has one: some are hidden for that alone.
    """
    return visible(text if reveal else mask_named(name, text).text)


def brief(text: str, *, reveal: bool = False) -> str:
    """As `shown`, of a text that may be very long: its beginning, as far as a line may show it."""
    if len(text) <= LONGEST_TEXT:
        return shown(text, reveal=reveal)
    from inspector.text.numbers import size

    # Masked before it is cut: half a secret is not known as one.
    safe = shown(text[:MASKED_TEXT], reveal=reveal)
    return f"{safe[:LONGEST_TEXT]}… ({size(len(text.encode('utf-8', 'replace')))})"


def line_cells() -> int | None:
    """How wide a line may be: the terminal's width; None where there is none."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return max(shutil.get_terminal_size().columns, 40)


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotWritten(error) from None
