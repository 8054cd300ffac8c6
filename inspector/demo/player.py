"""A script played: what OpenProse's writer would do for each step, as SQL and files.

Pure: no database, no file, no clock. So a run can be taken up again where another process left
it, by playing what it already holds and dropping what comes of it.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from inspector.demo.language import (
    Bind,
    Change,
    Commit,
    End,
    Import,
    Moment,
    Record,
    Remember,
    Row,
    RowOf,
    Script,
    Step,
    Table,
)
from inspector.demo.receipts import Issued, Ledger
from inspector.demo.schema import Variant, import_columns, kind_column, source_columns

Statement = tuple[str, tuple[Any, ...]]
"""SQL and what is bound to it."""


RECORD = (
    "INSERT INTO execution (statement_index, statement_text, status, started_at, error_message, "
    "parent_id, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(slots=True)
class Effects:
    """What one step does: files first, as a session writes them before it tells of them."""

    files: list[tuple[str, bytes]] = field(default_factory=list)
    """Path relative to the run's folder, and content."""
    statements: list[Statement] = field(default_factory=list)
    """To be written in one transaction."""


def text_of(at: int) -> str:
    """UTC ms as SQLite's `datetime('now')` writes it: whole seconds, no zone."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


class Player:
    """One run of a script. `advance` gives the next step's effects until `ended`."""

    def __init__(self, script: Script, run_id: str, variant: Variant = Variant.V5) -> None:
        self.script = script
        self.run_id = run_id
        self.variant = variant
        self.position = 0
        """Steps played so far."""
        self.events = 0
        """Rows of `execution` so far."""
        self._rows: dict[str, int] = {}
        self._segments: Counter[str] = Counter()
        self._ledger = Ledger(script.name)

    @property
    def ended(self) -> bool:
        """Whether the script has no more steps."""
        return self.position == len(self.script.steps)

    @property
    def pause(self) -> float:
        """Seconds of work before the next step."""
        return self.script.steps[self.position].after

    def opening(self, at: int) -> Effects:
        """The row by which a run says that it began at `at` (UTC ms)."""
        path, source = source_columns(self.variant)
        sql = (
            f"INSERT INTO run (id, {path}, {source}, started_at, updated_at, status, state_mode) "
            "VALUES (?, ?, ?, ?, ?, 'running', 'sqlite')"
        )
        now = text_of(at)
        place = f"src/{self.script.name}.prose.md"
        return Effects(statements=[(sql, (self.run_id, place, self.script.source, now, now))])

    def advance(self, at: int) -> Effects:
        """Plays the next step at the instant `at` (UTC ms)."""
        step = self.script.steps[self.position]
        self.position += 1
        effects = Effects()
        if isinstance(step, Bind) and step.attachment is not None and step.content is not None:
            effects.files.append((step.attachment, step.content.encode()))
        effects.statements.extend(self._statements(step, at))
        return effects

    def after(self, events: int | None) -> int:
        """The position after the first `events` rows and what belongs to them (None: the end)."""
        steps = self.script.steps
        if events is None:
            return len(steps)
        starts = [n for n, step in enumerate(steps) if isinstance(step, Record | End)]
        return starts[events] if events < len(starts) else len(steps)

    def skip(self, events: int) -> None:
        """Plays the first `events` rows, for a run that already holds them."""
        end = self.after(events)
        while self.position < end:
            self.advance(0)

    def _statements(self, step: Step, at: int) -> list[Statement]:
        match step:
            case Record():
                return [self._record(step, at)]
            case Change():
                return [self._change(step, at)]
            case Bind():
                return [self._bind(step, at)]
            case Commit():
                return _commit(self._ledger.issue(step), at)
            case Remember():
                return self._remember(step, at)
            case Import():
                return [self._import(step, at)]
            case Table():
                columns = ", ".join(f'"{name}" {kind}' for name, kind in step.columns.items())
                return [(f'CREATE TABLE "{step.name}" ({columns})', ())]
            case Row():
                values = {name: self._value(value, at) for name, value in step.values.items()}
                return [_insert(f'"{step.table}"', values)]
            case End():
                sql = "UPDATE run SET status = ?, updated_at = ? WHERE id = ?"
                return [(sql, (step.status, text_of(at), self.run_id))]
        raise TypeError(f"no way to play {type(step).__name__}")

    def _record(self, step: Record, at: int) -> Statement:
        self.events += 1
        if step.label is not None:
            self._rows[step.label] = self.events
        started = text_of(at) if step.timed else None
        parent = self._rows[step.under] if step.under is not None else None
        meta = json.dumps(step.meta) if step.meta is not None else None
        return RECORD, (step.index, step.text, step.status, started, step.error, parent, meta)

    def _change(self, step: Change, at: int) -> Statement:
        sql = (
            "UPDATE execution SET status = ?, completed_at = ?, error_message = ?, "
            "metadata = COALESCE(?, metadata) WHERE id = ?"
        )
        ended = text_of(at) if step.ended else None
        meta = json.dumps(step.meta) if step.meta is not None else None
        return sql, (step.status, ended, step.error, meta, self._rows[step.label])

    def _bind(self, step: Bind, at: int) -> Statement:
        return _insert(
            "bindings",
            {
                "name": step.name,
                "execution_id": self._rows[step.frame] if step.frame is not None else None,
                kind_column(self.variant): step.kind,
                "value": step.value,
                "source_statement": step.source or f"{step.kind} {step.name} = session",
                "created_at": text_of(at),
                "updated_at": text_of(at),
                "attachment_path": step.attachment,
            },
            replace=True,
        )

    def _remember(self, step: Remember, at: int) -> list[Statement]:
        self._segments[step.agent] += 1
        segment = {
            "agent_name": step.agent,
            "segment_number": self._segments[step.agent],
            "timestamp": text_of(at),
            "prompt": step.prompt,
            "summary": step.summary,
        }
        agent = {"name": step.agent, "scope": step.scope, "memory": step.memory}
        times = {"created_at": text_of(at), "updated_at": text_of(at)}
        return [
            _insert("agents", agent | times, replace=True),
            _insert("agent_segments", segment),
        ]

    def _import(self, step: Import, at: int) -> Statement:
        source, when = import_columns(self.variant)
        values = {"alias": step.alias, source: step.source_ref, when: text_of(at)}
        return _insert("imports", values, replace=True)

    def _value(self, value: object, at: int) -> object:
        if isinstance(value, Moment):
            return text_of(at + round(value.seconds * 1000))
        return self._rows[value.label] if isinstance(value, RowOf) else value


def _insert(table: str, values: dict[str, Any], *, replace: bool = False) -> Statement:
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    names = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join("?" * len(values))
    return f"{verb} INTO {table} ({names}) VALUES ({marks})", tuple(values.values())


def _commit(issued: Issued, at: int) -> list[Statement]:
    receipt = issued.receipt
    as_text = ("node", "contract_fingerprint", "prev", "status")
    row = {name: value if name in as_text else json.dumps(value) for name, value in receipt.items()}
    statements = [_insert("receipt", row | {"created_at": text_of(at)})]
    if issued.version is None:
        return statements
    model = {"version": issued.version, "node": receipt["node"], "artifact": issued.artifact}
    published = {"node": receipt["node"], "version": issued.version, "updated_at": text_of(at)}
    return [
        _insert("world_model_version", model | {"created_at": text_of(at)}, replace=True),
        _insert("world_model_published", published, replace=True),
        *statements,
    ]
