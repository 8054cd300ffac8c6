"""Copying: through the terminal (OSC 52) up to a size limit, else into a file."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from textual.app import App

from inspector.config.folders import state_dir
from inspector.text.escape import visible_lines
from inspector.text.mask import mask_named
from inspector.text.numbers import size

MOST_BYTES = 56_000
"""Maximum encoded length; many terminals and tmux drop longer sequences."""

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def fit_to_copy(name: str | None, text: str) -> str:
    """Returns text safe to copy: secrets masked, control characters escaped, lines kept."""
    return "\n".join(visible_lines(mask_named(name, text).text))


def fit_for_a_name(text: str) -> str:
    """Makes a file name from a text: never empty, hidden or a path."""
    return _UNFIT.sub("-", text).strip("-.")[:120] or "copy"


def copy(app: App[None], text: str, what: str, *, folder: Path | None = None) -> str:
    """Copies `text` and returns a sentence on where it went."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MOST_BYTES:
        app.copy_to_clipboard(text.encode("utf-8", "replace").decode())
        return f"Copied {what}, {size(len(encoded))}, to the terminal's clipboard."
    try:
        path = save(encoded, what, folder or state_dir() / "copies")
    except OSError as error:
        return f"Too large for the terminal's clipboard, and no file could be written: {error}"
    return f"Too large for the terminal's clipboard: {size(len(encoded))} saved in {path}"


def save(content: bytes, what: str, folder: Path) -> Path:
    """Writes a file with a unique name that only its owner can read. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = fit_for_a_name(what)[:40]
    for attempt in range(100):
        path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}{f'-{attempt}' if attempt else ''}"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with open(handle, "wb") as file:
            file.write(content)
        return path
    raise FileExistsError(f"{folder} holds too many copies of this second")
