"""The log of a run as it grows: its file, its markers, the fold, and the way back in time."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.derive.checkpoints import Checkpoints
from inspector.model.step import Event, StepKind
from inspector.query.openprose.logs.events import LONGEST_LINE, Found, Scanner, decoded
from inspector.query.openprose.logs.fold import apply, is_event
from inspector.query.openprose.logs.header import MOST_BYTES, Header, read_header
from inspector.query.openprose.logs.lines import Marker, read_line
from inspector.query.openprose.logs.state import LogState
from inspector.store.logfile import CHUNK, LogFile
from inspector.text.parse_time import parse_instant

MOST_NOTES = 1 << 20
"""Bytes of notes that are given with one event; `record lines` gives all of them."""


def event(n: int, line: int, kind: StepKind, block: bytes, size: int, *, whole: bool) -> Event:
    """The event whose lines are `block`: the marker's own and those up to the next marker.

    `size` is how long they are in bytes, `whole` is False while the marker is being written.
    """
    first, _, rest = block.partition(b"\n")
    text = decoded(first)
    marker = read_line(text)
    payload: dict[str, Any] = {"line": line}
    if marker is not None:
        payload.update(_said(marker))
    if not whole:
        payload["half_written"] = True
    if rest:
        payload["notes"] = notes_of(rest)
    if size > len(block):
        payload["notes_omitted_bytes"] = size - len(block)
    at = None if marker is None else marker.at
    return Event(
        n=n,
        id=line,
        kind=kind.value,
        raw_status=None if marker is None else marker.recorded,
        at=parse_instant(at),
        at_raw=at,
        text=text.strip(),
        payload=payload,
    )


def notes_of(rest: bytes) -> list[str]:
    """Raw lines, blank ones included, without the last line end."""
    lines = rest.decode("utf-8", "replace").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def _said(marker: Marker) -> dict[str, Any]:
    """What the line says, under names of its own; what it does not say is left out."""
    numbered = "attempt" if marker.verb == "retry" else "iteration"
    said = {
        "verb": marker.verb.value,
        "statement": marker.statement,
        "letter": marker.letter or None,
        "block": marker.scope,
        "name": marker.name or None,
        "tag": marker.tag,
        "status": marker.status.value,
        "error": marker.error,
        "note": marker.note,
        "names": list(marker.names) or None,
        numbered: marker.number,
        "max": marker.most,
        "delegate": marker.target,
        "delegate_id": marker.delegate,
    }
    return {key: value for key, value in said.items() if value is not None}


SPACING, KEPT = 8192, 4
"""States that are kept for travelling: a state of a million events is a hundred megabytes."""


class Tail:
    """One log, folded as far as it was read. Used by one thread at a time."""

    def __init__(self, path: str) -> None:
        self.file = LogFile(path)
        self._begin()

    def _begin(self) -> None:
        self.state = LogState()
        self._scanner = Scanner()
        self._offsets = array("q")
        """Where each event's line begins."""
        self._checkpoints: Checkpoints[LogState] = Checkpoints(spacing=SPACING, limit=KEPT)
        self._header: Header | None = None

    def read(self) -> bool:
        """Folds what was added; False if nothing was. Raises StoreUnavailable."""
        before = (self.file.offset, self.state)
        self.file.advance(self._take, self._begin)
        return (self.file.offset, self.state) != before

    def _take(self, data: bytes) -> None:
        state, due = self.state, self._checkpoints.due(self.state.events)
        for found in self._scanner.feed(data):
            if not is_event(state, found.marker):
                continue
            if not state.events:
                self._header = None
            self._offsets.append(found.offset)
            apply(state, found)
            if state.events == due:
                self._checkpoints.save(due, state.copy())
                due = self._checkpoints.due(due)
        if not state.events:
            self._header = None

    def unfinished(self) -> Found | None:
        """The half-written last line, where it is an event already."""
        found = self._scanner.unfinished()
        return found if found is not None and is_event(self.state, found.marker) else None

    def newest(self) -> LogState:
        """The state with the half-written last line, if there is one; not to be changed."""
        found = self.unfinished()
        if found is None:
            return self.state
        state = self.state.copy()
        apply(state, found, whole=False)
        return state

    def at(self, events: int) -> LogState:
        """The state after this many whole lines' events. Raises StoreUnavailable."""
        saved = self._checkpoints.before(events)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, LogState())
        if begun < events:
            for found in self._found(begun, events):
                apply(state, found)
        return state

    def _found(self, begun: int, events: int) -> Iterator[Found]:
        """The markers of events `begun + 1` to `events`, read again."""
        scanner = Scanner()
        scanner.offset, scanner.line = self._offsets[begun], self.state.lines[begun]
        end = self._offsets[events] if events < len(self._offsets) else self._scanner.offset
        number = begun
        for data in self._pieces(scanner.offset, end):
            for found in scanner.feed(data):
                if number < events and found.offset == self._offsets[number]:
                    number += 1
                    yield found

    def _pieces(self, offset: int, end: int) -> Iterator[bytes]:
        while offset < end:
            data = self.file.read_at(offset, min(CHUNK, end - offset))
            if not data:
                return
            offset += len(data)
            yield data

    def header(self) -> Header:
        """What stands before the first marker."""
        if self._header is None:
            self._header = read_header(self.preamble())
        return self._header

    def preamble(self) -> str:
        """The text before the first marker, as much of it as is looked at."""
        end = min(self._preamble_end(), MOST_BYTES)
        return self.file.read_at(0, end).decode("utf-8", "replace") if end else ""

    def _preamble_end(self) -> int:
        if self._offsets:
            return self._offsets[0]
        found = self.unfinished()
        return self.file.offset if found is None else found.offset

    @property
    def lines(self) -> int:
        """Lines of the log, the half-written one too."""
        return self._scanner.line - (0 if self._scanner.pending else 1)

    def events(self, first: int, kinds: Sequence[StepKind], total: int) -> list[Event]:
        """The events from number `first` on, one for each kind. Raises StoreUnavailable."""
        found = []
        for n, kind in enumerate(kinds, first):
            whole = n <= len(self._offsets)
            offset = self._offsets[n - 1] if whole else self._scanner.offset
            line = self.state.lines[n - 1] if whole else self._scanner.line
            end = self._end_of(n, total)
            block = self.file.read_at(offset, min(end - offset, MOST_NOTES))
            found.append(event(n, line, kind, block, end - offset, whole=whole))
        return found

    def _end_of(self, n: int, total: int) -> int:
        """Where the notes of an event end: at the next marker, or where the log does."""
        if n < len(self._offsets):
            return self._offsets[n]
        return self._scanner.offset if n < total else self.file.offset

    def text(self, first: int, most: int) -> Iterator[tuple[int, int | None, str, str]]:
        """Lines from number `first` on, at most `most`: number, event, role, text.

        A line that is longer than is ever held comes in several pieces of the same number.
        """
        front, half = self.header().front_lines, self.unfinished()
        marks = self.state.lines if half is None else [*self.state.lines, half.line]
        at = bisect_right(self.state.lines, first) - 1
        offset, line = (self._offsets[at], self.state.lines[at] - 1) if at >= 0 else (0, 0)
        for raw, begins in self._raw_lines(offset):
            line += begins
            if line >= first + most:
                return
            if line >= first:
                number = bisect_right(marks, line)
                is_marker = number > 0 and marks[number - 1] == line
                role = "marker" if is_marker else "note" if number else "header"
                role = "front_matter" if not number and line <= front else role
                yield line, number or None, role, decoded(raw)

    def _raw_lines(self, offset: int) -> Iterator[tuple[bytes, bool]]:
        """Lines, those that are too long in pieces; whether a piece begins its line."""
        rest, begins = b"", True
        for data in self._pieces(offset, self.file.offset):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                for piece in _cut(line):
                    yield piece, begins
                    begins = False
                begins = True
            while len(rest) > LONGEST_LINE:
                piece = next(_cut(rest))
                yield piece, begins
                rest, begins = rest[len(piece) :], False
        for piece in _cut(rest) if rest else ():
            yield piece, begins
            begins = False


def _cut(line: bytes) -> Iterator[bytes]:
    """A line in pieces that can be held, no character cut in two; an empty one is one piece."""
    while len(line) > LONGEST_LINE:
        end = LONGEST_LINE
        while end > LONGEST_LINE - 4 and line[end] & 0xC0 == 0x80:
            end -= 1
        yield line[:end]
        line = line[end:]
    yield line
