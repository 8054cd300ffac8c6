"""How many rows and columns a terminal says that it has."""

from __future__ import annotations

import fcntl
import struct
import termios

SIZE = (36, 120)
"""Rows and columns of a terminal that we make."""

_FOUR = "HHHH"


def size_of(terminal: int) -> tuple[int, int] | None:
    """Rows and columns, 0 where it does not know; None for what is no terminal."""
    try:
        packed = fcntl.ioctl(terminal, termios.TIOCGWINSZ, struct.pack(_FOUR, 0, 0, 0, 0))
    except OSError:
        return None
    rows, columns, _, _ = struct.unpack(_FOUR, packed)
    return rows, columns


def set_size(terminal: int, size: tuple[int, int]) -> None:
    """Sets rows and columns; what is no terminal is left alone."""
    rows, columns = size
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack(_FOUR, rows, columns, 0, 0))
    except OSError:
        return
