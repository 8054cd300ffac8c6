"""Actions on the selected value: pager, picture, file, other format."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from textual.widgets import Input

from inspector.text.measure import clip_start
from inspector.text.numbers import size
from inspector.ui.clipboard import fit_for_a_name
from inspector.ui.command_screen import CommandScreen
from inspector.ui.external_tools import ExternalTools
from inspector.ui.loaded_value import (
    PAGED_BYTES,
    PICTURE_BYTES,
    SAVED_BYTES,
    LoadedValue,
    file_name,
)
from inspector.ui.panes.base import Pane
from inspector.ui.panes.queries import start
from inspector.ui.widgets.content_view import ContentView
from inspector.ui.widgets.frame import Footer
from inspector.ui.widgets.prompt_input import PromptInput

SAVE_AS = "save-as"
"""The id of the field for a file name."""
FOLDER_CELLS = 32
SLOW_BYTES = 2_000_000
"""Bytes whose preparation takes long enough to announce."""
WORK = "content"
"""The group of workers that prepare a value; a new one replaces the old one."""


def _with_tilde(folder: str) -> str:
    home = os.path.expanduser("~")
    return f"~{folder[len(home) :]}" if f"{folder}/".startswith(f"{home}/") else folder


class ContentActions:
    """Acts on the selection of the active pane (`pane`); reports through the screen."""

    def __init__(self, screen: CommandScreen, pane: Callable[[], Pane]) -> None:
        self._screen = screen
        self._pane = pane
        self._tools = ExternalTools(screen.app, self._say)
        self._to_save: LoadedValue | None = None
        self._made_room = False

    def _say(self, sentence: str) -> None:
        if self._screen.is_attached:
            self._screen.show_message(self._screen.ui.glyphs.safe(sentence))

    @property
    def _contents(self) -> list[ContentView]:
        pane = self._pane()
        return list(pane.query(ContentView)) if pane.ready else []

    def action_form(self) -> None:
        """Switches between formatted and raw."""
        for view in self._contents:
            view.toggle_format()
            if view.formats is not None:
                self._screen.show_message(f"Showing {view.formats[view.raw]}.")

    def action_pager(self) -> None:
        """Opens the selection in the pager."""
        raw = any(view.raw for view in self._contents)
        self._start(self._use, PAGED_BYTES, partial(self._tools.page, raw=raw))

    def action_picture(self) -> None:
        """Shows the selected image in the terminal."""
        self._start(self._use, PICTURE_BYTES, self._tools.picture)

    def _start(self, work: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        start(self._screen, partial(work, *arguments), WORK)

    async def _use(
        self, limit: int, use: Callable[[LoadedValue], Coroutine[Any, Any, None]]
    ) -> None:
        """Loads the selection, then hands it to a tool."""
        loaded = await self._pane().load_value(limit)
        if isinstance(loaded, str):
            self._say(loaded)
            return
        if len(loaded.data) > SLOW_BYTES:
            self._screen.show_message(f"Preparing {size(len(loaded.data))}… Esc cancel")
        await use(loaded)

    def cancel(self) -> bool:
        """Cancels a value that is being prepared; False if there is none."""
        if not self._tools.cancel():
            return False
        self._screen.show_message("Cancelled.")
        return True

    # Saving

    def action_save(self) -> None:
        """Asks for a file name, then saves the selection."""
        self._start(self._load_to_save)

    async def _load_to_save(self) -> None:
        loaded = await self._pane().load_value(SAVED_BYTES)
        if isinstance(loaded, str):
            self._say(loaded)
            return
        self._to_save = loaded
        self._ask_name(fit_for_a_name(file_name(loaded, self._pane().file_name())))

    def _ask_name(self, name: str) -> None:
        screen, glyphs = self._screen, self._screen.ui.glyphs
        for field in screen.query(f"#{SAVE_AS}").results(Input):
            field.focus()
            return
        folder = clip_start(
            glyphs.safe(_with_tilde(os.getcwd())),
            min(FOLDER_CELLS, screen.size.width // 5),
            ellipsis=glyphs.cut,
        )
        field = PromptInput(f"save in {folder} as", "Enter save · Esc cancel", id=SAVE_AS)
        field.value = name
        screen.mount(field, before=screen.query_one(Footer))
        # Uses the empty row of the filter, so that nothing shifts.
        pane = self._pane()
        self._made_room = not pane.has_class("-finding")
        pane.add_class("-finding")
        field.focus()

    def name_entered(self, event: PromptInput.Exited) -> None:
        """Saves under the entered name, or closes the field."""
        name, loaded = event.field.value.strip(), self._to_save
        if event.key != "enter" or not name or loaded is None:
            self._close_field()
            return
        path = Path(os.path.abspath(os.path.expanduser(name)))
        self._start(self._save, loaded, path)

    async def _save(self, loaded: LoadedValue, path: Path) -> None:
        """Saves. On failure the field stays open to change the name."""
        run = self._screen.subject
        if run is not None and await self._tools.save(loaded, path, run):
            self._close_field()

    def _close_field(self) -> None:
        self._to_save = None
        if not self._screen.is_attached:
            return
        for field in self._screen.query(f"#{SAVE_AS}").results(Input):
            field.remove()
        pane = self._pane()
        if self._made_room:
            pane.remove_class("-finding")
        pane.main.focus()
