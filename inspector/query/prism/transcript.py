"""The entries of a session as a tree: roots, leaves, branches, the way to any of them.

Pure. Every id and parent is looked at once; nothing is looked up entry by entry, and no way is
walked twice: the cost grows with the number of entries, whatever their shape. The store's own query
for a branch scans the session once per entry of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NO_PARENT = -1
ELSEWHERE = -2
"""The parent is an entry of another session."""
MISSING = -3
"""The parent is not there any more."""


class Link(NamedTuple):
    """An entry without its content, as it was written."""

    id: str
    parent: str | None
    timestamp: str


@dataclass(frozen=True, slots=True)
class Branch:
    """One leaf and the way to it."""

    leaf: int
    root: int
    """The first entry of the way within the session."""
    length: int
    """Entries from root to leaf."""
    own: int
    """How many of them no earlier branch has."""


class Transcript:
    """The entries of one session in the order in which they were written."""

    def __init__(self, links: Iterable[Link], elsewhere: Mapping[str, str] | None = None) -> None:
        """`elsewhere`: entry → session, for parents that lie in other sessions."""
        listed = list(links)
        self.ids = [link.id for link in listed]
        self.elsewhere = dict(elsewhere or {})
        self.steps = 0
        """Entries that were looked at so far, again and again counted: for tests of the cost."""
        index = {id_: number for number, id_ in enumerate(self.ids)}
        self.parent = array("i", (self._place(link, index) for link in listed))
        self._parent_ids = {
            number: link.parent
            for number, link in enumerate(listed)
            if link.parent is not None and self.parent[number] < NO_PARENT
        }
        self.children = array("i", bytes(4 * len(listed)))
        for parent in self.parent:
            if parent >= 0:
                self.children[parent] += 1
        self._sort = [(link.timestamp, link.id) for link in listed]
        self.cut = self._cut_circles()
        """Entries whose parent chain came back to them; each circle is cut once."""
        self.steps += 3 * len(listed)

    def _place(self, link: Link, index: Mapping[str, int]) -> int:
        if link.parent is None:
            return NO_PARENT
        found = index.get(link.parent)
        if found is not None:
            return found
        return ELSEWHERE if link.parent in self.elsewhere else MISSING

    def _cut_circles(self) -> tuple[int, ...]:
        """Makes the parent that closes a circle nobody's; walks each way once."""
        state = bytearray(len(self.ids))
        cut: list[int] = []
        for start in range(len(self.ids)):
            way: list[int] = []
            at = start
            while at >= 0 and not state[at]:
                state[at] = 1
                way.append(at)
                before, at = at, self.parent[at]
                if at >= 0 and state[at] == 1:
                    cut.append(before)
                    self.children[at] -= 1
                    self.parent[before] = NO_PARENT
                    break
            self.steps += len(way)
            for one in way:
                state[one] = 2
        return tuple(cut)

    def __len__(self) -> int:
        return len(self.ids)

    def roots(self) -> list[int]:
        """Entries without a parent in the session."""
        return [number for number, parent in enumerate(self.parent) if parent < 0]

    def leaves(self) -> list[int]:
        """Entries without a child in the session, as they were written."""
        return [number for number, children in enumerate(self.children) if not children]

    def latest_leaf(self) -> int | None:
        """The leaf that the store goes on from: the greatest by timestamp, then id."""
        return max(self.leaves(), key=self._sort.__getitem__, default=None)

    def way(self, leaf: int) -> list[int]:
        """The entries from the root to this one."""
        found: list[int] = []
        at = leaf
        while at >= 0:
            found.append(at)
            at = self.parent[at]
        self.steps += len(found)
        found.reverse()
        return found

    def path(self, leaf: int) -> list[str]:
        """The ids from the root to an entry; a parent in another session comes first, alone."""
        way = self.way(leaf)
        ids = [self.ids[number] for number in way]
        before = self._parent_ids.get(way[0])
        return [before, *ids] if before in self.elsewhere and before is not None else ids

    def parent_of(self, number: int) -> str | None:
        """The id of a parent that is not in the session."""
        return self._parent_ids.get(number)

    def depths(self) -> array[int]:
        """How many entries lie on the way to each, itself included."""
        depth = array("i", bytes(4 * len(self.ids)))
        for start in range(len(self.ids)):
            way: list[int] = []
            at = start
            while at >= 0 and not depth[at]:
                way.append(at)
                at = self.parent[at]
            base = depth[at] if at >= 0 else 0
            for above, one in enumerate(reversed(way), 1):
                depth[one] = base + above
            self.steps += len(way) + 1
        return depth

    def branches(self) -> Iterator[Branch]:
        """Every leaf, as they were written; what an earlier branch has is walked by it alone."""
        depth = self.depths()
        root = array("i", [NO_PARENT]) * len(self.ids)
        for leaf in self.leaves():
            way: list[int] = []
            at = leaf
            while at >= 0 and root[at] < 0:
                way.append(at)
                at = self.parent[at]
            first = root[at] if at >= 0 else way[-1]
            for one in way:
                root[one] = first
            self.steps += len(way) + 1
            yield Branch(leaf, first, depth[leaf], len(way))

    def longest(self) -> list[int]:
        """The longest way there is."""
        depth = self.depths()
        leaf = max(range(len(self.ids)), key=depth.__getitem__, default=None)
        return [] if leaf is None else self.way(leaf)


def missing_parents(links: Sequence[Link]) -> list[str]:
    """Parents that no entry of the session is."""
    known = {link.id for link in links}
    return list({link.parent for link in links if link.parent is not None} - known)
