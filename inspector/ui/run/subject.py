"""What the detail is about, and how its facts are written."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.model.run import Run
from inspector.model.step import Step
from inspector.query.view import StepContext
from inspector.text.measure import clip
from inspector.ui.palette import Role
from inspector.ui.run.sheet import Page

LABEL_CELLS = 11


@dataclass(frozen=True, slots=True)
class Subject:
    """What the detail is about. `context` is None until it was read."""

    sign: str
    label: str
    step: Step
    run: Run
    context: StepContext | None
    at: int | None = None
    """The event that is travelled to."""
    reason: str = ""
    """Why there is no context."""
    values_of_then: bool = False
    """While travelling: whether the values' own instants said which of them there were."""
    partial: bool = False
    """Whether only the newest events were read so far, so that nothing has its number yet."""


def fact(page: Page, label: str, text: str, role: Role = Role.TEXT) -> None:
    """A line with what it tells and how that is (safe text)."""
    line = page.line()
    cut = page.ui.glyphs.cut
    line.add(clip(label, LABEL_CELLS - 1, ellipsis=cut), Role.MUTED)
    line.put(page.margin + LABEL_CELLS, "")
    line.add(clip(text, page.room - LABEL_CELLS, ellipsis=cut), role)


def heading(page: Page, text: str) -> None:
    """Begins a section."""
    page.blank()
    page.line().add(clip(text, page.room, ellipsis=page.ui.glyphs.cut), Role.MUTED)
