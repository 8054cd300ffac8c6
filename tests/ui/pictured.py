"""The very runs of the pictures that the screen is measured against."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from inspector.live.feed import Looked, Overview
from inspector.model.run import Progress, Run
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.store import Health
from inspector.query.view import RunView
from tests.ui.fakes import FakeStep, run, store, view

SCOPE = "~/work/research"
TODAY = datetime(2026, 1, 16, tzinfo=UTC)
"""A Friday."""


def at(clock: str, days_ago: int = 0) -> int:
    """A time of day as UTC ms: `14:30` or `14:30:05`."""
    hour, minute, *second = (int(part) for part in clock.split(":"))
    moment = TODAY - timedelta(days=days_ago)
    moment += timedelta(hours=hour, minutes=minute, seconds=second[0] if second else 0)
    return int(moment.timestamp() * 1000)


NOW = at("14:32:11")
AS_OF = at("14:32:07")

OPENPROSE, GRIMOIRE, PRISM = "openprose", "grimoire", "prism"

WAITING = run(
    "YieldRotation → Base",
    "20260116T141910-qmwc9f",
    Status.WAITING,
    runtime=GRIMOIRE,
    started=at("14:19:10"),
    written=at("14:19:40"),
    progress=Progress(note="handoff sent"),
    findings=("the destination has not confirmed the handoff",),
)
FAILED = run(
    "release-notes",
    "20260116-120910-c0ffee",
    Status.FAILED,
    started=at("12:09:10"),
    ended=at("12:10:50"),
    done=8,
    failed=1,
    tokens=9_700,
)
DEEP_RESEARCH = run(
    "deep-research",
    "20260116-143052-a7b3c9",
    Status.RUNNING,
    started=at("14:30"),
    written=at("14:32:06"),
    done=12,
    tokens=48_100,
    progress=Progress(parallel_done=2, parallel_total=3, loop_now=3, loop_max=5),
)
TRIAGE = run(
    "support-triage",
    "r-7f2c",
    Status.RUNNING,
    runtime=PRISM,
    started=at("14:23:09"),
    written=at("14:32:05"),
    done=6,
    tokens=12_900,
    progress=Progress(note="turn 6  ƒ 2"),
)
AUDIT = run(
    "nightly-audit",
    "20260116-030000-b1b1b1",
    Status.RUNNING,
    started=at("03:00"),
    written=at("03:21"),
    done=4,
    tokens=31_000,
    progress=Progress(parallel_done=2, parallel_total=4, unconfirmed=1),
    findings=("branch c has a value but no recorded end: probably finished, unconfirmed",),
)


def over(
    title: str,
    run_id: str,
    runtime: str,
    started: int,
    lasted: int,
    done: int,
    tokens: int | None = None,
    **net: str,
) -> Run:
    """A completed run."""
    return run(
        title,
        run_id,
        runtime=runtime,
        started=started,
        ended=started + lasted,
        done=done,
        tokens=tokens,
        net=net or None,
    )


INTERRUPTED = run(
    "migrate-glossary",
    "20260116-081500-77d0e1",
    Status.INTERRUPTED,
    started=at("08:15"),
    ended=at("08:27:30"),
    done=31,
    tokens=88_400,
    progress=Progress(loop_now=4, loop_max=12),
    findings=("the source has changed since the run began",),
)
REVERTED = run(
    "TreasuryRebalance",
    "20260115T090000-7xk1be",
    Status.FAILED,
    runtime=GRIMOIRE,
    started=at("09:00", 1),
    ended=at("09:00:04", 1),
    done=2,
    failed=1,
    net={"USDC": "-850000"},
    findings=("the transfer was reverted after its gas was paid",),
)

SHOWN = (
    WAITING,
    FAILED,
    DEEP_RESEARCH,
    TRIAGE,
    AUDIT,
    over(
        "TreasuryRebalance",
        "20260116T090002-8xk2aa",
        GRIMOIRE,
        at("09:00:02"),
        18_700,
        14,
        USDC="398750000",
        ETH="-41",
    ),
    over("inbox-digest", "r-7f1e", PRISM, at("08:45"), 44_200, 9, 6_300),
    INTERRUPTED,
    over("deep-research", "20260116-074400-9d01aa", OPENPROSE, at("07:44"), 412_000, 38, 121_000),
    over("FundingSkim", "20260116T060000-2jm5zt", GRIMOIRE, at("06:00"), 9_100, 6, USDC="41200000"),
    over("weekly-report", "20260115-180000-4a4a90", OPENPROSE, at("18:00", 1), 188_000, 22, 40_200),
    REVERTED,
    over("support-triage", "r-7e90", PRISM, at("08:12", 1), 75_000, 11, 14_800),
)

AUDITS_BEFORE = (
    run(
        "audit-ledgers",
        "20260112T090200-1b77aa",
        Status.FAILED,
        runtime=GRIMOIRE,
        started=at("09:02", 4),
        ended=at("09:02:22", 4),
        done=5,
        failed=1,
    ),
    over(
        "nightly-audit", "20260112-030000-a0a0a1", OPENPROSE, at("03:00", 4), 490_000, 41, 118_000
    ),
)

_USUAL = (
    ("weekly-report", OPENPROSE),
    ("inbox-digest", PRISM),
    ("deep-research", OPENPROSE),
    ("FundingSkim", GRIMOIRE),
    ("support-triage", PRISM),
)


def earlier(count: int) -> tuple[Run, ...]:
    """Runs of the weeks before, one every two hours."""
    runs = []
    for number in range(count):
        title, runtime = _USUAL[number % len(_USUAL)]
        started = at("22:00", 5) - number * 7_200_000
        runs.append(
            over(title, f"old-{number:06x}", runtime, started, 61_000 + number, 7, 1_000 + number)
        )
    return tuple(runs)


def overview(others: int = 1_189) -> Overview:
    """What the pictures show, with that many runs below."""
    runs = (*SHOWN, *AUDITS_BEFORE, *earlier(others))
    return Overview(tuple(run.store for run in runs), runs, AS_OF)


def audit_view() -> RunView:
    """The parallel in which nightly-audit stands."""

    def branch(name: str, label: str, status: Status, first: int, last: int) -> FakeStep:
        return FakeStep(StepKind.BRANCH, label, status, first, last, 0, name)

    steps = (
        FakeStep(StepKind.PARALLEL, "parallel", Status.RUNNING, 1, 12, segment="p1"),
        branch("a", "read ledgers", Status.COMPLETED, 1, 6),
        branch("b", "compare totals", Status.COMPLETED, 3, 9),
        branch("c", "draft notes", Status.UNCONFIRMED, 5, 11),
        branch("d", "cross-check", Status.PENDING, 0, 0),
    )
    return view(AUDIT, steps, 12, open_steps=(0,), as_of=AS_OF)


UNKNOWN = tuple(
    store(f"/project/{name}", health=Health.UNSUPPORTED, reason=reason)
    for name, reason in (
        ("cache.db", "It has no table of a runtime that is known."),
        ("notes.db", "It is a database, but no runtime wrote it."),
    )
)

WELCOME = replace(
    Overview(UNKNOWN, (), AS_OF),
    looked=(
        Looked("./runs", "no such folder"),
        Looked("./.prose/runs", "empty"),
        Looked("./.agents/prose/runs", "no such folder"),
        Looked("./.grimoire", "no such folder"),
        Looked("./*.db", "2 files, neither is a known store"),
        Looked("~/.agents/prose", "no such folder"),
        Looked("~/.prose", "no such folder"),
    ),
)
