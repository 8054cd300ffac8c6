"""Detail of the step under the cursor: beside the timeline, below it, or instead of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.run import Finding, Run
from inspector.model.status import ENDED, Status
from inspector.model.step import Attempt, Step
from inspector.model.value import WHEN_UNKNOWN, Then, Value
from inspector.query.registry import presentation_of
from inspector.query.view import StepContext
from inspector.text.mask import mask, mask_named
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, duration, instant, size
from inspector.text.parse_time import plausible
from inspector.ui.labels import LONGEST, is_set, one_line, safe, size_of, verdict, written
from inspector.ui.lines import NARROW, wrapped
from inspector.ui.palette import STATUS_ROLE, Role, status_word, word_role
from inspector.ui.panes.row_models import OPEN
from inspector.ui.widgets.text_view import TextBuilder, TextView

LABEL_CELLS = 11


@dataclass(frozen=True, slots=True)
class StepDetail:
    """Model of the detail pane. `context` is None until it is loaded."""

    sign: str
    label: str
    step: Step
    run: Run
    context: StepContext | None
    at: int | None = None
    """Event selected on the axis, if not following."""
    reason: str = ""
    """Why the context is unavailable."""
    values_of_then: bool = False
    """True if past values were derived from their own timestamps."""
    partial: bool = False
    """True while only the newest events are loaded, so that event numbers are unknown."""


def fact(page: TextBuilder, label: str, text: str, role: Role = Role.TEXT) -> None:
    """Write a label and its value (escaped text)."""
    line = page.line()
    cut = page.ui.glyphs.cut
    line.add(clip(label, LABEL_CELLS - 1, ellipsis=cut), Role.MUTED)
    line.put(page.margin + LABEL_CELLS, "")
    line.add(clip(text, page.room - LABEL_CELLS, ellipsis=cut), role)


def heading(page: TextBuilder, text: str) -> None:
    """Start a section."""
    page.blank()
    page.line().add(clip(text, page.room, ellipsis=page.ui.glyphs.cut), Role.MUTED)


SIZE_END = 17
VALUE_COLUMN = 19
MOST_VALUES = 200


def values(page: TextBuilder, about: StepDetail) -> None:
    """Write one line per value."""
    assert about.context is not None
    found = about.context.values.values
    if not found:
        return
    heading(page, _values_title(about))
    for value in found[:MOST_VALUES]:
        _value(page, value)
    if len(found) > MOST_VALUES:
        page.line().add(f"{len(found) - MOST_VALUES:,} more in Values", Role.MUTED)


def _values_title(about: StepDetail) -> str:
    """Return the title of the values: those of the step, or those at the selected event."""
    if about.at is None:
        return "values here"
    return "values at this event" if about.values_of_then else "values, as of now"


def as_of_now(page: TextBuilder, run: Run) -> None:
    """Mark facts that are current even while viewing the past."""
    present_only = presentation_of(run.runtime).present_only
    if present_only:
        page.blank()
        note = f"{' and '.join(present_only)} are shown as of now"
        for part in wrapped(note, page.room, 3):
            page.line().add(part, Role.MUTED)


def _value(page: TextBuilder, value: Value) -> None:
    _content(page, value)
    if value.then is Then.UNKNOWN:
        line = page.line()
        line.put(page.margin + 2, "")
        line.add(clip(WHEN_UNKNOWN, page.room - 2, ellipsis=page.ui.glyphs.cut), Role.MUTED)


def _content(page: TextBuilder, value: Value) -> None:
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


def values_beside(page: TextBuilder, about: StepDetail) -> None:
    """Write as many names and sizes as fit on one line."""
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


MOST_ATTEMPTS = 50
MOST_ROWS = 20
MOST_ERROR_LINES = 12
INLINE_CELLS = 29
"""Width of one attempt in cells when attempts are laid out side by side."""

_TOLD_ELSEWHERE = {
    "branch",
    "branches",
    "condition",
    "current_iteration",
    "depth",
    "exited",
    "frame",
    "iterations_completed",
    "joined",
    "loop_id",
    "note",
    "parallel_id",
    "row",
    "statement_index",
    "status_note",
    "step_id",
    "table",
    "tokens",
}


def write(page: TextBuilder, about: StepDetail, now: int) -> None:
    """Write the whole detail in one column."""
    _title(page, about)
    _status(page, about)
    _times(page, about, now)
    _error(page, about.step)
    _findings(page, about.context.findings if about.context else ())
    if about.at is None:
        _attempts(page, about.step)
    if about.context is None:
        page.blank()
        page.line().add(about.reason, Role.MUTED)
        return
    values(page, about)
    if about.at is not None:
        as_of_now(page, about.run)
        return
    _related(page, about.context.related)
    _recorded(page, about)


def write_low(page: TextBuilder, about: StepDetail, now: int) -> None:
    """Write the detail for a wide, low pane: compact lines first, then the remaining sections."""
    page.line()
    _name(page, about)
    _status_beside(page, about)
    _error(page, about.step, beside=True)
    if about.at is None:
        _attempts_beside(page, about.step)
    if about.context is None:
        page.line().add(about.reason, Role.MUTED)
        return
    values_beside(page, about)
    _times(page, about, now)
    if about.at is not None:
        as_of_now(page, about.run)
        return
    _findings(page, about.context.findings)
    _related(page, about.context.related)
    _recorded(page, about)


def _name(page: TextBuilder, about: StepDetail) -> None:
    line = page.lines[-1]
    if about.sign:
        line.add(about.sign, Role.MUTED)
        line.add(" ", Role.MUTED)
    room = page.end - line.cells
    line.add(clip(about.label, room, ellipsis=page.ui.glyphs.cut), Role.STRONG)


def _title(page: TextBuilder, about: StepDetail) -> None:
    page.line()
    _name(page, about)


def _status(page: TextBuilder, about: StepDetail) -> None:
    """Write the status glyph and word, the note, and the events that set it."""
    line = page.line()
    _status_word(page, about)
    said = _said(about)
    if said:
        room = page.end - line.cells - 3
        if cell_width(said) > room:
            line = page.line()
            line.add("  ")
            room = page.room - 2
            line.add(clip(said, room, ellipsis=page.ui.glyphs.cut), Role.MUTED)
        else:
            line.add(said, Role.MUTED, skip=3)
    if about.at is None and about.run.order_only:
        page.line().add("  " + _events(about), Role.MUTED)


def _status_beside(page: TextBuilder, about: StepDetail) -> None:
    line = page.lines[-1]
    line.put(line.cells + 3, "")
    _status_word(page, about)
    for said in (_said(about), _events(about) if about.at is None else ""):
        if said and cell_width(said) + 3 <= page.end - line.cells:
            line.add(said, Role.MUTED, skip=3)


def _status_word(page: TextBuilder, about: StepDetail) -> None:
    glyphs, status = page.ui.glyphs, about.step.status
    line = page.lines[-1]
    line.add(glyphs.of(status), STATUS_ROLE[status])
    word = status_word(status)
    if about.at is not None:
        word += f" at event {about.at:,}"
    line.add(word, word_role(status), skip=1)


def _said(about: StepDetail) -> str:
    note = about.step.ref.get("status_note")
    if note:
        return str(note)
    tries, most = about.step.attempts, about.step.max_attempts
    if about.at is not None or not tries or (len(tries) < 2 and most is None):
        return ""
    return f"attempt {tries[-1].n}" + (f" of {most}" if most is not None else "")


def _events(about: StepDetail) -> str:
    if about.partial:
        return "among the newest events"
    first, last = about.step.first_event, about.step.last_event
    if last is None:
        return "no row yet"
    if first is None or first == last:
        return f"event {last:,}"
    return f"events {min(first, last):,} to {max(first, last):,}"


def _times(page: TextBuilder, about: StepDetail, now: int) -> None:
    """Write start, end and duration, if the runtime records times."""
    step, run = about.step, about.run
    if run.order_only or (step.started_at is None and step.ended_at is None):
        return
    page.blank()
    fact(page, "start", _instant(page, about, step.started_at))
    is_open = step.status in OPEN and step.ended_at is None
    if step.ended_at is not None:
        fact(page, "end", _instant(page, about, step.ended_at))
        if step.started_at is not None:
            took = step.ended_at - step.started_at
            role = Role.WARNING if took < 0 else Role.TEXT
            fact(page, "duration", duration(took, clock_ms=run.clock_ms), role)
    elif is_open and run.status not in ENDED:
        fact(page, "end", "open")
        if plausible(step.started_at, now) and step.started_at is not None and about.at is None:
            elapsed = duration(max(0, now - step.started_at), clock_ms=1000)
            fact(page, "elapsed", f"{elapsed}, open")
    else:
        fact(page, "end", "not recorded", Role.MUTED)


def _instant(page: TextBuilder, about: StepDetail, moment: int | None) -> str:
    text = instant(moment, page.ui.zone)
    return text.replace(".000", "", 1) if about.run.clock_ms >= 1000 else text


def _error(page: TextBuilder, step: Step, *, beside: bool = False) -> None:
    """Write the error message, with its context below or beside it."""
    if not step.error:
        return
    text = mask(step.error[: 8 * LONGEST]).text.strip()
    message, _, rest = text.partition("\n")
    glyphs = page.ui.glyphs
    role = Role.ERROR if step.status in (Status.FAILED, Status.INTERRUPTED) else Role.TEXT
    if beside:
        line = page.line()
        line.add(clip(glyphs.safe(message), page.room, ellipsis=glyphs.cut), role)
        if rest and line.cells + 2 < page.end:
            room = page.end - line.cells - 2
            line.add(clip(glyphs.safe(rest.strip()), room, ellipsis=glyphs.cut), skip=2)
        return
    page.blank()
    for part in wrapped(glyphs.safe(message), page.room, MOST_ERROR_LINES, glyphs.cut):
        page.line().add(part, role)
    for each in rest.splitlines()[:MOST_ERROR_LINES]:
        for part in wrapped(glyphs.safe(each), page.room, 3, glyphs.cut):
            page.line().add(part)


def _findings(page: TextBuilder, findings: Sequence[Finding]) -> None:
    glyphs = page.ui.glyphs
    if findings:
        page.blank()
    for finding in findings[:MOST_ROWS]:
        line = page.line()
        line.add(glyphs.finding, Role.WARNING)
        for part in wrapped(safe(finding.message, glyphs), page.room - 2, 4, glyphs.cut):
            line.put(page.margin + 2, part)
            line = page.line()
        page.lines.pop()


def _attempts(page: TextBuilder, step: Step) -> None:
    tries = step.attempts
    if len(tries) < 2:
        return
    heading(page, "attempts")
    if len(tries) > MOST_ATTEMPTS:
        page.line().add(f"{len(tries) - MOST_ATTEMPTS:,} earlier ones", Role.MUTED)
    for attempt in tries[-MOST_ATTEMPTS:]:
        page.line()
        _attempt(page, attempt, 3)


def _attempts_beside(page: TextBuilder, step: Step) -> None:
    """Write the newest attempts side by side on one line."""
    if len(step.attempts) < 2:
        return
    tries = step.attempts[-max(1, page.room // INLINE_CELLS) :]
    line, share = page.line(), page.room // len(tries)
    for number, attempt in enumerate(tries):
        start = page.margin + number * share
        line.put(start, "")
        _attempt(page, attempt, 2, start + share - 3)


def _attempt(page: TextBuilder, attempt: Attempt, apart: int, end: int | None = None) -> None:
    """Write one attempt on the current line, up to column `end`."""
    line, glyphs = page.lines[-1], page.ui.glyphs
    end = page.end if end is None else end
    line.add(glyphs.of(attempt.status), STATUS_ROLE[attempt.status])
    line.add(str(attempt.n), skip=1)
    event = f"event {attempt.last_event:,}" if attempt.last_event else "left no row"
    line.add(event, Role.MUTED, skip=apart)
    reason = attempt.error or ("" if attempt.raw_status is None else attempt.raw_status)
    room = end - line.cells - apart
    if reason and room > 3:
        line.add(clip(safe(reason, glyphs), room, ellipsis=glyphs.cut), skip=apart)


def _related(page: TextBuilder, related: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    for table, rows in related.items():
        heading(page, safe(table, page.ui.glyphs))
        for number, row in enumerate(rows[:MOST_ROWS]):
            if number:
                page.blank()
            for name, value in row.items():
                shown = NOT_RECORDED if value is None else written(value)
                hidden = mask_named(str(name), shown[: 4 * LONGEST]).text
                role = Role.FAINT if value is None else Role.TEXT
                fact(page, safe(str(name), page.ui.glyphs), page.ui.glyphs.safe(hidden), role)
        if len(rows) > MOST_ROWS:
            page.line().add(f"{len(rows) - MOST_ROWS:,} more", Role.MUTED)


def _recorded(page: TextBuilder, about: StepDetail) -> None:
    """Write the recorded status and the location of the row."""
    step, ref, glyphs = about.step, about.step.ref, page.ui.glyphs
    heading(page, "recorded as")
    fact(page, "status", NOT_RECORDED if step.raw_status is None else safe(step.raw_status, glyphs))
    where = location(about)
    if where:
        fact(page, "row", safe(where, glyphs))
    if ref.get("statement_index") is not None:
        fact(page, "statement", safe(str(ref["statement_index"]), glyphs))
    depth = ref.get("depth")
    frame = ref.get("frame")
    if frame is not None:
        fact(page, "frame", safe(f"{frame}, depth {depth}" if depth else str(frame), glyphs))
    for name, value in ref.items():
        if name not in _TOLD_ELSEWHERE and value is not None and not isinstance(value, dict | list):
            shown = mask_named(name, written(value)[:LONGEST]).text
            fact(page, safe(name.replace("_", " "), glyphs), glyphs.safe(shown))


def location(about: StepDetail) -> str:
    """Return the table and row of a step's newest record, as far as recorded."""
    ref = about.step.ref
    if ref.get("row") is not None:
        return str(ref["row"])
    events = about.context.events if about.context is not None else ()
    if not events or events[-1].id is None:
        return ""
    if (about.run.store.variant or "").startswith("log"):
        return f"line {events[-1].id}"
    table = ref.get("table") or presentation_of(about.run.runtime).event_table
    return f"{table} {events[-1].id}"


BESIDE = 110
"""Minimum screen width, in columns, for the detail beside the timeline."""

ROOMY = 44
"""Minimum pane width, in columns, for the wider margin."""


class Detail(TextView):
    """Everything loaded about one step."""

    def __init__(self) -> None:
        super().__init__(id="detail")
        self._subject: StepDetail | None = None
        self._made_for: tuple[object, ...] = ()

    def show_step(self, subject: StepDetail | None) -> None:
        """Show a step. The scroll position is kept while the step is the same."""
        before, self._subject = self._subject, subject
        same = before is not None and subject is not None and before.step.id == subject.step.id
        self._write(keep=same)

    def on_second(self) -> None:
        """Update the elapsed time, if one is shown."""
        about = self._subject
        if about is not None and not about.run.order_only and about.step.status in OPEN:
            self._write(keep=True)

    def _write(self, *, keep: bool) -> None:
        width = self.size.width
        if not width:
            return
        about, now = self._subject, self.ui.clock()
        made_for = (about, width, self.ui.epoch, self.ui.styles, now // 1000)
        if made_for == self._made_for:
            return
        self._made_for = made_for
        screen_width = self.screen.size.width
        beside, narrow = width < screen_width, screen_width < NARROW
        plain = self.ui.styles.plain
        page = TextBuilder(
            self.ui,
            width,
            1 if narrow else 3 if beside and width >= ROOMY else 2,
            edge=self.ui.glyphs.guide if beside and plain else "",
        )
        if plain and not beside:
            page.rule()
        elif not narrow:
            page.line()
        if about is not None:
            (write if beside or narrow else write_low)(page, about, now)
        self.show(page.strips(), keep=keep)

    def on_resize(self) -> None:
        """Rewrite the lines for the new width."""
        self._write(keep=True)
