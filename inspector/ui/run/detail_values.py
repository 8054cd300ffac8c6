"""The values of a step in its detail: what each name meant there."""

from __future__ import annotations

from inspector.model.run import Run
from inspector.model.value import WHEN_UNKNOWN, Then, Value
from inspector.query.registry import presentation_of
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, size
from inspector.ui.lines import wrapped
from inspector.ui.palette import Role
from inspector.ui.run.label import safe
from inspector.ui.run.previews import is_set, one_line, size_of, verdict
from inspector.ui.run.sheet import Page
from inspector.ui.run.subject import LABEL_CELLS, Subject, heading

SIZE_END = 17
VALUE_COLUMN = 19
MOST_VALUES = 200


def values(page: Page, about: Subject) -> None:
    """One line for each name."""
    assert about.context is not None
    found = about.context.values.values
    if not found:
        return
    heading(page, _values_title(about))
    for value in found[:MOST_VALUES]:
        _value(page, value)
    if len(found) > MOST_VALUES:
        page.line().add(f"{len(found) - MOST_VALUES:,} more in Values", Role.MUTED)


def _values_title(about: Subject) -> str:
    """Whether the values are those of the step, or what is known of them in the past."""
    if about.at is None:
        return "values here"
    return "values at this event" if about.values_of_then else "values, as of now"


def as_of_now(page: Page, run: Run) -> None:
    """What a traveller must not take for the past."""
    present_only = presentation_of(run.runtime).present_only
    if present_only:
        page.blank()
        told = f"{' and '.join(present_only)} are shown as of now"
        for part in wrapped(told, page.room, 3):
            page.line().add(part, Role.MUTED)


def _value(page: Page, value: Value) -> None:
    _content(page, value)
    if value.then is Then.UNKNOWN:
        line = page.line()
        line.put(page.margin + 2, "")
        line.add(clip(WHEN_UNKNOWN, page.room - 2, ellipsis=page.ui.glyphs.cut), Role.MUTED)


def _content(page: Page, value: Value) -> None:
    glyphs, line = page.ui.glyphs, page.line()
    name = safe(value.name, glyphs) if value.name is not None else NOT_RECORDED
    line.add(clip(name, LABEL_CELLS - 1, ellipsis=glyphs.cut))
    if not is_set(value):
        line.right(page.margin + SIZE_END, NOT_RECORDED, Role.MUTED)
        line.put(page.margin + VALUE_COLUMN, "not set here", Role.MUTED)
        return
    line.right(page.margin + SIZE_END, size(size_of(value)), Role.MUTED)
    room = page.room - VALUE_COLUMN
    line.put(page.margin + VALUE_COLUMN, "")
    if value.attachment is not None:
        word, role = verdict(value.attachment)
        line.add(clip("attachment", room, ellipsis=glyphs.cut))
        shown = Role.TEXT if role is Role.SUCCESS else role
        line.add(clip(word, max(0, room - 11), ellipsis=glyphs.cut), shown, skip=1)
        return
    if room > 0:
        content, masked = one_line(value, room, glyphs)
        line.add(content, Role.MUTED if masked else Role.TEXT)


def values_beside(page: Page, about: Subject) -> None:
    """As many names with their sizes as one line holds."""
    assert about.context is not None
    found = about.context.values.values
    if not found:
        return
    glyphs, line = page.ui.glyphs, page.line()
    line.add("values" if about.at is None else _values_title(about), Role.MUTED)
    apart = 2
    for value in found:
        name = safe(value.name, glyphs) if value.name is not None else NOT_RECORDED
        text = f"{name} {size(size_of(value))}" if is_set(value) else f"{name} not set here"
        if line.cells + apart + cell_width(text) > page.end:
            break
        line.add(text, Role.TEXT if is_set(value) else Role.MUTED, skip=apart)
        apart = 3
