"""Output of commands: one JSON document, JSON rows, tables and lines.

Rich is imported only when standard output is a terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from inspector.cli.errors import NotWritten
from inspector.export.documents import document, row_document
from inspector.text.escape import json_text, visible
from inspector.text.mask import mask_named

LONGEST_TEXT = 400
"""Characters of a label or an error on one line."""
MASKED_TEXT = 100_000
"""Characters of a longer text that are searched for secrets before it is cut."""
WIDEST = 100
"""Cells of the widest column; a longer cell moves only the rest of its own line."""


def write_json(kind: str, content: Mapping[str, object], *, reveal: bool, hidden: int = 0) -> None:
    """Write one document; `hidden` is the number of masks already in the content."""
    found = document(kind, content, reveal=reveal)
    _write(json_text({**found, "masked": found["masked"] + hidden}, indent=2) + "\n")


def write_jsonl(kind: str, rows: Iterable[Mapping[str, object]], *, reveal: bool) -> None:
    """Write one row per line, flushing each."""
    for row in rows:
        _write(json_text(row_document(kind, row, reveal=reveal)) + "\n")
        sys.stdout.flush()


def write_csv(kind: str, rows: Iterable[Mapping[str, object]], *, reveal: bool) -> None:
    """Write rows as CSV under a line of their field names, masked like JSON.

    Missing and null cells are empty, blobs and nested values are JSON.
    """
    import csv
    import io

    shown_rows = [row_document(kind, row, reveal=reveal) for row in rows]
    names = list(dict.fromkeys(name for row in shown_rows for name in row))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([visible(name) for name in names])
    writer.writerows([_csv_cell(row.get(name)) for name in names] for row in shown_rows)
    _write(buffer.getvalue())


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json_text(value)
    return "\n".join(visible(line) for line in text.split("\n"))


def is_terminal() -> bool:
    """Return whether a person reads standard output."""
    return sys.stdout.isatty()


def write_table(
    rows: Sequence[Sequence[str]],
    *,
    right: Iterable[int] = (),
    status: Iterable[int] = (),
    shortened: Iterable[int] = (),
    optional: Sequence[int] = (),
) -> None:
    """Write a table whose first row holds the titles; cells must have gone through `shown`.

    Numbers of columns: `right` are aligned to the right, `status` are coloured, `shortened` may be
    cut on a narrow terminal, and `optional` left out. If standard output is not a terminal, the
    text is aligned, and neither wrapped nor cut.
    """
    rights = frozenset(right)
    if is_terminal():
        from inspector.cli.terminal import table

        _write(table(rows, rights, frozenset(status), frozenset(shortened), optional))
        return
    from inspector.text.measure import cell_width, pad

    wide = [[cell_width(cell) for cell in row] for row in rows]
    widths = [min(max(column), WIDEST) for column in zip(*wide, strict=True)]
    for row in rows:
        cells = [
            pad(cell, max(width, cell_width(cell)), "right" if at in rights else "left")
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        write_line("  ".join(cells).rstrip())


def write_status(line: str, status: str) -> None:
    """Write a line in the colour of a status."""
    if is_terminal():
        from inspector.cli.terminal import style_of, styled

        _write(styled(line, style_of(status)))
    else:
        write_line(line)


def write_text(text: str) -> None:
    """Write text that `inspector.cli.terminal` drew."""
    _write(text)


def write_line(line: str = "") -> None:
    """Write a line; text from data must have gone through `shown`."""
    _write(line + "\n")


def shown(text: str, *, reveal: bool = False, name: str | None = None) -> str:
    """Return text from data with secrets masked and control characters escaped.

    `name` is the name of the value, if it has one; values of some names are hidden entirely.
    """
    return visible(text if reveal else mask_named(name, text).text)


def brief(text: str, *, reveal: bool = False) -> str:
    """Return `shown(text)`, cut to what fits on a line, with the size of the whole."""
    if len(text) <= LONGEST_TEXT:
        return shown(text, reveal=reveal)
    from inspector.text.numbers import size

    # Mask first: half a secret is not recognised.
    safe = shown(text[:MASKED_TEXT], reveal=reveal)
    return f"{safe[:LONGEST_TEXT]}… ({size(len(text.encode('utf-8', 'replace')))})"


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
