"""The tab of values: what each name means, and the whole content of the one under the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.store import Runtime
from inspector.model.value import AttachmentVerdict, Value
from inspector.query.backend import KeepsVersions, ReadsAttachments, RunReader
from inspector.query.view import RunView, ValueList
from inspector.text.numbers import NOT_RECORDED, count, size
from inspector.ui.field import Field
from inspector.ui.lines import LineList
from inspector.ui.run.asking import Asker
from inspector.ui.run.content import Content, content_of
from inspector.ui.run.content_view import ContentView, Titled
from inspector.ui.run.copying import fit_to_copy
from inspector.ui.run.label import safe
from inspector.ui.run.pane import Copy, Pane
from inspector.ui.run.previews import size_of, verdict
from inspector.ui.run.values_list import ValueKey, ValuesList, key_of, scope_text

AGAIN = 0.5
"""Seconds between two readings of all values while the run goes on."""

READ_AT_ONCE = 65_536
"""Bytes up to which a content is shown unasked."""


class ValuesPane(Pane):
    """A table above, the content below."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "whole value"),
        ("outward", "scope"),
        ("copy.value", "copy value"),
        ("copy.location", "copy location"),
        ("raw", "raw row"),
        ("find", "filter"),
        ("versions", "older rows"),
        ("step-of", "its step"),
    )

    HAS_VERSIONS: ClassVar[bool] = True

    def __init__(self, asker: Asker, run: Run) -> None:
        super().__init__(asker, id="values-pane")
        self._older = False
        self.run = run
        self._all: ValueList | None = None
        self._shown: ValueList | None = None
        self._scope: str | None = None
        self._reason = ""
        self._contents: dict[ValueKey, Content] = {}
        self._texts: dict[ValueKey, str] = {}
        self._again: Timer | None = None
        self._outdated = True

    def compose(self) -> ComposeResult:
        """The filter, the table, the content."""
        field = Field("/", "esc leaves", id="find")
        field.display = False
        yield field
        yield ValuesList()
        yield ContentView(id="content")

    @property
    def list(self) -> ValuesList:
        """The table."""
        return self.query_one(ValuesList)

    @property
    def main(self) -> Widget:
        """The table."""
        return self.list

    # What arrives

    def take(self, view: RunView) -> None:
        """Another view: the values may be others; they are read again when the tab is seen."""
        self._outdated = True
        if self.display and self._again is None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads the values if they are not known or may be others."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._again = None
        self._outdated = False
        scope, older = self._scope, self._older

        def question(reader: RunReader) -> tuple[ValueList, ValueList]:
            every = reader.values()
            shown = every if scope is None else reader.values(scope)
            return every, with_older(reader, shown) if older else shown

        def take(answer: tuple[ValueList, ValueList] | Unavailable) -> None:
            if isinstance(answer, Unavailable):
                self._reason = answer.reason
            else:
                self._reason = ""
                self._all, self._shown = answer
            self._show()

        self.asker.ask("values", question, take)

    def _show(self) -> None:
        words = self.query_one(Field).value.lower().split()
        values = self._shown.values if self._shown is not None else ()
        kept = [value for value in values if _matches(value, words)]
        told = ""
        if self._scope is not None:
            told = f"seen from {scope_text(self._scope, self.kit.signs)}"
        if words:
            told = f"{told}  {len(kept):,} of {len(values):,}".strip()
        self.list.show(kept, told)
        self._tell()

    # The content

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._tell(keep=False)

    def _tell(self, *, keep: bool = True) -> None:
        value = self.list.value
        view = self.query_one(ContentView)
        if value is None:
            empty = self._reason or ("" if self._shown is None else "No value is recorded here.")
            view.tell(
                Titled("", (), None, safe(empty, self.kit.signs)) if empty else None, keep=False
            )
            return
        content = self._contents.get(key_of(value))
        if content is None and value.value is not None and value.size <= READ_AT_ONCE:
            content = content_of(value.name, value.value, value.type)
        note = ""
        if value.attachment is not None:
            word, _ = verdict(value.attachment)
            note = f"{safe(value.attachment.path, self.kit.signs)}   {word}"
        elif content is None and value.type != "null":
            note = f"{size(value.size)}: enter shows all of it"
        elif content is not None and content.cut:
            note = "the rest is left out here; y copies all of it"
        view.tell(Titled(*self._title(value, content), content, note), keep=keep)

    def _title(self, value: Value, content: Content | None) -> tuple[str, tuple[str, ...]]:
        signs = self.kit.signs
        facts = [scope_text(value.scope, signs)]
        if value.kind:
            facts.append(safe(value.kind, signs))
        held = size_of(value)
        facts.append(f"{count(held)} B" if held is not None else NOT_RECORDED)
        facts.append(content.kind if content is not None else value.type)
        if self.run.runtime is Runtime.OPENPROSE:
            facts.append("projection, not canonical")
        return safe(value.name or NOT_RECORDED, signs), tuple(facts)

    def enter(self) -> None:
        """Reads the whole content, however long."""
        value = self.list.value
        if value is not None:
            self._whole(value)

    def _whole(self, value: Value) -> None:
        key, scope, path = key_of(value), self._scope, _file_of(value)

        def question(reader: RunReader) -> tuple[str, Content] | None:
            if path is not None:
                return _file_content(reader, value.name, path)
            for found in reader.values(scope, full=True).values:
                if key_of(found) == key and found.value is not None:
                    return found.value, content_of(found.name, found.value, found.type)
            return None

        def take(answer: tuple[str, Content] | Unavailable | None) -> None:
            if isinstance(answer, tuple):
                self._texts = {key: answer[0]}
                self._contents = {key: answer[1]}
            self._tell()

        self.asker.ask("whole", question, take)

    # What can be done

    def versions(self) -> None:
        """Older rows below the newest of each value, or only the newest."""
        self._older = not self._older
        self._read()

    def inward(self) -> None:
        """The next scope: how a frame resolves the names."""
        self._turn(1)

    def outward(self) -> None:
        """The scope before; first of all, every scope."""
        self._turn(-1)

    def _turn(self, by: int) -> None:
        scopes: list[str | None] = [None]
        for value in self._all.values if self._all is not None else ():
            if value.scope not in scopes:
                scopes.append(value.scope)
        at = scopes.index(self._scope) if self._scope in scopes else 0
        self._scope = scopes[min(max(at + by, 0), len(scopes) - 1)]
        self._read()

    def find(self) -> None:
        """Opens the filter above the table, where nothing moves for it."""
        field = self.query_one(Field)
        field.display = True
        self.add_class("-finding")
        field.focus()

    @on(Field.Changed)
    def _typed(self) -> None:
        self._show()

    @on(Field.Left)
    def _left(self, event: Field.Left) -> None:
        if event.key == "escape":
            self.back()
        self.list.focus()

    def back(self) -> bool:
        """Leaves the filter."""
        field = self.query_one(Field)
        if not field.display:
            return False
        field.value = ""
        field.display = False
        self.remove_class("-finding")
        self.list.focus()
        self._show()
        return True

    def statement(self) -> str | None:
        """The statement that wrote the value."""
        value = self.list.value
        return value.source_statement if value is not None else None

    def value_to_copy(self) -> Copy | None:
        """The whole content, as far as it was read."""
        value = self.list.value
        if value is None:
            return None
        text = self._texts.get(key_of(value), value.value)
        whole = text is not None
        name = safe(value.name or "value", self.kit.signs)
        return Copy(
            fit_to_copy(value.name, text if text is not None else value.preview),
            name if whole else f"the beginning of {name} (enter reads all of it)",
        )

    def place_to_copy(self) -> Copy | None:
        """Store, run, name, scope and row; of an attachment its path as well."""
        value = self.list.value
        if value is None:
            return None
        parts = [self.run.key, f"value {value.name}", f"scope {value.scope}"]
        if value.row is not None:
            parts.append(f"row {value.row}")
        if value.attachment is not None:
            parts.append(value.attachment.path)
        return Copy(fit_to_copy(None, "  ".join(parts)), "the location")

    def redraw(self) -> None:
        """Another zone or theme."""
        self.list.repaint()


def with_older(reader: RunReader, shown: ValueList) -> ValueList:
    """The values, each with its older rows below it, the newest of these first."""
    if not isinstance(reader, KeepsVersions):
        return shown
    rows: list[Value] = []
    for value in shown.values:
        rows.append(value)
        if value.superseded and value.name is not None:
            older = reader.versions(value.name).values
            same = [one for one in older if one.scope == value.scope and one.row != value.row]
            rows.extend(reversed(same))
    return replace(shown, values=tuple(rows))


def _file_of(value: Value) -> str | None:
    attached = value.attachment
    return attached.path if attached is not None and attached.path else None


def _file_content(reader: RunReader, name: str | None, path: str) -> tuple[str, Content] | None:
    """The first part of an attachment, as text or as what its bytes are."""
    if not isinstance(reader, ReadsAttachments):
        return None
    attachment, data = reader.attachment(path)
    if attachment.verdict is AttachmentVerdict.OK_BINARY:
        text = f"{size(attachment.size)} of bytes that are no text, beginning\n{data[:64].hex(' ')}"
        return text, content_of(None, text, "binary")
    if not data:
        return None
    text = data.decode("utf-8", "replace")
    if attachment.size is not None and attachment.size > len(data):
        text += f"\n… the first {size(len(data))} of {size(attachment.size)}"
    return text, content_of(name, text, "attachment")


def _matches(value: Value, words: list[str]) -> bool:
    text = f"{value.name} {value.scope} {value.kind}".lower()
    return all(word in text for word in words)
