"""The signs of a run's row in words."""

from __future__ import annotations

from inspector.derive.groups import is_active
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.text.numbers import CANNOT_BE_KNOWN, NOT_RECORDED
from inspector.ui.command_screen import GlyphMeaning
from inspector.ui.glyphs import MEANINGS, Glyphs
from inspector.ui.palette import STATUS_ROLE, Role
from inspector.ui.runs.row import elapsed_text


def explain(run: Run, now: int, glyphs: Glyphs) -> list[GlyphMeaning]:
    """What each sign in a row says of this run (now in UTC ms)."""
    found = [
        GlyphMeaning(
            glyphs.of(run.status), glyphs.plain(_status(run, now)), STATUS_ROLE[run.status]
        )
    ]

    def add(sign: str, meaning: str, role: Role = Role.TEXT) -> None:
        found.append(GlyphMeaning(sign, glyphs.plain(meaning), role))

    if run.findings:
        add(glyphs.finding, f"a finding: {glyphs.safe(run.findings[0].message)}", Role.WARNING)
    if run.steps.failed:
        steps = "step" if run.steps.failed == 1 else "steps"
        add(glyphs.failed, f"{run.steps.failed} {steps} failed", Role.ERROR)
    progress = run.progress
    if progress.parallel_total is not None:
        done = progress.parallel_done or 0
        add(glyphs.parallel, f"{done} of {progress.parallel_total} branches of a parallel are done")
    if progress.unconfirmed:
        add(glyphs.unconfirmed, MEANINGS["unconfirmed"])
    if progress.loop_now is not None:
        of = "" if progress.loop_max is None else f" of at most {progress.loop_max}"
        add(glyphs.loop, f"round {progress.loop_now} of a loop{of}".replace(" of a loop of", " of"))
    if progress.note and "ƒ" in progress.note:
        add(glyphs.tool, MEANINGS["tool"])
    if elapsed_text(run, now) == CANNOT_BE_KNOWN:
        add(CANNOT_BE_KNOWN, "how long it has run cannot be known", Role.TEXT)
    if elapsed_text(run, now) == NOT_RECORDED or run.tokens.total is None or not run.net:
        add(glyphs.nothing, "not recorded, which is not zero", Role.FAINT)
    return found


def _status(run: Run, now: int) -> str:
    if run.status is Status.RUNNING and not is_active(run, now):
        return "running, as recorded; nothing was written in the last minute"
    if run.status is Status.RUNNING:
        return "running: something was written in the last minute"
    if run.status is Status.WAITING:
        return "waiting for someone or something outside"
    if run.status is Status.INTERRUPTED:
        return "interrupted: it was stopped before its end"
    return MEANINGS[run.status.value]
