"""The text of the dialog: where the run stopped, what would run, and the command."""

from __future__ import annotations

import os
from collections.abc import Sequence

from textual.strip import Strip

from inspector.resume.launch import Outcome
from inspector.resume.plan import Plan, sentence
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import duration
from inspector.ui.context import UiContext
from inspector.ui.lines import NARROW, Line, wrapped
from inspector.ui.palette import Ground, Role

VALUE_CELLS = 15
"""Width of the column of labels."""
MOST_LINES = 6
"""Maximum lines of a fact; the saved plan has all."""
COMMAND_LINES = 4


class ResumePage:
    """Builds the lines of the dialog, `width` cells each on raised ground."""

    def __init__(self, ui: UiContext, width: int, *, airy: bool = True) -> None:
        self.ui = ui
        self.width = width
        self.airy = airy
        """True if blocks are separated by empty rows."""
        self.inset = 3 if width >= NARROW else 2
        self._strips: list[Strip] = []
        self._blank = True

    @property
    def room(self) -> int:
        """Cells between the margins."""
        return max(1, self.width - 2 * self.inset)

    def strips(self) -> list[Strip]:
        """The lines written so far."""
        return self._strips

    def gap(self) -> None:
        """Adds an empty row, unless the last row is empty or rows are scarce."""
        if self.airy and not self._blank:
            self._strips.append(self._line().strip())
            self._blank = True

    def fact(
        self,
        label: str,
        text: str,
        glyph: str = "",
        glyph_role: Role = Role.MUTED,
        *,
        role: Role = Role.TEXT,
        note: str = "",
    ) -> None:
        """Adds a label and its text in two columns, or in one paragraph if the dialog is narrow."""
        glyphs, narrow = self.ui.glyphs, self.width < NARROW
        if narrow and note:
            text, note = f"{text}, {note}", ""
        lead = f"{glyph} {label}" if glyph else label
        at = self.inset + (2 if narrow else VALUE_CELLS)
        # In a narrow dialog the label begins the paragraph.
        whole = f"{lead}  {text}" if narrow else text
        room = self.width - self.inset - (self.inset if narrow else at)
        lines = wrapped(glyphs.plain(whole), room, MOST_LINES, glyphs.cut) or [""]
        if narrow:
            # Further lines are indented: wrap them again for the narrower width.
            rest = whole[len(lines[0]) :].lstrip()
            more = wrapped(glyphs.plain(rest), room - 2, MOST_LINES - 1, glyphs.cut)
            lines = [lines[0].removeprefix(lead).lstrip(), *more]
        for number, words in enumerate(lines):
            line = self._line()
            if number == 0:
                line.put(self.inset, glyph, glyph_role)
                line.add(label, Role.MUTED, skip=1 if glyph else 0)
            line.put(line.cells + 2 if narrow and number == 0 else at, words, role)
            left = self.width - self.inset - line.cells - 3
            if note and number == len(lines) - 1 and cell_width(note) <= left:
                line.add(note, Role.MUTED, skip=3)
            self._put(line)

    def remark(self, text: str, glyph: str, glyph_role: Role, role: Role = Role.TEXT) -> None:
        """Adds a sentence after a glyph."""
        glyphs = self.ui.glyphs
        lines = wrapped(glyphs.plain(text), self.room - 2, MOST_LINES, glyphs.cut)
        for number, words in enumerate(lines):
            line = self._line()
            if number == 0:
                line.put(self.inset, glyph, glyph_role)
            line.put(self.inset + 2, words, role)
            self._put(line)

    def block(self, lines: Sequence[tuple[str, Role]]) -> None:
        """Adds lines on the base ground, set off as text to copy."""
        styles, edge = self.ui.styles, self.inset - 1
        for text, role in lines:
            inner = Line(self.width - 2 * edge, styles, Ground.BG)
            inner.put(1, clip(text, inner.width - 2, ellipsis=self.ui.glyphs.cut), role)
            side = Line(edge, styles, Ground.RAISED).strip()
            self._strips.append(Strip.join([side, inner.strip(), side]))
        self._blank = False

    def _line(self) -> Line:
        return Line(self.width, self.ui.styles, Ground.RAISED)

    def _put(self, line: Line) -> None:
        self._strips.append(line.strip())
        self._blank = False


def write_plan(page: ResumePage, plan: Plan, now: int) -> None:
    """Writes the facts of a plan, then its command."""
    glyphs, flight = page.ui.glyphs, plan.preflight

    def safe(text: str) -> str:
        return glyphs.safe(text)

    if not flight.resumable:
        page.remark(
            f"Not resumable: {safe(flight.reason or '')}.".replace("..", "."),
            glyphs.failed,
            Role.ERROR,
        )
        page.gap()
    if flight.stands is not None:
        kind = "" if flight.position is None else flight.position.kind
        construct = {"parallel": f"{glyphs.parallel} ", "loop": f"{glyphs.loop} "}.get(kind, "")
        page.fact("stopped at", construct + safe(flight.stands))
    if flight.liveness is not None:
        word, _, rest = flight.liveness.partition(", ")
        page.fact("running?", safe(word), note=safe(rest))
    if flight.deadline is not None:
        page.fact("time left", _time_left(flight.deadline - now), role=Role.WARNING)
    page.gap()
    for line in flight.done:
        page.fact("keep", safe(line), glyphs.completed, Role.SUCCESS)
    for line in flight.unknown:
        page.fact("unconfirmed", safe(line), glyphs.unconfirmed, Role.TEXT)
    if flight.will_run:
        page.fact("will run", safe(", ".join(flight.will_run)), glyphs.pending)
    page.gap()
    for caution in flight.warnings:
        page.remark(safe(caution.message), glyphs.finding, Role.WARNING)
    if flight.needs:
        page.gap()
        page.fact("needs", safe(", ".join(flight.needs)))
    if flight.judged is not None:
        page.fact("outcome", safe(flight.judged), role=Role.MUTED)
    page.gap()
    if plan.command is not None or plan.request is not None:
        page.block(_command(page, plan))
    if plan.problem is not None and flight.resumable:
        page.gap()
        page.remark(safe(plan.problem), glyphs.finding, Role.WARNING)


def _time_left(ms: int) -> str:
    return "none, the deadline has passed" if ms <= 0 else duration(ms).strip()


def _command(page: ResumePage, plan: Plan) -> list[tuple[str, Role]]:
    glyphs, command = page.ui.glyphs, plan.command
    if command is None:
        request = (plan.request or "").split("\n")
        shown = [(glyphs.safe(line), Role.TEXT) for line in request[:COMMAND_LINES]]
        return [*shown, (glyphs.plain("request to the server · p copy"), Role.MUTED)]
    prompt = plan.preflight.prompt
    words = [_word(word, prompt) for word in command.argv]
    text = glyphs.safe(" ".join(words))
    lines = wrapped(text, page.width - 2 * page.inset, COMMAND_LINES, glyphs.cut)
    note = "exact command"
    if prompt is not None:
        count = prompt.rstrip("\n").count("\n") + 1
        note += f"; the prompt has {count} line{'' if count == 1 else 's'}"
    found = [(glyphs.safe(f"cd {_home(command.cwd)}"), Role.TEXT)]
    found += [(line, Role.STRONG) for line in lines]
    return [*found, (note, Role.MUTED)]


def _word(word: str, prompt: str | None) -> str:
    """A quoted argument; a prompt is shortened to its first line."""
    if prompt is not None and word == prompt:
        return f'"{word.partition(chr(10))[0].rstrip(".")}"'
    return f'"{word}"' if not word or any(char.isspace() for char in word) else word


def _home(folder: str) -> str:
    home = os.path.expanduser("~").rstrip(os.sep)
    return f"~{folder[len(home) :]}" if home and f"{folder}/".startswith(f"{home}/") else folder


def write_question(page: ResumePage, plan: Plan, background: bool) -> None:
    """Writes the confirmation question with liveness and warnings."""
    glyphs, flight = page.ui.glyphs, plan.preflight
    where = "in the background" if background else "in this terminal"
    page.remark(f"Launch {where}?", glyphs.finding, Role.WARNING, Role.STRONG)
    page.gap()
    if flight.liveness is not None:
        page.remark(
            sentence(f"liveness: {glyphs.safe(flight.liveness)}"), glyphs.finding, Role.WARNING
        )
    for caution in flight.warnings:
        page.remark(glyphs.safe(caution.message), glyphs.finding, Role.WARNING)
    if background:
        page.remark(
            "Prompts of the program cannot be answered in the background.",
            glyphs.finding,
            Role.WARNING,
        )
    page.gap()
    page.block(_command(page, plan))


def write_outcome(page: ResumePage, outcome: Outcome, ended: str, output: Sequence[str]) -> None:
    """Writes the result of a launch: the recorded outcome first, then the exit code."""
    glyphs = page.ui.glyphs
    well = outcome.went_well
    page.remark(
        sentence(outcome.words),
        glyphs.completed if well else glyphs.failed,
        Role.SUCCESS if well else Role.ERROR,
        Role.STRONG,
    )
    page.remark(sentence(ended), " ", Role.MUTED, Role.MUTED)
    page.gap()
    for change in outcome.changes:
        name, _, what = change.partition(": ")
        page.fact(glyphs.safe(name), glyphs.safe(what))
    write_output(page, output)


def write_output(page: ResumePage, output: Sequence[str]) -> None:
    """Writes the last lines of a background program's output."""
    if output:
        page.gap()
        page.block([(page.ui.glyphs.safe(line), Role.MUTED) for line in output])
