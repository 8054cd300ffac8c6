"""The text of the dialog: where the run stands, what would happen, and the command."""

from __future__ import annotations

import os
from collections.abc import Sequence

from textual.strip import Strip

from inspector.resume.launch import Outcome
from inspector.resume.plan import Plan, sentence
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import duration
from inspector.ui.kit import Kit
from inspector.ui.paint import NARROW, Line
from inspector.ui.palette import Ground, Role
from inspector.ui.wrap import wrapped

VALUE_CELLS = 15
"""Where the second column begins."""
MOST_LINES = 6
"""Lines of one fact; the plan that can be saved has all."""
COMMAND_LINES = 4


class ResumePage:
    """Lines of the dialog, `width` cells on raised ground."""

    def __init__(self, kit: Kit, width: int, *, airy: bool = True) -> None:
        self.kit = kit
        self.width = width
        self.airy = airy
        """Whether blocks are a row apart; where there is no room they are not."""
        self.inset = 3 if width >= NARROW else 2
        self._strips: list[Strip] = []
        self._blank = True

    @property
    def room(self) -> int:
        """Cells between the margins."""
        return max(1, self.width - 2 * self.inset)

    def strips(self) -> list[Strip]:
        """What was written."""
        return self._strips

    def gap(self) -> None:
        """An empty row, unless there is one already or none is to be spared."""
        if self.airy and not self._blank:
            self._strips.append(self._line().strip())
            self._blank = True

    def fact(
        self,
        label: str,
        text: str,
        sign: str = "",
        sign_role: Role = Role.MUTED,
        *,
        role: Role = Role.TEXT,
        aside: str = "",
    ) -> None:
        """A label and what it is, in two columns; below one another where it is narrow."""
        signs, narrow = self.kit.signs, self.width < NARROW
        if narrow and aside:
            text, aside = f"{text}, {aside}", ""
        lead = f"{sign} {label}" if sign else label
        at = self.inset + (2 if narrow else VALUE_CELLS)
        # Where it is narrow the label begins the sentence.
        whole = f"{lead}  {text}" if narrow else text
        room = self.width - self.inset - (self.inset if narrow else at)
        lines = wrapped(signs.plain(whole), room, MOST_LINES, signs.cut) or [""]
        if narrow:
            # The lines below are indented, so they are broken anew for what is left.
            rest = whole[len(lines[0]) :].lstrip()
            more = wrapped(signs.plain(rest), room - 2, MOST_LINES - 1, signs.cut)
            lines = [lines[0].removeprefix(lead).lstrip(), *more]
        for number, words in enumerate(lines):
            line = self._line()
            if number == 0:
                line.put(self.inset, sign, sign_role)
                line.add(label, Role.MUTED, skip=1 if sign else 0)
            line.put(line.cells + 2 if narrow and number == 0 else at, words, role)
            left = self.width - self.inset - line.cells - 3
            if aside and number == len(lines) - 1 and cell_width(aside) <= left:
                line.add(aside, Role.MUTED, skip=3)
            self._put(line)

    def remark(self, text: str, sign: str, sign_role: Role, role: Role = Role.TEXT) -> None:
        """A sentence behind a sign."""
        signs = self.kit.signs
        lines = wrapped(signs.plain(text), self.room - 2, MOST_LINES, signs.cut)
        for number, words in enumerate(lines):
            line = self._line()
            if number == 0:
                line.put(self.inset, sign, sign_role)
            line.put(self.inset + 2, words, role)
            self._put(line)

    def block(self, lines: Sequence[tuple[str, Role]]) -> None:
        """Lines on the ground colour, as something to be taken away."""
        roles, edge = self.kit.roles, self.inset - 1
        for text, role in lines:
            inner = Line(self.width - 2 * edge, roles, Ground.BG)
            inner.put(1, clip(text, inner.width - 2, ellipsis=self.kit.signs.cut), role)
            side = Line(edge, roles, Ground.RAISED).strip()
            self._strips.append(Strip.join([side, inner.strip(), side]))
        self._blank = False

    def _line(self) -> Line:
        return Line(self.width, self.kit.roles, Ground.RAISED)

    def _put(self, line: Line) -> None:
        self._strips.append(line.strip())
        self._blank = False


def write_plan(page: ResumePage, plan: Plan, now: int) -> None:
    """The facts of a plan, then its command."""
    signs, flight = page.kit.signs, plan.preflight

    def safe(text: str) -> str:
        return signs.show(text)

    if not flight.resumable:
        page.remark(
            f"It cannot be resumed: {safe(flight.reason or '')}.".replace("..", "."),
            signs.failed,
            Role.ERROR,
        )
        page.gap()
    if flight.stands is not None:
        kind = "" if flight.position is None else flight.position.kind
        sign = {"parallel": f"{signs.parallel} ", "loop": f"{signs.loop} "}.get(kind, "")
        page.fact("stands in", sign + safe(flight.stands))
    if flight.liveness is not None:
        word, _, rest = flight.liveness.partition(", ")
        page.fact("alive", safe(word), aside=safe(rest))
    if flight.deadline is not None:
        page.fact("time left", _left(flight.deadline - now), role=Role.WARNING)
    page.gap()
    for line in flight.done:
        page.fact("keep", safe(line), signs.completed, Role.SUCCESS)
    for line in flight.unknown:
        page.fact("unconfirmed", safe(line), signs.unconfirmed, Role.TEXT)
    if flight.will_run:
        page.fact("will run", safe(", ".join(flight.will_run)), signs.pending)
    page.gap()
    for caution in flight.warnings:
        page.remark(safe(caution.message), signs.finding, Role.WARNING)
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
        page.remark(safe(plan.problem), signs.finding, Role.WARNING)


def _left(ms: int) -> str:
    return "none: its time ran out" if ms <= 0 else duration(ms).strip()


def _command(page: ResumePage, plan: Plan) -> list[tuple[str, Role]]:
    signs, command = page.kit.signs, plan.command
    if command is None:
        request = (plan.request or "").split("\n")
        shown = [(signs.show(line), Role.TEXT) for line in request[:COMMAND_LINES]]
        return [*shown, (signs.plain("the request to its server; p copies it"), Role.MUTED)]
    prompt = plan.preflight.prompt
    words = [_word(word, prompt) for word in command.argv]
    text = signs.show(" ".join(words))
    lines = wrapped(text, page.width - 2 * page.inset, COMMAND_LINES, signs.cut)
    note = "the exact command"
    if prompt is not None:
        count = prompt.rstrip("\n").count("\n") + 1
        note += f"; the prompt has {count} line{'' if count == 1 else 's'}"
    found = [(signs.show(f"cd {_home(command.cwd)}"), Role.TEXT)]
    found += [(line, Role.STRONG) for line in lines]
    return [*found, (note, Role.MUTED)]


def _word(word: str, prompt: str | None) -> str:
    """A word as it is read; of a prompt its first line stands for all."""
    if prompt is not None and word == prompt:
        return f'"{word.partition(chr(10))[0].rstrip(".")}"'
    return f'"{word}"' if not word or any(char.isspace() for char in word) else word


def _home(folder: str) -> str:
    home = os.path.expanduser("~").rstrip(os.sep)
    return f"~{folder[len(home) :]}" if home and f"{folder}/".startswith(f"{home}/") else folder


def write_question(page: ResumePage, plan: Plan, behind: bool) -> None:
    """What is asked before a launch: once more what is at stake."""
    signs, flight = page.kit.signs, plan.preflight
    where = "in the background" if behind else "in this terminal"
    page.remark(f"Launch it {where}?", signs.finding, Role.WARNING, Role.STRONG)
    page.gap()
    if flight.liveness is not None:
        page.remark(sentence(f"alive: {signs.show(flight.liveness)}"), signs.finding, Role.WARNING)
    for caution in flight.warnings:
        page.remark(signs.show(caution.message), signs.finding, Role.WARNING)
    if behind:
        page.remark("Nobody can answer what it asks.", signs.finding, Role.WARNING)
    page.gap()
    page.block(_command(page, plan))


def write_outcome(page: ResumePage, outcome: Outcome, ended: str, said: Sequence[str]) -> None:
    """What came of a launch: by the store first, then how the program ended."""
    signs = page.kit.signs
    well = outcome.went_well
    page.remark(
        sentence(f"by the store {outcome.words}"),
        signs.completed if well else signs.failed,
        Role.SUCCESS if well else Role.ERROR,
        Role.STRONG,
    )
    page.remark(sentence(ended), " ", Role.MUTED, Role.MUTED)
    page.gap()
    for change in outcome.changes:
        name, _, what = change.partition(": ")
        page.fact(signs.show(name), signs.show(what))
    write_said(page, said)


def write_said(page: ResumePage, said: Sequence[str]) -> None:
    """The end of what a program in the background wrote."""
    if said:
        page.gap()
        page.block([(page.kit.signs.show(line), Role.MUTED) for line in said])
