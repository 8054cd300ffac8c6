"""A tab of which nothing is known but the runtime's own records: they are shown as they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.query.backend import RunReader
from inspector.query.view import Tab
from inspector.ui.run.asking import Asker
from inspector.ui.run.content import Content, record_content
from inspector.ui.run.content_view import ContentView, Titled
from inspector.ui.run.copying import fit_to_copy
from inspector.ui.run.label import safe
from inspector.ui.run.pane import Copy, Pane


class RecordsPane(Pane):
    """The records of one part, below each other."""

    def __init__(self, asker: Asker, tab: Tab) -> None:
        super().__init__(asker, id=f"records-{tab.part.replace('_', '-')}")
        self._tab = tab
        self._content: Content | None = None

    def compose(self) -> ComposeResult:
        """The records."""
        yield ContentView(id="content")

    @property
    def main(self) -> Widget:
        """The records."""
        return self.query_one(ContentView)

    def opened(self) -> None:
        """Reads the records."""
        part = self._tab.part

        def question(reader: RunReader) -> tuple[int, Content] | None:
            try:
                records: Sequence[Mapping[str, Any]] = reader.record(part)
            except KeyError:
                return None
            return len(records), record_content([dict(record) for record in records])

        self.asker.ask(f"record {part}", question, self._take)

    def _take(self, answer: tuple[int, Content] | Unavailable | None) -> None:
        signs = self.kit.signs
        title, note = safe(self._tab.title, signs), ""
        facts: tuple[str, ...] = ()
        if isinstance(answer, Unavailable):
            note = safe(answer.reason, signs)
        elif answer is None:
            note = "This run has no such records."
        else:
            number, self._content = answer
            facts = (f"{number:,} records",)
        self.query_one(ContentView).tell(Titled(title, facts, self._content, note), keep=True)

    def value_to_copy(self) -> Copy | None:
        """All records as they are shown."""
        if self._content is None:
            return None
        lines = (line.lead + line.key + line.rest for line in self._content.lines)
        return Copy(fit_to_copy(None, "\n".join(lines)), "the records")
