"""The fold of one run's ledger, kept as entries are added, and its past.

Of the ledger's text no more is kept than is cheap. Where each page of entries begins is kept, so
that any of them can be read again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from inspector.derive.checkpoints import Checkpoints
from inspector.query.grimoire import entries
from inspector.query.grimoire.fold import apply, hints_with
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.run_money import RunMoney
from inspector.query.grimoire.state import Hints, State
from inspector.query.progress import Progress, ReadCancelled, no_progress

KEPT_BYTES = 8 << 20
"""A text up to this size is kept; a longer one is read again when it is asked for."""

CHECKPOINT_EVENTS = 250_000
"""Entries that all saved states together tell of, or those of a longer ledger twice over."""

_FOLDS = 3
"""A second fold with hints may, where ledgers are odd, ask for hints of its own."""

Fetch = Callable[[int, int], bytes]
"""Reads bytes of the ledger's text from the store, from a start to a stop."""


class Timeline:
    """Entries 1 to `len(self)` of a ledger and the state after the last of them."""

    def __init__(self) -> None:
        self.state = State()
        self.money = RunMoney()
        self.damage: str | None = None
        """Why the text could only be read up to an entry."""
        self.size = 0
        self._starts = array("Q")
        """The byte at which each page of entries begins."""
        self._firsts = array("Q")
        """How many entries are before each page."""
        self._content: bytes | None = None
        self._whole = b""
        """Digest of the text."""
        self._inner = b""
        """Digest of the text without the bracket that closes it, behind which more may come."""
        self._end = 0
        """Where that bracket is; 0 while the text cannot be gone on with."""
        self._checkpoints: Checkpoints[State] = _checkpoints()
        self.tell: Progress = no_progress
        """Told where in the text a read is, in bytes."""

    def __len__(self) -> int:
        return self.state.events

    def replace(self, content: bytes) -> bool:
        """Makes this text the ledger; only what was added is folded. True if anything moved.

        What `tell` raises ends it, and then nothing is known any more.
        """
        try:
            return self._replace(content)
        except ReadCancelled:
            self._forget()
            self._whole, self._inner, self._end = b"", b"", 0
            raise

    def _replace(self, content: bytes) -> bool:
        begins_alike = 0 < self._end <= len(content)
        inner, whole = _digests(content, self._end)
        if whole == self._whole:
            return False
        if not begins_alike or inner != self._inner:
            self._forget()
        self._keep(content)
        self._read(content)
        for _ in range(_FOLDS):
            if not self.state.found:
                break
            self._fold_anew(content, hints_with(self.state))
        self._end = 0 if self.damage or not len(self) else _closing(content)
        self._inner, self._whole = _digests(content, self._end)
        return True

    def _forget(self) -> None:
        self.state, self.money = State(), RunMoney()
        self._starts, self._firsts = array("Q"), array("Q")
        self._checkpoints = _checkpoints()

    def _keep(self, content: bytes) -> None:
        self.size = len(content)
        self._content = content if len(content) <= KEPT_BYTES else None

    def _read(self, content: bytes) -> None:
        """Folds the entries behind those that are known."""
        self.damage = None
        known = len(self)
        again = 0
        begun = 0
        if self._starts:
            begun, again = self._starts.pop(), known - self._firsts.pop()
        try:
            for page in entries.pages(content, begun):
                self.tell(page.start, len(content))
                self._starts.append(page.start)
                self._firsts.append(len(self) - again)
                added = page.entries[again:] if again else page.entries
                again = 0
                self.money.take_all(added)
                self._fold(added)
        except Unreadable as error:
            self.damage = str(error)

    def _fold(self, added: list[Any]) -> None:
        state, due = self.state, self._checkpoints.due(self.state.events)
        for entry in added:
            apply(state, entry)
            if state.events == due:
                self._checkpoints.save(due, state.copy())
                due = self._checkpoints.due(due)

    def _fold_anew(self, content: bytes, hints: Hints) -> None:
        self.state = State(hints=hints)
        self._checkpoints = _checkpoints()
        try:
            for page in entries.pages(content):
                self.tell(page.start, len(content))
                self._fold(page.entries)
        except Unreadable:
            # What could not be read the first time cannot be read now.
            return

    def at(self, event: int, fetch: Fetch) -> State:
        """The state after the first `event` entries, to be changed by nobody else."""
        saved = self._checkpoints.before(event)
        begun = saved[0] if saved else 0
        state = saved[1].copy() if saved else State(hints=self.state.hints)
        for entry in self.entries(begun + 1, event, fetch):
            apply(state, entry)
        return state

    def entries(self, first: int, last: int, fetch: Fetch) -> list[Any]:
        """The entries number `first` to `last`, read again."""
        last = min(last, len(self))
        if first > last or first < 1:
            return []
        page = bisect_right(self._firsts, first - 1) - 1
        behind = bisect_right(self._firsts, last - 1)
        start = self._starts[page]
        stop = self._starts[behind] if behind < len(self._starts) else self.size
        text = fetch(start, stop) if self._content is None else self._content[start:stop]
        return entries.some(text, first - 1 - self._firsts[page], last - first + 1)


def _checkpoints() -> Checkpoints[State]:
    return Checkpoints(budget=CHECKPOINT_EVENTS)


def _closing(content: bytes) -> int:
    return len(content.rstrip()) - 1


def _digests(content: bytes, end: int) -> tuple[bytes, bytes]:
    """Of the text up to `end`, and of the whole."""
    view = memoryview(content)
    digest = blake2b(view[:end], digest_size=16)
    inner = digest.digest()
    digest.update(view[end:])
    return inner, digest.digest()
