"""The dialog about resuming a run: facts, command, choices; it asks once more before a launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.config.settings import Settings
from inspector.live.feed import Feed, Unavailable
from inspector.model.run import Run
from inspector.resume.command import hosts, shell_line
from inspector.resume.document import markdown
from inspector.resume.plan import Choices, Plan
from inspector.ui.clipboard import copy, save
from inspector.ui.command_screen import CommandScreen
from inspector.ui.commands import Hint
from inspector.ui.lines import NARROW
from inspector.ui.palette import Role
from inspector.ui.screens.resume.commands import RESUME
from inspector.ui.screens.resume.launcher import Launcher, Over, Seen
from inspector.ui.screens.resume.page import (
    ResumePage,
    write_outcome,
    write_plan,
    write_question,
    write_said,
)
from inspector.ui.screens.resume.widgets import (
    NOTHING_STARTED,
    Choice,
    ChoiceList,
    Offer,
    ResumeText,
    ResumeTitle,
    Stage,
    TypedField,
)
from inspector.ui.terminal import why_no_handover
from inspector.ui.widgets.frame import Footer
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

WIDEST = 95
SAID_LINES = 8
UNTIL = "read-only until you launch"
NOTHING_TO_DECIDE = "Nothing can be approved from here; a gate is answered where its run goes on."
WITH_UNTIL = 76
"""Columns in which the footer has room for that too."""


class ResumeScreen(CommandScreen):
    """What resuming a run would do; nothing is started without a second word."""

    SCOPE = RESUME
    HINTS: ClassVar[tuple[str, ...]] = ("do", "back")

    def __init__(self, feed: Feed, run: Run, settings: Settings, folder: Path) -> None:
        super().__init__()
        self._feed = feed
        self._run = run
        self._folder = folder
        self._choices = Choices(settings.hosts, settings.prism_resume)
        self._seen: Seen | None = None
        self._made: tuple[Seen, Choices, Plan] | None = None
        self._unreadable: str | None = None
        self._over: Over | None = None
        self._behind = False
        """Whether the launch that is asked about is one in the background."""
        self._stage = Stage.READING

    def compose(self) -> ComposeResult:
        """Title, facts, a field for what has to be typed, choices; the footer below."""
        with Vertical(id="resume", classes="-ascii" if self.ui.glyphs.ascii else None):
            yield ResumeTitle(self._run.title)
            yield ResumeText()
            field = TypedField("type", "enter launches, esc goes back", id="resume-typed")
            field.display = False
            yield field
            yield ChoiceList()
        yield Footer()

    def on_mount(self) -> None:
        """Reads the run; the clock only runs down to a deadline."""
        super().on_mount()
        self._launcher = Launcher(self.app, self._feed, self._run, self._folder, self.ui.clock)
        self.query_one(ChoiceList).focus()
        self._launcher.look(self._take)
        self.set_interval(1.0, self._tick)
        self._show(Stage.READING)

    # What is known

    @property
    def is_open(self) -> bool:
        """Whether the dialog was not left; answers may come later than that."""
        return self in self._launcher.app.screen_stack

    @property
    def plan(self) -> Plan | None:
        """The plan for what was read and chosen; programs are looked for once."""
        if self._seen is None:
            return None
        made = self._made
        if made is None or made[0] is not self._seen or made[1] != self._choices:
            made = self._made = (self._seen, self._choices, self._seen.plan(self._choices))
        return made[2]

    def _take(self, seen: Seen | Unavailable) -> None:
        if not self.is_open:
            return
        self._unreadable = seen.reason if isinstance(seen, Unavailable) else None
        self._seen = None if isinstance(seen, Unavailable) else seen
        if self._stage in (Stage.READING, Stage.PLAN):
            self._show(Stage.PLAN)

    def _tick(self) -> None:
        seen = self._seen
        runs_down = seen is not None and seen.preflight.deadline is not None
        if self._stage is Stage.BEHIND or (self._stage is Stage.PLAN and runs_down):
            self._lay_out(keep=True)

    # What is shown

    def _show(self, stage: Stage) -> None:
        self._stage = stage
        typed = self._to_type() is not None and stage is Stage.QUESTION
        field = self.query_one(TypedField)
        field.display = typed
        self._lay_out(keep=False)
        (field if typed else self.query_one(ChoiceList)).focus()
        self.show_hints()

    def _to_type(self) -> str | None:
        return None if self._seen is None else self._seen.preflight.confirm

    def _not_happened(self) -> str:
        program = self._launcher.program
        if self._stage is Stage.BEHIND and program is not None:
            return f"runs in the background as process {program.pid}"
        return "it is over" if self._stage is Stage.OVER else NOTHING_STARTED

    def _write(self, page: ResumePage) -> None:
        plan, over, program = self.plan, self._over, self._launcher.program
        glyphs = self.ui.glyphs
        said = () if program is None else program.said[-SAID_LINES:]
        if self._stage is Stage.OVER and over is not None:
            write_outcome(page, over.outcome, glyphs.safe(over.ended), said)
        elif self._stage is Stage.BEHIND and program is not None:
            page.remark("It goes on when this is closed.", glyphs.running, Role.ACCENT)
            write_said(page, [*said, program.current] if program.current else said)
        elif self._unreadable is not None:
            page.remark(
                f"It cannot be read now: {glyphs.safe(self._unreadable)}.",
                glyphs.failed,
                Role.ERROR,
            )
        elif plan is None or self._stage is Stage.STARTING:
            page.remark("reading" if plan is None else "starting", glyphs.pending, Role.MUTED)
        elif self._stage is Stage.QUESTION:
            write_question(page, plan, self._behind)
            if self._to_type() is not None:
                page.remark(f"Type {glyphs.safe(self._to_type() or '')} to launch it.", " ",
                            Role.MUTED, Role.STRONG)  # fmt: skip
        else:
            write_plan(page, plan, self.ui.clock())

    def _lay_out(self, *, keep: bool) -> None:
        """Fits text and choices into the terminal: the text scrolls where there is no room."""
        width = min(WIDEST, self.size.width) - 2
        rows = self.size.height - 3
        if width <= 0 or rows <= 0:
            return
        choices = self._offered()
        typed = 1 if self.query_one(TypedField).display else 0
        airy = True
        page, listed = self._page(width, choices, airy)
        if len(page.strips()) + listed + typed + 5 > rows:
            airy = False
            page, listed = self._page(width, choices, airy)
        fixed = 1 + typed + (4 if airy else 0)
        listed = min(listed, max(1, rows // 2, rows - fixed - len(page.strips())))
        text = max(1, min(len(page.strips()), rows - fixed - listed))
        is_cut = text < len(page.strips())
        space = 1 if airy else 0
        title, sheet = self.query_one(ResumeTitle), self.query_one(ResumeText)
        offered = self.query_one(ChoiceList)
        more = f"{self.ui.keys.shown('cursor.page-down')} for more" if is_cut else ""
        title.show(self._not_happened(), more)
        title.styles.margin = (space, 0)
        sheet.styles.height = text
        offered.styles.height = listed
        offered.styles.margin = (space, 0)
        sheet.show(page.strips(), keep=keep)
        offered.show(choices, airy=airy, keep=keep)

    def _page(self, width: int, choices: Sequence[Choice], airy: bool) -> tuple[ResumePage, int]:
        page = ResumePage(self.ui, width, airy=airy)
        self._write(page)
        apart = sum(choice.apart for choice in choices) if airy else 0
        return page, len(choices) + apart

    def on_resize(self, event: events.Resize) -> None:
        """What fits depends on the terminal."""
        self._lay_out(keep=True)
        self.show_hints()

    def show_hints(self, right: str = UNTIL) -> None:
        """The footer of a dialog."""
        keys = self.ui.keys
        over = self._stage in (Stage.OVER, Stage.BEHIND)
        leave = Hint(keys.shown("back"), "close" if over else "cancel")
        found = [Hint("↑ ↓", "choose"), *keys.hints(["do"]), leave]
        if self.size.width < NARROW:
            found.reverse()
        short = self.size.width < WITH_UNTIL
        last = keys.hints([self.HELP_HINT])
        for footer in self.query(Footer):
            footer.show(found, last[0] if last else None, "" if over or short else right)

    def _offered(self) -> list[Choice]:
        names = [one.name for one in hosts(self._choices.hosts)]
        typed = self._to_type() is not None
        return Offer(self._stage, self.plan, typed, names, self.disabled_reason).choices()

    # What can be done

    def disabled_reason(self, name: str) -> str | None:
        """Why a command cannot be done now."""
        plan = self.plan
        if name not in _OF_A_PLAN:
            return None
        if plan is None or self._stage is not Stage.PLAN:
            return "Not now."
        if name == "prompt.copy":
            has_any = plan.preflight.prompt is not None or plan.request is not None
            return None if has_any else "There is neither a prompt nor a request."
        if name == "host.next":
            return None if plan.preflight.prompt is not None else "No host is asked for this."
        if name == "decision.next":
            return None if plan.preflight.decisions else NOTHING_TO_DECIDE
        if name == "command.copy":
            return None if plan.command is not None else plan.problem
        if name == "plan.save":
            return None
        return plan.problem or (why_no_handover(self.app) if name == "launch" else None)

    @on(LineList.Chosen)
    def action_do(self) -> None:
        """Does what the cursor is on."""
        choice = self.query_one(ChoiceList).choice
        if choice is None:
            return
        if choice.command:
            self.run_command(self.ui.keys[choice.command])
        else:
            self._launch()

    @on(ChoiceList.Turned)
    def _turned(self, message: ChoiceList.Turned) -> None:
        sheet = self.query_one(ResumeText)
        sheet.action_cursor_page_down() if message.down else sheet.action_cursor_page_up()

    def action_back(self) -> None:
        """From the question back to the plan; else out of the dialog."""
        if self._stage is Stage.QUESTION:
            self._show(Stage.PLAN)
        elif self._stage is not Stage.STARTING:
            self.dismiss()

    def action_command_copy(self) -> None:
        """Copies the command as text for a shell."""
        plan = self.plan
        if plan is not None and plan.command is not None:
            self._say(copy(self.app, shell_line(plan.command), "the command"))

    def action_prompt_copy(self) -> None:
        """Copies the prompt, or the request to a server."""
        plan = self.plan
        if plan is None:
            return
        if plan.preflight.prompt is not None:
            self._say(copy(self.app, plan.preflight.prompt, "the prompt"))
        elif plan.request is not None:
            self._say(copy(self.app, plan.request, "the request"))

    def action_plan_save(self) -> None:
        """Writes the plan into a file of ours."""
        plan = self.plan
        if plan is None:
            return
        name = f"resume-{plan.run.title[:20]}.md"
        try:
            path = save(markdown(plan).encode(), name, self._folder / "plans")
        except OSError as error:
            self._say(f"It could not be saved: {error}")
            return
        self._say(f"Saved in {path}")

    def action_host_next(self) -> None:
        """Asks the next of the hosts that are known."""
        plan = self.plan
        names = [one.name for one in hosts(self._choices.hosts)]
        at = names.index(plan.host) if plan is not None and plan.host in names else -1
        self._choices = replace(self._choices, host=names[(at + 1) % len(names)])
        self._lay_out(keep=True)

    def action_decision_next(self) -> None:
        """Takes the next of the decisions that can be taken."""
        plan = self.plan
        if plan is None or not plan.preflight.decisions:
            return
        words = [one.word for one in plan.preflight.decisions]
        at = words.index(plan.decision) if plan.decision in words else -1
        self._choices = replace(self._choices, decision=words[(at + 1) % len(words)])
        self._lay_out(keep=True)

    def action_launch(self) -> None:
        """Asks once more before a launch in this terminal."""
        self._ask(behind=False)

    def action_launch_behind(self) -> None:
        """Asks once more before a launch in the background."""
        self._ask(behind=True)

    def _ask(self, *, behind: bool) -> None:
        self._behind = behind
        self.query_one(TypedField).value = ""
        self._show(Stage.QUESTION)

    @on(PromptInput.Left)
    def _left(self, event: PromptInput.Left) -> None:
        if event.key != "enter":
            self.action_back()
        elif event.field.value.strip() == self._to_type():
            self._launch()
        else:
            self._say("That is something else: nothing was started.")

    # The launch

    def _launch(self) -> None:
        plan = self.plan
        if plan is None or self._stage is not Stage.QUESTION:
            return
        self._show(Stage.STARTING)
        self._launcher.launch(
            plan,
            self._choices,
            not self._behind,
            self._refused,
            self._begun,
            self._ended,
        )

    def _begun(self) -> None:
        if self.is_open:
            self._show(Stage.BEHIND)

    def _refused(self, why: str) -> None:
        if self.is_open:
            self._show(Stage.PLAN)
            self._launcher.look(self._take)
            self._say(why)

    def _ended(self, over: Over) -> None:
        self._over = over
        if self.is_open:
            self._show(Stage.OVER)
            return
        front = self._launcher.app.screen
        if isinstance(front, CommandScreen):
            title = self._run.title
            front.show_message(front.ui.glyphs.safe(f"{title}: {over.outcome.words}."))

    def _say(self, sentence: str) -> None:
        self.show_message(self.ui.glyphs.safe(sentence))


_OF_A_PLAN = (
    "command.copy", "prompt.copy", "plan.save", "host.next", "decision.next", "launch",
    "launch.behind",
)  # fmt: skip
