"""The ledger of a cast, written event by event as Grimoire's executor emits them.

Source: Grimoire's ledger. Event numbers start again with the commit; a move of value is booked by
top-level actions only; what went in and did not come out of the same asset is a loss, what came out
beyond it a fee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.demo.javascript import digest

VAULT = "0x00000000000000000000000000000000000000aa"
FEES = "0x0000000000000000000000000000000000000fee"
LOSSES = "0x00000000000000000000000000000000000010a5"


@dataclass(frozen=True, slots=True)
class Action:
    """What a step moves. Amounts are in base units of their asset."""

    kind: str
    """`swap`, `lend`, `withdraw` or `bridge`."""
    venue: str
    asset: str
    amount: int
    out: int
    to: str | None = None
    """The asset that comes out, where it is another one."""
    to_chain: int | None = None
    chain: int = 1
    gas: int = 120_000
    slippage: int | None = None
    """The most that is allowed, in basis points."""

    @property
    def comes_out(self) -> str:
        """The asset that comes out."""
        return self.to or self.asset

    def written(self) -> dict[str, Any]:
        """As the ledger has it."""
        own: dict[str, Any] = {"type": self.kind, "venue": self.venue}
        if self.to is None:
            own |= {"asset": self.asset, "amount": str(self.amount)}
        else:
            own |= {"assetIn": self.asset, "assetOut": self.to, "amount": str(self.amount)}
            own["mode"] = "exact_in"
        if self.to_chain is not None:
            own["toChain"] = self.to_chain
        limits = {} if self.slippage is None else {"maxSlippageBps": self.slippage}
        return own | {"constraints": limits}


@dataclass(slots=True)
class Ledger:
    """The entries of one cast; `at` (UTC ms) goes on as things take their time."""

    spell: str
    run_id: str
    at: int
    entries: list[dict[str, Any]] = field(default_factory=list)
    sent: list[tuple[str, Action]] = field(default_factory=list)
    """Top-level actions: step and action."""
    receipt_at: int = 0
    """When the preview's receipt was built."""
    ended_at: int = 0
    """When the cast itself was over; what became of its handoff is told later."""
    gas: int = 0
    _first: int = 0
    """Where the numbers of this part began."""
    _inside: int = 0
    _done: set[str] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)

    def takes(self, seconds: float) -> None:
        """Time goes by."""
        self.at += round(seconds * 1000)

    def emit(self, event: str, /, **fields: Any) -> None:
        """One more entry."""
        self._write(f"evt_{len(self.entries) - self._first:03d}", event, fields)

    def emit_late(self, event: str, /, **fields: Any) -> None:
        """An entry of the run's life after its commit, numbered on through the whole array."""
        self._write(f"evt_cc_{len(self.entries):03d}", event, {"runId": self.run_id, **fields})

    def _write(self, number: str, event: str, fields: Mapping[str, Any]) -> None:
        self.entries.append(
            {
                "id": number,
                "timestamp": self.at,
                "runId": self.run_id,
                "spellId": self.spell,
                "event": {"type": event, **fields},
            }
        )

    def metrics(self, gas: int | None = None) -> dict[str, Any]:
        """What the run counted; the preview knows of no gas."""
        counts = self._counts
        return {
            "stepsExecuted": len(self._done),
            "actionsExecuted": counts.get("actions", 0),
            "gasUsed": str(self.gas if gas is None else gas),
            "advisoryCalls": counts.get("advisories", 0),
            "errors": counts.get("errors", 0),
            "retries": counts.get("retries", 0),
        }

    def count(self, what: str) -> None:
        """One more of `actions`, `advisories`, `errors` or `retries`."""
        self._counts[what] = self._counts.get(what, 0) + 1

    # The preview.

    def begins(self, trigger: Mapping[str, Any] | None = None) -> None:
        """The preview starts; by hand unless a trigger is named."""
        self.emit("preview_started", runId=self.run_id, spellId=self.spell)
        self.emit(
            "run_started",
            runId=self.run_id,
            spellId=self.spell,
            trigger=trigger or {"type": "manual"},
        )

    def starts(self, step: str, kind: str) -> None:
        """A step that others stand inside of, or that takes its time."""
        self.emit("step_started", stepId=step, kind=kind)
        self._inside += 1

    def ends(self, step: str, result: object) -> None:
        """The step completed."""
        self._inside -= 1
        self._done.add(step)
        self.emit("step_completed", stepId=step, result=result)

    def fails(self, step: str, error: str, **place: int) -> None:
        """The step failed; a top-level one says at which line and column."""
        self._inside -= 1
        self.emit("step_failed", stepId=step, error=error, **place)

    def computes(self, step: str, name: str, value: object, seconds: float = 0.0) -> None:
        """A step that gives a name a value."""
        self.starts(step, "compute")
        self.takes(seconds)
        self.emit("binding_set", name=name, value=value)
        self.ends(step, {"assignments": [{"variable": name, "value": value}]})

    def tells(self, step: str, event: str, data: Mapping[str, Any]) -> None:
        """A step that emits an event."""
        self.starts(step, "emit")
        self.emit("event_emitted", stepId=step, event=event, data=data)
        self.ends(step, {"event": event, "data": data})

    def acts(self, step: str, action: Action, seconds: float = 0.4) -> None:
        """A step that simulates an action and, at top level, books what it moves."""
        top = not self._inside
        self.starts(step, "action")
        written = action.written()
        self.emit("constraint_evaluated", stepId=step, constraints=written["constraints"])
        self.takes(seconds)
        venue = {"alias": action.venue, "chain": action.chain, "address": f"0x{action.venue}"}
        result = {
            "success": True,
            "gasEstimate": str(action.gas),
            "input": {"asset": action.asset, "amount": str(action.amount)},
            "output": {"asset": action.comes_out, "amount": str(action.out)},
        }
        venue["label"] = action.venue
        self.emit("action_simulated", action=written, venue=venue, result=result)
        self.count("actions")
        self.ends(step, {"simulated": True, "action": written})
        if top:
            self.sent.append((step, action))
            self._book(step, action)

    def _book(self, step: str, action: Action) -> None:
        venue = f"0x{action.venue}"
        self._move(action.asset, action.amount, VAULT, venue, f"action:{step}:input")
        if action.out:
            self._move(action.comes_out, action.out, venue, VAULT, f"action:{step}:output")
        if action.to is not None:
            return
        if action.out < action.amount:
            lost = action.amount - action.out
            self._move(action.asset, lost, VAULT, LOSSES, f"loss:{step}:slippage")
        elif action.out > action.amount:
            gained = action.out - action.amount
            self._move(action.asset, gained, VAULT, FEES, f"fee:{step}:rebate")

    def _move(self, asset: str, amount: int, source: str, to: str, reason: str) -> None:
        delta = {"asset": asset, "amount": str(amount), "from": source, "to": to, "reason": reason}
        self.emit("value_delta", delta=delta)

    def is_ready(self) -> None:
        """The preview ends well."""
        self._receipt()
        self.emit("run_completed", runId=self.run_id, success=True, metrics=self.metrics(0))
        self._previewed("ready")

    def is_rejected(self) -> None:
        """The preview ends with nothing to commit."""
        self._receipt()
        self._previewed("rejected")

    @property
    def receipt(self) -> str:
        """The id of the preview's receipt."""
        return f"rcpt_{self.run_id}"

    def _receipt(self) -> None:
        self.receipt_at = self.at
        self.emit("receipt_generated", receiptId=self.receipt)

    def _previewed(self, status: str) -> None:
        self.emit("preview_completed", runId=self.run_id, receiptId=self.receipt, status=status)
        self.ended_at = self.at

    # The commit.

    def commits(self, seconds: Sequence[float], stops_at: str | None = None) -> None:
        """Sends the top-level actions one by one, up to the step that goes wrong, if any.

        Each takes its `seconds` to be confirmed. Of the one that goes wrong nothing is recorded.
        """
        self._first = len(self.entries)
        self.emit("commit_started", runId=self.run_id, receiptId=self.receipt)
        for step, action in self.sent:
            self._drift(f"quote:{step}:{action.comes_out}", str(action.out))
            self._drift(f"gas:{step}", str(action.gas))
        for (step, action), wait in zip(self.sent, seconds, strict=True):
            if step == stops_at:
                self.takes(wait)
                break
            self.takes(wait / 10)
            transaction = self.transaction(step)
            self.emit("action_submitted", action=action.written(), txHash=transaction)
            self.takes(wait)
            used = action.gas - action.gas // 9
            self.gas += used
            self.emit("action_confirmed", txHash=transaction, gasUsed=str(used))
        self.emit(
            "commit_completed",
            runId=self.run_id,
            receiptId=self.receipt,
            success=stops_at is None,
        )
        self.ended_at = self.at

    def transaction(self, step: str) -> str:
        """The hash under which a step's action is sent."""
        return "0x" + digest(self.run_id, step)

    def _drift(self, name: str, value: str) -> None:
        self.emit("drift_check", field=name, passed=True, previewValue=value, commitValue=value)
