"""Keys that were pressed before a tab that was just opened has anything to show."""

from __future__ import annotations

from contextvars import Context

from textual.events import Key

from inspector.ui.commands import LIST_COMMANDS, Keys

WAIT = 2.0
"""Seconds after which they are performed whatever is there."""
MOST = 8
"""Keys that are kept; more are lost."""

_FOR_WHAT_COMES = (
    *(command.id for command in LIST_COMMANDS),
    *("failure.next", "failure.previous", "find"),
)


class EarlyKeys:
    """Keeps keys that move in a list or look for something in it, and what follows them."""

    def __init__(self) -> None:
        self.waiting = False
        self._kept: list[Key] = []

    def begin(self) -> None:
        """A tab was opened; what was meant for another one is forgotten."""
        self.waiting = True
        self._kept.clear()

    def keeps(self, event: Key, keys: Keys) -> bool:
        """Whether this key is kept for later; leaving, and another tab, are never put off."""
        if not self.waiting or event.key.startswith("ctrl+"):
            return False
        meant = [one.id for one in keys.commands if event.key in keys.keys(one.id)]
        if any(name == "back" or name.startswith("tab:") for name in meant):
            self.end()
            return False
        if not self._kept and not any(name in _FOR_WHAT_COMES for name in meant):
            return False
        if len(self._kept) < MOST:
            self._kept.append(event)
        return True

    def end(self) -> list[Key]:
        """There is something now: the keys that are to be performed, in their order."""
        self.waiting = False
        kept, self._kept = self._kept, []
        # Made where nobody sends: Textual ends the way of a message at the one that sent it.
        return [Context().run(Key, event.key, event.character) for event in kept]
