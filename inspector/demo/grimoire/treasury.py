"""TreasuryRebalance: keeps a treasury near its target weights, once a day.

One cast goes through everything that a spell may have: guards, a parallel, advice from a model, a
loop, a try that needs another attempt, moves that are simulated or sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.demo.grimoire.cast import Cast, Mode
from inspector.demo.grimoire.ledger import Action, Ledger

SPELL = "TreasuryRebalance"

USDC = 10**6
ETHER = 10**18
PRICE = 3_080
"""USDC for one WETH."""
SOLD, PARKED = 800 * USDC, 400 * USDC
INTEREST = USDC // 8


@dataclass(frozen=True, slots=True)
class Course:
    """How a cast goes. `net` is what its session ledger makes of it, in USDC base units."""

    mode: Mode
    net: int | None = None
    """None: it ends before anything moves."""
    stops_at: str | None = None
    """The action that goes wrong when it is sent."""
    error: str | None = None
    lend: int | None = None
    """wstETH that is lent too, which the ledger books twice: it does not come out again."""
    bridge: int | None = None
    """WETH that is bridged too, less a fee of the bridge."""
    retried: bool = False


def treasury(
    run_id: str, started: int, course: Course, before: Mapping[str, Any] | None = None
) -> Cast:
    """A cast as it went, from the state `before` it; one that ends early leaves that as it is."""
    before = before or {"casts": 0, "last_net": "0", "paused": False}
    number = int(before["casts"]) + 1
    ledger = Ledger(SPELL, run_id, started)
    ledger.begins()
    params = {"max_move": str(SOLD + PARKED), "target_weth": "0.40"}
    if course.net is None:
        return _ends_early(ledger, before, course, params)
    _guards(ledger)
    _looks(ledger, number, course)
    _moves(ledger, course, course.net)
    ledger.tells("emit_15", "rebalanced", {"cast": number, "asset": "USDC"})
    _guards(ledger)
    ledger.takes(0.2)
    ledger.is_ready()
    if course.mode is Mode.EXECUTE:
        ledger.commits([2.4, 2.1, 1.9, 2.2, 2.0][: len(ledger.sent)], course.stops_at)
    state = {"casts": number, "last_net": str(course.net), "paused": False}
    return Cast(ledger, course.mode, state, params, course.error)


def _guards(ledger: Ledger) -> None:
    ledger.emit("guard_passed", guardId="reserve_covered")
    ledger.emit("guard_passed", guardId="not_paused")


def _looks(ledger: Ledger, number: int, course: Course) -> None:
    """All that comes before the moves."""
    ledger.computes("compute_1", "casts", number)
    ledger.starts("parallel_2", "parallel")
    ledger.computes("compute_3", "weth_price", str(PRICE * USDC), 0.5)
    ledger.computes("compute_4", "dai_price", str(USDC), 0.4)
    ledger.computes("compute_5", "reserve", str(48_250 * USDC), 0.6)
    ledger.ends("parallel_2", {"branches": 3, "success": 3})
    _advice(ledger)
    ledger.starts("loop_7", "loop")
    for asset, drift in (("WETH", 0.031), ("USDC", -0.027), ("DAI", -0.004)):
        ledger.computes("compute_8", "drift", {"asset": asset, "drift": drift}, 0.2)
    ledger.ends("loop_7", {"iterations": 3, "resultsCount": 3})
    _quotes(ledger, course)


def _advice(ledger: Ledger) -> None:
    step, call = "advisory_6", "call_1"
    schema = {"type": "enum", "values": ["hold", "rebalance", "pause"]}
    ledger.starts(step, "advisory")
    ledger.emit(
        "advisory_started",
        stepId=step,
        advisor="treasurer",
        prompt="Weights, prices and the week's outflows are attached. Hold, rebalance or pause?",
        skills=["treasury-policy"],
        allowedTools=["prices.history"],
        schema=schema,
    )
    ledger.emit(
        "advisory_model_used",
        stepId=step,
        provider="anthropic",
        modelId="haiku",
        thinkingLevel="low",
    )
    ledger.count("advisories")
    ledger.takes(1.3)
    told: dict[str, Any] = {"stepId": step, "toolCallId": call, "toolName": "prices.history"}
    ledger.emit("advisory_tool_execution_start", **told, args={"asset": "WETH", "days": 7})
    ledger.takes(0.8)
    result = {"low": "2971.40", "high": "3112.05"}
    ledger.emit("advisory_tool_execution_end", **told, result=result, isError=False)
    ledger.takes(1.9)
    said = dict.fromkeys(("output", "rawOutput", "effectiveOutput"), "rebalance")
    ledger.emit(
        "advisory_completed",
        stepId=step,
        advisor="treasurer",
        **said,
        onViolation="reject",
        clamped=False,
    )
    ledger.ends(step, "rebalance")


def _quotes(ledger: Ledger, course: Course) -> None:
    step, inside = "try_9", "compute_10"
    ledger.starts(step, "try")
    if course.retried:
        ledger.starts(inside, "compute")
        ledger.takes(1.5)
        ledger.fails(inside, "Quote request timed out after 1500 ms")
        ledger.emit("error_caught", stepId=step, errorType="unknown", handler="wildcard")
        ledger.count("errors")
        ledger.emit("retry_attempted", stepId=step, attempt=1)
        ledger.count("retries")
    quoted = {"asset": "WETH", "out": str(_weth(SOLD))}
    ledger.computes(inside, "quote", quoted, 0.7)
    if course.retried:
        ledger.emit("retry_succeeded", stepId=step, attempt=1)
    ledger.ends(step, {"output": {"assignments": [{"variable": "quote", "value": quoted}]}})


def _weth(usdc: int) -> int:
    return usdc * ETHER // (PRICE * USDC)


def _moves(ledger: Ledger, course: Course, net: int) -> None:
    bought = _weth(SOLD)
    sold = bought - bought // 160
    ledger.acts(
        "action_11", Action("swap", "uniswap_v3", "USDC", SOLD, bought, "WETH", slippage=50)
    )
    ledger.acts(
        "action_12",
        Action("swap", "uniswap_v4", "WETH", sold, SOLD + net, "USDC", gas=143_000, slippage=50),
    )
    ledger.acts(
        "action_13",
        Action("withdraw", "aave_v3", "USDC", PARKED, PARKED + INTEREST, gas=210_000),
    )
    if course.lend is not None:
        ledger.acts("action_14", Action("lend", "aave_v3", "wstETH", course.lend, 0, gas=236_000))
    if course.bridge is not None:
        arrives = course.bridge - course.bridge // 2_000
        ledger.acts(
            "action_14",
            Action("bridge", "across", "WETH", course.bridge, arrives, to_chain=8453, gas=98_000),
        )


def _ends_early(
    ledger: Ledger, before: Mapping[str, Any], course: Course, params: Mapping[str, str]
) -> Cast:
    """A guard that halts, or a step that fails before anything has moved."""
    words = (course.error or "").partition("] ")[2]
    if words.startswith("Guard failed: "):
        ledger.emit(
            "guard_failed",
            guardId="reserve_covered",
            severity="halt",
            message=words.removeprefix("Guard failed: "),
        )
    else:
        _guards(ledger)
        ledger.computes("compute_1", "casts", int(before["casts"]) + 1)
        ledger.starts("parallel_2", "parallel")
        ledger.computes("compute_3", "weth_price", str(PRICE * USDC), 0.5)
        ledger.starts("compute_4", "compute")
        ledger.takes(3.2)
        message = words.partition(": ")[2]
        ledger.fails("compute_4", message)
        ledger.fails("parallel_2", message, line=21, column=5)
    ledger.is_rejected()
    return Cast(ledger, course.mode, before, params, course.error)
