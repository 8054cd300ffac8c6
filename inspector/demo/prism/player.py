"""Plays a story of Prism: turns beats into rows, with the ids and sequences that they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from inspector.demo.javascript import compact, digest, iso, uuid_of
from inspector.demo.player import Statement
from inspector.demo.prism.language import (
    Act,
    Compaction,
    Event,
    Message,
    Nodes,
    Pause,
    Renewal,
    Resumed,
    RunRow,
    Story,
    Tool,
    Usage,
)
from inspector.query.prism.schema_model import SEARCH_TABLE

LEASE_MS = 30_000


@dataclass(slots=True)
class Player:
    """One run of a story: rows follow from its names and the instants alone."""

    story: Story
    run: str
    session: str
    agents: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Nodes of a workflow that are agents → session and leaf that they ended at."""
    position: int = 0
    _sequence: int = 0
    _leaf: str | None = None
    _made: int = 0
    _started: int = 0
    _calls: dict[str, int] = field(default_factory=dict)
    _checkpoint: dict[str, Any] = field(default_factory=dict)
    _version: int = 0
    _created: int = 0

    @property
    def leaf(self) -> str:
        """The newest entry."""
        return self._leaf or ""

    @property
    def pause(self) -> float | None:
        """Seconds until the next beat; None after the last."""
        over = self.position >= len(self.story.beats)
        return None if over else self.story.beats[self.position].after

    def advance(self, at: int) -> list[Statement]:
        """The next beat, at the instant `at` (UTC ms)."""
        beat = self.story.beats[self.position]
        statements = [] if self.position else self._opening(at)
        self.position += 1
        for act in beat.acts:
            statements += self._act(act, at)
        return statements

    def play(self, started: int, lasted: float | None, until: int | None) -> list[Statement]:
        """The first `until` beats (None: all) of a run that began then and took `lasted` s."""
        beats = self.story.beats[:until]
        whole = sum(beat.after for beat in beats)
        pace = 1.0 if lasted is None else lasted / whole
        gone, statements = 0.0, []
        for beat in beats:
            gone += beat.after
            statements += self.advance(started + round(gone * pace * 1000))
        return statements

    def _opening(self, at: int) -> list[Statement]:
        self._started = self._created = at
        if self.story.model is None:
            return []
        metadata = {"title": self.story.title, "workspaceRoot": "/srv/desk"}
        row = {
            "id": self.session, "created_at": iso(at), "updated_at": iso(at),
            "metadata": compact(metadata), "version": 1,
        }  # fmt: skip
        return [_insert("prism_sessions", row)]

    def _act(self, act: Act, at: int) -> Iterator[Statement]:
        match act:
            case Event():
                yield from self._event(act.type, act.payload, at)
            case Message() | Compaction():
                yield from self._entry(act, at)
            case Tool():
                yield self._tool(act, at)
            case Usage():
                yield self._usage(act, at)
            case RunRow():
                yield from self._run_row(act, at)
            case Pause():
                yield from self._pause(act, at)
            case Resumed():
                yield self._resumed(act, at)
            case Nodes():
                yield from self._nodes(act, at)
            case Renewal():
                yield self._lease(at, held=True)

    def _id(self, kind: str) -> str:
        self._made += 1
        return f"{kind}_{uuid_of(self.run, self._made)}"

    def _event(self, kind: str, payload: Mapping[str, Any], at: int) -> Iterator[Statement]:
        self._sequence += 1
        told = {"type": kind, "sessionId": self.session, "runId": self.run, **payload}
        row = {
            "id": self._id("event"), "session_id": self.session, "run_id": self.run,
            "sequence": self._sequence, "type": kind, "timestamp": iso(at),
            "event": compact(told), "redacted": 0,
        }  # fmt: skip
        stream = {
            "session_id": self.session, "run_id": self.run,
            "next_sequence": self._sequence + 1, "updated_at": iso(at),
        }  # fmt: skip
        yield _insert("prism_agent_events", row)
        yield _upsert("prism_agent_event_streams", stream, "session_id", "run_id")

    def _entry(self, act: Message | Compaction, at: int) -> Iterator[Statement]:
        name = self._id("entry")
        row = {
            "id": name, "session_id": self.session, "parent_id": self._leaf, "run_id": self.run,
            "timestamp": iso(at),
        }  # fmt: skip
        summary = body = ""
        if isinstance(act, Compaction):
            summary = act.summary
            row |= {"kind": "compaction", "summary": summary}
        else:
            message = {"role": act.role, "content": act.blocks}
            row |= {"kind": "message", "message": compact(message)}
            body = " ".join(str(one["text"]) for one in act.blocks if one["type"] == "text")
        self._leaf = name
        found = {
            "session_id": self.session, "entry_id": name, "label": "", "summary": summary,
            "body": body,
        }  # fmt: skip
        yield _insert("prism_session_entries", row)
        yield _insert(SEARCH_TABLE, found)

    def _tool(self, act: Tool, at: int) -> Statement:
        call = str(act.call["id"])
        started = self._calls.setdefault(call, at)
        row = {
            "id": self._id("toolcall"), "session_id": self.session, "run_id": self.run,
            "tool_call_id": call, "name": act.call["name"],
            "arguments": compact(act.call["arguments"]), "status": act.status,
            "result": None if act.result is None else compact(act.result),
            "started_at": iso(started), "finished_at": None, "redacted": 0,
        }  # fmt: skip
        if act.status != "started":
            row["finished_at"] = iso(at)
        return _insert("prism_tool_calls", row)

    def _usage(self, act: Usage, at: int) -> Statement:
        row = {
            "id": self._id("usage"), "session_id": self.session, "run_id": self.run,
            "usage": compact(act.amounts), "recorded_at": iso(at),
            "scope": "run_total" if act.turn is None else "provider_turn",
            "turn": act.turn, "attempt": act.attempt,
        }  # fmt: skip
        return _insert("prism_usage", row)

    def _run_row(self, act: RunRow, at: int) -> Iterator[Statement]:
        model = self.story.model or {}
        row = {
            "id": self.run, "session_id": self.session, "status": act.status,
            "started_at": iso(self._started), "finished_at": iso(at) if act.over else None,
            "model": compact(model), "provider": model.get("provider"),
            "error": None if act.error is None else compact(act.error),
        }  # fmt: skip
        yield _upsert("prism_runs", row, "id")
        if act.over:
            yield (
                "UPDATE prism_sessions SET updated_at = ? WHERE id = ?",
                (iso(self._started), self.session),
            )

    def _pause(self, act: Pause, at: int) -> Iterator[Statement]:
        pending, decisions = [], []
        for call in act.calls:
            approval = f"approval_{uuid_of(self.run, call['id'])}"
            scope = {
                "toolName": call["name"],
                "argumentsHash": digest(compact(dict(sorted(call["arguments"].items())))),
            }  # fmt: skip
            pending.append({"call": dict(call), "status": "ready", "approvalId": approval})
            decisions.append(
                {
                    "approvalId": approval, "kind": "tool_approval", "toolCallId": call["id"],
                    "scope": scope, "reason": act.reason,
                }
            )  # fmt: skip
        interruption: dict[str, Any] = {"kind": "tool_approval", "reason": act.reason}
        if len(act.calls) == 1:
            interruption |= {"toolCallId": act.calls[0]["id"], "toolName": act.calls[0]["name"]}
        interruption["pendingDecisions"] = decisions
        self._version, self._created = 1, at
        self._checkpoint = {
            "schemaVersion": 1,
            "agentId": act.agent,
            "definitionRevision": "1",
            "fingerprint": digest(act.agent),
            "runId": self.run,
            "sessionId": self.session,
            "leafId": self._leaf,
            "model": self.story.model,
            "status": "suspended",
            "interruption": interruption,
            "pendingCalls": pending,
            "interruptBeforeTool": True,
            "counters": {"turns": 2, "toolRounds": 1, "toolCalls": 0},
            "deadlineAt": iso(self._started + act.wall_seconds * 1000),
        }
        yield self._saves("prism.agent-run", self.run, "agent-run", at)
        yield from self._event("agent_suspended", {"interruption": interruption, "version": 1}, at)

    def _resumed(self, act: Resumed, at: int) -> Statement:
        for name in ("interruption", "pendingCalls"):
            self._checkpoint.pop(name, None)
        self._version += 1
        self._checkpoint |= {"status": act.status, "version": self._version}
        return self._saves("prism.agent-run", self.run, "agent-run", at)

    def _nodes(self, act: Nodes, at: int) -> Iterator[Statement]:
        over = ("succeeded", "failed", "skipped", "aborted")
        nodes: dict[str, Any] = {}
        for name, status in act.statuses.items():
            node: dict[str, Any] = {"nodeId": name, "status": status}
            told = act.outputs.get(name)
            if status == "succeeded":
                node["output"] = told
            if status not in ("pending", "ready", "skipped"):
                node |= {"attempt": 1, **self._agent(name), "stateVersionBefore": 0}
            nodes[name] = node
        self._version += 1
        self._checkpoint = {
            "schemaVersion": 1,
            "workflowId": self.story.title,
            "runId": self.run,
            "definitionHash": digest(self.story.title),
            "status": act.status,
            "readyNodeIds": [name for name, word in act.statuses.items() if word == "ready"],
            "completedNodeIds": sorted(name for name, word in act.statuses.items() if word in over),
            "nodes": nodes,
            "workflowInput": None,
            "createdAt": iso(self._created),
            "updatedAt": iso(at),
            "redacted": False,
            "state": {},
            "stateVersion": 0,
            "stateHistory": {"0": {}},
        }
        yield self._saves("prism.workflow", self._workflow_key, act.status, at, 1)
        yield self._lease(at, held=act.status == "running")

    @property
    def _workflow_key(self) -> str:
        return f"{quote(self.story.title, safe='')}/{quote(self.run, safe='')}"

    def _agent(self, node: str) -> dict[str, str]:
        found = self.agents.get(node)
        return {} if found is None else {"sessionId": found[0], "leafId": found[1]}

    def _lease(self, at: int, *, held: bool) -> Statement:
        row = {
            "namespace": "prism.workflow.run", "key": self._workflow_key, "owner_id": "worker-1",
            "token": uuid_of(self.run, "lease"), "fencing_token": 1,
            "acquired_at": iso(self._created), "updated_at": iso(at),
            "expires_at": iso(at + LEASE_MS if held else at),
        }  # fmt: skip
        return _upsert("prism_leases", row, "namespace", "key")

    def _saves(
        self, namespace: str, key: str, category: str, at: int, fence: int | None = None
    ) -> Statement:
        row = {
            "namespace": namespace, "key": key, "version": self._version,
            "fencing_token": fence, "category": category,
            "value": compact(self._checkpoint), "created_at": iso(self._created),
            "updated_at": iso(at),
        }  # fmt: skip
        return _upsert("prism_checkpoints", row, "namespace", "key")


def _insert(table: str, row: Mapping[str, Any]) -> Statement:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    return f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values())


def _upsert(table: str, row: Mapping[str, Any], *key: str) -> Statement:
    sql, values = _insert(table, row)
    kept = {"created_at", "acquired_at", *key}
    changed = ", ".join(f"{name} = excluded.{name}" for name in row if name not in kept)
    return f"{sql} ON CONFLICT({', '.join(key)}) DO UPDATE SET {changed}", values
