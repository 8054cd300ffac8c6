"""Runs whose pre-flights tests say, and the very one of the picture."""

from __future__ import annotations

from dataclasses import replace

from inspector.model.preflight import Caution, Position, PreFlight
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.view import RunView
from tests.ui import pictured
from tests.ui.fakes import FakeFeed
from tests.ui.run.fakes import FakeReader

PROMPT = "Resume (do not restart) OpenProse run 20260116-030000-b1b1b1.\n" + "\n".join(
    f"line {number}" for number in range(2, 15)
)


def audit_flight(folder: str) -> PreFlight:
    """The pre-flight of the picture; `folder` is where a program would be started."""
    return PreFlight(
        run_key=pictured.AUDIT.key,
        resumable=True,
        reason=None,
        position=Position(
            "parallel",
            statement_index=2,
            parallel_id="p1",
            keep=("a", "b"),
            rerun=("d",),
            unconfirmed=("c",),
        ),
        stands="parallel p1, statement 2",
        done=("branches a, b",),
        will_run=("branch d", "then the join", "then the rest of the program"),
        unknown=("branch c: its value exists, its end was never recorded; it may run again",),
        warnings=(
            Caution(
                "may_repeat",
                "What branch c does outside is not recorded: if it ran, it may run twice.",
            ),
            Caution(
                "may_live",
                "Another process may still hold this run; no lock says so, none says otherwise.",
            ),
        ),
        prompt=PROMPT,
        folder=folder,
        liveness="unknown, nothing written for 11 h",
        record={"run": "running", "events": "38"},
        outcome=Status.RUNNING,
    )


class ResumeReader(FakeReader):
    """A reader that also says what resuming would do; `flights` are given one by one."""

    def __init__(self, view: RunView, *flights: PreFlight) -> None:
        super().__init__(lambda at: view)
        self.flights = list(flights)
        self.looks = 0

    def preflight(self) -> PreFlight:
        self.looks += 1
        return self.flights[min(self.looks, len(self.flights)) - 1]


def feed_with(run: Run, *flights: PreFlight) -> FakeFeed:
    """A feed over the runs of the pictures, one of which can be resumed."""
    view = replace(pictured.audit_view(), run=run)
    feed = FakeFeed(pictured.overview(0), view)
    feed.readers[run.key] = ResumeReader(view, *flights)
    return feed
