"""Files that outlive a run, or lie beside its database: where they are, and reading them sparingly.

Source: OpenProse filesystem state document, "Directory Structure" and "Memory Scoping": a run's own
in its folder, the project's below the OpenProse root that holds `runs/`, the user's below
`~/.agents/prose` or, older, `~/.prose`. All of it was written by agents: no link is followed out of
the folder, nothing but regular files is read, and no more than a budget.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.model.value import AttachmentVerdict
from inspector.query.openprose.discovery import IMPORTS, KEPT, RUNS, STATE_FOLDER, USER_ROOTS
from inspector.store.attachment import inspect_attachment
from inspector.store.files import safe_listdir

AGENT_FOLDER, WORLD_MODELS = KEPT
_OLD_ROOTS = (".prose", "prose")
"""Roots in which persistent files lay directly, without `state/`."""
_HOMES = ("home", "Users")


class Shelf(NamedTuple):
    """A folder in which one scope keeps things of a kind, each in a folder of its own."""

    root: str
    parts: tuple[str, ...]
    scope: str

    @property
    def path(self) -> str:
        """The folder."""
        return os.path.join(self.root, *self.parts)


def root_above(folder: str) -> str | None:
    """Return the OpenProse root that holds the `runs/` of a run folder; None elsewhere."""
    while os.path.basename(os.path.dirname(folder)) == IMPORTS:
        folder = os.path.dirname(os.path.dirname(folder))
    holder = os.path.dirname(folder)
    return os.path.dirname(holder) if os.path.basename(holder) == RUNS else None


def is_users(root: str) -> bool:
    """Return whether an OpenProse root is a user's own, by its path: below a home folder."""
    for known in USER_ROOTS:
        home = root.removesuffix(f"/{known}")
        if home != root:
            around = os.path.basename(os.path.dirname(home))
            named = os.path.basename(home) == _HOMES[0]
            return named or around in _HOMES or home == os.path.expanduser("~")
    return False


def shelves(folder: str, name: str, others: Sequence[str] = ()) -> Iterator[Shelf]:
    """Return the folders called `name` of the run, the project and the user.

    `others` are OpenProse roots besides the run's own.
    """
    yield Shelf(folder, (name,), "run")
    root = root_above(folder)
    if root is not None:
        yield from _of_root(root, name, "user" if is_users(root) else "project")
    for other in others:
        if other != root and is_users(other):
            yield from _of_root(other, name, "user")


def _of_root(root: str, name: str, scope: str) -> Iterator[Shelf]:
    yield Shelf(root, (STATE_FOLDER, name), scope)
    if os.path.basename(root) in _OLD_ROOTS:
        yield Shelf(root, (name,), scope)


@dataclass(slots=True)
class Budget:
    """Bytes that may still be read for one answer."""

    left: int

    def read(self, root: str, parts: Sequence[str], most: int) -> Content:
        """Return the first `most` bytes of a file below `root`, within the budget."""
        wanted = min(most, self.left)
        attachment, data = inspect_attachment(root, "/".join(parts), preview_bytes=wanted)
        self.left -= len(data)
        if attachment.size is None:
            return Content(None, 0, _WORDS.get(attachment.verdict, attachment.verdict.value))
        if len(data) == attachment.size:
            return Content(data, attachment.size, None)
        why = "it is too large to be read whole" if wanted == most else _SPENT
        return Content(data, attachment.size, why)


_SPENT = "it is not read: more than is read at once lies beside it"
_WORDS = {
    AttachmentVerdict.MISSING: "it is not there any more",
    AttachmentVerdict.UNREADABLE: "it may not be read",
    AttachmentVerdict.NOT_A_FILE: "it is not a regular file",
    AttachmentVerdict.BROKEN_LINK: "it is a link that leads nowhere",
    AttachmentVerdict.REFUSE_OUTSIDE: "it is a link out of the folder, which is not followed",
}


class Content(NamedTuple):
    """What was read of a file."""

    data: bytes | None
    """None if it may not be read; incomplete if `trouble` says so."""
    size: int
    trouble: str | None
    """Why this is not the whole file, without a full stop."""

    @property
    def text(self) -> str | None:
        """As text; bytes that are not UTF-8 are replaced."""
        return None if self.data is None else self.data.decode("utf-8", "replace")


def refused_in(root: str, parts: Sequence[str]) -> list[str]:
    """Return why a folder cannot be listed whole, and the names in it that are not followed."""
    listed = safe_listdir(root, parts)
    said = ["it may not be listed"] if listed.denied else []
    odd = [one.name for one in listed.entries if not one.is_file and not one.is_folder]
    said += [f"{name} is a link or no regular file, which is not followed" for name in odd[:20]]
    if len(odd) > 20:
        said.append(f"and {len(odd) - 20:,} more like it")
    if listed.cut:
        said.append(f"it holds more than {len(listed.entries):,} names: the rest is not read")
    return said
