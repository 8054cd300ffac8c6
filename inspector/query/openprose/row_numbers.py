"""Which event a row of `execution` is, whatever its id is.

The state document gives rows whole ascending numbers. Writers who make the table themselves also
use text, leave the id out, or add rows out of order; nothing is lost for that.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from inspector.query.openprose.events import index_of, text_of

_NAMED = -(2**62)
"""Numbers up to this one stand for ids that are no whole numbers."""


@dataclass(slots=True)
class RowNumbers:
    """The rows that were folded, in order, each by a whole number."""

    ids: array[int] = field(default_factory=lambda: array("q"))
    last: int = _NAMED
    """The greatest number so far, as long as all were ascending."""
    by_number: dict[int, int] | None = None
    """Number → its newest event, only where rows do not ascend."""
    names: list[str | None] = field(default_factory=list)
    """Ids that are no whole numbers; None where a row has no id at all."""
    numbers: dict[str, int] = field(default_factory=dict)

    def number_of_row(self, value: Any) -> int:
        """The number of a row with this id; a row without one gets a number that nobody names."""
        if type(value) is int and value > _NAMED:
            return value
        return self._named(None) if value is None else self._number(value)

    def number_of_parent(self, value: Any) -> int | None:
        """The number of the row that is named as parent; None when none is."""
        if type(value) is int and value > _NAMED:
            return value
        if value is None or value == "" or value == b"":
            return None
        return self._number(value)

    def add(self, number: int) -> None:
        """Takes in the next row."""
        ids = self.ids
        ids.append(number)
        if self.by_number is not None:
            self.by_number[number] = len(ids)
        elif number > self.last:
            self.last = number
        else:
            self.last = 2**63
            self.by_number = {known: event for event, known in enumerate(ids, 1)}

    def event(self, number: int) -> int | None:
        """The newest event whose row has this number."""
        if self.by_number is not None:
            return self.by_number.get(number)
        at = bisect_left(self.ids, number)
        return at + 1 if at < len(self.ids) and self.ids[at] == number else None

    def id_of(self, number: int) -> int | str | None:
        """The id as it was recorded."""
        return number if number > _NAMED else self.names[_NAMED - number]

    def copy(self) -> RowNumbers:
        """A copy that later rows do not reach."""
        return RowNumbers(
            self.ids[:],
            self.last,
            None if self.by_number is None else dict(self.by_number),
            self.names[:],
            dict(self.numbers),
        )

    def _number(self, value: Any) -> int:
        number = index_of(value)
        if isinstance(number, int) and number > _NAMED:
            return number
        return self._named(text_of(value))

    def _named(self, name: str | None) -> int:
        known = None if name is None else self.numbers.get(name)
        if known is None:
            known = _NAMED - len(self.names)
            self.names.append(name)
            if name is not None:
                self.numbers[name] = known
        return known
