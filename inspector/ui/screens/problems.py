"""Findings of all stores, and unreadable stores; Enter opens their run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip

from inspector.derive.problems import Problem, problems, standing
from inspector.live.feed import Message, Overview
from inspector.text.measure import clip
from inspector.text.numbers import count
from inspector.ui.command_screen import CommandScreen
from inspector.ui.commands import Command
from inspector.ui.lines import NARROW, Line, LineWidget, gap, margin, wrapped
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.frame import Footer, Header, Piece, clock_face
from inspector.ui.widgets.line_list import LineList

PROBLEMS = "problems"
PROBLEMS_COMMANDS = (
    Command("go", "Go to the run of this problem", ("enter",), (PROBLEMS,), hint="go to the run"),
)
NOTICES, STORES, STANDING = "notices", "stores", "runs"
FOLLOWED = "followed by a newer run"
TITLE_CELLS = 20


class ProblemsList(LineList):
    """One line per problem, grouped; group names are in the glyph column."""

    def __init__(self) -> None:
        super().__init__(id="problems")
        self._rows: list[Problem | str] = []
        self._names: list[int] = []

    def show(self, found: Sequence[Problem]) -> None:
        """Shows problems; the cursor stays on its problem."""
        before = self.problem
        self._rows = []
        for problem in found:
            group = STORES if problem.store else STANDING if problem.run else NOTICES
            group = FOLLOWED if problem.followed else group
            if group not in self._rows:
                self._rows.append(group)
            self._rows.append(problem)
        self._names = [row for row, entry in enumerate(self._rows) if isinstance(entry, str)]
        same = next(
            (
                row
                for row, entry in enumerate(self._rows)
                if isinstance(entry, Problem) and before is not None and _same(entry, before)
            ),
            1 if self._rows else -1,
        )
        self.rows_changed(same)

    @property
    def problem(self) -> Problem | None:
        """The selected problem."""
        entry = self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None
        return entry if isinstance(entry, Problem) else None

    @property
    def row_count(self) -> int:
        """The number of problems and group names."""
        return len(self._rows)

    def selectable(self, row: int) -> bool:
        """Group names cannot be selected."""
        return isinstance(self._rows[row], Problem)

    def entries(self, rows: int) -> int:
        """The number of problems, without group names."""
        return rows - bisect_left(self._names, rows)

    def version(self, row: int) -> Hashable:
        """Everything that a row's look depends on."""
        entry = self._rows[row]
        if isinstance(entry, str):
            return entry
        return (entry.code, entry.message, _title(entry), entry.followed)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws a problem: its subject and message."""
        entry, ui, edge = self._rows[row], self.ui, margin(width)
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if isinstance(entry, str):
            line.put(edge, entry, Role.TEXT)
            if ui.styles.draws(Role.DIM):
                cells = width - edge - line.cells - 2
                line.add(ui.glyphs.rule * cells, Role.DIM, skip=2)
            return line.strip()
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        line.put(edge, ui.glyphs.finding, Role.MUTED if entry.followed else Role.WARNING)
        title = ui.glyphs.safe(_title(entry))
        cells = TITLE_CELLS if width >= NARROW else 12
        bold = Role.STRONG if cursor and focused else Role.TEXT
        line.put(edge + 2, clip(title, cells, ellipsis=ui.glyphs.cut), bold)
        at = edge + 2 + cells + 2
        message = ui.glyphs.safe(entry.message)
        role = Role.MUTED if entry.followed or not cursor else Role.TEXT
        line.put(at, clip(message, width - edge - at, ellipsis=ui.glyphs.cut), role)
        return line.strip()


def _title(problem: Problem) -> str:
    if problem.run is not None:
        return problem.run.title
    return "/".join(problem.store.path.split("/")[-2:]) if problem.store else "notice"


def _same(one: Problem, other: Problem) -> bool:
    mine = (one.run.key if one.run else None, one.store.path if one.store else None)
    theirs = (other.run.key if other.run else None, other.store.path if other.store else None)
    return mine == theirs and one.code == other.code and one.message == other.message


class ProblemDetail(LineWidget):
    """The full message, its code, and its location."""

    def __init__(self) -> None:
        super().__init__(id="problem")
        self._problem: Problem | None = None

    def show(self, problem: Problem | None) -> None:
        """Shows the selected problem."""
        self._problem = problem
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws one line of the pane."""
        line = self.line(width, Ground.RAISED)
        glyphs, problem, edge = self.ui.glyphs, self._problem, margin(width)
        if y == 0 and self.ui.styles.plain:
            line.put(0, glyphs.rule * width, Role.GUIDE)
        if problem is None or not 0 < y < self.size.height - 1:
            return line.strip()
        sentence = glyphs.safe(problem.message)
        lines = wrapped(sentence, width - 2 * edge, self.size.height - 3, glyphs.cut)
        if y == 1:
            line.put(
                edge,
                clip(glyphs.safe(_title(problem)), width // 2, ellipsis=glyphs.cut),
                Role.STRONG,
            )
            for part in _places(problem):
                room = width - edge - line.cells - gap(width)
                text = clip(glyphs.safe(part), room, ellipsis=glyphs.cut)
                line.add(text, Role.MUTED, skip=gap(width))
        elif y - 2 < len(lines):
            line.put(edge, lines[y - 2], Role.TEXT)
        return line.strip()


def _places(problem: Problem) -> list[str]:
    run = problem.run
    parts = [run.runtime, run.run_id] if run is not None else []
    path = problem.store.path if problem.store is not None else None
    code = problem.code.replace("_", " ")
    return [part for part in (*parts, path, code, problem.ref) if part]


class ProblemsScreen(CommandScreen):
    """The list of all problems."""

    SCOPE = PROBLEMS
    HINTS: ClassVar[tuple[str, ...]] = ("go", "back")

    def __init__(self, overview: Overview | None, notices: Sequence[str] = ()) -> None:
        super().__init__()
        self._overview = overview
        self._notices = tuple(notices)
        self._found: list[Problem] = []

    def compose(self) -> ComposeResult:
        """Yields header, list, detail and footer."""
        yield Header()
        yield ProblemsList()
        yield ProblemDetail()
        yield Footer()

    def on_mount(self) -> None:
        """Shows the problems known so far."""
        self.query_one(ProblemsList).focus()
        if self._overview is not None:
            self._set_problems(self._overview)

    def receive(self, message: Message) -> None:
        """Shows newer problems."""
        if isinstance(message, Overview):
            self._set_problems(message)

    def _set_problems(self, overview: Overview) -> None:
        self._overview = overview
        notices = (*self._notices, *overview.notices)
        self._found = problems(overview.stores, overview.runs, notices)
        lines = self.query_one(ProblemsList)
        lines.show(self._found)
        self.query_one(ProblemDetail).show(lines.problem)
        number = standing(self._found)
        title = f"{count(number)} {'problem' if number == 1 else 'problems'}"
        clock = clock_face(overview.as_of, self.ui.zone)
        self.query_one(Header).show(
            [
                Piece("Inspector", Role.MUTED),
                Piece("/", Role.FAINT, 1),
                Piece(title if number else "no problems", Role.STRONG, 1),
            ],
            [Piece(title, Role.STRONG)],
            right=f"as of {clock}",
            right_narrow=clock,
        )

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.query_one(ProblemDetail).show(self.query_one(ProblemsList).problem)

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.run_command(self.ui.keys["go"])

    def disabled_reason(self, name: str) -> str | None:
        """Returns why a command is unavailable."""
        if name != "go":
            return None
        problem = self.query_one(ProblemsList).problem
        if problem is None:
            return "There is no problem under the cursor."
        return "This is not about a run." if problem.run is None else None

    def action_go(self) -> None:
        """Opens the run of the problem."""
        problem = self.query_one(ProblemsList).problem
        if problem is not None and problem.run is not None:
            self.open_run(problem.run)
