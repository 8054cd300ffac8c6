"""The tab of values: what each name means, and the whole content of the one under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.value import WHEN_UNKNOWN, Then, Value
from inspector.query.attached import problem_of
from inspector.query.registry import presentation_of
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, ValueList
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, SIZE_CELLS, count, size
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.command_screen import CommandScreen
from inspector.ui.content import Content, content_of
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import one_line, safe, size_of, verdict
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.loaded_value import LoadedValue, ValueKey, key_of, load_value
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.position import Position, values_of
from inspector.ui.panes.queries import RunQueries
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

NAME_CELLS, SCOPE_CELLS, KIND_CELLS = 13, 11, 8
FROM_CELLS = 26
MIDDLE = 100
"""Columns from which kind and origin have columns."""


@dataclass(frozen=True, slots=True)
class ValueColumns:
    """Where things stand; None where there is no room for a column."""

    name: int
    scope: int | None
    kind: int | None
    size_end: int
    value: int
    value_end: int
    origin: int | None


def columns_for(width: int) -> ValueColumns:
    """The columns of a table this wide."""
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
        self.told = ""
        """Which scope is shown, and which names, in words."""

    def show(self, values: Sequence[Value], told: str) -> None:
        """Takes the values; the cursor stays on the one that it is on."""
        before = self.value
        self._values, self.told = tuple(values), told
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
        """The value under the cursor."""
        return self._values[self.cursor] if 0 <= self.cursor < len(self._values) else None

    @property
    def row_count(self) -> int:
        """Values."""
        return len(self._values)

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return True

    def version(self, row: int) -> Hashable:
        """The value itself."""
        return (self._values[row], row in self._older)

    def head_version(self, top: int) -> Hashable:
        """Which scope is shown."""
        return self.told

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
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
        if self.told and room > 8:
            told = clip(self.told, room, ellipsis=self.ui.glyphs.cut)
            line.right(width - margin(width), told, Role.ACCENT)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One value."""
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
        word, told = verdict(value.attachment)
        line.put(columns.value, clip("attachment", room, ellipsis=glyphs.cut), Role.MUTED)
        left = columns.value_end - line.cells - 2
        if left > 0:
            line.add(clip(word, left, ellipsis=glyphs.cut), told, skip=2)

    def _origin(self, line: Line, column: int, value: Value, older: bool) -> None:
        glyphs = self.ui.glyphs
        note = "superseded" if older else ""
        if value.superseded and not older:
            note = f"{value.superseded:,} superseded"
        if value.then is Then.UNKNOWN:
            note = "when not told"
        end = line.width - margin(line.width)
        room = end - column - (cell_width(note) + 2 if note else 0)
        origin = safe(value.source_statement or NOT_RECORDED, glyphs)
        line.put(column, clip(origin, room, ellipsis=glyphs.cut), Role.MUTED)
        line.add(note, Role.MUTED, skip=2 if note else 0)


def scope_text(scope: str, glyphs: Glyphs) -> str:
    """A scope in words: `root`, `frame 3`."""
    return f"frame {scope}" if scope.isdigit() else safe(scope, glyphs)


AGAIN = 0.5
"""Seconds between two readings of all values while the run goes on."""

READ_AT_ONCE = 65_536
"""Bytes up to which a content is shown unasked."""

SHOWN_BYTES = 2_000_000
"""Bytes of a content that are read to be shown."""


class ValuesPane(Pane):
    """A table above, the content below."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "whole value"),
        ("outward", "scope"),
        ("copy.value", "copy value"),
        ("pager", "pager"),
        ("form", "as it stands"),
        ("find", "filter"),
        ("save", "save"),
        ("zoom", "zoom"),
        ("copy.location", "copy location"),
        ("raw", "raw row"),
        ("versions", "older rows"),
        ("step-of", "its step"),
    )

    ALONE: ClassVar[tuple[tuple[str, str], ...]] = (
        ("back", "all values"),
        ("pager", "pager"),
        ("form", "as it stands"),
        ("save", "save"),
        ("copy.value", "copy value"),
        ("copy.location", "copy location"),
    )
    """The footer while one value stands alone."""

    HAS_VERSIONS: ClassVar[bool] = True

    def __init__(self, queries: RunQueries, run: Run) -> None:
        super().__init__(queries, id="values-pane")
        self._older = False
        self.run = run
        self._all: ValueList | None = None
        self._shown: ValueList | None = None
        self._scope: str | None = None
        self._reason = ""
        self._contents: dict[ValueKey, Content] = {}
        self._held: dict[ValueKey, LoadedValue] = {}
        self._reasons: dict[ValueKey, str] = {}
        self._again: Timer | None = None
        self._outdated = True
        self._position: Position | None = None

    def compose(self) -> ComposeResult:
        """The filter, the table, the content."""
        field = PromptInput("/", "esc leaves", id="find")
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

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer: of the table, or of the value that stands alone."""
        return self.ALONE if self.has_class("-alone") else self.HINTS

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

    def stand(self, point: Position | None) -> None:
        """Shows the values as they were there, as its frame resolves them; None = as of now."""
        if point == self._position:
            return
        self._position, self._outdated = point, True
        self._scope = None if point is None else point.frame
        if self.display and self.ready:
            self._read()

    def _read(self) -> None:
        self._again = None
        self._outdated = False
        scope, older, point = self._scope, self._older, self._position

        def question(reader: RunReader) -> tuple[ValueList, ValueList]:
            return values_of(reader, scope, point, older=older)

        def take(answer: tuple[ValueList, ValueList] | Unavailable) -> None:
            if isinstance(answer, Unavailable):
                self._reason = answer.reason
            else:
                self._reason = ""
                self._all, self._shown = answer
            self._show()

        self.queries.ask("values", question, take)

    def _show(self) -> None:
        words = self.query_one(PromptInput).value.lower().split()
        values = self._shown.values if self._shown is not None else ()
        kept = [value for value in values if _matches(value, words)]
        told = ""
        if self._scope is not None:
            told = f"seen from {scope_text(self._scope, self.ui.glyphs)}"
        if self._position is not None:
            told = f"at event {self._position.event:,}"
            if self._scope is not None:
                told += f", in {scope_text(self._scope, self.ui.glyphs)}"
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
            nothing = "No value is recorded here."
            if self._position is not None:
                nothing = f"No value was written by event {self._position.event:,}."
            empty = self._reason or ("" if self._shown is None else nothing)
            view.tell(
                TitledContent("", (), None, safe(empty, self.ui.glyphs)) if empty else None,
                keep=False,
            )
            return
        content = self._contents.get(key_of(value))
        if content is None and _is_here(value):
            content = _content_here(value.name, value.value or "", value.type)
        note = self._note(value, content)
        view.tell(TitledContent(*self._title(value, content), content, note), keep=keep)

    def _note(self, value: Value, content: Content | None) -> str:
        """What stands below a content that is not whole, or instead of one."""
        keys, key = self.ui.keys, key_of(value)
        if content is not None and content.cut:
            return (
                f"the rest is left out here: {keys.shown('pager')} opens more of it, "
                f"{keys.shown('save')} saves it"
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
            told = enter if role is Role.SUCCESS else problem_of(value.attachment.verdict)
            parts = (path, word if role is Role.SUCCESS else "", told)
            return "   ".join(part for part in parts if part)
        return "" if value.type == "null" else f"{size(value.size)}: {enter}"

    def _title(self, value: Value, content: Content | None) -> tuple[str, tuple[str, ...]]:
        glyphs = self.ui.glyphs
        facts = [scope_text(value.scope, glyphs)]
        if value.kind:
            facts.append(safe(value.kind, glyphs))
        held = size_of(value)
        facts.append(f"{count(held)} B" if held is not None else NOT_RECORDED)
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

    def enter(self) -> None:
        """Reads the whole content, however long; where there is no room for both, it is alone."""
        value = self.list.value
        if value is not None:
            self._whole(value)
            if not self.query_one(ContentView).display:
                self._alone(True)

    def zoom(self) -> None:
        """The content alone, or the table with it."""
        self._alone(not self.has_class("-alone"))

    def _alone(self, alone: bool) -> None:
        self.set_class(alone, "-alone")
        if isinstance(self.screen, CommandScreen):
            self.screen.show_hints()
        (self.query_one(ContentView) if alone else self.list).focus()

    def _whole(self, value: Value) -> None:
        key, scope = key_of(value), self._scope
        kind = "attachment" if value.attachment is not None else value.type

        def question(reader: RunReader) -> tuple[LoadedValue, Content] | str:
            held = load_value(reader, value, scope, SHOWN_BYTES)
            return held if isinstance(held, str) else (held, held.content(kind))

        def take(answer: tuple[LoadedValue, Content] | Unavailable | str) -> None:
            if isinstance(answer, tuple):
                self._held = {key: answer[0]}
                self._contents = {key: answer[1]}
            else:
                reason = answer.reason if isinstance(answer, Unavailable) else answer
                self._reasons = {key: safe(reason, self.ui.glyphs)}
            self._tell()

        self.queries.ask("whole", question, take)

    def hold(self, most: int, take: Callable[[LoadedValue | str], None]) -> None:
        """Reads what the value holds, as far as it is wanted."""
        value, scope = self.list.value, self._scope
        if value is None:
            take("There is no value here.")
            return

        def question(reader: RunReader) -> LoadedValue | str:
            return load_value(reader, value, scope, most)

        def answer(held: LoadedValue | Unavailable | str) -> None:
            take(held.reason if isinstance(held, Unavailable) else held)

        self.queries.ask("hold", question, answer)

    def file_name(self) -> str:
        """The name of the value."""
        value = self.list.value
        return safe(value.name, self.ui.glyphs) if value is not None and value.name else "value"

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
        field = self.query_one(PromptInput)
        field.display = True
        self.add_class("-finding")
        field.focus()

    @on(PromptInput.Changed)
    def _typed(self) -> None:
        self._show()

    @on(PromptInput.Left)
    def _left(self, event: PromptInput.Left) -> None:
        if event.key == "escape":
            self.back()
        self.list.focus()

    def back(self) -> bool:
        """Leaves the content, then the filter."""
        if self.has_class("-alone"):
            self._alone(False)
            return True
        field = self.query_one(PromptInput)
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
        held = self._held.get(key_of(value))
        text = value.value if held is None else held.text
        whole = text is not None and (held is None or not held.cut)
        name, keys = safe(value.name or "value", self.ui.glyphs), self.ui.keys
        what = name if whole else f"the beginning of {name} ({keys.shown('save')} saves all of it)"
        if held is None and value.attachment is not None:
            what = f"what stands for the file of {name} ({keys.shown('enter')} reads the file)"
        return Copy(fit_to_copy(value.name, value.preview if text is None else text), what)

    def location_to_copy(self) -> Copy | None:
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


def _is_here(value: Value) -> bool:
    """Whether the row holds something that is shown unasked; a file is not read for that."""
    if value.value is None or value.size > READ_AT_ONCE:
        return False
    return value.attachment is None or bool(value.value)


_content_here = lru_cache(maxsize=32)(content_of)
"""The cursor comes back, and the list is read again and again, while values stay."""


def _matches(value: Value, words: list[str]) -> bool:
    text = f"{value.name} {value.scope} {value.kind}".lower()
    return all(word in text for word in words)
