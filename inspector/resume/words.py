"""Words of a command: whether the system takes them, where their program is, and how to copy them.

What a database holds only ever becomes a word, whole; nothing here is handed to a shell. The line
of `shell_line` is text for a person who pastes it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence

from inspector.model.preflight import Command

LONGEST_WORD = 120_000
"""Bytes of one word that every system hands over."""
MOST_BYTES = 200_000
"""Of all words together."""

_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c"
                       "\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # fmt: skip
"""What must not stand as it is in text to paste; a line break inside quotes may."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _@%+=:,./-")


def why_unfit(words: Sequence[str]) -> str | None:
    """Why the system would not take these words as one command; None when it does."""
    total = 0
    for word in words:
        if "\0" in word:
            return "a word of the command would hold a NUL, which no program can be given"
        try:
            size = len(os.fsencode(word))
        except UnicodeEncodeError:
            return "a word of the command holds characters that no program can be given"
        if size > LONGEST_WORD:
            return "a word of the command is too long to be handed over"
        total += size + 1
    return "the command is too long to be handed over" if total > MOST_BYTES else None


def program_of(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """The file of a program: an absolute path, or a name in the folders of PATH.

    Folders of PATH that are not absolute are left out: they would mean the folder that the program
    is started in, which is the inspected one.
    """
    if os.path.isabs(name):
        return name if _is_program(name) else None
    if os.sep in name or not name:
        return None
    environ = os.environ if environ is None else environ
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and _is_program(path):
            return path
    return None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def shell_line(command: Command) -> str:
    """The command as text for a POSIX shell: `cd FOLDER && NAME=… PROGRAM …`."""
    settings = [f"{name}={quoted(value)}" for name, value in command.env.items()]
    words = [quoted(word) for word in command.argv]
    return f"cd {quoted(command.cwd)} && {' '.join([*settings, *words])}"


def quoted(word: str) -> str:
    """One word for a shell. Control characters are written as `$'\\x1b'`, which bash, zsh and ksh
    read; all else is quoted as any shell reads it."""
    if not _CONTROLS.search(word):
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, _bytes_of(word)))}'"


def _bytes_of(word: str) -> bytes:
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return word.encode("utf-8", "surrogatepass")


def _escaped(byte: int) -> str:
    return chr(byte) if byte in _PLAIN else f"\\x{byte:02x}"
