"""From what happened to a file name to what it means: which database, which run, look anew?"""

import os
from collections.abc import Iterable, Sequence

from inspector.store import places
from inspector.store.listen import ADDED, DELETED, MODIFIED
from inspector.store.watchplan import Plan, is_below_any


class Routes:
    """Where changes of names lead, given the databases, logs and run folders that are known."""

    def __init__(self, files: Sequence[str], roots: Iterable[str], plan: Plan) -> None:
        self._known = frozenset(files)
        self._whole = frozenset((*roots, *plan.deep))
        self._flat = frozenset(plan.flat)
        self._deep = frozenset((*plan.deep, *plan.polled))
        self._homes = frozenset(_homes(files))
        self._above = _above(self._known | self._homes)
        self._told: set[str] = set()
        self._real: dict[str, str] = {}

    def lead(self, raw: Iterable[tuple[int, str]]) -> tuple[set[str], bool, set[bool]]:
        """What was touched, whether to discover anew, and which watch lost or gained a folder.

        The last is as `Ears.tune` has it: True for the deep watch, False for the flat one.
        """
        touched: set[str] = set()
        moved: set[bool] = set()
        anew = False
        for change, path in raw:
            if change != MODIFIED and path in self._whole:
                moved.add(True)
                touched.add(path)
                continue
            if change != MODIFIED and path in self._flat:
                moved.add(False)
            anew |= self._one(change, path, touched)
        return touched, anew or bool(moved), moved

    def _one(self, change: int, path: str, touched: set[str]) -> bool:
        """Adds what one change touched; whether to discover anew."""
        if places.database_of(path) not in self._known:
            path = self._really(path)
        base = places.database_of(path)
        if base in self._known:
            touched.add(base)
            return base == path and change != MODIFIED
        if path in self._above and change == DELETED:
            touched.add(path)
            return True
        home = self._home_of(path)
        if home is not None:
            touched.add(home)
            return _is_record(path[len(home) + 1 :]) and change != MODIFIED
        if places.is_database_name(os.path.basename(base)):
            touched.add(base)
            return base == path and self._is_news(change, path)
        return self._elsewhere(change, path, touched)

    def _elsewhere(self, change: int, path: str, touched: set[str]) -> bool:
        """A change outside all known runs that is of no database."""
        holder, name = os.path.split(path)
        if name in places.SKIPPED:
            return False
        if change == ADDED and os.path.isdir(path):
            touched.add(path)
            return True
        if name in places.LOGS:
            touched.add(holder)
            return self._is_news(change, path)
        if is_below_any(holder, self._deep):
            touched.add(holder)
            return change == DELETED
        return False

    def _is_news(self, change: int, path: str) -> bool:
        """Whether an unknown file is worth looking anew: it came, went, or was first written.

        A database may be empty when it appears; one that is none of ours is asked for once.
        """
        if change != MODIFIED:
            self._told.discard(path)
            return True
        if path in self._told:
            return False
        self._told.add(path)
        return True

    def _home_of(self, path: str) -> str | None:
        while len(path) > 1:
            if path in self._homes:
                return path
            path = os.path.dirname(path)
        return None

    def _really(self, path: str) -> str:
        """The path without links in its folder: one folder may be watched under two names."""
        holder, name = os.path.split(path)
        real = self._real.get(holder)
        if real is None:
            real = self._real[holder] = os.path.realpath(holder)
        return os.path.join(real, name)


def _is_record(inside: str) -> bool:
    """Whether a name inside a run folder is of a record of it, or of what it imports."""
    return inside in (places.STATE, *places.LOGS) or inside.split("/")[0] == places.IMPORTS


def _homes(files: Iterable[str]) -> set[str]:
    """The run folders among or around the known files."""
    homes: set[str] = set()
    for file in files:
        holder, name = os.path.split(file)
        if name == places.STATE or name in places.LOGS:
            homes.add(holder)
        elif not places.is_database_name(name):
            homes.add(file)
    return homes


def _above(paths: Iterable[str]) -> frozenset[str]:
    """These paths and all folders that lead to them."""
    above: set[str] = set()
    for path in paths:
        while path not in above and len(path) > 1:
            above.add(path)
            path = os.path.dirname(path)
    return frozenset(above)
