"""The fold of one run's ledger, kept as entries are added, and its past.

Of the ledger's text no more is kept than is cheap; where entries begin is, so that any of them can
be read again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from hashlib import blake2b

from inspector.derive.checkpoints import Checkpoints
from inspector.query.grimoire import entries
from inspector.query.grimoire.fold import apply, hints_with
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.run_money import RunMoney
from inspector.query.grimoire.state import Hints, State

KEPT_BYTES = 8 << 20
"""A text up to this size is kept; a longer one is read again when it is asked for."""

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
        self.offsets = array("Q")
        """The byte at which each entry begins."""
        self.size = 0
        self._content: bytes | None = None
        self._whole = b""
        """Digest of the text."""
        self._inner = b""
        """Digest of the text without the bracket that closes it, behind which more may come."""
        self._end = 0
        """Where that bracket is; 0 while the text cannot be gone on with."""
        self._checkpoints: Checkpoints[State] = Checkpoints()

    def __len__(self) -> int:
        return len(self.offsets)

    def replace(self, content: bytes) -> bool:
        """Makes this text the ledger; only what was added is folded. True if anything moved."""
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
        self._end = 0 if self.damage or not self.offsets else _closing(content)
        self._inner, self._whole = _digests(content, self._end)
        return True

    def _forget(self) -> None:
        self.state, self.money = State(), RunMoney()
        self.offsets = array("Q")
        self._checkpoints = Checkpoints()

    def _keep(self, content: bytes) -> None:
        self.size = len(content)
        self._content = content if len(content) <= KEPT_BYTES else None

    def _read(self, content: bytes) -> None:
        """Folds the entries behind those that are known."""
        self.damage = None
        known = len(self)
        begun = self.offsets[-1] if known else 0
        due = self._checkpoints.due(self.state.events)
        try:
            for begin, entry in entries.entries(content, begun):
                if known and begin <= begun:
                    continue
                self.offsets.append(begin)
                self.money.take(entry)
                apply(self.state, entry)
                if self.state.events == due:
                    self._checkpoints.save(due, self.state.copy())
                    due = self._checkpoints.due(due)
        except Unreadable as error:
            self.damage = str(error)

    def _fold_anew(self, content: bytes, hints: Hints) -> None:
        self.state = State(hints=hints)
        self._checkpoints = Checkpoints()
        due = self._checkpoints.due(0)
        try:
            for _, entry in entries.entries(content):
                apply(self.state, entry)
                if self.state.events == due:
                    self._checkpoints.save(due, self.state.copy())
                    due = self._checkpoints.due(due)
        except Unreadable:
            pass

    def at(self, event: int, fetch: Fetch) -> State:
        """The state after the first `event` entries, to be changed by nobody else."""
        saved = self._checkpoints.before(event)
        begun = saved[0] if saved else 0
        state = saved[1].copy() if saved else State(hints=self.state.hints)
        for entry in self.entries(begun + 1, event, fetch):
            apply(state, entry)
        return state

    def entries(self, first: int, last: int, fetch: Fetch) -> list[object]:
        """The entries number `first` to `last`, read again."""
        last = min(last, len(self))
        if first > last or first < 1:
            return []
        start = self.offsets[first - 1]
        stop = self.offsets[last] if last < len(self) else self.size
        text = fetch(start, stop) if self._content is None else self._content[start:stop]
        origin = self.offsets[first - 1]
        found: list[object] = []
        for n in range(first, last + 1):
            begin = self.offsets[n - 1] - origin
            end = self.offsets[n] - origin if n < len(self) else len(text)
            found.append(entries.entry(text[begin:end]))
        return found


def _closing(content: bytes) -> int:
    return len(content.rstrip()) - 1


def _digests(content: bytes, end: int) -> tuple[bytes, bytes]:
    """Of the text up to `end`, and of the whole."""
    view = memoryview(content)
    digest = blake2b(view[:end], digest_size=16)
    inner = digest.digest()
    digest.update(view[end:])
    return inner, digest.digest()
