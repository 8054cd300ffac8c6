"""The screen of a run: taking what stands on it elsewhere, and its other form."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from functools import cached_property
from pathlib import Path
from typing import Any

from textual import on

from inspector.live.feed import Feed
from inspector.model.run import Run
from inspector.text.measure import clip_start
from inspector.text.numbers import size
from inspector.ui.clipboard import fit_for_a_name
from inspector.ui.external_tools import ExternalTools, why_no_page, why_no_viewer
from inspector.ui.loaded_value import (
    PAGED_BYTES,
    PICTURE_BYTES,
    SAVED_BYTES,
    LoadedValue,
    file_name,
)
from inspector.ui.screens.run.base import RunBase, RunFooter
from inspector.ui.widgets.content_view import ContentView
from inspector.ui.widgets.prompt_input import PromptInput

SAVE_AS = "save-as"
FOLDER_CELLS = 32
"""Cells of the folder that a file is saved in."""
LONG = 2_000_000
"""Bytes whose preparation takes long enough to be told."""


def _home_short(folder: str) -> str:
    """A folder as people write it: `~/work`."""
    home = os.path.expanduser("~")
    return f"~{folder[len(home) :]}" if f"{folder}/".startswith(f"{home}/") else folder


class ContentActions(RunBase):
    """Opens values in the pager, shows them as pictures, saves them, turns them."""

    def __init__(self, feed: Feed, run: Run) -> None:
        super().__init__(feed, run)
        self._to_save: LoadedValue | None = None
        self._made_room = False

    def disabled_reason(self, name: str) -> str | None:
        """Why a command cannot be done now."""
        if name == "form" and not any(view.forms for view in self._contents):
            return "This has only one form."
        if name == "pager":
            return why_no_page(self.app)
        if name == "picture":
            return why_no_viewer(self.app)
        return super().disabled_reason(name)

    def hint_word(self, name: str, word: str) -> str:
        """The other form is called by its name, where there is one."""
        if name != "form":
            return super().hint_word(name, word)
        shown = next((view for view in self._contents if view.forms is not None), None)
        return "" if shown is None or shown.forms is None else shown.forms[not shown.raw]

    @on(ContentView.FormsChanged)
    def _forms_changed(self) -> None:
        self.show_hints()

    @cached_property
    def _outside(self) -> ExternalTools:
        return ExternalTools(self.app, self._tell)

    @property
    def _contents(self) -> list[ContentView]:
        pane = self.pane
        return list(pane.query(ContentView)) if pane.ready else []

    def _tell(self, sentence: str) -> None:
        if self.is_attached:
            self.show_message(self.ui.glyphs.safe(sentence))

    def action_form(self) -> None:
        """Turns the content to its other form."""
        for view in self._contents:
            view.turn()
            if view.forms is not None:
                self.show_message(f"This is the value {view.forms[view.raw]}.")

    def action_pager(self) -> None:
        """Opens what is under the cursor in the pager."""
        raw = any(view.raw for view in self._contents)
        self._hold(PAGED_BYTES, lambda held: self._outside.page(held, raw=raw))

    def action_picture(self) -> None:
        """Shows the image under the cursor in the terminal."""
        self._hold(PICTURE_BYTES, self._outside.picture)

    def _hold(self, most: int, use: Callable[[LoadedValue], Coroutine[Any, Any, None]]) -> None:
        """Reads what is under the cursor, then does something with it that takes a while."""

        def take(held: LoadedValue | str) -> None:
            if isinstance(held, str):
                self._tell(held)
                return
            if len(held.data) > LONG:
                self.show_message(f"{size(len(held.data))} are being prepared; esc leaves it.")
            self.run_worker(use(held), group="outside", exclusive=True)

        self.pane.hold(most, take)

    # Saving

    def action_save(self) -> None:
        """Asks for a file's name, then saves what is under the cursor."""

        def take(held: LoadedValue | str) -> None:
            if isinstance(held, str):
                self._tell(held)
                return
            self._to_save = held
            self._ask_name(fit_for_a_name(file_name(held, self.pane.file_name())))

        self.pane.hold(SAVED_BYTES, take)

    def _ask_name(self, name: str) -> None:
        for field in self.query(f"#{SAVE_AS}").results(PromptInput):
            field.focus()
            return
        folder = clip_start(
            self.ui.glyphs.safe(_home_short(os.getcwd())),
            min(FOLDER_CELLS, self.size.width // 5),
            ellipsis=self.ui.glyphs.cut,
        )
        field = PromptInput(f"save in {folder} as", "enter saves, esc leaves", id=SAVE_AS)
        field.value = name
        self.mount(field, before=self.query_one(RunFooter))
        # It stands where the filter does, and like that it shifts nothing.
        self._made_room = not self.pane.has_class("-finding")
        self.pane.add_class("-finding")
        field.focus()

    @on(PromptInput.Left, f"#{SAVE_AS}")
    def _named(self, event: PromptInput.Left) -> None:
        event.stop()
        name, held = event.field.value.strip(), self._to_save
        if event.key != "enter" or not name or held is None:
            self._close_field()
            return
        path = Path(os.path.abspath(os.path.expanduser(name)))
        self.run_worker(self._save(held, path), group="outside", exclusive=True)

    async def _save(self, held: LoadedValue, path: Path) -> None:
        """Saves; where that fails, the name stays to be changed."""
        if await self._outside.save(held, path, self.run_shown) and self.is_attached:
            self._close_field()

    def _close_field(self) -> None:
        self._to_save = None
        for field in self.query(f"#{SAVE_AS}").results(PromptInput):
            field.remove()
        if self._made_room:
            self.pane.remove_class("-finding")
        self.pane.main.focus()

    def action_back(self) -> None:
        """Gives up what is being prepared, or goes back."""
        if self._outside.cancel():
            self.show_message("Left.")
        else:
            super().action_back()
