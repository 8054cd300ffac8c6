"""Grimoire stores and ledgers made by hand, in the schemas that its releases had.

Stores are written by another process: closing a descriptor of a database would drop every lock that
the closing process holds on it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.model.step import Step
from inspector.query.grimoire.state import State

START = 1_795_982_447_000
"""2026-11-29T20:00:47Z, in ms."""
STAMP = "2026-11-29T20:00:47.000Z"
METRICS = '{"stepsExecuted":1,"actionsExecuted":0,"gasUsed":"0","advisoryCalls":0,"errors":0}'
SIMULATE = '{"schema_version":"grimoire.runtime.provenance.v1","runtime_mode":"simulate"}'
DRY_RUN = '{"runtime_mode":"cast_dry_run"}'
EXECUTE = '{"runtime_mode":"cast_execute"}'

_STATE = "CREATE TABLE spell_state(spell_id TEXT PRIMARY KEY, state TEXT NOT NULL, updated_at TEXT)"
_RUNS = (
    "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, spell_id TEXT NOT NULL,"
    " run_id TEXT NOT NULL, timestamp TEXT NOT NULL, success INTEGER NOT NULL, error TEXT,"
    " duration INTEGER NOT NULL, metrics TEXT NOT NULL, {before} final_state TEXT NOT NULL"
    " {after}, UNIQUE(spell_id, run_id))"
)
_LEDGER = (
    "CREATE TABLE ledger(id INTEGER PRIMARY KEY AUTOINCREMENT, spell_id TEXT NOT NULL,"
    " run_id TEXT NOT NULL, entries TEXT NOT NULL, UNIQUE(spell_id, run_id))"
)
_CROSS = (
    "CREATE TABLE run_tracks(id INTEGER PRIMARY KEY, run_id TEXT, track_id TEXT, role TEXT,"
    " spell_id TEXT, chain_id INTEGER, status TEXT, last_step_id TEXT, error TEXT,"
    " updated_at TEXT, UNIQUE(run_id, track_id))",
    "CREATE TABLE run_handoffs(id INTEGER PRIMARY KEY, run_id TEXT, handoff_id TEXT,"
    " source_track_id TEXT, destination_track_id TEXT, source_step_id TEXT,"
    " origin_chain_id INTEGER, destination_chain_id INTEGER, asset TEXT, submitted_amount TEXT,"
    " settled_amount TEXT, status TEXT, reference TEXT, origin_tx_hash TEXT, reason TEXT,"
    " created_at TEXT, updated_at TEXT, expires_at TEXT)",
    "CREATE TABLE run_step_results(id INTEGER PRIMARY KEY, run_id TEXT, track_id TEXT,"
    " step_id TEXT, status TEXT, idempotency_key TEXT UNIQUE, reference TEXT, error TEXT,"
    " updated_at TEXT)",
)
_JSON = "provenance TEXT, cross_chain TEXT,"

SCHEMAS: dict[str, tuple[int, tuple[str, ...]]] = {
    "2026-01-30": (0, (_STATE, _RUNS.format(before="", after=""), _LEDGER)),
    "2026-02-07": (0, (_STATE, _RUNS.format(before="provenance TEXT,", after=""), _LEDGER)),
    "2026-02-14": (2, (_STATE, _RUNS.format(before=_JSON, after=""), _LEDGER, *_CROSS)),
    "migrated": (
        2,
        (
            _STATE,
            _RUNS.format(before="", after=", provenance TEXT, cross_chain TEXT"),
            _LEDGER,
            *_CROSS,
        ),
    ),
}
NEWEST = "2026-02-14"

_WRITER = """
import json, sqlite3, sys
told = json.load(sys.stdin)
connection = sqlite3.connect(told["path"])
connection.execute("PRAGMA journal_mode=" + told["journal"])
for statement, values in told["statements"]:
    connection.execute(statement, values)
connection.commit()
connection.close()
"""


def write(path: Path, *statements: tuple[str, list[Any]], journal: str = "wal") -> Path:
    """Runs statements on a database in another process, in one transaction."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"path": str(path), "statements": statements, "journal": journal}
    subprocess.run([sys.executable, "-c", _WRITER], input=json.dumps(told), text=True, check=True)
    return path


@dataclass
class Ledger:
    """The entries of one run, each a millisecond after the one before."""

    run_id: str = "20261129T200047-aaaaaa"
    spell: str = "Spell"
    at: int = START
    entries: list[dict[str, Any]] = field(default_factory=list)

    def add(self, event: str, entry_id: str | None = None, **fields: Any) -> Ledger:
        """Adds an event."""
        self.entries.append(
            {
                "id": entry_id or f"evt_{len(self.entries):03d}",
                "timestamp": self.at,
                "runId": self.run_id,
                "spellId": self.spell,
                "event": {"type": event, **fields},
            }
        )
        self.at += 1
        return self

    def begin(self) -> Ledger:
        """The preview starts, by hand."""
        self.add("preview_started", runId=self.run_id, spellId=self.spell)
        return self.add("run_started", runId=self.run_id, trigger={"type": "manual"})

    def step(self, step: str, kind: str = "compute", **result: Any) -> Ledger:
        """A step that starts and completes."""
        self.add("step_started", stepId=step, kind=kind)
        return self.add("step_completed", stepId=step, result=result)

    def fail(self, step: str, error: str = "boom", kind: str = "compute") -> Ledger:
        """A step that starts and fails."""
        self.add("step_started", stepId=step, kind=kind)
        return self.add("step_failed", stepId=step, error=error)

    def action(self, step: str, amount: str = "100", **action: Any) -> Ledger:
        """A simulated action with its two moves."""
        action = {"type": "swap", "assetIn": "USDC", "assetOut": "ETH", "amount": amount, **action}
        self.add("step_started", stepId=step, kind="action")
        self.add("action_simulated", action=action, venue={}, result={"success": True})
        self.add("step_completed", stepId=step, result={"simulated": True, "action": action})
        self.move(action.get("asset", action["assetIn"]), amount, f"action:{step}:input")
        return self.move(action.get("asset", action["assetOut"]), amount, f"action:{step}:output")

    def move(self, asset: Any, amount: Any, reason: str, to: str = "0xaa") -> Ledger:
        """A move of value."""
        delta = {"asset": asset, "amount": amount, "from": "0xbb", "to": to, "reason": reason}
        return self.add("value_delta", delta=delta)

    def ready(self, status: str = "ready") -> Ledger:
        """The preview ends."""
        self.add("receipt_generated", receiptId=f"rcpt_{self.run_id}")
        if status == "ready":
            self.add("run_completed", runId=self.run_id, success=True, metrics={})
        return self.add("preview_completed", runId=self.run_id, status=status)

    def commit(self, *steps: str, success: bool = True, confirmed: int | None = None) -> Ledger:
        """A commit that sends actions, the first `confirmed` of which are confirmed (all)."""
        self.add("commit_started", runId=self.run_id)
        for step in steps:
            self.add("drift_check", field=f"gas:{step}", passed=True, previewValue="0")
        sent = [one["event"] for one in self.entries if one["event"]["type"] == "action_simulated"]
        for n, event in enumerate(sent[: len(steps)]):
            self.add("action_submitted", action=event["action"], txHash=f"0x{n}")
            if confirmed is None or n < confirmed:
                self.add("action_confirmed", txHash=f"0x{n}", gasUsed="21000")
        return self.add("commit_completed", runId=self.run_id, success=success)

    def text(self) -> str:
        """As it is stored."""
        return json.dumps(self.entries, separators=(",", ":"), ensure_ascii=False)


@dataclass
class Book:
    """A store to be: tables of a schema and rows."""

    schema: str = NEWEST
    version: int | None = None
    rows: list[tuple[str, list[Any]]] = field(default_factory=list)

    def row(self, table: str, **values: Any) -> Book:
        """A row of any table."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.rows.append((f"INSERT INTO {table}({names}) VALUES({marks})", list(values.values())))
        return self

    def state(self, spell: str, state: str = "{}", updated_at: str = STAMP) -> Book:
        """A spell's saved state."""
        return self.row("spell_state", spell_id=spell, state=state, updated_at=updated_at)

    def run(self, spell: str, run_id: str, **values: Any) -> Book:
        """A run's row; what is not given is that of a simulation that went well."""
        row: dict[str, Any] = {
            "timestamp": STAMP,
            "success": 1,
            "duration": 0,
            "metrics": METRICS,
            "final_state": "{}",
            **values,
        }
        if self.schema != "2026-01-30":
            row.setdefault("provenance", SIMULATE)
        return self.row("runs", spell_id=spell, run_id=run_id, **row)

    def ledger(self, ledger: Ledger) -> Book:
        """A ledger's row."""
        return self.text(ledger.spell, ledger.run_id, ledger.text())

    def text(self, spell: str, run_id: str, text: str) -> Book:
        """A ledger's row with any text."""
        return self.row("ledger", spell_id=spell, run_id=run_id, entries=text)

    def whole(self, ledger: Ledger, **values: Any) -> Book:
        """A run with its ledger."""
        return self.run(ledger.spell, ledger.run_id, **values).ledger(ledger)

    def track(self, run_id: str, role: str, spell: str, status: str, **values: Any) -> Book:
        """A track."""
        row = {"chain_id": 1 if role == "source" else 8453, "updated_at": STAMP, **values}
        return self.row(
            "run_tracks", run_id=run_id, track_id=role, role=role, spell_id=spell, status=status,
            **row,
        )  # fmt: skip

    def handoff(self, run_id: str, status: str, **values: Any) -> Book:
        """A handoff of 300000 USDC that the step `bridge` sent."""
        row = {
            "handoff_id": "handoff:bridge",
            "source_track_id": "source",
            "destination_track_id": "destination",
            "source_step_id": "bridge",
            "origin_chain_id": 1,
            "destination_chain_id": 8453,
            "asset": "USDC",
            "submitted_amount": "300000",
            "created_at": STAMP,
            "updated_at": STAMP,
            **values,
        }
        return self.row("run_handoffs", run_id=run_id, status=status, **row)

    def save(self, path: Path, *, journal: str = "wal") -> Path:
        """Writes the store; a second time only its rows."""
        made: list[tuple[str, list[Any]]] = []
        if not path.exists():
            version, tables = SCHEMAS[self.schema]
            made = [(sql, []) for sql in tables]
            number = version if self.version is None else self.version
            made.append((f"PRAGMA user_version={number}", []))
        rows, self.rows = self.rows, []
        return write(path, *made, *rows, journal=journal)


Tree = list[tuple[str, "Tree"]]


def tree_of(state: State) -> Tree:
    """The steps as names within names; rounds are `[1]`, groups go by their label."""
    steps = state.steps
    made: list[Tree] = []
    roots: Tree = []
    for number in range(len(steps)):
        inside: Tree = []
        made.append(inside)
        parent = steps.parent[number]
        (roots if parent < 0 else made[parent]).append((name_of(state.step(number)), inside))
    return roots


def name_of(step: Step) -> str:
    """What a step is called in a tree."""
    if step.iteration is not None:
        return f"[{step.iteration}]"
    return str(step.ref.get("step_id") or step.label)
