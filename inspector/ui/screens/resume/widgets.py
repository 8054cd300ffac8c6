"""What can be done in the dialog, as a list with keys at the right; the cursor begins on Cancel."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from textual.message import Message
from textual.strip import Strip

from inspector.resume.plan import Plan
from inspector.text.measure import cell_width, clip
from inspector.ui.lines import NARROW, Line, LineWidget
from inspector.ui.palette import Ground, Role
from inspector.ui.screens.resume.page import ResumePage
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput
from inspector.ui.widgets.text_view import TextView


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be done; `reason` says why it cannot be done now."""

    command: str
    label: str
    note: str = ""
    reason: str | None = None
    is_told: bool = False
    """Whether the reason stands in the text above."""
    apart: bool = False
    """Whether an empty row stands above it, where there is room."""


class ChoiceList(LineList):
    """The choices, the dangerous ones apart; pages are those of the text above."""

    SHOWS_POSITION = False

    class Turned(Message):
        """A page of the text above is asked for."""

        def __init__(self, down: bool) -> None:
            super().__init__()
            self.down = down

    def __init__(self) -> None:
        super().__init__(id="resume-choices")
        self._rows: list[Choice | None] = []

    def show(self, choices: Sequence[Choice], *, airy: bool, keep: bool) -> None:
        """Takes choices; the cursor stays on the one it is on, or goes to the first."""
        before = self.choice
        self._rows = []
        for choice in choices:
            if choice.apart and airy:
                self._rows.append(None)
            self._rows.append(choice)
        same = [
            row
            for row, one in enumerate(self._rows)
            if keep and one is not None and before is not None and one.command == before.command
        ]
        self.rows_changed((same or [0])[0])
        if self.cursor >= 0:
            self.show_row(self.cursor)

    @property
    def choice(self) -> Choice | None:
        """What the cursor is on."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def row_count(self) -> int:
        """Choices and empty rows."""
        return len(self._rows)

    def selectable(self, row: int) -> bool:
        """Empty rows are passed over."""
        return self._rows[row] is not None

    def action_cursor_page_down(self) -> None:
        """Turns to the next page of the text above."""
        self.post_message(self.Turned(True))

    def action_cursor_page_up(self) -> None:
        """Turns to the page before."""
        self.post_message(self.Turned(False))

    def version(self, row: int) -> Hashable:
        """A choice is what it says."""
        return self._rows[row]

    def rest(self, width: int) -> Line:
        """An empty line below the last choice."""
        return Line(width, self.ui.styles, Ground.RAISED)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """A choice."""
        choice, ui = self._rows[row], self.ui
        if choice is None:
            return self.rest(width).strip()
        glyphs, wide = ui.glyphs, width >= NARROW
        side = 1 if wide else 0
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.RAISED
        line = Line(width - 2 * side, ui.styles, ground)
        if cursor:
            line.put(0, glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        key = glyphs.plain(ui.keys.shown(choice.command))
        end = line.width - 2
        room = end - cell_width(key) - 2
        role = Role.MUTED if choice.reason else Role.STRONG if cursor else Role.TEXT
        line.put(2, clip(glyphs.plain(choice.label), room - 2, ellipsis=glyphs.cut), role)
        note = choice.note if choice.is_told or not choice.reason else choice.reason
        left = room - line.cells - 3
        if note and left >= min(12, cell_width(note)):
            line.add(clip(glyphs.plain(note), left, ellipsis=glyphs.cut), Role.MUTED, skip=3)
        line.right(end, key, Role.MUTED)
        edge = Line(side, ui.styles, Ground.RAISED).strip()
        return Strip.join([edge, line.strip(), edge]) if side else line.strip()


NOTHING_STARTED = "nothing has been started"


class Stage(Enum):
    """What the dialog is about now."""

    READING = auto()
    PLAN = auto()
    QUESTION = auto()
    STARTING = auto()
    BEHIND = auto()
    OVER = auto()


class ResumeTitle(LineWidget):
    """What it is about, and what has not happened."""

    def __init__(self, title: str) -> None:
        super().__init__(id="resume-title")
        self._title = title
        self._right = NOTHING_STARTED
        self._more = ""

    def show(self, right: str, more: str = "") -> None:
        """Says at the right what has or has not happened, and how the text goes on."""
        self._right, self._more = right, more
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """The row."""
        line, glyphs = self.line(width, Ground.RAISED), self.ui.glyphs
        inset = ResumePage(self.ui, width).inset
        more, end = glyphs.plain(self._more), width - inset
        room = end - inset - (cell_width(more) + 2 if more else 0)
        title = f"Resume {glyphs.safe(self._title)}"
        line.put(inset, clip(title, room, ellipsis=glyphs.cut), Role.STRONG)
        both = f"{more}   {glyphs.plain(self._right)}" if more else glyphs.plain(self._right)
        right = both if line.cells + 3 + cell_width(both) <= end else more
        line.right(end, right, Role.MUTED)
        return line.strip()


class ResumeText(TextView):
    """The facts; scrolled from the list of choices, which has the keys."""

    def __init__(self) -> None:
        super().__init__(id="resume-text")
        self.can_focus = False


class TypedField(PromptInput):
    """What has to be typed before a run that may live, or one that moves money, is launched."""

    SURROUND = Ground.RAISED


@dataclass(frozen=True, slots=True)
class Offer:
    """What choices depend on."""

    stage: Stage
    plan: Plan | None
    typed: bool
    """Whether something has to be typed before a launch."""
    hosts: Sequence[str]
    """Names of all hosts."""
    why_not: Callable[[str], str | None]

    def choices(self) -> list[Choice]:
        """What can be done now, Cancel first."""
        if self.stage in (Stage.OVER, Stage.BEHIND):
            return [Choice("back", "Close")]
        cancel = Choice("back", "Cancel")
        if self.stage is Stage.QUESTION:
            now = [] if self.typed else [Choice("", "Launch it now", apart=True)]
            return [cancel, *now]
        if self.plan is None or self.stage is not Stage.PLAN:
            return [cancel]
        return [cancel, *self._of(self.plan)]

    def _of(self, plan: Plan) -> list[Choice]:
        found = [self._choice("command.copy", "Copy command")]
        if plan.preflight.prompt is not None:
            found.append(self._choice("prompt.copy", "Copy prompt"))
        elif plan.request is not None:
            found.append(self._choice("prompt.copy", "Copy request"))
        found.append(self._choice("plan.save", "Save plan"))
        if plan.preflight.prompt is not None:
            others = [name for name in self.hosts if name != plan.host]
            note = f"or {', '.join(others)}" if others else ""
            found.append(self._choice("host.next", f"Ask {plan.host or '-'}", note))
        if plan.preflight.decisions:
            words = " or ".join(one.word for one in plan.preflight.decisions)
            label = f"Decision: {plan.decision or 'not taken'}"
            found.append(self._choice("decision.next", label, words))
        launch = self._choice("launch", "Launch in this terminal", "asks once more")
        found.append(replace(launch, apart=True))
        found.append(self._choice("launch.behind", "Launch in the background"))
        return found

    def _choice(self, command: str, label: str, note: str = "") -> Choice:
        reason = self.why_not(command)
        is_told = reason is not None and self.plan is not None and reason == self.plan.problem
        return Choice(command, label, "" if is_told else note, reason, is_told=is_told)
