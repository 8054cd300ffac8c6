"""Grimoire and Prism in the demonstration: every run and finding is there on purpose."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.demo.player import Connections, LiveRun, begin
from inspector.demo.recording import schedules
from inspector.demo.workspace import DemoWorkspace, create
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.workspace import Workspace
from tests.demo.made import NOW

# End of a run's id → its status and the findings that it is there for.
INTENDED: dict[str, tuple[Status, set[str]]] = {
    "qmwc9f": (Status.WAITING, {"waiting"}),
    "5qd7gn": (Status.FAILED, {"run_failed"}),
    "7xk1be": (Status.FAILED, {"run_failed"}),
    "l2m4vo": (Status.FAILED, {"run_failed"}),
    "n5p2ka": (Status.FAILED, {"run_failed"}),
    "j4z9se": (Status.FAILED, {"run_failed"}),
    "r-7f31": (Status.WAITING, {"approval_deadline"}),
    "r-7f0a": (Status.FAILED, set()),
    "r-7f2c": (Status.RUNNING, set()),
}


@pytest.fixture(scope="module")
def runs(made: DemoWorkspace) -> Iterator[list[Run]]:
    """The runs of both runtimes, read whole."""
    workspace = Workspace([made.root], lambda: NOW, made.root)
    found = [
        workspace.read_whole(run)
        for store, listed in workspace.summaries()
        if store.runtime != "openprose"
        for run in listed
    ]
    workspace.close()
    yield found


def test_every_finding_is_there_on_purpose(runs: list[Run]) -> None:
    assert len(runs) == 23
    for run in runs:
        known = INTENDED.get((run.run_id or "")[-6:], (Status.COMPLETED, set()))
        assert (run.status, {one.code for one in run.findings}) == known, run.run_id


def test_the_stores_are_what_the_runtimes_leave(runs: list[Run], made: DemoWorkspace) -> None:
    stores = {run.store.runtime: run.store for run in runs}
    assert stores["prism"].verdict == "verified_current"
    assert stores["grimoire"].variant == "2"
    for store in stores.values():
        assert store.health == "ok"
        path = Path(store.path)
        assert path.read_bytes()[18:20] == b"\2\2"
        assert not list(path.parent.glob(f"{path.name}-*"))


def asked(capsys: pytest.CaptureFixture[str], made: DemoWorkspace, *words: str) -> dict[str, Any]:
    assert main([*words, "--json", "--in", made.root]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_the_treasury_comes_out_as_in_its_picture(
    capsys: pytest.CaptureFixture[str], made: DemoWorkspace
) -> None:
    document = asked(capsys, made, "pnl", "TreasuryRebalance")
    ledger = document["ledger"]
    assert (ledger["runs"]["total"], ledger["runs"]["success"]) == (12, 7)
    assets = {one["asset"]: one for one in document["pnl"]["assets"]}
    assert assets["USDC"]["net"] == "398750000"
    assert assets["USDC"]["fees"] == "1250000"
    assert document["pnl"]["totalUnaccounted"] == "0"
    assert int(assets["WETH"]["credits"]) > 2**64
    realised = document["realised"]
    assert {one["code"] for one in realised["warnings"]} == {"not_realised", "double_booked"}
    assert {"realised", "reverted", "not_sent", "rejected", "simulated"} <= set(
        realised["outcomes"]
    )


def test_the_live_agent_stands_where_two_tools_are_at_work(runs: list[Run]) -> None:
    (run,) = (one for one in runs if one.run_id == "r-7f2c")
    assert run.tokens.total == 12_900
    assert run.started_at == NOW - 542_000
    assert run.last_activity_at == NOW
    assert (run.steps.running or 0) >= 2


def counts(path: str) -> tuple[int, ...]:
    sql = "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM ledger), updated_at > ? "
    with closing(sqlite3.connect(path)) as database:
        found = database.execute(
            f"{sql} FROM spell_state WHERE spell_id = 'FundingSkim'", ("2026-01-16T14",)
        )
        return tuple(found.fetchone())


def test_a_cast_is_written_at_its_end_and_no_lock_loses_it(tmp_path: Path) -> None:
    made = create(str(tmp_path / "demo"), clock=lambda: NOW)
    path = f"{made.root}/.grimoire/grimoire.db"
    before = counts(path)
    (grimoire,) = (each for each in schedules() if each.runtime == "grimoire")
    run = LiveRun(begin(grimoire, made.root, 0, NOW), Connections(keep_open=False))
    assert run.pause
    assert counts(path) == before
    program = (
        "import sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('BEGIN IMMEDIATE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            run.write(NOW + 16_000)
        holder.stdin.close()
        holder.wait()
    seen = []
    while run.pause is not None:
        run.write(NOW + 20_000)
        seen.append(counts(path))
    total, ledgers, _ = before
    assert seen == [(total, ledgers, 1), (total + 1, ledgers, 1), (total + 1, ledgers + 1, 1)]
