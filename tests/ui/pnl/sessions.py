"""Small sessions, and a feed whose reader returns one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.config.settings import Asset, Settings
from inspector.live.feed import Overview
from inspector.model.run import Run, RunKind
from inspector.query.pnl import (
    AssetSums,
    Ledger,
    Outcome,
    OutcomeSums,
    PendingHandoff,
    PnlWarning,
    Realised,
    Session,
    SessionRun,
    StepSums,
    Unaccounted,
    Unread,
)
from inspector.query.progress import Progress, no_progress
from inspector.query.view import RunView, Tab
from inspector.text.parse_time import parse_instant
from inspector.ui.app import InspectorApp
from tests.ui.run import pictured
from tests.ui.run.fakes import COMPLETED, FAILED, FakeReader, RunFeed, run_of, store_of, view_of

STORE = store_of("grimoire", "2")
SPELL = "TreasuryRebalance"
TABS = (Tab("timeline", "Timeline"), Tab("pnl", "P&L"), Tab("raw", "Raw"))
NET = (22, 107, -18, 104, 48, None, 37, -42, 66, -9, 83_750_000, None)
"""Millions of USDC per run, oldest first; larger numbers are in base units."""


def spell_run(number: int, total: int = 12, **given: Any) -> Run:
    """One of the spell's runs."""
    status = FAILED if number in (6, 12) else COMPLETED
    run_id = f"run_2026011{number % 10}T090002-8xk2{number:02d}"
    run = run_of(SPELL, run_id, status, store=STORE, session=SPELL, **given)
    return replace(run, kind=RunKind.SPELL, key=f"grimoire:{STORE.path}#{SPELL}/{run_id}")


def asset(name: str | None, *numbers: int) -> AssetSums:
    return AssetSums(name, *numbers)


def run_part(
    number: int,
    net: Mapping[str, int],
    *,
    success: bool | None = None,
    mode: str = "execute",
    realised: Mapping[str, int] | None = None,
    gas: int = 0,
    transactions: int = 0,
) -> SessionRun:
    day = 1 + (number - 1) % 28
    return SessionRun(
        run_id=spell_run(number).run_id or "",
        at=parse_instant(f"2026-01-{day:02d}T09:00:02.000Z"),
        success=bool(net) if success is None else success,
        mode=mode,
        moves=len(net),
        net=net,
        realised=realised or {},
        realised_so_far={},
        outcomes=(),
        by_outcome={},
        assets=(),
        gas_used=gas,
        transactions=transactions,
    )


def session(
    assets: Sequence[AssetSums] = (),
    runs: Sequence[SessionRun] = (),
    *,
    realised: Sequence[AssetSums] = (),
    outcomes: Sequence[OutcomeSums] = (),
    warnings: Sequence[PnlWarning] = (),
    unaccounted: Sequence[Unaccounted] = (),
    pending: Sequence[PendingHandoff] = (),
    steps: Sequence[StepSums] = (),
    unreadable: Sequence[Unread] = (),
) -> Session:
    """Return a session; `runs` are given oldest first."""
    counts = {"manual": len(runs)} if runs else {}
    events = {"run_started": len(runs)} if runs else {}
    return Session(
        name=SPELL,
        ledger=Ledger(len(runs), sum(run.success for run in runs), None, counts, {}, events),
        moves=sum(run.moves for run in runs),
        assets=tuple(assets),
        total_net=sum(one.net for one in assets),
        total_unaccounted=sum(one.unaccounted for one in assets),
        realised=Realised(
            assets=tuple(realised),
            gas_used=sum(run.gas_used for run in runs),
            transactions=sum(run.transactions for run in runs),
            outcomes=tuple(outcomes),
            pending=tuple(pending),
            runs=tuple(reversed(runs)),
            steps=tuple(steps),
            unaccounted=tuple(unaccounted),
            warnings=tuple(warnings),
        ),
        unreadable=tuple(unreadable),
    )


def treasury() -> Session:
    """Return the session of the picture."""
    runs = []
    for number, net in enumerate(NET, 1):
        moved = {} if net is None else {"USDC": net if net > 1000 else net * 1_000_000}
        if number == 11:
            usdc_net = {"USDC": 11_250_000}
            run = run_part(number, moved, realised=usdc_net, gas=184_201, transactions=2)
        elif number == 10:
            moved["DAI"] = -104_500
            run = run_part(number, moved, realised={"DAI": -104_500}, gas=61_000, transactions=1)
        else:
            run = run_part(number, moved, mode="simulate")
        runs.append(run)
    usdc = asset("USDC", 12_400_000_000, 12_000_000_000, 1_250_000, 0, 398_750_000, 0)
    weth = asset("WETH", 4_120_000, 4_100_000, 2_100, 600, 17_300, 0)
    dai = asset("DAI", 900_000, 1_004_500, 0, 0, -104_500, 12)
    real = asset("USDC", 11_250_000, 0, 0, 0, 11_250_000, 0)
    lost = asset("DAI", 0, 104_500, 0, 0, -104_500, 0)
    simulated = asset("USDC", 387_500_000, 0, 0, 0, 387_500_000, 0)
    return session(
        [usdc, weth, dai],
        runs,
        realised=[real, lost],
        outcomes=[
            OutcomeSums(Outcome.REALISED, 2, (real, lost)),
            OutcomeSums(Outcome.SIMULATED, 8, (simulated, weth)),
        ],
        warnings=[PnlWarning("not_realised", 8)],
        unaccounted=[Unaccounted("DAI", "unknown_reason", "step:swap:dust", 1, 12)],
    )


BIG = 2**256 + 7


def enormous() -> Session:
    """Return sums that no machine word holds."""
    runs = [run_part(1, {"WETH": BIG}), run_part(2, {"WETH": -BIG, "USDC": 0}), run_part(3, {})]
    return session(
        [asset("WETH", BIG, BIG, 10**20, 0, -(10**20), BIG), asset("USDC", 5, 5, 0, 0, 0, 0)],
        runs,
        realised=[asset("WETH", BIG, 0, 0, 0, BIG, 0)],
    )


def hundred() -> Session:
    """Return as many runs as are added up, in an asset of 18 decimals."""
    ether = 10**18
    runs = [
        run_part(1 + number, {"WETH": (number * 37 % 100 - 40) * ether // 7})
        for number in range(100)
    ]
    net = sum(run.net["WETH"] for run in runs)
    return session([asset("WETH", 90 * ether + net, 90 * ether, 0, 0, net, 0)], runs)


def stepped(
    *, pending: Sequence[PendingHandoff] = (), warnings: Sequence[PnlWarning] = ()
) -> Session:
    """Return a session of one asset, with outcomes by step and by run."""
    runs = [
        run_part(1, {"USDC": 7_000_000}, mode="simulate"),
        run_part(2, {"USDC": 5_000_000}, realised={"USDC": 5_000_000}),
        run_part(3, {"USDC": -2_000_000}, realised={"USDC": -2_000_000}),
    ]
    so_far: Sequence[Mapping[str, int]] = ({}, {"USDC": 5_000_000}, {"USDC": 3_000_000})
    runs = [
        replace(
            run,
            realised_so_far=total,
            by_outcome={Outcome.REALISED: run.realised}
            if run.realised
            else {Outcome.SIMULATED: run.net},
        )
        for run, total in zip(runs, so_far, strict=True)
    ]
    swap = StepSums(
        "swap",
        3,
        (asset("USDC", 12_000_000, 2_000_000, 9, 4, 10_000_000, 0),),
        {Outcome.REALISED: 2, Outcome.SIMULATED: 1},
        {
            Outcome.REALISED: {"USDC": 3_000_000},
            Outcome.SIMULATED: {"USDC": 7_000_000},
            Outcome.NOT_SENT: {"DAI": 1},
        },
    )
    return session(
        [asset("USDC", 12_000_000, 2_000_000, 0, 0, 10_000_000, 0)],
        runs,
        steps=[swap, StepSums(None, 1, (), {}, {})],
        pending=pending,
        warnings=warnings,
    )


class SessionReader(FakeReader):
    """A reader with a session."""

    result: Session
    limits: list[int]
    while_reading: Callable[[Progress], None] = staticmethod(lambda progress: None)

    def session(self, limit: int, progress: Progress = no_progress) -> Session:
        self.limits.append(limit)
        self.while_reading(progress)
        return self.result


def feed_over(result: Session, number: int = 11) -> RunFeed:
    """Return a feed over one of the spell's runs."""
    run = spell_run(number)

    def view(at: int | None = None) -> RunView:
        return view_of(run, [], 0, tabs=TABS, as_of=pictured.AS_OF)

    reader = SessionReader(view)
    reader.result, reader.limits = result, []
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
