"""Values in external tools: pager, file, image viewer."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from inspector.model.run import Run
from inspector.process.foreground import NoPager, NotStarted, Pager, pager_of, read_in, show_picture
from inspector.query.registry import presentation_of
from inspector.store.private import private_folder
from inspector.store.unavailable import StoreUnavailable
from inspector.text.binary import image_facts
from inspector.text.numbers import count as counted
from inspector.text.numbers import size
from inspector.ui.clipboard import fit_for_a_name
from inspector.ui.loaded_value import (
    LoadedValue,
    Stopped,
    paged_bytes,
    write_as_recorded,
    write_for_pager,
)
from inspector.ui.show_image import MOST_PIXELS, words_for
from inspector.ui.terminal import suspended, why_no_handover

Say = Callable[[str], None]


class ExternalTools:
    """Passes values to external tools, one at a time. `say` shows a message, escaped here."""

    def __init__(self, app: App[Any], show_message: Say) -> None:
        self._app = app
        self._say = show_message
        self._stop: threading.Event | None = None

    def cancel(self) -> bool:
        """Cancels a value that is being prepared; False if there is none."""
        if self._stop is None:
            return False
        self._stop.set()
        self._stop = None
        return True

    async def page(self, value: LoadedValue, *, raw: bool) -> None:
        """Opens a value in the pager, in the displayed format."""
        try:
            pager = pager_of(os.environ)
        except NoPager as why:
            self._say(f"{why}")
            return
        await self._with_copy(
            value,
            f"{fit_for_a_name(value.name or 'value')}.txt",
            lambda file, stop: write_for_pager(value, file, raw=raw, stop=stop),
            lambda path: self._read(pager, path, value),
        )

    def _read(self, pager: Pager, path: str, value: LoadedValue) -> str:
        with suspended(self._app):
            code = read_in(pager, path, os.environ)
        if code:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return f"{os.path.basename(pager.program)} ended with {how}."
        shown = paged_bytes(value)
        if shown < value.size:
            return f"That was the first {size(shown)} of {size(value.size)}."
        return ""

    async def picture(self, value: LoadedValue) -> None:
        """Shows an image in the terminal."""
        reason = why_no_picture(value)
        if reason is not None:
            self._say(reason)
            return

        def write(file: Any, stop: Callable[[], bool]) -> None:
            file.write(value.data)

        def show(path: str) -> str:
            with suspended(self._app):
                code = show_picture(words_for(path), os.path.dirname(path), os.environ)
            return "The image could not be shown." if code else ""

        await self._with_copy(value, "image", write, show)

    async def _with_copy(
        self,
        value: LoadedValue,
        name: str,
        write: Callable[[Any, Callable[[], bool]], None],
        use: Callable[[str], str],
    ) -> None:
        """Runs `use` on a private copy while the screen is suspended, then removes the copy."""
        self.cancel()
        stop = self._stop = threading.Event()
        try:
            folder = await asyncio.to_thread(private_folder, 4 * len(value.data))
        except StoreUnavailable:
            self._stop = None
            self._say("There is no room for a private copy of it.")
            return
        try:
            path = os.path.join(folder.path, name)
            await asyncio.to_thread(_write, path, lambda file: write(file, stop.is_set))
            if self._stop is stop:
                self._stop = None
                self._say(use(path))
        except Stopped:
            pass
        except (NotStarted, SuspendNotSupported) as why:
            self._say(f"{why}")
        except OSError as why:
            self._say(f"No private copy could be written: {why.strerror or why}.")
        finally:
            stop.set()
            folder.close()
            if self._stop is stop:
                self._stop = None

    async def save(self, value: LoadedValue, path: Path, run: Run) -> bool:
        """Saves under the entered name; returns False if another name may work."""
        reason = why_not_save_to(path, run)
        if reason is not None:
            self._say(reason)
            return False
        self.cancel()
        stop = self._stop = threading.Event()
        masked = 0

        def write(file: Any) -> None:
            nonlocal masked
            masked = write_as_recorded(value, file, stop=stop.is_set)

        try:
            await asyncio.to_thread(_write, str(path), write)
        except Stopped:
            return True
        except FileExistsError:
            self._say(f"{path.name} exists already, nothing was written: choose another name.")
            return False
        except OSError as why:
            self._say(f"It could not be saved: {why.strerror or why}.")
            return False
        finally:
            stop.set()
            if self._stop is stop:
                self._stop = None
        self._say(_saved(value, path, masked))
        return True


def _saved(value: LoadedValue, path: Path, masked: int) -> str:
    part = f"The first {size(len(value.data))} of {size(value.size)}" if value.cut else "It"
    hidden = (
        f", {counted(masked)} {'secret' if masked == 1 else 'secrets'} masked" if masked else ""
    )
    return f"{part} was saved in {path}{hidden}."


def _write(path: str, write: Callable[[Any], None]) -> None:
    """Creates and fills a file that only its owner can read; removes it on failure.

    Raises FileExistsError if the name exists, even as a link.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as file:
            write(file)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise


def why_no_page(app: App[Any]) -> str | None:
    """Returns why no pager is available, as a sentence."""
    reason = why_no_handover(app)
    if reason is not None:
        return f"A pager needs the terminal: {reason}."
    try:
        pager_of(os.environ)
    except NoPager as why:
        return f"{why}"
    return None


def why_no_viewer(app: App[Any]) -> str | None:
    """Returns why no image viewer is available, as a sentence."""
    reason = why_no_handover(app)
    if reason is not None:
        return f"A picture needs the terminal: {reason}."
    if find_spec("textual_image") is None or find_spec("PIL") is None:
        return "Pictures need the extra `images`: install inspector[images]."
    return None


def why_no_picture(value: LoadedValue) -> str | None:
    """Returns why a value cannot be shown as an image, as a sentence."""
    facts = image_facts(value.data[:65_536])
    if facts is None:
        return "It is no image of a kind that is known: PNG, JPEG, GIF, WebP, BMP."
    if value.cut:
        return f"The image is too large to be shown: {size(value.size)}."
    if facts.pixels is None or facts.pixels > MOST_PIXELS:
        return "The image is too large to be shown, or does not say how large it is."
    return None


def why_not_save_to(path: Path, run: Run) -> str | None:
    """Returns why a file must not be saved there: nothing is added to a runtime's folders."""
    if not path.name or path.is_dir():
        return "Name a file, not a folder."
    real = os.path.realpath(run.store.path)
    kept, store = os.path.split(real)
    protected = presentation_of(run.runtime).protected_folder(real)
    where = os.path.realpath(path.parent)
    if protected is not None and f"{where}/".startswith(f"{protected}/"):
        return "That is the folder of the run, where Inspector writes nothing: choose another."
    if where == kept and path.name.startswith(f"{store}-"):
        return "SQLite takes such a name for a part of the run's database: choose another."
    return None
