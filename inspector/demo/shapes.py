"""Shapes of programs in an appending writer's rows: statements, retries, parallels, loops, blocks.

Source: OpenProse state document, its examples for appending writers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.demo.language import Record


def done(
    index: int,
    text: str,
    *,
    after: float = 1.0,
    under: str | None = None,
    meta: Mapping[str, Any] | None = None,
    label: str | None = None,
) -> Record:
    """A statement that ended well."""
    return Record(index, text, "completed", meta, under=under, label=label, after=after)


def failed(
    index: int, text: str, error: str, *, after: float = 1.0, under: str | None = None
) -> Record:
    """A statement that failed, with what it said."""
    return Record(index, text, "failed", {}, error, under=under, after=after)


def retry(
    index: int, text: str, attempt: int, of: int, *, after: float = 1.0, under: str | None = None
) -> Record:
    """The next attempt of a statement; `of` counts the first one too."""
    meta = {"attempt": attempt, "max": of}
    return Record(index, text, "retry", meta, under=under, after=after)


class Parallel:
    """A parallel with named branches; every `starts` opens another instance of it."""

    def __init__(self, index: int, name: str, *branches: str, under: str | None = None) -> None:
        self.index = index
        self.name = name
        self.branches = branches
        self.under = under

    def starts(self, *, after: float = 1.0, **settings: str) -> Record:
        """Names the branches, with the parallel's own settings if it has any."""
        meta = {"parallel_id": self.name, "branches": list(self.branches), **settings}
        return self._row("parallel:", "started", meta, after)

    def begins(self, branch: str, *, after: float = 0.2, label: str | None = None) -> Record:
        """A branch whose writer says that it is under way."""
        return self._branch(branch, "executing", after, label=label)

    def ends(self, branch: str, *, after: float = 1.0) -> Record:
        """A branch that ended well."""
        return self._branch(branch, "completed", after)

    def fails(self, branch: str, error: str, *, after: float = 1.0) -> Record:
        """A branch that failed, with what it said."""
        return self._branch(branch, "failed", after, error=error)

    def retries(self, branch: str, attempt: int, of: int, *, after: float = 1.0) -> Record:
        """The next attempt of a branch; `of` counts the first one too."""
        return self._branch(branch, "retry", after, attempt=attempt, max=of)

    def joins(self, *, after: float = 0.5) -> Record:
        """The end of the parallel."""
        return self._row("parallel:", "joined", {"parallel_id": self.name}, after)

    def _branch(
        self,
        branch: str,
        status: str,
        after: float,
        *,
        error: str | None = None,
        label: str | None = None,
        **more: int,
    ) -> Record:
        meta = {"parallel_id": self.name, "branch": branch, **more}
        return self._row(f"parallel:{branch}", status, meta, after, error, label)

    def _row(
        self,
        text: str,
        status: str,
        meta: Mapping[str, Any],
        after: float,
        error: str | None = None,
        label: str | None = None,
    ) -> Record:
        return Record(
            self.index, text, status, meta, error, under=self.under, label=label, after=after
        )


class Loop:
    """A loop that is left when its condition holds or after `most` rounds."""

    def __init__(self, index: int, name: str, text: str, most: int, condition: str) -> None:
        self.index = index
        self.name = name
        self.text = text
        self.most = most
        self.condition = condition

    def starts(self, *, after: float = 0.5) -> Record:
        """The first round is under way from here."""
        meta = {"loop_id": self.name, "max": self.most, "condition": self.condition}
        return Record(self.index, self.text, "started", meta, after=after)

    def round(self, number: int, *, after: float = 0.5) -> Record:
        """Round `number`, counted from 1, is over."""
        meta = {"loop_id": self.name, "iteration": number}
        return Record(self.index, self.text, "iteration", meta, after=after)

    def exits(self, number: int, reason: str, *, after: float = 0.5) -> Record:
        """The end of the loop after `number` rounds."""
        meta = {"loop_id": self.name, "iteration": number, "reason": reason}
        return Record(self.index, self.text, "exited", meta, after=after)


def block_starts(
    index: int, text: str, block: str, depth: int, label: str, *, under: str | None, after: float
) -> Record:
    """A call of a block: the row that later ones name as their frame."""
    meta = {"block": block, "depth": depth}
    return Record(index, text, "started", meta, under=under, label=label, after=after)


def block_ends(
    index: int, text: str, block: str, depth: int, *, under: str | None, after: float
) -> Record:
    """The end of a call, in the frame that it closes."""
    meta = {"block": block, "depth": depth}
    return Record(index, text, "completed", meta, under=under, after=after)
