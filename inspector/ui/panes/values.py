"""The values tab: a table of values, and the content of the selected one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.value import WHEN_UNKNOWN, Then, Value
from inspector.query.attached import problem_of
from inspector.query.registry import presentation_of
from inspector.query.run_reader import RunReader
from inspector.query.view import Tab, ValueList
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, SIZE_CELLS, count, size
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import Content, content_of
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import one_line, safe, size_of, verdict
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.loaded_value import LoadedValue, ValueKey, key_of, load_value
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.master_detail import MasterDetailPane
from inspector.ui.panes.position import Position, values_of
from inspector.ui.panes.queries import RunQueries
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

NAME_CELLS, SCOPE_CELLS, KIND_CELLS = 13, 11, 8
FROM_CELLS = 26
MIDDLE = 100
"""Minimum width, in columns, for kind and origin."""


@dataclass(frozen=True, slots=True)
class ValueColumns:
    """Column positions; None for a hidden column."""

    name: int
    scope: int | None
    kind: int | None
    size_end: int
    value: int
    value_end: int
    origin: int | None


def columns_for(width: int) -> ValueColumns:
    """Lays out the columns for a width."""
    edge = margin(width)
    name = edge + 2
    if width < NARROW:
        size_end = name + NAME_CELLS + 1 + SIZE_CELLS
        return ValueColumns(name, None, None, size_end, size_end + 2, width - edge, None)
    scope = name + NAME_CELLS + 1
    kind = scope + SCOPE_CELLS + 2 if width >= MIDDLE else None
    size_end = (kind + KIND_CELLS if kind else scope + SCOPE_CELLS) + 2 + SIZE_CELLS
    value = size_end + 3
    origin = width - edge - FROM_CELLS if width >= MIDDLE else None
    return ValueColumns(
        name, scope, kind, size_end, value, origin - 2 if origin else width - edge, origin
    )


class ValuesList(LineList):
    """One line for each value."""

    def __init__(self) -> None:
        super().__init__(id="values")
        self._values: tuple[Value, ...] = ()
        self._older: set[int] = set()
        self.scope_note = ""
        """Text that names the shown scope and the filter."""

    def show(self, values: Sequence[Value], scope_note: str) -> None:
        """Shows values; the cursor stays on its value."""
        before = self.value
        self._values, self.scope_note = tuple(values), scope_note
        seen: set[tuple[str | None, str]] = set()
        self._older = set()
        for row, value in enumerate(self._values):
            if (value.name, value.scope) in seen:
                self._older.add(row)
            seen.add((value.name, value.scope))
        same = next(
            (
                row
                for row, value in enumerate(self._values)
                if before is not None and key_of(value) == key_of(before)
            ),
            min(max(self.cursor, 0), len(self._values) - 1),
        )
        self.rows_changed(same)

    @property
    def value(self) -> Value | None:
        """The selected value."""
        return self._values[self.cursor] if 0 <= self.cursor < len(self._values) else None

    @property
    def row_count(self) -> int:
        """The number of values."""
        return len(self._values)

    @property
    def has_head(self) -> bool:
        """Column titles stay above the rows."""
        return True

    def version(self, row: int) -> Hashable:
        """The value itself."""
        return (self._values[row], row in self._older)

    def head_version(self, top: int) -> Hashable:
        """The shown scope."""
        return self.scope_note

    def paint_head(self, width: int, top: int) -> Strip:
        """Draws the column titles."""
        columns, line = columns_for(width), Line(width, self.ui.styles)
        line.put(columns.name, "name", Role.MUTED)
        if columns.scope is not None:
            line.put(columns.scope, "scope", Role.MUTED)
        if columns.kind is not None:
            line.put(columns.kind, "kind", Role.MUTED)
        line.right(columns.size_end, "size", Role.MUTED)
        line.put(columns.value, "value", Role.MUTED)
        if columns.origin is not None:
            line.put(columns.origin, "from", Role.MUTED)
        room = width - margin(width) - line.cells - 2
        if self.scope_note and room > 8:
            note = clip(self.scope_note, room, ellipsis=self.ui.glyphs.cut)
            line.right(width - margin(width), note, Role.ACCENT)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws one value."""
        ui, columns, value = self.ui, columns_for(width), self._values[row]
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        attached = value.attachment
        if attached is not None and verdict(attached)[1] is Role.WARNING:
            line.put(margin(width), ui.glyphs.finding, Role.WARNING)
        older = row in self._older
        text = Role.MUTED if older else Role.TEXT
        name = safe(value.name, ui.glyphs) if value.name is not None else NOT_RECORDED
        role = Role.STRONG if cursor and focused else text
        line.put(columns.name, clip(name, NAME_CELLS, ellipsis=ui.glyphs.cut), role)
        if columns.scope is not None:
            scope = clip(scope_text(value.scope, ui.glyphs), SCOPE_CELLS, ellipsis=ui.glyphs.cut)
            line.put(columns.scope, scope, Role.MUTED)
        if columns.kind is not None:
            kind = safe(value.kind or NOT_RECORDED, ui.glyphs)
            line.put(columns.kind, clip(kind, KIND_CELLS, ellipsis=ui.glyphs.cut), Role.MUTED)
        line.right(columns.size_end, size(size_of(value)), Role.MUTED)
        self._content(line, columns, value, text)
        if columns.origin is not None:
            self._origin(line, columns.origin, value, older)
        return line.strip()

    def _content(self, line: Line, columns: ValueColumns, value: Value, role: Role) -> None:
        glyphs, room = self.ui.glyphs, columns.value_end - columns.value
        if value.attachment is None:
            shown, masked = one_line(value, room, glyphs)
            line.put(columns.value, shown, Role.MUTED if masked else role)
            return
        word, role = verdict(value.attachment)
        line.put(columns.value, clip("attachment", room, ellipsis=glyphs.cut), Role.MUTED)
        left = columns.value_end - line.cells - 2
        if left > 0:
            line.add(clip(word, left, ellipsis=glyphs.cut), role, skip=2)

    def _origin(self, line: Line, column: int, value: Value, older: bool) -> None:
        glyphs = self.ui.glyphs
        note = "superseded" if older else ""
        if value.superseded and not older:
            note = f"{value.superseded:,} superseded"
        if value.then is Then.UNKNOWN:
            note = "write time unknown"
        end = line.width - margin(line.width)
        room = end - column - (cell_width(note) + 2 if note else 0)
        origin = safe(value.source_statement or NOT_RECORDED, glyphs)
        line.put(column, clip(origin, room, ellipsis=glyphs.cut), Role.MUTED)
        line.add(note, Role.MUTED, skip=2 if note else 0)


def scope_text(scope: str, glyphs: Glyphs) -> str:
    """A scope in words: `root`, `frame 3`."""
    return f"frame {scope}" if scope.isdigit() else safe(scope, glyphs)


MAX_EAGER = 65_536
"""Maximum bytes of a value shown without Enter."""

SHOWN_BYTES = 2_000_000
"""Maximum bytes of a value read for display."""

WHOLE = "whole"
"""The topic of the query for one value."""


class ValuesPane(MasterDetailPane):
    """All values above, the content of the selected one below."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "whole value"),
        ("outward", "scope"),
        ("copy.value", "copy value"),
        ("pager", "pager"),
        ("form", "raw"),
        ("find", "filter"),
        ("save", "save"),
        ("zoom", "zoom"),
        ("copy.location", "copy location"),
        ("raw", "row"),
        ("versions", "older rows"),
        ("step-of", "its step"),
    )
    ALONE_HINTS: ClassVar[tuple[tuple[str, str], ...] | None] = (
        ("back", "all values"),
        ("pager", "pager"),
        ("form", "raw"),
        ("save", "save"),
        ("copy.value", "copy value"),
        ("copy.location", "copy location"),
    )
    HAS_VERSIONS: ClassVar[bool] = True

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="values-pane")
        self.run = run
        self.note = ""
        self._older = False
        self._all: ValueList | None = None
        self._shown: ValueList | None = None
        self._scope: str | None = None
        self._contents: dict[ValueKey, Content] = {}
        self._loaded: dict[ValueKey, LoadedValue] = {}
        self._reasons: dict[ValueKey, str] = {}
        self._position: Position | None = None

    def compose(self) -> ComposeResult:
        """The filter, the table, the content."""
        field = PromptInput("/", "Esc close", id="find")
        field.display = False
        yield field
        yield ValuesList()
        yield ContentView(id="content")

    @property
    def list(self) -> ValuesList:
        """The table."""
        return self.query_one(ValuesList)

    # Loading

    def seek(self, position: Position | None) -> None:
        """Shows the values at a position, as resolved in its frame; None for the present."""
        if position == self._position:
            return
        self._position, self._stale = position, True
        self._scope = None if position is None else position.frame
        if self.display and self.ready:
            self.reload()

    async def load(self) -> None:
        """Reads all values, and those of the chosen scope."""
        scope, older, position = self._scope, self._older, self._position
        answer = await self.queries.ask(
            lambda reader: values_of(reader, scope, position, older=older)
        )
        if isinstance(answer, Unavailable):
            self.note = answer.reason
        else:
            self.note = ""
            self._all, self._shown = answer
        self._filter()

    def _filter(self) -> None:
        """Lists the values that match the filter."""
        words = self.query_one(PromptInput).value.lower().split()
        values = self._shown.values if self._shown is not None else ()
        kept = [value for value in values if _matches(value, words)]
        title = ""
        if self._scope is not None:
            title = f"seen from {scope_text(self._scope, self.ui.glyphs)}"
        if self._position is not None:
            title = f"at event {self._position.event:,}"
            if self._scope is not None:
                title += f", in {scope_text(self._scope, self.ui.glyphs)}"
        if words:
            title = f"{title}  {len(kept):,} of {len(values):,}".strip()
        self.list.show(kept, title)
        self.render_detail(keep=True)

    # The selected value

    def render_detail(self, *, keep: bool) -> None:
        """Shows the content, or what Enter would read."""
        value, view = self.list.value, self.query_one(ContentView)
        if value is None:
            nothing = "No values recorded."
            if self._position is not None:
                nothing = f"No values written by event {self._position.event:,}."
            empty = self.safe_note() or ("" if self._shown is None else nothing)
            view.show_content(TitledContent("", (), None, empty) if empty else None, keep=False)
            return
        content = self._contents.get(key_of(value))
        if content is None and _is_inline(value):
            content = _inline_content(value.name, value.value or "", value.type)
        note = self._content_note(value, content)
        view.show_content(TitledContent(*self._title(value, content), content, note), keep=keep)

    def _content_note(self, value: Value, content: Content | None) -> str:
        """The note below a truncated content, or in place of missing content."""
        keys, key = self.ui.keys, key_of(value)
        if content is not None and content.cut:
            return (
                f"Preview ends here · {keys.shown('pager')} opens more, "
                f"{keys.shown('save')} saves the whole value"
            )
        if key in self._contents or (content is not None and value.attachment is None):
            return ""
        reason = self._reasons.get(key)
        if reason:
            return reason
        enter = f"{keys.shown('enter')} shows it"
        if value.attachment is not None:
            word, role = verdict(value.attachment)
            path = safe(value.attachment.path, self.ui.glyphs)
            readable = role is Role.SUCCESS
            problem = enter if readable else problem_of(value.attachment.verdict)
            return "   ".join(part for part in (path, word if readable else "", problem) if part)
        return "" if value.type == "null" else f"{size(value.size)}: {enter}"

    def _title(self, value: Value, content: Content | None) -> tuple[str, tuple[str, ...]]:
        glyphs = self.ui.glyphs
        facts = [scope_text(value.scope, glyphs)]
        if value.kind:
            facts.append(safe(value.kind, glyphs))
        total = size_of(value)
        facts.append(f"{count(total)} B" if total is not None else NOT_RECORDED)
        facts.append(content.kind if content is not None else value.type)
        if content is not None and content.is_image:
            facts.append(f"{self.ui.keys.shown('picture')} shows it")
        if value.then is Then.UNKNOWN:
            facts.append(WHEN_UNKNOWN)
        elif value.written_event is not None:
            facts.append(f"written at event {value.written_event:,}")
        note = presentation_of(self.run.runtime).value_note
        if note is not None:
            facts.append(note)
        return safe(value.name or NOT_RECORDED, glyphs), tuple(facts)

    def action_enter(self) -> None:
        """Reads the whole value; shows it alone where list and content do not both fit."""
        value = self.list.value
        if value is not None:
            self.ask(WHOLE, partial(self._load_whole, value))
            if not self.query_one(ContentView).display:
                self.show_alone(True)

    async def _load_whole(self, value: Value) -> None:
        key, scope = key_of(value), self._scope
        kind = "attachment" if value.attachment is not None else value.type

        def question(reader: RunReader) -> tuple[LoadedValue, Content] | str:
            loaded = load_value(reader, value, scope, SHOWN_BYTES)
            return loaded if isinstance(loaded, str) else (loaded, loaded.content(kind))

        answer = await self.queries.ask(question)
        if isinstance(answer, tuple):
            self._loaded = {key: answer[0]}
            self._contents = {key: answer[1]}
        else:
            reason = answer.reason if isinstance(answer, Unavailable) else answer
            self._reasons = {key: safe(reason, self.ui.glyphs)}
        self.render_detail(keep=True)

    async def load_value(self, limit: int) -> LoadedValue | str:
        """Reads the selected value, at most `limit` bytes."""
        value, scope = self.list.value, self._scope
        if value is None:
            return "No value is selected."
        loaded = await self.queries.ask(lambda reader: load_value(reader, value, scope, limit))
        return loaded.reason if isinstance(loaded, Unavailable) else loaded

    def file_name(self) -> str:
        """The name of the value."""
        value = self.list.value
        return safe(value.name, self.ui.glyphs) if value is not None and value.name else "value"

    # Commands

    def action_versions(self) -> None:
        """Shows or hides older rows."""
        self._older = not self._older
        self.reload()

    def action_inward(self) -> None:
        """Shows the values as resolved in the next scope."""
        self._change_scope(1)

    def action_outward(self) -> None:
        """Shows the previous scope; the first is all scopes."""
        self._change_scope(-1)

    def _change_scope(self, by: int) -> None:
        scopes: list[str | None] = [None]
        for value in self._all.values if self._all is not None else ():
            if value.scope not in scopes:
                scopes.append(value.scope)
        at = scopes.index(self._scope) if self._scope in scopes else 0
        self._scope = scopes[min(max(at + by, 0), len(scopes) - 1)]
        self.reload()

    def action_find(self) -> None:
        """Opens the filter in the empty row above the table."""
        field = self.query_one(PromptInput)
        field.display = True
        self.add_class("-finding")
        field.focus()

    @on(PromptInput.Changed)
    def _typed(self) -> None:
        self._filter()

    @on(PromptInput.Exited)
    def _exited(self, event: PromptInput.Exited) -> None:
        if event.key == "escape":
            self.back()
        self.list.focus()

    def back(self) -> bool:
        """Closes the content, then the filter."""
        if super().back():
            return True
        field = self.query_one(PromptInput)
        if not field.display:
            return False
        field.value = ""
        field.display = False
        self.remove_class("-finding")
        self.list.focus()
        self._filter()
        return True

    def statement(self) -> str | None:
        """The statement that wrote the value."""
        value = self.list.value
        return value.source_statement if value is not None else None

    def value_to_copy(self) -> Copy | None:
        """The content loaded so far."""
        value = self.list.value
        if value is None:
            return None
        loaded = self._loaded.get(key_of(value))
        text = value.value if loaded is None else loaded.text
        whole = text is not None and (loaded is None or not loaded.cut)
        name, keys = safe(value.name or "value", self.ui.glyphs), self.ui.keys
        what = name if whole else f"the beginning of {name} ({keys.shown('save')} saves all of it)"
        if loaded is None and value.attachment is not None:
            what = f"the recorded preview of {name} ({keys.shown('enter')} reads the file)"
        return Copy(fit_to_copy(value.name, value.preview if text is None else text), what)

    def location_to_copy(self) -> Copy | None:
        """Store, run, name, scope and row; the path of an attachment."""
        value = self.list.value
        if value is None:
            return None
        parts = [self.run.key, f"value {value.name}", f"scope {value.scope}"]
        if value.row is not None:
            parts.append(f"row {value.row}")
        if value.attachment is not None:
            parts.append(value.attachment.path)
        return Copy(fit_to_copy(None, "  ".join(parts)), "the location")


def _is_inline(value: Value) -> bool:
    """True if the row itself holds enough to show, without reading a file."""
    if value.value is None or value.size > MAX_EAGER:
        return False
    return value.attachment is None or bool(value.value)


_inline_content = lru_cache(maxsize=32)(content_of)
"""Focuses the values again; the list reloads as long as they stay the same."""


def _matches(value: Value, words: list[str]) -> bool:
    text = f"{value.name} {value.scope} {value.kind}".lower()
    return all(word in text for word in words)
