"""The list of all tables and views of a database: what there is of each, and how many rows."""

from __future__ import annotations

from collections.abc import Callable

from inspector.live.feed import Unavailable
from inspector.query.run_reader import RunReader
from inspector.ui.palette import Role
from inspector.ui.run.asking import Asker
from inspector.ui.run.content_view import ContentView, Titled
from inspector.ui.run.database_asking import DatabaseAsker
from inspector.ui.run.label import safe
from inspector.ui.run.raw_bar import RawBar
from inspector.ui.run.record_columns import TABLES, Record
from inspector.ui.run.record_list import RecordList
from inspector.ui.run.table_facts import facts_of


class TablesListed:
    """Reads the list with the run's own reader, and counts rows with that of the database."""

    def __init__(
        self,
        asker: Asker,
        database: DatabaseAsker,
        shown: RecordList,
        told: Callable[[], None],
    ) -> None:
        self.records: tuple[Record, ...] = ()
        self._asker = asker
        self._database = database
        self._shown = shown
        self._told = told
        self._absent: tuple[str, ...] = ()
        self._counts: dict[str, int | None] = {}
        self._trouble = ""
        self._read = False

    def read(self) -> None:
        """Reads the list."""
        self._asker.ask("tables", _tables, self._take)

    def _take(self, answer: tuple[Record, ...] | Unavailable) -> None:
        self._read = True
        if isinstance(answer, Unavailable):
            self._trouble = answer.reason
        else:
            self._trouble = ""
            self.records = tuple(one for one in answer if not one.get("missing"))
            self._absent = tuple(str(one["name"]) for one in answer if one.get("missing"))
        self._show()

    def names(self) -> dict[str, list[str]]:
        """Tables with their columns."""
        return {str(one["name"]): list(one["columns"]) for one in self.records}

    def _show(self) -> None:
        shown = ({**one, "rows": self._counts.get(str(one["name"]))} for one in self.records)
        self._shown.show(TABLES, tuple(shown))
        self._told()

    def outdated(self) -> None:
        """There may be other rows."""
        self._counts.clear()

    def count_next(self) -> None:
        """Counts the rows of one table; `told` is called when that is done."""
        names = (str(one["name"]) for one in self.records)
        name = next((name for name in names if name not in self._counts), None)
        if name is None or self._database.waiting:
            return

        def take(answer: int | Unavailable | None) -> None:
            self._counts[name] = answer if isinstance(answer, int) else None
            self._show()

        self._database.ask(lambda database: database.count_of(name), take)

    def tell(self, bar: RawBar, view: ContentView, *, keep: bool) -> None:
        """Says how many there are, which should be there, and how the selected one is made."""
        glyphs, record, number = self._shown.ui.glyphs, self._shown.record, len(self.records)
        title = f"{number:,} {'table or view' if number == 1 else 'tables and views'}"
        absent = f"documented, not in this database: {', '.join(self._absent)}"
        bar.show(
            title if self.records else "",
            (safe(self._trouble, glyphs), Role.WARNING),
            (safe(absent, glyphs) if self._absent else "", Role.MUTED),
        )
        if record is None:
            nothing = self._read and not self._trouble
            view.tell(
                Titled("", (), None, "This database has no tables." if nothing else ""), keep=False
            )
        else:
            view.tell(facts_of(record, glyphs), keep=keep)


def _tables(reader: RunReader) -> tuple[Record, ...]:
    return tuple(reader.record("tables"))
