"""One-line summaries of events; amounts keep every digit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.js import compact
from inspector.text.numbers import amount

Body = Mapping[str, object]
LONGEST = 200
"""Characters of a value in a summary; the event has all of it."""


def summary_of(fact: Fact) -> str:
    """Return an event in words; an unknown type with its raw fields."""
    if fact.type is None:
        return f"an entry without an event: {value(fact.whole)}"
    words = _SUMMARIES.get(fact.type)
    if words is None:
        rest = {key: item for key, item in fact.body.items() if key != "type"}
        return f"{fact.type}: {value(rest)}"
    return words(fact.body)


def value(item: object) -> str:
    """Return a JSON value on one line, cut to LONGEST characters."""
    text = item if isinstance(item, str) else compact(item)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def money(item: object, asset: object) -> str:
    """Return an amount in base units with its asset, such as `250,000,000 USDC`."""
    shown = amount(item) if isinstance(item, str) else value(item)
    return shown if asset is None else f"{shown} {value(asset)}"


def action_words(action: object) -> str:
    """Return an action in words, such as `swap 1,000 USDC → ETH on uniswap`."""
    if not isinstance(action, dict):
        return value(action)
    kind = value(action.get("type", "action"))
    inward = action.get("assetIn", action.get("asset"))
    words = kind
    if action.get("amount") is not None:
        words += f" {money(action['amount'], inward)}"
    elif inward is not None:
        words += f" {value(inward)}"
    if action.get("assetOut") is not None:
        words += f" → {value(action['assetOut'])}"
    if action.get("toChain") is not None:
        words += f" → chain {value(action['toChain'])}"
    return f"{words} on {value(action['venue'])}" if action.get("venue") is not None else words


def _word(body: Body, name: str) -> str:
    item = body.get(name)
    return "?" if item is None else value(item)


def _tail(body: Body, name: str, before: str = ": ") -> str:
    item = body.get(name)
    return "" if item is None or item == "" else f"{before}{value(item)}"


def _trigger(body: Body) -> str:
    trigger = body.get("trigger")
    if not isinstance(trigger, dict):
        return "run started, trigger not recorded"
    named = trigger.get("label", trigger.get("id"))
    words = f"run started, trigger {_word(trigger, 'type')}"
    words += "" if named is None else f" {value(named)}"
    return words + _tail(trigger, "cron", ", cron ")


def _simulated(body: Body) -> str:
    result = body.get("result")
    words = f"simulated {action_words(body.get('action'))}"
    if not isinstance(result, dict):
        return words
    moved = [
        money(leg.get("amount"), leg.get("asset"))
        for leg in (result.get("input"), result.get("output"))
        if isinstance(leg, dict)
    ]
    words += f": {' in, '.join(moved)} out" if len(moved) == 2 else ""
    return words if result.get("success") is not False else f"{words}, which failed"


def _delta(body: Body) -> str:
    delta = body.get("delta")
    if not isinstance(delta, dict):
        return "value moved, amount not recorded"
    moved = money(delta.get("amount"), delta.get("asset"))
    way = f" from {_word(delta, 'from')} to {_word(delta, 'to')}"
    return f"{moved}{way}{_tail(delta, 'reason', ', ')}"


def _completed(body: Body) -> str:
    result = body.get("result")
    words = f"{_word(body, 'stepId')} completed"
    if isinstance(result, dict):
        outcome = result_words(result)
        return f"{words}, {outcome}" if outcome else words
    return words if result is None else f"{words}: {value(result)}"


def result_words(result: Body) -> str:
    """Return a step's result in words, such as `3 iterations, 18 results` or `total = 33`."""
    if "executedBranch" in result:
        return f"condition {_word(result, 'condition')}, branch {_word(result, 'executedBranch')}"
    if "iterations" in result:
        iterations, results = _word(result, "iterations"), _word(result, "resultsCount")
        return f"{iterations} iterations, {results} results"
    if "branches" in result:
        return f"{_word(result, 'success')} of {_word(result, 'branches')} branches succeeded"
    if result.get("halted"):
        return f"halted{_tail(result, 'reason')}"
    if "waitedSeconds" in result:
        return f"waited {_word(result, 'waitedSeconds')} s"
    if isinstance(result.get("event"), str):
        return f"emitted {_word(result, 'event')}: {value(result.get('data'))}"
    if result.get("skipped"):
        return "skipped the rest"
    if result.keys() == {"count"}:
        return f"{_word(result, 'count')} results"
    if "output" in result:
        return ""
    if result.get("simulated"):
        return f"simulated {action_words(result.get('action'))}"
    assignments = result.get("assignments")
    if isinstance(assignments, list):
        pairs = (one for one in assignments if isinstance(one, dict))
        return ", ".join(f"{_word(one, 'variable')} = {_word(one, 'value')}" for one in pairs)
    return value(result)


def _failed(body: Body) -> str:
    where = f" at line {_word(body, 'line')}" if body.get("line") is not None else ""
    return f"{_word(body, 'stepId')} failed{where}{_tail(body, 'error')}"


def _advice(body: Body) -> str:
    given = body.get("effectiveOutput", body.get("output"))
    words = f"{_word(body, 'advisor')} answered {value(given)}"
    if body.get("clamped"):
        words += ", clamped"
    violations = body.get("violations")
    return f"{words}, {len(violations)} violations" if isinstance(violations, list) else words


def _drift(body: Body) -> str:
    verdict = "unchanged" if body.get("passed") is True else "DRIFTED"
    then, now = _word(body, "previewValue"), _word(body, "commitValue")
    return f"{_word(body, 'field')} {verdict}: preview {then}, commit {now}"


def _handoff(body: Body, what: str) -> str:
    name = "submittedAmount" if "submittedAmount" in body else "settledAmount"
    moved = money(body[name], body.get("asset")) if body.get(name) is not None else "an amount"
    way = f"chain {_word(body, 'originChainId')} to {_word(body, 'destinationChainId')}"
    sent = _tail(body, "txHash", ", ") or _tail(body, "reference", ", ")
    return f"{moved} {what} from {way}{sent}{_tail(body, 'reason')}"


def _track(body: Body, what: str) -> str:
    return (
        f"track {_word(body, 'trackId')} on chain {_word(body, 'chainId')} {what}"
        f"{_tail(body, 'reason')}"
    )


_SUMMARIES: Mapping[str, Callable[[Body], str]] = {
    "preview_started": lambda body: f"preview of {_word(body, 'spellId')} started",
    "run_started": _trigger,
    "guard_passed": lambda body: f"guard {_word(body, 'guardId')} passed",
    "guard_failed": lambda body: (
        f"guard {_word(body, 'guardId')} failed ({_word(body, 'severity')}){_tail(body, 'message')}"
    ),
    "step_started": lambda body: f"{_word(body, 'stepId')} started ({_word(body, 'kind')})",
    "step_completed": _completed,
    "step_failed": _failed,
    "step_skipped": lambda body: f"{_word(body, 'stepId')} skipped{_tail(body, 'reason')}",
    "binding_set": lambda body: f"{_word(body, 'name')} = {value(body.get('value'))}",
    "constraint_evaluated": lambda body: (
        f"constraints of {_word(body, 'stepId')}: {value(body.get('constraints'))}"
    ),
    "action_simulated": _simulated,
    "value_delta": _delta,
    "event_emitted": lambda body: f"emitted {_word(body, 'event')}: {value(body.get('data'))}",
    "error_caught": lambda body: (
        f"{_word(body, 'stepId')} caught an error ({_word(body, 'errorType')},"
        f" handler {_word(body, 'handler')})"
    ),
    "retry_attempted": lambda body: f"{_word(body, 'stepId')} retries, {_word(body, 'attempt')}",
    "retry_succeeded": lambda body: (
        f"{_word(body, 'stepId')} succeeded with retry {_word(body, 'attempt')}"
    ),
    "retry_exhausted": lambda body: (
        f"{_word(body, 'stepId')} gave up after {_word(body, 'attempts')} retries"
    ),
    "advisory_started": lambda body: f"asked {_word(body, 'advisor')}{_tail(body, 'prompt')}",
    "advisory_model_used": lambda body: (
        f"model {_word(body, 'provider')}/{_word(body, 'modelId')}"
        f"{_tail(body, 'thinkingLevel', ', thinking ')}"
    ),
    "advisory_tool_execution_start": lambda body: (
        f"tool {_word(body, 'toolName')} called with {value(body.get('args'))}"
    ),
    "advisory_tool_execution_update": lambda body: (
        f"tool {_word(body, 'toolName')} in progress: {value(body.get('partial'))}"
    ),
    "advisory_tool_execution_end": lambda body: (
        f"tool {_word(body, 'toolName')} {'failed' if body.get('isError') else 'returned'}"
        f" {value(body.get('result'))}"
    ),
    "advisory_completed": _advice,
    "advisory_failed": lambda body: (
        f"{_word(body, 'advisor')} failed{_tail(body, 'error')}"
        f"{_tail(body, 'fallback', '; fallback ')}"
    ),
    "advisory_rate_limited": lambda body: f"{_word(body, 'advisor')} was rate limited",
    "approval_required": lambda body: f"approval required{_tail(body, 'reason')}",
    "receipt_generated": lambda body: f"receipt {_word(body, 'receiptId')}",
    "run_completed": lambda body: (
        "preview run completed" if body.get("success") is True else "preview run failed"
    ),
    "run_failed": lambda body: f"run failed{_tail(body, 'error')}",
    "preview_completed": lambda body: f"preview {_word(body, 'status')}",
    "commit_started": lambda body: f"commit of {_word(body, 'receiptId')} started",
    "commit_completed": lambda body: (
        "commit succeeded" if body.get("success") is True else "commit failed"
    ),
    "drift_check": _drift,
    "action_submitted": lambda body: (
        f"sent {action_words(body.get('action'))}{_tail(body, 'txHash', ', ')}"
    ),
    "action_confirmed": lambda body: (
        f"confirmed {_word(body, 'txHash')}{_tail(body, 'gasUsed', ', gas ')}"
    ),
    "action_reverted": lambda body: f"reverted {_word(body, 'txHash')}{_tail(body, 'reason')}",
    "handoff_submitted": lambda body: _handoff(body, "sent"),
    "handoff_settled": lambda body: _handoff(body, "arrived"),
    "handoff_expired": lambda body: _handoff(body, "expired"),
    "track_waiting": lambda body: _track(body, "waiting"),
    "track_resumed": lambda body: _track(body, "resumed"),
    "track_completed": lambda body: _track(
        body, "completed" if body.get("success") is True else "failed"
    ),
    "circuit_breaker_triggered": lambda body: (
        f"circuit breaker {_word(body, 'breakerId')} triggered: {value(body.get('trigger'))}"
    ),
    "circuit_breaker_action": lambda body: (
        f"circuit breaker {_word(body, 'breakerId')}: {_word(body, 'action')}"
    ),
    "policy_check_passed": lambda body: f"policy allows {action_words(body.get('action'))}",
    "policy_check_failed": lambda body: (
        f"policy forbids {action_words(body.get('action'))}{_tail(body, 'violations')}"
    ),
    "state_read": lambda body: (
        f"read {_word(body, 'scope')} {_word(body, 'key')} = {value(body.get('value'))}"
    ),
    "state_write": lambda body: (
        f"wrote {_word(body, 'scope')} {_word(body, 'key')}:"
        f" {value(body.get('oldValue'))} → {value(body.get('newValue'))}"
    ),
}

SUMMARIZED = frozenset(_SUMMARIES)
"""Event types with a summary of their own."""
