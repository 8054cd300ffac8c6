"""The tab of world models: versions above; below, the changes since another version of the node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.timer import Timer

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.query.view import Tab
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.lines import margin
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.master_detail import MasterDetailPane, copied_record
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.records import RecordList, records_of, short_address
from inspector.ui.panes.world_model_text import (
    VERSIONS,
    Record,
    base_text,
    write_diff,
    write_files,
    write_version,
)
from inspector.ui.widgets.text_view import TextBuilder, TextView

PART = "world_models"
FILES = "files"
"""The topic of the question for files."""
FILES_DELAY = 0.15
"""Seconds on a version before its files are read, so that scrolling reads nothing."""

Model = tuple[object, object]
"""The node and the store of a version."""


class WorldModelsPane(MasterDetailPane):
    """Versions of all nodes; the selected one is compared with an earlier one or shown in full."""

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="models-pane")
        self._steps: dict[Model, int] = {}
        """How many versions further back than the previous one the base of a comparison is."""
        self._shows_files = False
        """True if the files are shown instead of the changes."""
        self._answer: tuple[str, Sequence[Record]] | None = None
        """The part that was read last, and its records."""
        self._delay: Timer | None = None

    def compose(self) -> ComposeResult:
        """Versions, and the selected one."""
        yield RecordList[Record]()
        yield TextView(id="content")

    @property
    def list(self) -> RecordList[Record]:
        """The versions."""
        return self.query_one(RecordList)

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer; Enter switches between changes and files."""
        return (
            ("enter", "changes" if self._shows_files else "files"),
            ("outward", "compare with"),
            ("copy.value", "copy"),
            ("copy.location", "version"),
        )

    async def load(self) -> None:
        """Reads the versions."""
        answer = await self.queries.ask(lambda reader: records_of(reader, PART))
        if answer is None or isinstance(answer, Unavailable):
            self.show_reason(answer)
        else:
            self.note = "" if answer else "No version is recorded."
            self.list.show(VERSIONS, answer)
        self.render_detail(keep=False)

    def render_detail(self, *, keep: bool) -> None:
        """Shows the version, and reads its files if the cursor stays on it."""
        self._write(keep=keep)
        if self._delay is not None:
            self._delay.stop()
        self._delay = self.set_timer(FILES_DELAY, self._read_files)

    # The compared versions

    @property
    def _record(self) -> Record | None:
        return self.list.record if self.ready else None

    def _earlier(self, record: Record) -> Sequence[Record]:
        """Earlier versions of the same model whose files can be read, newest first."""
        model = _model(record)
        earlier = self.list.records[: self.list.cursor]
        return [one for one in earlier if _model(one) == model and one.get("files") is not None][
            ::-1
        ]

    def _base(self, record: Record) -> Record | None:
        """The version to compare with."""
        earlier = self._earlier(record)
        index = min(self._steps.get(_model(record), 0), len(earlier) - 1)
        return earlier[index] if earlier else None

    def _part_of(self, record: Record) -> str | None:
        """The part with the files or changes of a version; None if its files cannot be read."""
        version = _version(record)
        if record.get("files") is None or not version:
            return None
        if self._shows_files:
            return f"{PART}:{version}"
        base = self._base(record)
        return f"{PART}:{'' if base is None else _version(base)}..{version}"

    def _read_files(self) -> None:
        self._delay = None
        record = self._record
        part = None if record is None else self._part_of(record)
        if part is not None and (self._answer is None or self._answer[0] != part):
            self.ask(FILES, partial(self._load_files, part))

    async def _load_files(self, part: str) -> None:
        answer = await self.queries.ask(lambda reader: records_of(reader, part))
        if answer is not None and not isinstance(answer, Unavailable):
            self._answer = (part, answer)
        self._write(keep=False)

    def _write(self, *, keep: bool) -> None:
        view = self.query_one(TextView)
        width = view.size.width
        if not width:
            return
        page = TextBuilder(self.ui, width, margin(width))
        page.rule() if self.ui.styles.plain else page.line()
        record = self._record
        if record is None:
            page.line().add(self.safe_note(), Role.MUTED)
        else:
            write_version(page, record, self._heading(record))
            if self._answer is not None and self._answer[0] == self._part_of(record):
                (write_files if self._shows_files else write_diff)(page, self._answer[1])
        view.show(page.strips(), keep=keep)

    def _heading(self, record: Record) -> str:
        if record.get("files") is None:
            return ""
        if self._shows_files:
            return "files"
        base = self._base(record)
        if base is None:
            return "first stored version of this node: everything is new"
        steps = self._steps.get(_model(record), 0) + 1
        return f"changes since {short_address(_version(base))}, {base_text(record, base, steps)}"

    # Commands

    def action_enter(self) -> None:
        """Switches between changes and files."""
        self._shows_files = not self._shows_files
        self.render_detail(keep=False)
        self.hints_changed()

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
        most = max(0, len(self._earlier(record)) - 1)
        model = _model(record)
        self._steps[model] = min(most, max(0, self._steps.get(model, 0) + by))
        self.render_detail(keep=False)

    def value_to_copy(self) -> Copy | None:
        """The record of the version."""
        record = self._record
        return None if record is None else copied_record(dict(record), "the version's record")

    def location_to_copy(self) -> Copy | None:
        """The version."""
        version = None if self._record is None else self._record.get("version")
        return None if version is None else Copy(fit_to_copy(None, str(version)), "the version")


def _model(record: Record) -> Model:
    return (record.get("node"), record.get("store"))


def _version(record: Record) -> str:
    """The name used to request a version; empty without address and version."""
    return str(record.get("address") or record.get("version") or "")
