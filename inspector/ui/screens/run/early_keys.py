"""Keys pressed before a newly opened tab has rows."""

from __future__ import annotations

from contextvars import Context

from textual.events import Key

from inspector.ui.commands import LIST_COMMANDS, Keys

WAIT = 2.0
"""Seconds after which the keys are sent even if there are no rows."""
MAX_KEYS = 8
"""Maximum number of keys kept."""

_FOR_LISTS = (
    *(command.id for command in LIST_COMMANDS),
    *("failure.next", "failure.previous", "find"),
)


class EarlyKeys:
    """Keeps keys that move or search in a list, and the keys after them."""

    def __init__(self) -> None:
        self.waiting = False
        self._kept: list[Key] = []

    def begin(self) -> None:
        """Starts keeping keys for a tab; those kept for another one are dropped."""
        self.waiting = True
        self._kept.clear()

    def keeps(self, event: Key, keys: Keys) -> bool:
        """True if a key is kept. Going back and other tabs are never delayed."""
        if not self.waiting or event.key.startswith("ctrl+"):
            return False
        meant = [one.id for one in keys.commands if event.key in keys.keys(one.id)]
        if any(name == "back" or name.startswith("tab:") for name in meant):
            self.end()
            return False
        if not self._kept and not any(name in _FOR_LISTS for name in meant):
            return False
        if len(self._kept) < MAX_KEYS:
            self._kept.append(event)
        return True

    def end(self) -> list[Key]:
        """Stops keeping keys and returns those kept, in order."""
        self.waiting = False
        kept, self._kept = self._kept, []
        # A new context: Textual does not bubble a message to the widget that sent it.
        return [Context().run(Key, event.key, event.character) for event in kept]
