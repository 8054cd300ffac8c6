"""What the detail of a step says, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.model.run import Finding
from inspector.model.status import ENDED, Status
from inspector.model.step import Attempt, Step
from inspector.query.registry import presentation_of
from inspector.text.mask import mask, mask_named
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, duration, instant
from inspector.text.parse_time import plausible
from inspector.ui.lines import wrapped
from inspector.ui.palette import STATUS_ROLE, Role, status_word, word_role
from inspector.ui.run.detail_values import as_of_now, values, values_beside
from inspector.ui.run.label import LONGEST, safe, written
from inspector.ui.run.pictures import OPEN
from inspector.ui.run.sheet import Page
from inspector.ui.run.subject import Subject, fact, heading

MOST_ATTEMPTS = 50
MOST_ROWS = 20
MOST_ERROR_LINES = 12
INLINE_CELLS = 29
"""Cells of one attempt where they stand beside each other."""

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


def write(page: Page, about: Subject, now: int) -> None:
    """Writes the whole detail below each other."""
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


def write_low(page: Page, about: Subject, now: int) -> None:
    """Writes the detail into few wide lines, then what else there is."""
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


def _name(page: Page, about: Subject) -> None:
    line = page.lines[-1]
    if about.sign:
        line.add(about.sign, Role.MUTED)
        line.add(" ", Role.MUTED)
    room = page.end - line.cells
    line.add(clip(about.label, room, ellipsis=page.ui.glyphs.cut), Role.STRONG)


def _title(page: Page, about: Subject) -> None:
    page.line()
    _name(page, about)


def _status(page: Page, about: Subject) -> None:
    """The status in sign and word, what is said of it, and the events that tell it."""
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


def _status_beside(page: Page, about: Subject) -> None:
    line = page.lines[-1]
    line.put(line.cells + 3, "")
    _status_word(page, about)
    for said in (_said(about), _events(about) if about.at is None else ""):
        if said and cell_width(said) + 3 <= page.end - line.cells:
            line.add(said, Role.MUTED, skip=3)


def _status_word(page: Page, about: Subject) -> None:
    glyphs, status = page.ui.glyphs, about.step.status
    line = page.lines[-1]
    line.add(glyphs.of(status), STATUS_ROLE[status])
    word = status_word(status)
    if about.at is not None:
        word += f" at event {about.at:,}"
    line.add(word, word_role(status), skip=1)


def _said(about: Subject) -> str:
    note = about.step.ref.get("status_note")
    if note:
        return str(note)
    tries, most = about.step.attempts, about.step.max_attempts
    if about.at is not None or not tries or (len(tries) < 2 and most is None):
        return ""
    return f"attempt {tries[-1].n}" + (f" of {most}" if most is not None else "")


def _events(about: Subject) -> str:
    if about.partial:
        return "among the newest events"
    first, last = about.step.first_event, about.step.last_event
    if last is None:
        return "no row yet"
    if first is None or first == last:
        return f"event {last:,}"
    return f"events {min(first, last):,} to {max(first, last):,}"


def _times(page: Page, about: Subject, now: int) -> None:
    """Start, end and what lies between, where a runtime records instants."""
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


def _instant(page: Page, about: Subject, moment: int | None) -> str:
    text = instant(moment, page.ui.zone)
    return text.replace(".000", "", 1) if about.run.clock_ms >= 1000 else text


def _error(page: Page, step: Step, *, beside: bool = False) -> None:
    """The message in the hue of errors, its context below or beside it in that of text."""
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


def _findings(page: Page, findings: Sequence[Finding]) -> None:
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


def _attempts(page: Page, step: Step) -> None:
    tries = step.attempts
    if len(tries) < 2:
        return
    heading(page, "attempts")
    if len(tries) > MOST_ATTEMPTS:
        page.line().add(f"{len(tries) - MOST_ATTEMPTS:,} earlier ones", Role.MUTED)
    for attempt in tries[-MOST_ATTEMPTS:]:
        page.line()
        _attempt(page, attempt, 3)


def _attempts_beside(page: Page, step: Step) -> None:
    """The newest tries on one line, each in its own share of it."""
    if len(step.attempts) < 2:
        return
    tries = step.attempts[-max(1, page.room // INLINE_CELLS) :]
    line, share = page.line(), page.room // len(tries)
    for number, attempt in enumerate(tries):
        start = page.margin + number * share
        line.put(start, "")
        _attempt(page, attempt, 2, start + share - 3)


def _attempt(page: Page, attempt: Attempt, apart: int, end: int | None = None) -> None:
    """One try, on the line that was begun, up to the column `end`."""
    line, glyphs = page.lines[-1], page.ui.glyphs
    end = page.end if end is None else end
    line.add(glyphs.of(attempt.status), STATUS_ROLE[attempt.status])
    line.add(str(attempt.n), skip=1)
    event = f"event {attempt.last_event:,}" if attempt.last_event else "left no row"
    line.add(event, Role.MUTED, skip=apart)
    told = attempt.error or ("" if attempt.raw_status is None else attempt.raw_status)
    room = end - line.cells - apart
    if told and room > 3:
        line.add(clip(safe(told, glyphs), room, ellipsis=glyphs.cut), skip=apart)


def _related(page: Page, related: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
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


def _recorded(page: Page, about: Subject) -> None:
    """The record's own words: what the status stands for, and where the row is."""
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


def location(about: Subject) -> str:
    """The table and row of the newest record of a step, as far as they are known."""
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
