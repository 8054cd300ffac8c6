"""Waiting for a session to be added up: how far that is, and how it is ended."""

from __future__ import annotations

from inspector.query.progress import ReadCancelled
from inspector.text.numbers import size

SHOWN_AFTER = 0.3
"""Seconds after which it is said how far the reading is, and how often."""


class Wait:
    """One reading: its thread tells, the screen's looks and may end it."""

    def __init__(self) -> None:
        self._done = 0
        self._of = 0
        self._unwanted = False

    def tell(self, done: int, of: int) -> None:
        """How many bytes of how many were read. Raises `ReadCancelled` once nobody waits."""
        self._done, self._of = done, of
        if self._unwanted:
            raise ReadCancelled

    def stop(self) -> None:
        """Nobody waits any more: the reading ends at its next step."""
        self._unwanted = True

    @property
    def words(self) -> str:
        """How far it is; empty as long as that is not known."""
        return f"{size(self._done)} of {size(self._of)}" if self._of else ""
