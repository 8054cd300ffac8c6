"""Summaries of rows: runs, sessions, checkpoints and leases, from the columns that exist.

An unreadable cell is None and listed as such; the rest of the row is still used.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.query.prism.cells import (
    JsonObject,
    Malformed,
    instant_of,
    json_of,
    mapping,
    message_of,
    message_text,
    name_of,
    text_of,
    text_or_none,
    whole_number,
)
from inspector.query.tables import Tables

AGENT_RUN = "prism.agent-run"
WORKFLOW = "prism.workflow"
DELEGATION = "prism.supervisor-delegation"
RUN_LEASE = "prism.workflow.run"
SAGA_LEASE = "prism.workflow.saga"

LONGEST_PROMPT = 200


@dataclass(frozen=True, slots=True)
class Owner:
    """The recorded owner of a row."""

    tenant: str | None = None
    account: str | None = None
    user: str | None = None

    def named(self) -> Mapping[str, str]:
        """Return only the recorded parts."""
        found = {"tenant": self.tenant, "account": self.account, "user": self.user}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A row of `prism_runs`. Instants in UTC ms."""

    id: str
    session: str | None
    status: str | None
    started_at: int | None
    finished_at: int | None
    leaf: str | None
    """`branch_id`: the leaf entry when the run started."""
    definition: str | None
    provider: str | None
    model: str | None
    error: str | None
    abort_reason: str | None
    owner: Owner
    unreadable: tuple[str, ...] = ()
    """Columns with invalid JSON."""


RUN_COLUMNS = (
    "id", "session_id", "status", "started_at", "finished_at", "branch_id",
    "agent_definition_id", "provider", "model", "error", "abort_reason",
    "tenant_id", "account_id", "user_id",
)  # fmt: skip


def run_summary(row: Sequence[object]) -> RunSummary:
    """Parse a row of RUN_COLUMNS."""
    cells = dict(zip(RUN_COLUMNS, row, strict=True))
    unreadable: list[str] = []
    model = mapping(_json(cells["model"], "model", unreadable))
    error = _json(cells["error"], "error", unreadable)
    return RunSummary(
        id=text_of(cells["id"]),
        session=text_or_none(cells["session_id"]),
        status=text_or_none(cells["status"]),
        started_at=instant_of(cells["started_at"]),
        finished_at=instant_of(cells["finished_at"]),
        leaf=text_or_none(cells["branch_id"]),
        definition=text_or_none(cells["agent_definition_id"]),
        provider=text_or_none(cells["provider"]) or name_of(model.get("provider")),
        model=name_of(model.get("model")),
        error=message_of(error),
        abort_reason=text_or_none(cells["abort_reason"]),
        owner=Owner(*(text_or_none(cells[name]) for name in RUN_COLUMNS[-3:])),
        unreadable=tuple(unreadable),
    )


def _json(cell: object, name: str, unreadable: list[str]) -> object:
    if cell is None:
        return None
    try:
        return json_of(cell)
    except Malformed:
        unreadable.append(name)
        return None


def run_rows(
    connection: sqlite3.Connection, tables: Tables, run_id: str | None = None
) -> Iterator[tuple[object, ...]]:
    """Yield rows of RUN_COLUMNS in the store's order, of one run or of all."""
    table = tables.get("prism_runs")
    if table is None:
        return
    where = "" if run_id is None else f"WHERE {table.column('id')} = ?"
    values = () if run_id is None else (run_id,)
    listed = ", ".join(table.column(name) for name in RUN_COLUMNS)
    order = f"{table.column('started_at')}, {table.column('id')}, {table.order}"
    yield from connection.execute(
        f"SELECT {listed} FROM prism_runs {where} ORDER BY {order}", values
    )


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in the list."""

    id: str
    title: str | None
    parent: str | None


def session_summary(
    connection: sqlite3.Connection, tables: Tables, session: str | None
) -> SessionSummary | None:
    """Return a session; None if it has no row."""
    table = tables.get("prism_sessions")
    if session is None or table is None or not table.has("id"):
        return None
    parent, metadata = table.column("parent_session_id"), table.column("metadata")
    found = connection.execute(
        f"SELECT {parent}, {metadata} FROM prism_sessions WHERE id = ?", (session,)
    ).fetchone()
    if found is None:
        return None
    return SessionSummary(session, title_of(found[1]), text_or_none(found[0]))


def title_of(metadata: object) -> str | None:
    """Return the title in a session's metadata."""
    if metadata is None:
        return None
    try:
        return name_of(mapping(json_of(metadata)).get("title"))
    except Malformed:
        return None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A row of `prism_checkpoints` with its parsed value."""

    namespace: str
    key: str
    version: int | None
    fencing: int | None
    category: str | None
    owner: Owner
    created_at: int | None
    updated_at: int | None
    value: JsonObject = field(default_factory=dict)
    readable: bool = True

    @property
    def status(self) -> str | None:
        """The status in the value."""
        return name_of(self.value.get("status"))


_CHECKPOINT_COLUMNS = (
    "namespace", "key", "version", "fencing_token", "category",
    "tenant_id", "account_id", "user_id", "created_at", "updated_at", "value",
)  # fmt: skip


def read_checkpoints(
    connection: sqlite3.Connection, tables: Tables, where: str, values: Sequence[object]
) -> Iterator[Checkpoint]:
    """Yield checkpoints, newest first; `where` is SQL with parameters."""
    table = tables.get("prism_checkpoints")
    if table is None:
        return
    listed = ", ".join(table.column(name) for name in _CHECKPOINT_COLUMNS)
    order = f"{table.column('updated_at')} DESC, {table.column('key')}"
    sql = f"SELECT {listed} FROM prism_checkpoints {where} ORDER BY {order}"
    for row in connection.execute(sql, values):
        yield checkpoint_of(row)


def checkpoint_of(row: Sequence[object]) -> Checkpoint:
    """Parse a row of checkpoint columns."""
    namespace, key, version, fencing, category, tenant, account, user, created, updated, value = row
    unreadable: list[str] = []
    parsed = mapping(_json(value, "value", unreadable))
    return Checkpoint(
        text_of(namespace),
        text_of(key),
        whole_number(version),
        whole_number(fencing),
        text_or_none(category),
        Owner(text_or_none(tenant), text_or_none(account), text_or_none(user)),
        instant_of(created),
        instant_of(updated),
        parsed,
        not unreadable,
    )


def read_some_checkpoints(
    connection: sqlite3.Connection, tables: Tables, wanted: Iterable[tuple[str, str]]
) -> Iterator[Checkpoint]:
    """Yield the existing checkpoints with these namespaces and keys."""
    for one in wanted:
        yield from read_checkpoints(connection, tables, "WHERE namespace = ? AND key = ?", one)


@dataclass(frozen=True, slots=True)
class Lease:
    """A row of `prism_leases` without its token."""

    namespace: str
    key: str
    owner: str | None
    """The worker that holds the lease."""
    fencing: int | None
    acquired_at: int | None
    expires_at: int | None
    updated_at: int | None

    def state(self, now: int) -> str:
        """Return `active`, `released` (by its owner) or `expired` at an instant (UTC ms)."""
        if self.expires_at is not None and self.expires_at > now:
            return "active"
        given_back = (
            self.expires_at is not None
            and self.updated_at is not None
            and self.expires_at <= self.updated_at
        )
        return "released" if given_back else "expired"


_LEASE_COLUMNS = (
    "namespace", "key", "owner_id", "fencing_token", "acquired_at", "expires_at", "updated_at",
)  # fmt: skip


def read_leases(
    connection: sqlite3.Connection, tables: Tables, where: str = "", values: Sequence[object] = ()
) -> list[Lease]:
    """Return leases; `where` is SQL with parameters."""
    table = tables.get("prism_leases")
    if table is None:
        return []
    listed = ", ".join(table.column(name) for name in _LEASE_COLUMNS)
    rows = connection.execute(f"SELECT {listed} FROM prism_leases {where}", values)
    return [
        Lease(
            text_of(namespace),
            text_of(key),
            text_or_none(owner),
            whole_number(fencing),
            instant_of(acquired),
            instant_of(expires),
            instant_of(updated),
        )
        for namespace, key, owner, fencing, acquired, expires, updated in rows
    ]


def first_message(connection: sqlite3.Connection, session: str, run: str) -> str | None:
    """Return the first message of a run on one line."""
    found = connection.execute(
        "SELECT message FROM prism_session_entries WHERE session_id = ? AND run_id = ?"
        " AND message IS NOT NULL ORDER BY timestamp LIMIT 1",
        (session, run),
    ).fetchone()
    if found is None:
        return None
    try:
        text = message_text(json_of(found[0]), 4 * LONGEST_PROMPT)
    except Malformed:
        return None
    return " ".join(text.split())[:LONGEST_PROMPT] or None
