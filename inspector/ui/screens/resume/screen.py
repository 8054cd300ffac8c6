"""The resume dialog: facts, command, actions; a launch needs a second confirmation."""

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
from inspector.ui.screens.resume.launcher import Checked, Launcher, LaunchResult
from inspector.ui.screens.resume.page import (
    ResumePage,
    write_outcome,
    write_output,
    write_plan,
    write_question,
)
from inspector.ui.screens.resume.widgets import (
    NOTHING_STARTED,
    Choice,
    ChoiceBuilder,
    ChoiceList,
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
OUTPUT_LINES = 8
READ_ONLY_NOTE = "read-only until you launch"
NOTHING_TO_DECIDE = "Nothing to approve or deny here."
NOTE_WIDTH = 76
"""Minimum columns for the note in the footer."""


class ResumeScreen(CommandScreen):
    """Shows what resuming a run would do; launches only after a second confirmation."""

    SCOPE = RESUME
    HINTS: ClassVar[tuple[str, ...]] = ("do", "back")

    def __init__(self, feed: Feed, run: Run, settings: Settings, folder: Path) -> None:
        super().__init__()
        self._feed = feed
        self._run = run
        self._folder = folder
        self._choices = Choices(settings.hosts, settings.resume_commands)
        self._checked: Checked | None = None
        self._made: tuple[Checked, Choices, Plan] | None = None
        self._unreadable: str | None = None
        self._result: LaunchResult | None = None
        self._background = False
        """True if the pending launch is one in the background."""
        self._stage = Stage.READING

    def compose(self) -> ComposeResult:
        """Title, facts, confirmation field, actions; footer."""
        with Vertical(id="resume", classes="-ascii" if self.ui.glyphs.ascii else None):
            yield ResumeTitle(self._run.title)
            yield ResumeText()
            field = TypedField("type", "Enter launch · Esc back", id="resume-typed")
            field.display = False
            yield field
            yield ChoiceList()
        yield Footer()

    def on_mount(self) -> None:
        """Check the run, and start a timer for deadline and output."""
        super().on_mount()
        self._launcher = Launcher(self.app, self._feed, self._run, self._folder, self.ui.clock)
        self.query_one(ChoiceList).focus()
        self._launcher.check(self._update)
        self.set_interval(1.0, self._tick)
        self._show(Stage.READING)

    # State

    @property
    def is_open(self) -> bool:
        """True until the dialog is closed; callbacks may come later."""
        return self in self._launcher.app.screen_stack

    @property
    def plan(self) -> Plan | None:
        """The plan for the last check and the choices; cached, as it searches for programs."""
        if self._checked is None:
            return None
        made = self._made
        if made is None or made[0] is not self._checked or made[1] != self._choices:
            made = self._made = (self._checked, self._choices, self._checked.plan(self._choices))
        return made[2]

    def _update(self, checked: Checked | Unavailable) -> None:
        if not self.is_open:
            return
        self._unreadable = checked.reason if isinstance(checked, Unavailable) else None
        self._checked = None if isinstance(checked, Unavailable) else checked
        if self._stage in (Stage.READING, Stage.PLAN):
            self._show(Stage.PLAN)

    def _tick(self) -> None:
        checked = self._checked
        counts_down = checked is not None and checked.preflight.deadline is not None
        if self._stage is Stage.BACKGROUND or (self._stage is Stage.PLAN and counts_down):
            self._layout_page(keep=True)

    # Display

    def _show(self, stage: Stage) -> None:
        self._stage = stage
        typed = self._confirmation() is not None and stage is Stage.QUESTION
        field = self.query_one(TypedField)
        field.display = typed
        self._layout_page(keep=False)
        (field if typed else self.query_one(ChoiceList)).focus()
        self.show_hints()

    def _confirmation(self) -> str | None:
        return None if self._checked is None else self._checked.preflight.confirm

    def _state_text(self) -> str:
        program = self._launcher.program
        if self._stage is Stage.BACKGROUND and program is not None:
            return f"running in the background as process {program.pid}"
        return "finished" if self._stage is Stage.OVER else NOTHING_STARTED

    def _write(self, page: ResumePage) -> None:
        plan, result, program = self.plan, self._result, self._launcher.program
        glyphs = self.ui.glyphs
        output = () if program is None else program.output[-OUTPUT_LINES:]
        if self._stage is Stage.OVER and result is not None:
            write_outcome(page, result.outcome, glyphs.safe(result.ended), output)
        elif self._stage is Stage.BACKGROUND and program is not None:
            page.remark("Keeps running after you close this.", glyphs.running, Role.ACCENT)
            write_output(page, [*output, program.current] if program.current else output)
        elif self._unreadable is not None:
            page.remark(
                f"The run cannot be read now: {glyphs.safe(self._unreadable)}.",
                glyphs.failed,
                Role.ERROR,
            )
        elif plan is None or self._stage is Stage.STARTING:
            page.remark("Loading…" if plan is None else "Starting…", glyphs.pending, Role.MUTED)
        elif self._stage is Stage.QUESTION:
            write_question(page, plan, self._background)
            if self._confirmation() is not None:
                page.remark(f"Type {glyphs.safe(self._confirmation() or '')} to launch.", " ",
                            Role.MUTED, Role.STRONG)  # fmt: skip
        else:
            write_plan(page, plan, self.ui.clock())

    def _layout_page(self, *, keep: bool) -> None:
        """Fits text and actions into the terminal; the text scrolls if it is too long."""
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
        title, text_view = self.query_one(ResumeTitle), self.query_one(ResumeText)
        offered = self.query_one(ChoiceList)
        more = f"{self.ui.keys.shown('cursor.page-down')} more" if is_cut else ""
        title.show(self._state_text(), more)
        title.styles.margin = (space, 0)
        text_view.styles.height = text
        offered.styles.height = listed
        offered.styles.margin = (space, 0)
        text_view.show(page.strips(), keep=keep)
        offered.show(choices, airy=airy, keep=keep)

    def _page(self, width: int, choices: Sequence[Choice], airy: bool) -> tuple[ResumePage, int]:
        page = ResumePage(self.ui, width, airy=airy)
        self._write(page)
        apart = sum(choice.apart for choice in choices) if airy else 0
        return page, len(choices) + apart

    def on_resize(self, event: events.Resize) -> None:
        """Fit the dialog into the new size."""
        self._layout_page(keep=True)
        self.show_hints()

    def show_hints(self, right: str = READ_ONLY_NOTE) -> None:
        """Show the hints of the dialog in the footer."""
        keys = self.ui.keys
        finished = self._stage in (Stage.OVER, Stage.BACKGROUND)
        leave = Hint(keys.shown("back"), "close" if finished else "cancel")
        found = [Hint("↑ ↓", "move"), *keys.hints(["do"]), leave]
        if self.size.width < NARROW:
            found.reverse()
        short = self.size.width < NOTE_WIDTH
        last = keys.hints([self.HELP_HINT])
        for footer in self.query(Footer):
            footer.show(found, last[0] if last else None, "" if finished or short else right)

    def _offered(self) -> list[Choice]:
        names = [one.name for one in hosts(self._choices.hosts)]
        typed = self._confirmation() is not None
        return ChoiceBuilder(self._stage, self.plan, typed, names, self.disabled_reason).choices()

    # Commands

    def disabled_reason(self, name: str) -> str | None:
        """Why a command is not available now; None if it is."""
        plan = self.plan
        if name not in _PLAN_COMMANDS:
            return None
        if plan is None or self._stage is not Stage.PLAN:
            return "Not available at this stage."
        if name == "prompt.copy":
            has_any = plan.preflight.prompt is not None or plan.request is not None
            return None if has_any else "No prompt and no request to copy."
        if name == "host.next":
            return (
                None if plan.preflight.prompt is not None else "This run is resumed without a host."
            )
        if name == "decision.next":
            return None if plan.preflight.decisions else NOTHING_TO_DECIDE
        if name == "command.copy":
            return None if plan.command is not None else plan.problem
        if name == "plan.save":
            return None
        return plan.problem or (why_no_handover(self.app) if name == "launch" else None)

    @on(LineList.Chosen)
    def action_do(self) -> None:
        """Run the selected action."""
        choice = self.query_one(ChoiceList).choice
        if choice is None:
            return
        if choice.command:
            self.run_command(self.ui.keys[choice.command])
        else:
            self._launch()

    @on(ChoiceList.PageRequested)
    def _page_requested(self, message: ChoiceList.PageRequested) -> None:
        text_view = self.query_one(ResumeText)
        text_view.action_cursor_page_down() if message.down else text_view.action_cursor_page_up()

    def action_back(self) -> None:
        """Go back from the question to the plan, else close the dialog."""
        if self._stage is Stage.QUESTION:
            self._show(Stage.PLAN)
        elif self._stage is not Stage.STARTING:
            self.dismiss()

    def action_command_copy(self) -> None:
        """Copy the command, quoted for a shell."""
        plan = self.plan
        if plan is not None and plan.command is not None:
            self._show_text(copy(self.app, shell_line(plan.command), "the command"))

    def action_prompt_copy(self) -> None:
        """Copy the prompt, or the request to a server."""
        plan = self.plan
        if plan is None:
            return
        if plan.preflight.prompt is not None:
            self._show_text(copy(self.app, plan.preflight.prompt, "the prompt"))
        elif plan.request is not None:
            self._show_text(copy(self.app, plan.request, "the request"))

    def action_plan_save(self) -> None:
        """Save the plan as Markdown in our state folder."""
        plan = self.plan
        if plan is None:
            return
        name = f"resume-{plan.run.title[:20]}.md"
        try:
            path = save(markdown(plan).encode(), name, self._folder / "plans")
        except OSError as error:
            self._show_text(f"Not saved: {error}")
            return
        self._show_text(f"Saved to {path}")

    def action_host_next(self) -> None:
        """Switch to the next known host."""
        plan = self.plan
        names = [one.name for one in hosts(self._choices.hosts)]
        at = names.index(plan.host) if plan is not None and plan.host in names else -1
        self._choices = replace(self._choices, host=names[(at + 1) % len(names)])
        self._layout_page(keep=True)

    def action_decision_next(self) -> None:
        """Switch to the next possible decision."""
        plan = self.plan
        if plan is None or not plan.preflight.decisions:
            return
        words = [one.word for one in plan.preflight.decisions]
        at = words.index(plan.decision) if plan.decision in words else -1
        self._choices = replace(self._choices, decision=words[(at + 1) % len(words)])
        self._layout_page(keep=True)

    def action_launch(self) -> None:
        """Ask for confirmation of a launch in this terminal."""
        self._ask(background=False)

    def action_launch_behind(self) -> None:
        """Ask for confirmation of a launch in the background."""
        self._ask(background=True)

    def _ask(self, *, background: bool) -> None:
        self._background = background
        self.query_one(TypedField).value = ""
        self._show(Stage.QUESTION)

    @on(PromptInput.Exited)
    def _field_exited(self, event: PromptInput.Exited) -> None:
        if event.key != "enter":
            self.action_back()
        elif event.field.value.strip() == self._confirmation():
            self._launch()
        else:
            self._show_text("Text does not match. Nothing was started.")

    # The launch

    def _launch(self) -> None:
        plan = self.plan
        if plan is None or self._stage is not Stage.QUESTION:
            return
        self._show(Stage.STARTING)
        self._launcher.launch(
            plan,
            self._choices,
            not self._background,
            self._refused,
            self._started,
            self._ended,
        )

    def _started(self) -> None:
        if self.is_open:
            self._show(Stage.BACKGROUND)

    def _refused(self, why: str) -> None:
        if self.is_open:
            self._show(Stage.PLAN)
            self._launcher.check(self._update)
            self._show_text(why)

    def _ended(self, result: LaunchResult) -> None:
        self._result = result
        if self.is_open:
            self._show(Stage.OVER)
            return
        front = self._launcher.app.screen
        if isinstance(front, CommandScreen):
            title = self._run.title
            front.show_message(front.ui.glyphs.safe(f"{title}: {result.outcome.words}."))

    def _show_text(self, sentence: str) -> None:
        self.show_message(self.ui.glyphs.safe(sentence))


_PLAN_COMMANDS = (
    "command.copy", "prompt.copy", "plan.save", "host.next", "decision.next", "launch",
    "launch.behind",
)  # fmt: skip
