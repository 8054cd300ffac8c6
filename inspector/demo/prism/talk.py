"""How a conversation of an agent goes: turns, model calls, tools side by side, pauses.

Source: Prism's agent loop. A turn ends with its message, before the tools that the message asks
for; a resume begins a segment, in which turns are counted from 1 again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.demo.prism.language import (
    Beat,
    Compaction,
    Event,
    Message,
    Pause,
    Resumed,
    RunRow,
    Story,
    Tool,
    Usage,
)

DOLLARS_IN, DOLLARS_OUT = 3e-6, 15e-6
"""A model's price for a token, where it says one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool: what for, what came of it, and how many seconds it took."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    gives: Any = None
    seconds: float = 1.0
    fails: str | None = None

    @property
    def block(self) -> dict[str, Any]:
        """As a message asks for it."""
        return {
            "type": "tool_call", "id": self.id, "name": self.name, "arguments": self.arguments,
        }  # fmt: skip

    @property
    def result(self) -> dict[str, Any]:
        """What came of it."""
        told: dict[str, Any] = {"toolCallId": self.id, "name": self.name}
        if self.fails is None:
            return told | {"value": self.gives}
        return told | {"error": {"name": "Error", "message": self.fails}}

    @property
    def answer(self) -> dict[str, Any]:
        """As the conversation has it."""
        told: dict[str, Any] = {"type": "tool_result", "toolCallId": self.id, "name": self.name}
        if self.fails is None:
            return told | {"result": self.gives}
        return told | {"error": {"name": "Error", "message": self.fails}}


@dataclass(slots=True)
class Talk:
    """A story in the making."""

    title: str
    provider: str
    model: str
    priced: bool = True
    beats: list[Beat] = field(default_factory=list)
    turn: int = 0
    _spent: list[dict[str, Any]] = field(default_factory=list)
    _pending: tuple[Call, ...] = ()

    def story(self) -> Story:
        """All that was told."""
        return Story(self.title, self._named, tuple(self.beats))

    @property
    def _named(self) -> dict[str, str]:
        return {"provider": self.provider, "model": self.model}

    def _beat(self, after: float, *acts: Any) -> None:
        self.beats.append(Beat(after, acts))

    def asks(self, text: str) -> None:
        """The run begins with what it is asked."""
        started = Event("agent_started", {})
        self._beat(0.0, RunRow("running", over=False), started)
        self._beat(0.003, Message("user", [_text(text)]))

    def _metadata(self, attempt: int, **more: Any) -> dict[str, Any]:
        return {"providerId": self.provider, "model": self._named, "attempt": attempt, **more}

    def _turns(self) -> None:
        self.turn += 1
        self._beat(0.004, Event("turn_started", {"turn": self.turn}))

    def answers(
        self, text: str, *calls: Call, used: tuple[int, int], seconds: float, thinks: str = ""
    ) -> None:
        """A turn: the model says something, and may ask for tools."""
        self._turns()
        self._begins_call(1)
        self._says(text, calls, used, seconds, thinks, attempt=1)

    def _begins_call(self, attempt: int) -> None:
        payload = {"turn": self.turn, "metadata": self._metadata(attempt)}
        self._beat(0.002, Event("provider_turn_started", payload))

    def _says(
        self,
        text: str,
        calls: tuple[Call, ...],
        used: tuple[int, int],
        seconds: float,
        thinks: str,
        attempt: int,
    ) -> None:
        blocks = [{"type": "thinking", "text": thinks}] if thinks else []
        blocks += [_text(text)] if text else []
        blocks += [call.block for call in calls]
        empty = {"role": "assistant", "content": []}
        self._beat(seconds * 0.4, Event("message_started", {"message": empty}))
        for block in blocks:
            after = seconds * 0.6 / len(blocks)
            self._beat(after, Event("message_delta", {"content": block}))
        amounts = self._amounts(*used)
        self._spent.append(amounts)
        self._beat(0.004, Usage(amounts, self.turn, attempt), Message("assistant", blocks))
        metadata = self._metadata(attempt, latencyMs=round(seconds * 1000))
        ended = {"turn": self.turn, "metadata": metadata, "usage": amounts}
        whole = {"message": {"role": "assistant", "content": blocks}}
        self._beat(
            0.001,
            Event("provider_turn_finished", ended),
            Event("message_finished", whole),
            Event("turn_finished", {"turn": self.turn}),
        )
        self._pending = calls

    def _amounts(self, incoming: int, outgoing: int) -> dict[str, Any]:
        amounts: dict[str, Any] = {
            "inputTokens": incoming,
            "outputTokens": outgoing,
            "totalTokens": incoming + outgoing,
        }
        if self.priced:
            cost = round(incoming * DOLLARS_IN + outgoing * DOLLARS_OUT, 6)
            amounts |= {"cost": cost, "currency": "USD"}
        return amounts

    def stumbles(self, status: int, message: str, seconds: float, delay: float | None) -> None:
        """A model call that ends with an error; tried again after `delay`, if any.

        The first of a turn begins it.
        """
        attempt = self._attempts() + 1
        if attempt == 1:
            self._turns()
        self._begins_call(attempt)
        error = {"message": message, "code": status}
        metadata = self._metadata(attempt, latencyMs=round(seconds * 1000), httpStatus=status)
        ended = {"turn": self.turn, "metadata": metadata, "error": error}
        acts = [Event("provider_turn_finished", ended)]
        if delay is not None:
            again = {"attempt": attempt, "delayMs": round(delay * 1000), "error": error}
            acts.append(Event("retry_scheduled", again))
        self._beat(seconds, *acts)
        if delay is not None:
            self._beat(delay)

    def recovers(self, text: str, *calls: Call, used: tuple[int, int], seconds: float) -> None:
        """The attempt after those that stumbled."""
        attempt = self._attempts() + 1
        self._begins_call(attempt)
        self._says(text, calls, used, seconds, "", attempt)

    def _attempts(self) -> int:
        """Model calls of the turn that is open."""
        count = 0
        for beat in reversed(self.beats):
            kinds = {act.type for act in beat.acts if isinstance(act, Event)}
            if "turn_started" in kinds or "turn_finished" in kinds:
                return count if "turn_started" in kinds else 0
            count += "provider_turn_started" in kinds
        return 0

    def runs(self) -> None:
        """The tools that were asked for, side by side, and their answers in the order of calls."""
        calls, self._pending = self._pending, ()
        for call in calls:
            begun = Event("tool_execution_started", {"call": call.block})
            self._beat(0.002, Tool(call.block, "started"), begun)
        gone = 0.0
        for call in sorted(calls, key=lambda one: one.seconds):
            self._beat(call.seconds - gone, *_ended(call))
            gone = call.seconds
        self._beat(0.003, *(Message("tool", [call.answer]) for call in calls))

    def waits(self, reason: str, agent: str, wall_seconds: int) -> None:
        """The calls need someone's decision: the run is suspended."""
        self._turns()
        calls = [call.block for call in self._pending]
        pause = Pause(calls, reason, agent, wall_seconds)
        self._beat(0.02, pause, RunRow("suspended"))

    def is_allowed(self, after: float) -> None:
        """Someone approves: the next segment begins with the calls."""
        self.turn = 0
        self._spent.clear()
        self._beat(after, Resumed("running"), RunRow("running", over=False))
        self._beat(0.002, Event("agent_started", {}), Event("agent_resumed", {"version": 2}))
        self.runs()

    def compacts(self, summary: str, seconds: float) -> None:
        """The conversation so far is put into a few words."""
        self._beat(0.05, Event("compaction_started", {}))
        self._beat(seconds, Compaction(summary), Event("compaction_finished", {"summary": summary}))

    def finishes(self, *, resumed: bool = False) -> None:
        """The run ends well; what it used is that of its last segment."""
        total: dict[str, Any] = {}
        for amounts in self._spent:
            for name, value in amounts.items():
                if name != "currency":
                    total[name] = round(total.get(name, 0) + value, 6)
        if self.priced:
            total["currency"] = "USD"
        ended = Event("agent_finished", {"usage": total})
        last = (Resumed("succeeded"),) if resumed else ()
        self._beat(0.01, Usage(total), ended, *last)
        self._beat(0.002, RunRow("succeeded"))

    def breaks(self, message: str) -> None:
        """The run ends with an error."""
        error = {"name": "Error", "message": message}
        self._beat(0.01, Event("error", {"error": error}))
        self._beat(0.002, RunRow("failed", error))


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _ended(call: Call) -> Sequence[Any]:
    took = {"durationMs": round(call.seconds * 1000)}
    if call.fails is None:
        payload = {"result": call.result, "metadata": took | {"status": "finished"}}
        event = Event("tool_execution_finished", payload)
        return Tool(call.block, "finished", call.result), event
    failed = {"call": call.block, "error": call.result["error"]}
    event = Event("tool_execution_error", failed | {"metadata": took | {"status": "error"}})
    return Tool(call.block, "error", call.result), event
