"""What is said of a run in a sentence, where ages are allowed."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.derive.groups import is_active
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Health
from inspector.query.registry import presentation_of
from inspector.text.numbers import Zone, age, clock_time, duration
from inspector.ui.glyphs import Glyphs
from inspector.ui.palette import Role, status_word, word_role


@dataclass(frozen=True, slots=True)
class Said:
    """A status in a few words, and a sentence about it. Both are safe to show."""

    status: str
    role: Role
    sentence: str
    short: str
    """The sentence where there is no room for the status."""


def say(run: Run, now: int, zone: Zone, glyphs: Glyphs) -> Said:
    """What the record says of a run, and what it does not say (now in UTC ms)."""
    status = status_word(run.status)
    role = word_role(run.status)
    if run.status is Status.RUNNING and not is_active(run, now):
        status += ", as recorded"
    elif run.raw_status is not None and run.raw_status != run.status.value:
        status += f", recorded as {glyphs.safe(run.raw_status)}"
    sentence = _sentence(run, now, zone, glyphs)
    short = sentence.replace("whether it lives is not known", "unknown whether it lives")
    return Said(status, role, glyphs.plain(sentence), glyphs.plain(short))


def _sentence(run: Run, now: int, zone: Zone, glyphs: Glyphs) -> str:
    if run.store.health is not Health.OK and run.store.reason:
        return glyphs.safe(run.store.reason)
    written = run.last_activity_at
    if run.status is Status.RUNNING:
        if written is None:
            return "when it last wrote is not known"
        if is_active(run, now):
            return "last written less than a minute ago"
        return f"nothing written for {age(now - written)}; whether it lives is not known"
    ended = _ending(run, now, zone)
    note = presentation_of(run.runtime).ended_note
    if note is None or run.status is Status.WAITING:
        return ended
    return f"{ended}; {note}" if ended else note


def _ending(run: Run, now: int, zone: Zone) -> str:
    written = run.last_activity_at
    if run.status is Status.WAITING:
        return "" if written is None else f"nothing written since {clock_time(written, now, zone)}"
    if run.ended_at is None:
        if written is None:
            return "no end recorded"
        return f"no end recorded; last written {clock_time(written, now, zone)}"
    ended = f"ended {clock_time(run.ended_at, now, zone)}"
    if run.started_at is not None and run.ended_at < run.started_at:
        return f"{ended}, before it began: a clock was wrong"
    return ended if run.duration_ms is None else f"{ended} after {duration(run.duration_ms)}"
