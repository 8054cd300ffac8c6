"""Small sessions as `inspector.pnl/1`, and a feed whose reader tells of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.config.settings import Asset, Settings
from inspector.live.feed import Overview
from inspector.model.run import Run, RunKind
from inspector.query.progress import Progress, no_progress
from inspector.query.view import RunView, Tab
from inspector.ui.app import InspectorApp
from tests.ui.run import pictured
from tests.ui.run.fakes import COMPLETED, FAILED, FakeReader, RunFeed, run_of, store_of, view_of

Document = dict[str, Any]
SUMS = ("credits", "debits", "fees", "losses", "net", "unaccounted")

STORE = store_of("grimoire", "2")
SPELL = "TreasuryRebalance"
TABS = (Tab("timeline", "Timeline"), Tab("pnl", "P&L"), Tab("raw", "Raw"))
NET = (22, 107, -18, 104, 48, None, 37, -42, 66, -9, 83_750_000, None)
"""Millions of USDC per run, oldest first; the one but last as it stands."""


def spell_run(number: int, total: int = 12, **given: Any) -> Run:
    """One of the spell's runs."""
    status = FAILED if number in (6, 12) else COMPLETED
    run_id = f"run_2026011{number % 10}T090002-8xk2{number:02d}"
    run = run_of(SPELL, run_id, status, store=STORE, session=SPELL, **given)
    return replace(run, kind=RunKind.SPELL, key=f"grimoire:{STORE.path}#{SPELL}/{run_id}")


def asset(name: str | None, *numbers: int) -> Document:
    named: Document = {} if name is None else {"asset": name}
    return {**named, **dict(zip(SUMS, map(str, numbers), strict=True))}


def run_part(number: int, net: Mapping[str, int], **given: Any) -> Document:
    return {
        "run_id": spell_run(number).run_id,
        "at": f"2026-01-{1 + (number - 1) % 28:02d}T09:00:02.000Z",
        "success": given.get("success", bool(net)),
        "mode": given.get("mode", "execute"),
        "moves": given.get("moves", len(net)),
        "net": {name: str(amount) for name, amount in net.items()},
        "realised": {name: str(n) for name, n in given.get("realised", {}).items()},
        "outcomes": given.get("outcomes", []),
        "gas_used": str(given.get("gas", 0)),
        "transactions": given.get("transactions", 0),
    }


def document(
    assets: Sequence[Document] = (),
    runs: Sequence[Document] = (),
    *,
    realised: Sequence[Document] = (),
    outcomes: Mapping[str, Document] | None = None,
    warnings: Sequence[str] = (),
    unaccounted: Sequence[Document] = (),
    pending: Sequence[Document] = (),
    unreadable: Sequence[Document] = (),
) -> Document:
    """A session; `runs` are given oldest first."""
    success = sum(run["success"] for run in runs)
    return {
        "ledger": {
            "spellId": SPELL,
            "runs": {"total": len(runs), "success": success, "failed": len(runs) - success},
            "triggers": {"manual": len(runs)} if runs else {},
            "receipts": {},
            "events": {"run_started": len(runs)} if runs else {},
        },
        "pnl": {"assets": list(assets)},
        "realised": {
            "assets": list(realised),
            "gas": {
                "gas_used": str(sum(int(run["gas_used"]) for run in runs)),
                "transactions": sum(run["transactions"] for run in runs),
            },
            "outcomes": outcomes or {},
            "pending": list(pending),
            "runs": list(reversed(runs)),
            "steps": [],
            "unaccounted": list(unaccounted),
            "warnings": [{"code": "noticed", "message": message} for message in warnings],
        },
        "unreadable": list(unreadable),
    }


def treasury() -> Document:
    """The session of the picture."""
    runs = []
    for number, net in enumerate(NET, 1):
        moved = {} if net is None else {"USDC": net if net > 1000 else net * 1_000_000}
        if number == 11:
            given: Document = {"realised": {"USDC": 11_250_000}, "gas": 184_201, "transactions": 2}
        elif number == 10:
            moved["DAI"] = -104_500
            given = {"realised": {"DAI": -104_500}, "gas": 61_000, "transactions": 1}
        else:
            given = {"mode": "simulate"}
        runs.append(run_part(number, moved, **given))
    usdc = asset("USDC", 12_400_000_000, 12_000_000_000, 1_250_000, 0, 398_750_000, 0)
    weth = asset("WETH", 4_120_000, 4_100_000, 2_100, 600, 17_300, 0)
    dai = asset("DAI", 900_000, 1_004_500, 0, 0, -104_500, 12)
    real = asset("USDC", 11_250_000, 0, 0, 0, 11_250_000, 0)
    lost = asset("DAI", 0, 104_500, 0, 0, -104_500, 0)
    simulated = asset("USDC", 387_500_000, 0, 0, 0, 387_500_000, 0)
    return document(
        [usdc, weth, dai],
        runs,
        realised=[real, lost],
        outcomes={
            "realised": {"runs": 2, "assets": [real, lost]},
            "simulated": {"runs": 8, "assets": [simulated, weth]},
        },
        warnings=[
            "8 of 12 runs that failed, were simulated or did not send everything are counted in"
            " the session P&L"
        ],
        unaccounted=[
            {
                "asset": "DAI",
                "why": "unknown_reason",
                "message": "no rule knows the reason",
                "reason": "step:swap:dust",
                "moves": 1,
                "amount": "12",
            }
        ],
    )


BIG = 2**256 + 7


def enormous() -> Document:
    """Sums that no machine word holds."""
    runs = [run_part(1, {"WETH": BIG}), run_part(2, {"WETH": -BIG, "USDC": 0}), run_part(3, {})]
    return document(
        [asset("WETH", BIG, BIG, 10**20, 0, -(10**20), BIG), asset("USDC", 5, 5, 0, 0, 0, 0)],
        runs,
        realised=[asset("WETH", BIG, 0, 0, 0, BIG, 0)],
    )


def hundred() -> Document:
    """As many runs as are added up, in an asset of 18 decimals."""
    ether = 10**18
    runs = [
        run_part(1 + number, {"WETH": (number * 37 % 100 - 40) * ether // 7})
        for number in range(100)
    ]
    net = sum(int(run["net"]["WETH"]) for run in runs)
    return document([asset("WETH", 90 * ether + net, 90 * ether, 0, 0, net, 0)], runs)


def stepped() -> Document:
    """A session of one asset, with what became of it by step and by run."""
    runs = [
        run_part(1, {"USDC": 7_000_000}, mode="simulate"),
        run_part(2, {"USDC": 5_000_000}, realised={"USDC": 5_000_000}),
        run_part(3, {"USDC": -2_000_000}, realised={"USDC": -2_000_000}),
    ]
    for run, so_far in zip(runs, ({}, {"USDC": "5000000"}, {"USDC": "3000000"}), strict=True):
        run["realised_so_far"] = so_far
        run["by_outcome"] = {"realised": run["realised"]} if run["realised"] else {
            "simulated": run["net"]
        }  # fmt: skip
    told = document([asset("USDC", 12_000_000, 2_000_000, 0, 0, 10_000_000, 0)], runs)
    told["realised"]["steps"] = [
        {
            "step_id": "swap",
            "runs": 3,
            "assets": [asset("USDC", 12_000_000, 2_000_000, 9, 4, 10_000_000, 0)],
            "outcomes": {"realised": 2, "simulated": 1},
            "by_outcome": {
                "realised": {"USDC": "3000000"}, "simulated": {"USDC": "7000000"},
                "not_sent": {"DAI": "1"},
            },
        },
        {"step_id": None, "runs": 1, "assets": [], "outcomes": {}, "by_outcome": {}},
    ]  # fmt: skip
    return told


class SessionReader(FakeReader):
    """A reader that tells of a session."""

    told: Document
    limits: list[int]
    while_reading: Callable[[Progress], None] = staticmethod(lambda tell: None)

    def session(self, limit: int, tell: Progress = no_progress) -> Mapping[str, Any]:
        """The document that it was given."""
        self.limits.append(limit)
        self.while_reading(tell)
        return self.told


def feed_over(told: Document, number: int = 11) -> RunFeed:
    """A feed over one of the spell's runs."""
    run = spell_run(number)

    def view(at: int | None = None) -> RunView:
        return view_of(run, [], 0, tabs=TABS, as_of=pictured.AS_OF)

    reader = SessionReader(view)
    reader.told, reader.limits = told, []
    return RunFeed(view, reader)


def app_over(
    feed: RunFeed,
    *,
    theme: str = "dark",
    ascii: str = "auto",
    assets: Mapping[str, Asset] | None = None,
) -> InspectorApp:
    """The application over a feed, whose list has all twelve runs."""
    runs = tuple(spell_run(number) for number in range(1, 13))
    feed.overview = Overview((STORE,), runs, pictured.AS_OF)
    settings = Settings(theme, ascii, pictured.ZONE, assets=assets or {})
    return InspectorApp(feed, settings, lambda: pictured.NOW, "~/work/treasury")
