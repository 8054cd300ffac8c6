"""The parts of the dialog about resuming a run, and what it can be about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from textual.strip import Strip

from inspector.resume.plan import Plan
from inspector.text.measure import cell_width, clip
from inspector.ui.lines import LineWidget
from inspector.ui.palette import Ground, Role
from inspector.ui.resume.choices import Choice
from inspector.ui.resume.page import ResumePage
from inspector.ui.widgets.prompt_input import PromptInput
from inspector.ui.widgets.text_view import TextView

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
