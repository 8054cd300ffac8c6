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
    """An action of the dialog; `reason` says why it is not available, None if it is."""

    command: str
    label: str
    note: str = ""
    reason: str | None = None
    reason_above: bool = False
    """True if the text above already gives the reason."""
    apart: bool = False
    """True if it is preceded by an empty row where there is room."""


class ChoiceList(LineList):
    """The actions, the dangerous ones set apart. Page keys scroll the text above."""

    SHOWS_POSITION = False

    class PageRequested(Message):
        """A page key was pressed, which scrolls the text above."""

        def __init__(self, down: bool) -> None:
            super().__init__()
            self.down = down

    def __init__(self) -> None:
        super().__init__(id="resume-choices")
        self._rows: list[Choice | None] = []

    def show(self, choices: Sequence[Choice], *, airy: bool, keep: bool) -> None:
        """Lists choices. With `keep` the cursor stays on its command, else it goes to the first."""
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
        """The selected choice."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def row_count(self) -> int:
        """Number of choices and empty rows."""
        return len(self._rows)

    def selectable(self, row: int) -> bool:
        """Empty rows cannot be selected."""
        return self._rows[row] is not None

    def action_cursor_page_down(self) -> None:
        """Scroll the text above down by a page."""
        self.post_message(self.PageRequested(True))

    def action_cursor_page_up(self) -> None:
        """Scroll the text above up by a page."""
        self.post_message(self.PageRequested(False))

    def version(self, row: int) -> Hashable:
        """A painted row depends on its choice only."""
        return self._rows[row]

    def rest(self, width: int) -> Line:
        """An empty line below the last choice."""
        return Line(width, self.ui.styles, Ground.RAISED)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Paint a choice: label, note or reason, key."""
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
        note = choice.note if choice.reason_above or not choice.reason else choice.reason
        left = room - line.cells - 3
        if note and left >= min(12, cell_width(note)):
            line.add(clip(glyphs.plain(note), left, ellipsis=glyphs.cut), Role.MUTED, skip=3)
        line.right(end, key, Role.MUTED)
        edge = Line(side, ui.styles, Ground.RAISED).strip()
        return Strip.join([edge, line.strip(), edge]) if side else line.strip()


NOTHING_STARTED = "nothing has been started"


class Stage(Enum):
    """Stages of the dialog."""

    READING = auto()
    PLAN = auto()
    QUESTION = auto()
    STARTING = auto()
    BACKGROUND = auto()
    OVER = auto()


class ResumeTitle(LineWidget):
    """Title of the dialog, and whether anything has been started."""

    def __init__(self, title: str) -> None:
        super().__init__(id="resume-title")
        self._title = title
        self._right = NOTHING_STARTED
        self._more = ""

    def show(self, right: str, more: str = "") -> None:
        """Sets the state shown at the right, and the hint `more` on how to scroll the text."""
        self._right, self._more = right, more
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Paint the row."""
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
    """The facts; scrolled by the list of choices, which has the focus."""

    def __init__(self) -> None:
        super().__init__(id="resume-text")
        self.can_focus = False


class TypedField(PromptInput):
    """Field for the confirmation text of a run that may be running or that moves money."""

    SURROUND = Ground.RAISED


@dataclass(frozen=True, slots=True)
class ChoiceBuilder:
    """Makes the choices for a stage and a plan."""

    stage: Stage
    plan: Plan | None
    typed: bool
    """True if a text has to be typed to confirm the launch."""
    hosts: Sequence[str]
    """Names of all known hosts."""
    disabled_reason: Callable[[str], str | None]

    def choices(self) -> list[Choice]:
        """Returns the available choices, Cancel first."""
        if self.stage in (Stage.OVER, Stage.BACKGROUND):
            return [Choice("back", "Close")]
        cancel = Choice("back", "Cancel")
        if self.stage is Stage.QUESTION:
            now = [] if self.typed else [Choice("", "Launch now", apart=True)]
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
            found.append(self._choice("host.next", f"Resume with: {plan.host or '-'}", note))
        if plan.preflight.decisions:
            words = " or ".join(one.word for one in plan.preflight.decisions)
            label = f"Decision: {plan.decision or 'none yet'}"
            found.append(self._choice("decision.next", label, words))
        launch = self._choice("launch", "Launch in this terminal", "asks for confirmation")
        found.append(replace(launch, apart=True))
        found.append(self._choice("launch.behind", "Launch in the background"))
        return found

    def _choice(self, command: str, label: str, note: str = "") -> Choice:
        reason = self.disabled_reason(command)
        reason_above = reason is not None and self.plan is not None and reason == self.plan.problem
        return Choice(
            command, label, "" if reason_above else note, reason, reason_above=reason_above
        )
