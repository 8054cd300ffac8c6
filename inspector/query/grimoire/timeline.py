"""The fold of one run's ledger: extended as entries are added, with checkpoints of its past.

A long text is not kept, but the start of each page of entries is, so that any can be read again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from hashlib import blake2b

from inspector.derive.checkpoints import Checkpoints
from inspector.query.grimoire import ledger_text
from inspector.query.grimoire.accounting import RunAccounts
from inspector.query.grimoire.fold import apply, hints_with
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.state import Hints, State
from inspector.query.progress import Progress, ReadCancelled, no_progress

KEPT_BYTES = 8 << 20
"""A longer text is read again when needed."""

CHECKPOINT_EVENTS = 250_000
"""Maximum entries covered by all checkpoints, or twice the ledger if that is longer."""

_FOLDS = 3
"""Maximum folds with hints: on odd ledgers, a fold with hints may find further ones."""

Fetch = Callable[[int, int], bytes]
"""Reads bytes of the ledger's text from the store, from a start to a stop."""


class Timeline:
    """Entries 1 to `len(self)` of a ledger and the state after the last of them."""

    def __init__(self) -> None:
        self.state = State()
        self.accounts = RunAccounts()
        self.damage: str | None = None
        """Why the text could not be read to its end."""
        self.size = 0
        self._starts = array("Q")
        """The byte at which each page of entries begins."""
        self._firsts = array("Q")
        """The number of entries before each page."""
        self._content: bytes | None = None
        self._digest = b""
        """Digest of the text."""
        self._open_digest = b""
        """Digest of the text up to its closing bracket; more entries may be added there."""
        self._end = 0
        """Position of that bracket; 0 if the text cannot be continued."""
        self._checkpoints: Checkpoints[State] = _checkpoints()
        self.progress: Progress = no_progress
        """Called with the position in the text while it is read, in bytes."""

    def __len__(self) -> int:
        return self.state.events

    def replace(self, content: bytes) -> bool:
        """Make this text the ledger, folding only what was added; return whether it changed.

        An exception from `progress` empties the timeline.
        """
        try:
            return self._replace(content)
        except ReadCancelled:
            self._forget()
            self._digest, self._open_digest, self._end = b"", b"", 0
            raise

    def _replace(self, content: bytes) -> bool:
        begins_alike = 0 < self._end <= len(content)
        inner, whole = _digests(content, self._end)
        if whole == self._digest:
            return False
        if not begins_alike or inner != self._open_digest:
            self._forget()
        self._keep(content)
        self._read(content)
        for _ in range(_FOLDS):
            if not self.state.found:
                break
            self._fold_anew(content, hints_with(self.state))
        self._end = 0 if self.damage or not len(self) else _closing(content)
        self._open_digest, self._digest = _digests(content, self._end)
        return True

    def _forget(self) -> None:
        self.state, self.accounts = State(), RunAccounts()
        self._starts, self._firsts = array("Q"), array("Q")
        self._checkpoints = _checkpoints()

    def _keep(self, content: bytes) -> None:
        self.size = len(content)
        self._content = content if len(content) <= KEPT_BYTES else None

    def _read(self, content: bytes) -> None:
        """Fold the entries after those that are known."""
        self.damage = None
        known = len(self)
        again = 0
        start = 0
        if self._starts:
            # The last page may have grown.
            start, again = self._starts.pop(), known - self._firsts.pop()
        try:
            for page in ledger_text.pages(content, start):
                self.progress(page.start, len(content))
                self._starts.append(page.start)
                self._firsts.append(len(self) - again)
                added = page.entries[again:] if again else page.entries
                again = 0
                self.accounts.add_entries(added)
                self._fold(added)
        except Unreadable as error:
            self.damage = str(error)

    def _fold(self, added: list[object]) -> None:
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
            for page in ledger_text.pages(content):
                self.progress(page.start, len(content))
                self._fold(page.entries)
        except Unreadable:
            # `damage` is known from the first time.
            return

    def at(self, event: int, fetch: Fetch) -> State:
        """Return the state after the first `event` entries; the caller owns it."""
        saved = self._checkpoints.before(event)
        known = saved[0] if saved else 0
        state = saved[1].copy() if saved else State(hints=self.state.hints)
        for entry in self.entries(known + 1, event, fetch):
            apply(state, entry)
        return state

    def entries(self, first: int, last: int, fetch: Fetch) -> list[object]:
        """Return the entries number `first` to `last`, read again."""
        last = min(last, len(self))
        if first > last or first < 1:
            return []
        page = bisect_right(self._firsts, first - 1) - 1
        next_page = bisect_right(self._firsts, last - 1)
        start = self._starts[page]
        stop = self._starts[next_page] if next_page < len(self._starts) else self.size
        text = fetch(start, stop) if self._content is None else self._content[start:stop]
        return ledger_text.slice_entries(text, first - 1 - self._firsts[page], last - first + 1)


def _checkpoints() -> Checkpoints[State]:
    return Checkpoints(budget=CHECKPOINT_EVENTS)


def _closing(content: bytes) -> int:
    return len(content.rstrip()) - 1


def _digests(content: bytes, end: int) -> tuple[bytes, bytes]:
    """Return the digests of the text up to `end` and of all of it."""
    view = memoryview(content)
    digest = blake2b(view[:end], digest_size=16)
    inner = digest.digest()
    digest.update(view[end:])
    return inner, digest.digest()
