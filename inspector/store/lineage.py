"""Whether a database is still the one that rowids were remembered of.

Not here: whether its content changed; ordinary commits leave a lineage as it is.
"""

from dataclasses import dataclass
from typing import NamedTuple


class _Traits(NamedTuple):
    """What only a replacement, a VACUUM, a restore or a change of the schema alters."""

    identity: tuple[int, int]
    birth: int
    page_size: bytes
    schema: bytes
    encoding_and_version: bytes
    application: bytes


@dataclass(slots=True)
class Lineage:
    """Counts the generations of one path's content from 1; 0 before the first.

    The signs (SQLite file format, section 1.3): another file; another schema cookie, which VACUUM
    and the backup API raise as every change of the schema does; another page size, encoding or
    version of the application; a change counter that went back, as after a copy over the file; a
    file that lost pages although it does not vacuum itself.
    """

    generation: int = 0
    _traits: _Traits | None = None
    _counter: int = 0
    _pages: int = 0

    def note(self, identity: tuple[int, int], birth: int, head: bytes) -> None:
        """Takes in the header (100 bytes) of content that was accepted."""
        traits = _Traits(identity, birth, head[16:18], head[40:48], head[56:64], head[68:72])
        counter = int.from_bytes(head[24:28], "big")
        pages = int.from_bytes(head[28:32], "big")
        vacuums_itself = any(head[52:56])
        went_back = (counter - self._counter) & 0xFFFFFFFF >= 1 << 31
        shrank = pages < self._pages and not vacuums_itself
        if traits != self._traits or went_back or shrank:
            self.generation += 1
        self._traits, self._counter, self._pages = traits, counter, pages
