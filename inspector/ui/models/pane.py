"""The tab of world models: versions above; below, what differs from another version of the node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import margin
from inspector.ui.models.columns import VERSIONS, before_in_words
from inspector.ui.models.text import write, write_diff, write_files
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.records import RecordList, short_address
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.text_view import TextBuilder, TextView

AGAIN = 0.5
"""Seconds between two readings while the run goes on."""
PART = "world_models"
RESTS = 0.15
"""Seconds that the cursor rests on a version before its files are read."""

Record = Mapping[str, Any]


class ModelsPane(Pane):
    """Versions of every node, compared two by two."""

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="models-pane")
        self._told = "Reading."
        self._base: dict[tuple[Any, Any], int] = {}
        """By node: how many versions before the one under the cursor it is compared with."""
        self._whole = False
        """Whether the files of the version are shown instead of what differs."""
        self._found: tuple[str, Sequence[Record]] | None = None
        """What was asked for, and the answer."""
        self._outdated = True
        self._again: Timer | None = None
        self._look: Timer | None = None

    def compose(self) -> ComposeResult:
        """The versions, and the one under the cursor."""
        yield RecordList()
        yield TextView(id="content")

    @property
    def list(self) -> RecordList:
        """The versions."""
        return self.query_one(RecordList)

    @property
    def main(self) -> Widget:
        """The versions."""
        return self.list

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """Enter changes between what differs and what is in the files."""
        word = "what differs" if self._whole else "its files"
        return (("enter", word), ("outward", "compare with older, newer"), ("copy.value", "copy"),
                ("copy.location", "version"))  # fmt: skip

    def update(self, view: RunView) -> None:
        """Another view: there may be more versions."""
        self._outdated = True
        if self.display and self._again is None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads the versions if they may be others."""
        if self._outdated:
            self._read()

    def redraw(self) -> None:
        """Another theme."""
        self._tell(keep=True)

    def on_resize(self) -> None:
        """The text is written for a width."""
        if self.ready:
            self._tell(keep=True)

    def _read(self) -> None:
        self._again, self._outdated = None, False
        self.ask(PART, self._load)

    async def _load(self) -> None:
        answer = await self.queries.ask(lambda reader: _record(reader, PART))
        if isinstance(answer, Unavailable):
            self._told = answer.reason
        elif answer is None:
            self._told = "This run has no such records."
        else:
            self._told = "" if answer else "No version is recorded here."
            self.list.show(VERSIONS, answer)
        self._compare()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._compare()

    def _compare(self) -> None:
        """Shows what is known at once, and asks for the files when the cursor has rested."""
        self._tell(keep=False)
        if self._look is not None:
            self._look.stop()
        self._look = self.set_timer(RESTS, self._read_files)

    # Which two versions

    @property
    def _record(self) -> Record | None:
        return self.list.record if self.ready else None

    def _before(self, record: Record) -> Sequence[Record]:
        """Earlier versions of the same node that can be read, the newest first."""
        place = _place(record)
        earlier = [
            one
            for one in self.list.records[: self.list.cursor]
            if _place(one) == place and one.get("files") is not None
        ]
        return earlier[::-1]

    def _other(self, record: Record) -> Record | None:
        before = self._before(record)
        at = min(self._base.get(_place(record), 0), len(before) - 1)
        return before[at] if before else None

    def _wanted(self, record: Record) -> str | None:
        """The part to ask for; None where the files cannot be read."""
        version = _name(record)
        if record.get("files") is None or not version:
            return None
        if self._whole:
            return f"{PART}:{version}"
        other = self._other(record)
        return f"{PART}:{'' if other is None else _name(other)}..{version}"

    def _read_files(self) -> None:
        self._look = None
        record = self._record
        part = None if record is None else self._wanted(record)
        if part is None or (self._found is not None and self._found[0] == part):
            return
        self.ask("files", partial(self._load_files, part))

    async def _load_files(self, part: str) -> None:
        answer = await self.queries.ask(lambda reader: _record(reader, part))
        if answer is not None and not isinstance(answer, Unavailable):
            self._found = (part, answer)
        self._tell(keep=False)

    def _tell(self, *, keep: bool) -> None:
        sheet = self.query_one(TextView)
        width = sheet.size.width
        if not width:
            return
        page = TextBuilder(self.ui, width, margin(width))
        page.rule() if self.ui.styles.plain else page.line()
        record = self._record
        if record is None:
            page.line().add(safe(self._told, self.ui.glyphs), Role.MUTED)
        else:
            write(page, record, self._heading(record))
            self._write_found(page, record)
        sheet.show(page.strips(), keep=keep)

    def _heading(self, record: Record) -> str:
        if record.get("files") is None:
            return ""
        if self._whole:
            return "what is in its files"
        other = self._other(record)
        if other is None:
            return "the first version of this node that is kept: all of it is added"
        steps = self._base.get(_place(record), 0) + 1
        far = before_in_words(record, other, steps)
        return f"what differs from {short_address(_name(other))}, {far}"

    def _write_found(self, page: TextBuilder, record: Record) -> None:
        if self._found is None or self._found[0] != self._wanted(record):
            return
        (write_files if self._whole else write_diff)(page, self._found[1])

    # What can be done

    def action_enter(self) -> None:
        """What differs, or what is in the files."""
        self._whole = not self._whole
        self._compare()
        show = getattr(self.screen, "show_hints", None)
        if callable(show):
            show()

    def action_outward(self) -> None:
        """Compares with an older version."""
        self._step(1)

    def action_inward(self) -> None:
        """Compares with a newer version."""
        self._step(-1)

    def _step(self, by: int) -> None:
        record = self._record
        if record is None:
            return
        most = max(0, len(self._before(record)) - 1)
        place = _place(record)
        self._base[place] = min(most, max(0, self._base.get(place, 0) + by))
        self._compare()

    def value_to_copy(self) -> Copy | None:
        """What is told of the version."""
        record = self._record
        if record is None:
            return None
        lines = (line.lead + line.key + line.rest for line in record_content(dict(record)).lines)
        return Copy(fit_to_copy(None, "\n".join(lines)), "the version's record")

    def location_to_copy(self) -> Copy | None:
        """The version."""
        record = self._record
        version = None if record is None else record.get("version")
        return None if version is None else Copy(fit_to_copy(None, str(version)), "the version")


def _place(record: Record) -> tuple[Any, Any]:
    return (record.get("node"), record.get("store"))


def _name(record: Record) -> str:
    """What a version is asked for by; empty where it has neither version nor address."""
    return str(record.get("address") or record.get("version") or "")


def _record(reader: RunReader, part: str) -> Sequence[Record] | None:
    """On a reader's thread; None where there is no such part."""
    try:
        return tuple(reader.record(part))
    except KeyError:
        return None
