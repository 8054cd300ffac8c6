"""Progress and cancellation of reads that may take long."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called during a read with the amount done and the total, in a unit of the reader's choice.

An exception that it raises ends the read.
"""


class ReadCancelled(Exception):
    """The read was cancelled; its reader can only be closed."""


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""
