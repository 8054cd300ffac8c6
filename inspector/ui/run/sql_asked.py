"""A question in SQL on the screen: what was asked, whether it is being answered, the answer."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.app import App

from inspector.live.feed import Unavailable
from inspector.query.ask_sql import MOST_ROWS, CannotAnswer, SqlAnswer
from inspector.query.raw_database import RawDatabase
from inspector.query.raw_pages import Row
from inspector.text.numbers import count, duration
from inspector.ui.glyphs import Glyphs
from inspector.ui.palette import Role
from inspector.ui.run.database_asking import DatabaseAsker
from inspector.ui.run.grid import Fixed, Grid, columns_of
from inspector.ui.run.label import safe
from inspector.ui.run.sql_field import SqlField, history_of
from inspector.ui.run.sql_names import quoted_name

Fact = tuple[str, Role]


class SqlAsked:
    """Asks one question at a time."""

    def __init__(
        self, asker: DatabaseAsker, grid: Grid, answered: Callable[[], None], glyphs: Glyphs
    ) -> None:
        self.sql = ""
        self.answer: SqlAnswer | None = None
        self._trouble = ""
        self._asker = asker
        self._grid = grid
        self._told = answered
        self._signs = glyphs
        self._began: float | None = None
        self._field: SqlField | None = None

    @property
    def running(self) -> bool:
        """Whether an answer is awaited."""
        return self._began is not None

    def begin(self, field: SqlField, table: str | None) -> None:
        """Nothing is asked yet; what stood in the field stays."""
        self.answer, self._trouble, self._began = None, "", None
        self._field = field
        field.propose(f"SELECT * FROM {quoted_name(table)} LIMIT 100" if table else "")

    def ask(self, field: SqlField, app: App[object]) -> None:
        """Asks what stands in the field; what is being answered is given up."""
        sql = (field.value or field.proposal).strip()
        if not sql:
            return
        field.write(sql)
        history_of(app).add(sql)
        self._asker.turn()
        self.sql, self.answer, self._trouble = sql, None, ""
        self._field = field
        self._began = time.monotonic()
        self._grid.show(Fixed(), ())
        self._asker.ask(lambda database: _asked(database, sql), self._take)

    def older(self, field: SqlField, app: App[object], by: int) -> None:
        """What was asked before, or after that."""
        found = history_of(app).step(by, field.value)
        if found is not None:
            field.write(found)

    def cancel(self) -> None:
        """Gives up the question."""
        self._asker.cancel()

    def _take(self, answer: SqlAnswer | CannotAnswer | Unavailable) -> None:
        self._began = None
        if isinstance(answer, SqlAnswer):
            self.answer = answer
            rows = [Row(None, tuple(row)) for row in answer.rows]
            # What came from a column of secrets is one under every name.
            secrets = answer.secret or (None,) * len(answer.columns)
            names = [
                (name, secret or name) for name, secret in zip(answer.columns, secrets, strict=True)
            ]
            self._grid.show(Fixed(rows), columns_of(names, rows, self._signs))
        elif isinstance(answer, CannotAnswer):
            self._trouble = str(answer)
            if answer.at is not None and self._field is not None:
                self._field.write(self._field.value, answer.at)
        else:
            self._trouble = answer.reason
        self._told()

    def facts(self) -> tuple[Fact, ...]:
        """How it stands, in words."""
        if self._began is not None:
            seconds = int(time.monotonic() - self._began)
            return (("asking" + (f" for {seconds} s" if seconds else ""), Role.ACCENT),
                    ("esc gives it up", Role.MUTED))  # fmt: skip
        if self._trouble:
            return ((safe(self._trouble, self._signs), Role.ERROR),)
        answer = self.answer
        if answer is None:
            return (("enter asks, esc leaves", Role.MUTED),)
        number = len(answer.rows)
        told = f"{count(number)} {'row' if number == 1 else 'rows'}"
        if answer.cut and number >= MOST_ROWS:
            told = f"the first {told}: there are more"
        elif answer.cut:
            told = f"the first {told}: more would be too large"
        many = len(answer.columns)
        where = f"column {self._grid.column + 1:,} of {many:,}" if many > 1 else ""
        took = max(1, round(answer.seconds * 1000))
        return ((told, Role.STRONG), (duration(took), Role.MUTED), (where, Role.MUTED))


def _asked(database: RawDatabase, sql: str) -> SqlAnswer | CannotAnswer:
    try:
        return database.sql(sql)
    except CannotAnswer as refusal:
        return refusal
