"""The detail of the step under the cursor: beside the timeline, below it, or instead of it."""

from __future__ import annotations

from inspector.ui.lines import NARROW
from inspector.ui.run.detail_text import write, write_low
from inspector.ui.run.pictures import OPEN
from inspector.ui.run.sheet import Page, Sheet
from inspector.ui.run.subject import Subject

BESIDE = 110
"""Columns of the screen from which the detail stands beside the timeline."""

ROOMY = 44
"""Columns of the pane from which its margin is a column wider."""


class Detail(Sheet):
    """Everything that is recorded about one step, as far as it was read."""

    def __init__(self) -> None:
        super().__init__(id="detail")
        self._subject: Subject | None = None
        self._made_for: tuple[object, ...] = ()

    def tell(self, subject: Subject | None) -> None:
        """Takes what the detail is about. The same step stays scrolled to where it is."""
        before, self._subject = self._subject, subject
        same = before is not None and subject is not None and before.step.id == subject.step.id
        self._write(keep=same)

    def tick(self) -> None:
        """The time that has passed is told anew where it is told at all."""
        about = self._subject
        if about is not None and not about.run.order_only and about.step.status in OPEN:
            self._write(keep=True)

    def _write(self, *, keep: bool) -> None:
        width = self.size.width
        if not width:
            return
        about, now = self._subject, self.ui.clock()
        made_for = (about, width, self.ui.epoch, self.ui.styles, now // 1000)
        if made_for == self._made_for:
            return
        self._made_for = made_for
        screen_width = self.screen.size.width
        beside, narrow = width < screen_width, screen_width < NARROW
        plain = self.ui.styles.plain
        page = Page(
            self.ui,
            width,
            1 if narrow else 3 if beside and width >= ROOMY else 2,
            edge=self.ui.glyphs.guide if beside and plain else "",
        )
        if plain and not beside:
            page.rule()
        elif not narrow:
            page.line()
        if about is not None:
            (write if beside or narrow else write_low)(page, about, now)
        self.show(page.strips(), keep=keep)

    def on_resize(self) -> None:
        """Lines are written for a width."""
        self._write(keep=True)
