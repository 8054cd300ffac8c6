"""Sessions as a tree and their entries as a branching transcript.

Source: Prism 0.3.0. A parent session is recorded only if the host passes one. Children of a
supervisor are recognisable only by their names, so such a parent is marked as a guess.

`Transcript` is pure and linear in the number of entries, whatever their shape; the store's own
query for a branch scans the session once per entry.
"""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.query.prism.cells import instant_of, text_of, text_or_none
from inspector.query.prism.rows import Record, equals, read_records
from inspector.query.tables import Tables

NO_PARENT = -1


ELSEWHERE = -2
"""The parent is an entry of another session."""


MISSING = -3
"""The parent no longer exists."""


MOST_PATH_IDS = 500_000
"""Maximum ids in full paths per answer; further branches have none."""


_CHILD = re.compile(r"(?P<supervisor>.+)-(?P<number>[0-9]+)-session", re.DOTALL)


_MOST_GUESSES = 3


class Link(NamedTuple):
    """An entry without its content."""

    id: str
    parent: str | None
    timestamp: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A leaf and the path to it."""

    leaf: int
    root: int
    """The first entry of the path in this session."""
    length: int
    """Entries from root to leaf."""
    own: int
    """How many of them are on no earlier branch."""


class Transcript:
    """The entries of one session in the order written."""

    def __init__(self, links: Iterable[Link], elsewhere: Mapping[str, str] | None = None) -> None:
        """Index the entries; `elsewhere` maps parents in other sessions to their session."""
        listed = list(links)
        self.ids = [link.id for link in listed]
        self.elsewhere = dict(elsewhere or {})
        self.steps = 0
        """Entries visited so far, with repetitions; for tests of the cost."""
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
        """Entries whose parent was removed because it closed a circle."""
        self.steps += 3 * len(listed)

    def _place(self, link: Link, index: Mapping[str, int]) -> int:
        if link.parent is None:
            return NO_PARENT
        found = index.get(link.parent)
        if found is not None:
            return found
        return ELSEWHERE if link.parent in self.elsewhere else MISSING

    def _cut_circles(self) -> tuple[int, ...]:
        """Remove the parent that closes a circle; visits each entry once."""
        state = bytearray(len(self.ids))
        cut: list[int] = []
        for start in range(len(self.ids)):
            path_to: list[int] = []
            at = start
            while at >= 0 and not state[at]:
                state[at] = 1
                path_to.append(at)
                before, at = at, self.parent[at]
                if at >= 0 and state[at] == 1:
                    cut.append(before)
                    self.children[at] -= 1
                    self.parent[before] = NO_PARENT
                    break
            self.steps += len(path_to)
            for one in path_to:
                state[one] = 2
        return tuple(cut)

    def __len__(self) -> int:
        return len(self.ids)

    def roots(self) -> list[int]:
        """Return the entries without a parent in the session."""
        return [number for number, parent in enumerate(self.parent) if parent < 0]

    def leaves(self) -> list[int]:
        """Return the entries without a child in the session, in the order written."""
        return [number for number, children in enumerate(self.children) if not children]

    def latest_leaf(self) -> int | None:
        """Return the leaf that the store continues from: greatest timestamp, then id."""
        return max(self.leaves(), key=self._sort.__getitem__, default=None)

    def path_to(self, leaf: int) -> list[int]:
        """Return the entries from the root to `leaf`."""
        found: list[int] = []
        at = leaf
        while at >= 0:
            found.append(at)
            at = self.parent[at]
        self.steps += len(found)
        found.reverse()
        return found

    def path(self, leaf: int) -> list[str]:
        """Return the ids from the root to `leaf`, preceded by a parent in another session."""
        path_to = self.path_to(leaf)
        ids = [self.ids[number] for number in path_to]
        before = self._parent_ids.get(path_to[0])
        return [before, *ids] if before in self.elsewhere and before is not None else ids

    def parent_of(self, number: int) -> str | None:
        """Return the id of a parent outside the session."""
        return self._parent_ids.get(number)

    def depths(self) -> array[int]:
        """Return the path length of each entry, itself included."""
        depth = array("i", bytes(4 * len(self.ids)))
        for start in range(len(self.ids)):
            path_to: list[int] = []
            at = start
            while at >= 0 and not depth[at]:
                path_to.append(at)
                at = self.parent[at]
            base = depth[at] if at >= 0 else 0
            for above, one in enumerate(reversed(path_to), 1):
                depth[one] = base + above
            self.steps += len(path_to) + 1
        return depth

    def branches(self) -> Iterator[Branch]:
        """Yield a branch for every leaf, in the order written; visits each entry once."""
        depth = self.depths()
        root = array("i", [NO_PARENT]) * len(self.ids)
        for leaf in self.leaves():
            path_to: list[int] = []
            at = leaf
            while at >= 0 and root[at] < 0:
                path_to.append(at)
                at = self.parent[at]
            first = root[at] if at >= 0 else path_to[-1]
            for one in path_to:
                root[one] = first
            self.steps += len(path_to) + 1
            yield Branch(leaf, first, depth[leaf], len(path_to))

    def longest_path(self) -> list[int]:
        """Return the longest path."""
        depth = self.depths()
        leaf = max(range(len(self.ids)), key=depth.__getitem__, default=None)
        return [] if leaf is None else self.path_to(leaf)


def missing_parents(links: Sequence[Link]) -> list[str]:
    """Return the parent ids that are not entries of the session."""
    known = {link.id for link in links}
    return list({link.parent for link in links if link.parent is not None} - known)


def read_transcript(connection: sqlite3.Connection, tables: Tables, session: str) -> Transcript:
    """Read the entries of a session without their contents."""
    table = tables.get("prism_session_entries")
    if table is None or not table.has("id"):
        return Transcript(())
    parent, timestamp = table.column("parent_id"), table.column("timestamp")
    sql = (
        f"SELECT id, {parent}, {timestamp} FROM prism_session_entries"
        f" WHERE {equals(table, 'session_id')} ORDER BY {table.order}"
    )
    links = [
        Link(text_of(id_), text_or_none(above), text_of(moment))
        for id_, above, moment in connection.execute(sql, (session,))
    ]
    return Transcript(links, dict(_elsewhere(connection, tables, missing_parents(links))))


def _elsewhere(
    connection: sqlite3.Connection, tables: Tables, ids: Sequence[str]
) -> Iterator[tuple[str, str]]:
    table = tables.get("prism_session_entries")
    if table is None:
        return
    session = table.column("session_id")
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT id, {session} FROM prism_session_entries WHERE id IN ({marks})"
        for id_, in_session in connection.execute(sql, part):
            yield text_of(id_), text_of(in_session)


def entry_records(
    connection: sqlite3.Connection, tables: Tables, session: str | None
) -> list[Record]:
    """Return entries in the order written, as the store lists them."""
    table = tables.get("prism_session_entries")
    where = "" if session is None else f"WHERE {equals(table, 'session_id')}"
    values = () if session is None else (session,)
    return read_records(connection, tables, "prism_session_entries", where=where, values=values)


def branch_records(
    connection: sqlite3.Connection, tables: Tables, sessions: Sequence[str]
) -> list[Record]:
    """Return the branches of these sessions, with the newest leaf marked."""
    found: list[Record] = []
    budget = MOST_PATH_IDS
    for session in sessions:
        transcript = read_transcript(connection, tables, session)
        latest = transcript.latest_leaf()
        for branch in transcript.branches():
            whole = branch.leaf == latest or branch.length <= budget
            budget -= branch.length if whole else 0
            found.append(_branch_record(session, transcript, branch, latest, whole))
    return found


def _branch_record(
    session: str, transcript: Transcript, branch: Branch, latest: int | None, whole: bool
) -> Record:
    ids = transcript.ids
    before = transcript.parent_of(branch.root)
    record: Record = {
        "sessionId": session,
        "leafId": ids[branch.leaf],
        "path": transcript.path(branch.leaf) if whole else None,
        "inspector": {
            "latest": branch.leaf == latest,
            "root": ids[branch.root],
            "length": branch.length,
            "own": branch.own,
            "parent_session": transcript.elsewhere.get(before) if before else None,
            "parent_missing": before if before and before not in transcript.elsewhere else None,
            "circle_cut": branch.root in transcript.cut,
        },
    }
    return record


def session_records(
    connection: sqlite3.Connection, tables: Tables, only: str | None
) -> list[Record]:
    """Return sessions in the store's order with their place in the tree; only one if named."""
    records = read_records(connection, tables, "prism_sessions", order=("created_at", "id"))
    children: dict[str, list[str]] = {}
    parents: dict[str, str] = {}
    for one in records:
        parent = one.get("parentSessionId")
        if isinstance(parent, str):
            children.setdefault(parent, []).append(text_of(one.get("id")))
            parents[text_of(one.get("id"))] = parent
    entries = _counted(connection, tables, "prism_session_entries")
    runs = _counted(connection, tables, "prism_runs")
    known = {text_of(one.get("id")) for one in records}
    for one in records:
        id_ = text_of(one.get("id"))
        if only is not None and id_ != only:
            continue
        above = parents.get(id_)
        one["inspector"] = {
            "depth": _depth(id_, parents),
            "children": children.get(id_, []),
            "parent_missing": above is not None and above not in known,
            "entries": entries.get(id_, 0),
            "runs": runs.get(id_, 0),
            "clone_of": _cloned_from(connection, tables, id_),
            **_guessed_parent(connection, tables, id_, above),
        }
    return [one for one in records if "inspector" in one]


def _cloned_from(connection: sqlite3.Connection, tables: Tables, session: str) -> list[str]:
    """Return the sessions whose run ids this one's entries carry: a clone keeps run ids."""
    entries, runs = tables.get("prism_session_entries"), tables.get("prism_runs")
    if entries is None or runs is None:
        return []
    if not all(map(entries.has, ("session_id", "run_id"))) or not runs.has("session_id"):
        return []
    rows = connection.execute(
        "SELECT DISTINCT r.session_id FROM (SELECT DISTINCT run_id FROM prism_session_entries"
        " WHERE session_id = ? AND run_id IS NOT NULL) e JOIN prism_runs r ON r.id = e.run_id"
        " WHERE r.session_id <> ? ORDER BY r.session_id",
        (session, session),
    )
    return [text_of(found) for (found,) in rows]


def _depth(session: str, parents: dict[str, str]) -> int:
    seen: set[str] = set()
    while session in parents and session not in seen:
        seen.add(session)
        session = parents[session]
    return len(seen)


def _counted(connection: sqlite3.Connection, tables: Tables, name: str) -> dict[str, int]:
    table = tables.get(name)
    if table is None or not table.has("session_id"):
        return {}
    sql = f"SELECT session_id, count(*) FROM {name} GROUP BY session_id"
    return {text_of(session): count for session, count in connection.execute(sql)}


def _guessed_parent(
    connection: sqlite3.Connection, tables: Tables, session: str, recorded: str | None
) -> dict[str, object]:
    """Guess the delegating runs of a session whose parent is not recorded."""
    match = _CHILD.fullmatch(session)
    if match is None or recorded is not None:
        return {}
    guess: dict[str, object] = {"guess": True, "supervisor": match["supervisor"], "runs": []}
    runs, calls = tables.get("prism_runs"), tables.get("prism_tool_calls")
    needed = ("id", "session_id", "started_at")
    if runs is None or calls is None or not all(map(runs.has, needed)):
        return {"parent_guess": guess}
    tenant = runs.column("tenant_id")
    child = connection.execute(
        f"SELECT started_at, {tenant} FROM prism_runs WHERE session_id = ?"
        " ORDER BY started_at LIMIT 1",
        (session,),
    ).fetchone()
    if child is None or not calls.has("run_id") or not calls.has("started_at"):
        return {"parent_guess": guess}
    sql = (
        "SELECT DISTINCT c.run_id, r.session_id, c.started_at FROM prism_tool_calls c"
        " JOIN prism_runs r ON r.id = c.run_id"
        f" WHERE c.name LIKE '%delegate%' AND c.started_at <= ? AND r.session_id <> ?"
        f" AND r.{tenant} IS ? ORDER BY c.started_at DESC LIMIT {_MOST_GUESSES}"
    )
    found = connection.execute(sql, (child[0], session, child[1])).fetchall()
    guess["runs"] = [text_of(run) for run, _, _ in found]
    guess["why"] = (
        "named like a supervisor's session, and these runs had called a delegation tool"
        if found
        else "named like a supervisor's session"
    )
    guess["at"] = instant_of(child[0])
    return {"parent_guess": guess}
