"""Which folders to watch so that nothing of interest is missed, and how."""

import os
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from inspector.store import places


@dataclass(frozen=True, slots=True)
class Plan:
    """Folders to watch; all exist, and each is named once.

    `deep` with all that is below them, `flat` for what is directly in them. `polled` are those
    where changes are not announced.
    """

    deep: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    polled: tuple[str, ...] = ()

    def without(self, *, deep: bool) -> "Plan":
        """The same, where the deep or else the flat watch is not to be had."""
        polled = tuple(sorted({*self.polled, *(self.deep if deep else self.flat)}))
        return Plan(() if deep else self.deep, self.flat if deep else (), polled)

    def holds(self, roots: Iterable[str]) -> bool:
        """Whether these roots still are as they were when the plan was made."""
        whole = {*self.deep, *self.polled}
        return all(
            is_below_any(root, whole)
            if os.path.isdir(root)
            else _nearest_folder(root) in self.flat or is_below_any(_nearest_folder(root), whole)
            for root in roots
        )


def plan(
    roots: Iterable[str],
    folders: Iterable[str],
    files: Sequence[str],
    remote: Callable[[str], bool],
) -> Plan:
    """Plans for real paths; what is not there yet is waited for in the nearest folder that is."""
    deep: set[str] = set()
    flat: set[str] = set()
    for root in roots:
        if os.path.isdir(root):
            deep.add(root)
        # Only from above can be seen that a root comes, or goes and comes back.
        flat.add(_nearest_folder(os.path.dirname(root)))
    deep = {root for root in deep if not is_below_any(os.path.dirname(root), deep)}
    flat.update(folder for folder in folders if os.path.isdir(folder))
    for holder in {_holder(file) for file in files}:
        if not is_below_any(holder, deep):
            flat.add(_nearest_folder(holder))
    flat = {folder for folder in flat if not is_below_any(folder, deep)}
    polled = {folder for folder in deep | flat if remote(folder)}
    return Plan(tuple(sorted(deep - polled)), tuple(sorted(flat - polled)), tuple(sorted(polled)))


def is_below_any(path: str, folders: AbstractSet[str]) -> bool:
    """Whether a path is one of these folders or lies in one."""
    while folders:
        if path in folders:
            return True
        above = os.path.dirname(path)
        if above == path:
            return False
        path = above
    return False


def _holder(file: str) -> str:
    """The folder in which changes of a file, or of a run folder's records, are to be seen."""
    name = os.path.basename(file)
    is_file = places.is_database_name(name) or name in places.LOGS
    return os.path.dirname(file) if is_file else file


def _nearest_folder(path: str) -> str:
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path
