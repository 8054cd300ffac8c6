"""The line that a question in SQL is typed in: completion of names, and what was asked before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.strip import Strip
from textual.suggester import Suggester

from inspector.text.measure import clip
from inspector.ui.lines import Line
from inspector.ui.palette import Ground, Role
from inspector.ui.run.sql_names import quoted_name
from inspector.ui.widgets.prompt_input import PromptInput, _tail

PROMPT = "sql"
HINT = "one SELECT, read only; ↑ ↓ what was asked, tab completes"
MOST_ASKED = 200
LONGEST = 100_000
"""Characters of a question that are kept; SQLite itself takes a million."""

_WORD = re.compile(r'(?:"(?:[^"]|"")*|[^\W\d]\w*)$')
_TABLE_WORDS = ("from", "join", "into", "table")
_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "COUNT(*)", "DISTINCT",
    "HAVING", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "UNION", "WITH",
)  # fmt: skip


class History:
    """What was asked, the newest last; remembers where somebody who looks back is."""

    def __init__(self) -> None:
        self._asked: list[str] = []
        self._at = 0
        self._typed = ""

    def add(self, sql: str) -> None:
        """Something was asked; asked again it is the newest."""
        if sql in self._asked:
            self._asked.remove(sql)
        self._asked = [*self._asked, sql][-MOST_ASKED:]
        self._at = len(self._asked)

    def step(self, by: int, typed: str) -> str | None:
        """An older or a newer question; what is being typed is the newest. None at either end."""
        at = self._at + by
        if not 0 <= at <= len(self._asked):
            return None
        if self._at == len(self._asked):
            self._typed = typed
        self._at = at
        return self._typed if at == len(self._asked) else self._asked[at]


_HISTORIES: WeakKeyDictionary[App[object], History] = WeakKeyDictionary()


def history_of(app: App[object]) -> History:
    """What was asked since the application was started, of whichever run."""
    return _HISTORIES.setdefault(app, History())


def completed(text: str, names: Mapping[str, Sequence[str]]) -> str | None:
    """The text with its last word completed, or None: tables first, else columns and words."""
    found = _WORD.search(text)
    if found is None:
        return None
    start, begun = text[: found.start()], found[0]
    before = start.split()[-1:]
    after_table_word = bool(before) and before[0].lower() in _TABLE_WORDS
    mentioned = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    columns = [column for name in (mentioned or names) for column in names[name]]
    candidates = [*names] if after_table_word else [*columns, *_WORDS, *names]
    for name in candidates:
        word = name if name in _WORDS else quoted_name(name)
        if begun.startswith('"') and word is name:
            word = f'"{name}"'
        if word.lower().startswith(begun.lower()) and len(word) > len(begun):
            return start + begun + word[len(begun) :]
    return None


class _Names(Suggester):
    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names: Mapping[str, Sequence[str]] = {}

    async def get_suggestion(self, value: str) -> str | None:
        return completed(value, self.names)


class SqlField(PromptInput):
    """One line of SQL."""

    EXIT_KEYS = ("enter", "escape", "up", "down", "tab")

    def __init__(self) -> None:
        super().__init__(PROMPT, "", id="sql")
        self._names = _Names()
        self.suggester = self._names
        self.proposal = ""
        """What is asked if nothing is typed."""

    def propose(self, sql: str) -> None:
        """Takes what is asked if nothing is typed."""
        self.proposal = sql
        self.refresh()

    def know(self, names: Mapping[str, Sequence[str]]) -> None:
        """Takes the names of tables and their columns."""
        self._names.names = names

    def write(self, text: str, at: int | None = None) -> None:
        """Puts a text into the field, with the cursor at its end or at a character."""
        self.value = text
        self.cursor_position = len(text) if at is None else min(max(at, 0), len(text))

    def complete(self) -> bool:
        """Takes the completion that is shown; False when there is none."""
        if not self.value and self.proposal:
            self.write(self.proposal)
            return True
        if not self.value or not self._at_end or not self._completion.startswith(self.value):
            return False
        self.write(self._completion)
        return True

    @property
    def _completion(self) -> str:
        """The whole text that the suggester proposes, or an empty string."""
        # Private to Textual, which offers no other access to the current suggestion.
        return self._suggestion

    @property
    def _at_end(self) -> bool:
        return self.cursor_position == len(self.value)

    # Private to Textual: its own handler keeps only the first line.
    def _on_paste(self, event: events.Paste) -> None:
        """A question of several lines is one line here; comments to the end of a line go."""
        lines = (line.partition("--")[0].strip() for line in event.text[:LONGEST].splitlines())
        self.insert_text_at_cursor(" ".join(line for line in lines if line))
        event.stop()
        event.prevent_default()

    def draw(self, room: int) -> Strip:
        """The field, with the rest of what would complete it."""
        ui = self.ui
        glyphs = ui.glyphs
        line = Line(room, ui.styles, Ground.FIELD)
        line.put(0, PROMPT, Role.ACCENT)
        start, end = len(PROMPT) + 1, room - 1
        before, under, after = self._parts()
        if not self.value:
            line.put(start, glyphs.caret if self.has_focus else "", Role.ACCENT)
            told = clip(glyphs.safe(self.proposal or HINT), max(0, end - line.cells - 1))
            line.add(told, Role.FAINT, skip=0 if self.proposal else 1)
            return line.strip()
        line.put(start, _tail(glyphs.plain(before), max(0, end - start - 1)))
        if under:
            line.put(line.cells, glyphs.plain(under), underline=self.has_focus)
            line.add(clip(glyphs.plain(after), max(0, end - line.cells), ellipsis=glyphs.cut))
        elif self.has_focus:
            rest = self._completion[len(self.value) :]
            line.add(glyphs.caret, Role.ACCENT)
            line.add(clip(glyphs.safe(rest), max(0, end - line.cells), ellipsis=""), Role.FAINT)
        return line.strip()
