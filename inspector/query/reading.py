"""A read that takes long: how far it is, and how it is ended."""

from __future__ import annotations

from collections.abc import Callable

Tell = Callable[[int, int], None]
"""Called between the parts of a read with how much of it is done and how much there is, in one
unit of the reader's own. What it raises ends the read."""


class ReadingStopped(Exception):
    """Nobody waits for this read any more; its reader is good for nothing but to be closed."""


def tell_nobody(done: int, of: int) -> None:
    """A `Tell` of a read that nobody watches."""
