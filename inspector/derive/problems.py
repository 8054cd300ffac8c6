"""Problems of all stores and runs, most important first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inspector.derive.groups import when
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Health, Store

_HEALTHY = {Health.OK, Health.EMPTY, Health.BUSY}


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding of a run, a store with a read problem, or (with neither) a notice.

    A store that contains exactly one run has `run` set too.
    """

    code: str
    message: str
    run: Run | None = None
    store: Store | None = None
    ref: str | None = None
    followed: bool = False
    """True if a newer run of the same title completed: history."""


def problems(
    stores: Iterable[Store], runs: Iterable[Run], notices: Iterable[str] = ()
) -> list[Problem]:
    """Returns notices and stores, then current findings, newest runs first, then history."""
    members = list(runs)
    with_findings = [run for run in members if run.findings]
    newest = _newest_completed(members, {run.title for run in with_findings})
    found = [Problem("notice", notice) for notice in notices]
    unhealthy = [store for store in stores if store.health not in _HEALTHY]
    only = _only_runs(members, {store.path for store in unhealthy})
    found += [
        Problem(store.health.value, store.reason or store.health.value, only.get(store.path), store)
        for store in unhealthy
    ]
    with_findings.sort(key=lambda run: (-(when(run) or 0), run.key))
    of_runs = [
        Problem(finding.code, finding.message, run, None, finding.ref, _followed(run, newest))
        for run in with_findings
        for finding in run.findings
    ]
    found += [problem for problem in of_runs if not problem.followed]
    return found + [problem for problem in of_runs if problem.followed]


def standing(found: Iterable[Problem]) -> int:
    """Counts the problems that are not history."""
    return sum(not problem.followed for problem in found)


def _only_runs(runs: Iterable[Run], paths: set[str]) -> dict[str, Run]:
    """Returns the run of each store that contains exactly one."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        if run.store.path in paths:
            found.setdefault(run.store.path, []).append(run)
    return {path: members[0] for path, members in found.items() if len(members) == 1}


def _newest_completed(runs: Iterable[Run], titles: set[str]) -> dict[tuple[str, str], int]:
    newest: dict[tuple[str, str], int] = {}
    for run in runs:
        if run.title in titles and run.status is Status.COMPLETED:
            name = (run.runtime, run.title)
            newest[name] = max(newest.get(name, 0), when(run) or 0)
    return newest


def _followed(run: Run, newest: Mapping[tuple[str, str], int]) -> bool:
    if run.status is Status.RUNNING or run.status is Status.WAITING:
        return False
    mine = when(run)
    return mine is not None and newest.get((run.runtime, run.title), 0) > mine
