"""`inspector record … table:NAME`: the rows of any table or view as they stand, in pages."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from inspector.cli.errors import BAD_USAGE, UNREADABLE, UserError
from inspector.export import documents
from inspector.model.clock import Clock
from inspector.query.raw_database import RawDatabase
from inspector.query.raw_pages import key_text, range_after
from inspector.text.escape import visible

TABLE = "table:"
"""Before the name of a table or view."""
MOST_ROWS = 10_000
"""Rows of a page unless `--limit` says otherwise."""


def is_table(part: str | None) -> bool:
    """Whether a part of a record is the rows of a table."""
    return part is not None and part.startswith(TABLE)


def refuse_paging(options: argparse.Namespace) -> None:
    """Only tables have pages. Raises UserError where another part is asked for in pages."""
    if options.limit is not None or options.after is not None:
        raise UserError("--limit and --after are for a table: name one as table:NAME.", BAD_USAGE)


def goes_on(content: Mapping[str, Any]) -> str:
    """That there are more rows, and how to have them."""
    of = "" if content["rows"] is None else f" of {content['rows']:,}"
    place = shlex.quote(visible(str(content["next"])))
    return f"There are more rows{of}: --after {place} shows those that follow."


def table_rows(path: str, clock: Clock, options: argparse.Namespace) -> dict[str, Any]:
    """A page as a document: `next` is where the one after it begins, null after the last.

    Raises KeyError when there is no such table, and StoreUnavailable.
    """
    name = options.part.removeprefix(TABLE)
    limit = MOST_ROWS if options.limit is None else options.limit
    with closing(RawDatabase(path, clock)) as database:
        shape = database.shape(name)
        if not shape.columns:
            raise UserError(f"{name} cannot be read. {database.why_no_columns(shape)}", UNREADABLE)
        try:
            wanted = range_after(shape, options.after or "")
        except ValueError:
            raise UserError(
                f"{options.after!r} is no place in {name}: give what `next` said.", BAD_USAGE
            ) from None
        rows, more = database.whole_rows(shape, wanted, limit)
        names = [column.name for column in shape.columns]
        last = rows[-1].key if rows else None
        following = key_text(last, wanted.skip + len(rows)) if more else None
        return {
            **documents.record(
                options.part, (dict(zip(names, row.cells, strict=True)) for row in rows)
            ),
            "rows": database.count(shape),
            "next": following,
        }
