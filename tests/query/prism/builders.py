"""Small Prism databases, written by another process like Prism writes them.

Closing any descriptor of a database drops the locks that our own process holds on it, so a test
never opens the file that it reads.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inspector.query.prism.schema_shape import SEARCH_SINCE, SEARCH_TABLE, schema_statements
from inspector.query.prism.verdict import STEPS

Statement = tuple[str, Sequence[Any]]

START = datetime(2026, 3, 1, 12, tzinfo=UTC)

BESIDE = (
    "CREATE TABLE prism_checkpoints (namespace TEXT NOT NULL, key TEXT NOT NULL,"
    " version INTEGER NOT NULL, fencing_token INTEGER, category TEXT, tenant_id TEXT,"
    " account_id TEXT, user_id TEXT, value TEXT NOT NULL, metadata TEXT, created_at TEXT NOT NULL,"
    " updated_at TEXT NOT NULL, PRIMARY KEY (namespace, key))",
    "CREATE TABLE prism_leases (namespace TEXT NOT NULL, key TEXT NOT NULL,"
    " owner_id TEXT NOT NULL, token TEXT NOT NULL, fencing_token INTEGER NOT NULL, tenant_id TEXT,"
    " account_id TEXT, user_id TEXT, acquired_at TEXT NOT NULL, expires_at TEXT NOT NULL,"
    " updated_at TEXT NOT NULL, PRIMARY KEY (namespace, key))",
)
SEARCH = (
    f"CREATE VIRTUAL TABLE {SEARCH_TABLE} USING fts5(session_id UNINDEXED, entry_id UNINDEXED,"
    " label, summary, body, tokenize = 'porter unicode61')",
    "CREATE INDEX prism_sessions_updated_id_idx ON prism_sessions (updated_at, id)",
)


def at(milliseconds: int) -> str:
    """An instant as Prism writes it, so long after START."""
    moment = START + timedelta(milliseconds=milliseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def ms(milliseconds: int) -> int:
    """The same instant in UTC ms."""
    return int(START.timestamp() * 1000) + milliseconds


def schema(version: int = 8) -> list[str]:
    """The statements that make the tables of a schema version."""
    return [*schema_statements(version), *BESIDE, *(SEARCH if version >= SEARCH_SINCE else ())]


def history(
    version: int = 8, *, first: str | None = None, checksums: bool = True
) -> list[Statement]:
    """The migration rows of a version; `first` is another checksum of the first step."""
    found: list[Statement] = []
    for place, step in enumerate(STEPS[:version]):
        checksum = first if first is not None and not place else step.checksum
        values = (
            f"m{place}",
            step.name,
            step.version,
            at(place),
            "test",
            checksum if checksums else None,
        )
        found.append(insert("prism_migrations", values, _MIGRATION))
    return found


_MIGRATION = ("id", "name", "version", "applied_at", "applied_by", "checksum")


def insert(table: str, values: Sequence[Any], columns: Sequence[str]) -> Statement:
    """A row; what is neither text nor a number is written as JSON."""
    cells = [
        value if value is None or isinstance(value, str | int | float) else json.dumps(value)
        for value in values
    ]
    marks = ", ".join("?" * len(cells))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", cells


def row(table: str, **cells: Any) -> Statement:
    """A row of a table by its columns."""
    return insert(table, list(cells.values()), list(cells))


def session(name: str = "s1", **more: Any) -> Statement:
    return row("prism_sessions", **{"id": name, "created_at": at(0), "updated_at": at(0), **more})


def run(name: str = "r1", status: str | None = "running", of: str = "s1", **more: Any) -> Statement:
    cells = {"id": name, "session_id": of, "status": status, "started_at": at(0), **more}
    return row("prism_runs", **cells)


def entry(name: str, parent: str | None = None, of: str = "s1", **more: Any) -> Statement:
    cells = {
        "id": name,
        "session_id": of,
        "parent_id": parent,
        "timestamp": at(0),
        "kind": "message",
        "message": {"role": "user", "content": [{"type": "text", "text": name}]},
        **more,
    }
    return row("prism_session_entries", **cells)


def usage(
    name: str, amounts: Any, scope: str = "provider_turn", of: str | None = "r1", **more: Any
) -> Statement:
    cells = {
        "id": name,
        "session_id": "s1",
        "run_id": of,
        "scope": scope,
        "usage": amounts,
        "recorded_at": at(0),
        **more,
    }
    return row("prism_usage", **cells)


def checkpoint(namespace: str, key: str, value: Any, version: int = 1, **more: Any) -> Statement:
    cells = {
        "namespace": namespace,
        "key": key,
        "version": version,
        "value": value,
        "created_at": at(0),
        "updated_at": at(0),
        **more,
    }
    return row("prism_checkpoints", **cells)


def lease(
    key: str, expires: int, updated: int = 0, namespace: str = "prism.workflow.run"
) -> Statement:
    return row(
        "prism_leases",
        namespace=namespace,
        key=key,
        owner_id="worker",
        token="capability-of-the-worker",
        fencing_token=1,
        acquired_at=at(0),
        expires_at=at(expires),
        updated_at=at(updated),
    )


@dataclass
class Story:
    """Events of one run, one a step of 10 ms, in the order in which they are told."""

    run: str = "r1"
    session: str = "s1"
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    first: int = 1
    """The sequence of the first event."""

    def tell(self, kind: str, **payload: Any) -> Story:
        """One more event."""
        self.told.append((kind, payload))
        return self

    def start(self) -> Story:
        return self.tell("agent_started")

    def model(
        self, turn: int, *, attempt: int = 1, error: str | None = None, **usage_: Any
    ) -> Story:
        """A model call of a turn, from start to end."""
        metadata = {
            "attempt": attempt,
            "model": {"model": "m1", "provider": "p"},
            "providerId": "p",
        }
        self.tell("provider_turn_started", turn=turn, metadata=metadata)
        ended: dict[str, Any] = {"turn": turn, "metadata": metadata}
        if usage_:
            ended["usage"] = usage_
        if error is not None:
            ended["error"] = {"message": error}
        return self.tell("provider_turn_finished", **ended)

    def turn(self, number: int, *calls: str, deltas: int = 1) -> Story:
        """A whole turn whose message asks for these calls."""
        self.tell("turn_started", turn=number)
        metadata = {"attempt": 1, "model": {"model": "m1", "provider": "p"}, "providerId": "p"}
        self.tell("provider_turn_started", turn=number, metadata=metadata)
        self.tell("message_started", message={"role": "assistant", "content": []})
        for _ in range(deltas):
            self.tell("message_delta", content={"type": "text", "text": "word "})
        self.tell("provider_turn_finished", turn=number, metadata=metadata)
        content = [
            {"type": "tool_call", "id": call, "name": "read", "arguments": {}} for call in calls
        ]
        self.tell("message_finished", message={"role": "assistant", "content": content})
        return self.tell("turn_finished", turn=number)

    def tool(self, call: str, ending: str | None = "finished", name: str = "read") -> Story:
        """A tool call; without an ending it goes on."""
        self.tell("tool_execution_started", call={"id": call, "name": name, "arguments": {}})
        return self if ending is None else self.tool_end(call, ending, name)

    def tool_end(self, call: str, ending: str = "finished", name: str = "read") -> Story:
        if ending == "error":
            error = {"message": "it broke"}
            return self.tell("tool_execution_error", call={"id": call, "name": name}, error=error)
        result = {"toolCallId": call, "name": name, "value": "ok"}
        return self.tell("tool_execution_finished", result=result, metadata={"durationMs": 5})

    def rows(self) -> list[tuple[int, int, str, str, str]]:
        """As the fold takes them: rowid, sequence, type, timestamp, event."""
        return [
            (n, n, kind, at(10 * n), json.dumps({"type": kind, "runId": self.run, **payload}))
            for n, (kind, payload) in enumerate(self.told, self.first)
        ]

    def statements(self) -> list[Statement]:
        """As rows of the table."""
        return [
            row(
                "prism_agent_events",
                id=f"{self.run}-e{sequence}",
                session_id=self.session,
                run_id=self.run,
                sequence=sequence,
                type=kind,
                timestamp=moment,
                event=event,
                redacted=0,
            )
            for _, sequence, kind, moment, event in self.rows()
        ]


_WRITER = """
import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=" + sys.argv[2])
print("ready", flush=True)
for line in sys.stdin:
    try:
        connection.execute("BEGIN IMMEDIATE")
        for sql, values in json.loads(line):
            connection.execute(sql, values)
        connection.execute("COMMIT")
        print("done", flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
"""


class Writer:
    """A program that writes a database, one transaction after the other, until it is ended."""

    def __init__(self, path: Path, journal: str) -> None:
        command = [sys.executable, "-c", _WRITER, str(path), journal]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._answer() == "ready"

    def write(self, *statements: Statement | str) -> None:
        """One transaction; returns when it is committed."""
        listed = [(one, ()) if isinstance(one, str) else one for one in statements]
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(listed) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        assert answer == "done", answer

    def kill(self) -> None:
        """As a power cut would: nothing is put in order."""
        self._process.kill()
        self._end()

    def close(self) -> None:
        """Lets it end by itself: SQLite then takes the log into the database."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._end()

    def _end(self) -> None:
        self._process.wait(timeout=30)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def writing(path: Path, journal: str = "wal") -> Iterator[Writer]:
    """A writer at work; it is killed when the test is over, unless it ended before."""
    writer = Writer(path, journal)
    try:
        yield writer
    finally:
        writer.kill()


def make(path: Path, *statements: Statement | str, version: int = 8) -> Path:
    """A database at rest with these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = Writer(path, "delete")
    writer.write(*schema(version), *history(version), *statements)
    writer.close()
    return path
