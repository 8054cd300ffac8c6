"""Everyday programs: release notes that cannot be published, a changelog that waits for a person,
tickets that are sorted, a weekly report by an older writer."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.demo.language import (
    Bind,
    Change,
    Commit,
    End,
    Moment,
    Record,
    Remember,
    Row,
    RowOf,
    Script,
    Step,
    Table,
)
from inspector.demo.shapes import Loop, Parallel, block_ends, block_starts, done, failed, retry

RELEASE_SOURCE = """---
name: release-notes
kind: function
---

# Release notes

### Requires

- `tag`: the release

### Execution

```prose
input tag
let commits = session: historian

parallel:
  features = session: writer
  fixes = session: writer
  thanks = session: writer

let draft = session: editor
let checked = session: editor
session "publish the draft" (retry: 1)
output url
```
"""

WRITE = Parallel(3, "p1", "features", "fixes", "thanks")


def release_notes() -> Iterator[Step]:
    """Everything is written; publishing fails at both attempts."""
    yield done(1, "input tag")
    yield Bind("tag", "v4.12.0", kind="input", source="input tag")
    yield done(2, "let commits = session: historian", after=6)
    yield Bind("commits", "214 commits, 31 authors")
    yield Commit("commits", fresh=2100, cause="external")
    yield WRITE.starts()
    for branch, fresh in (("features", 1900), ("fixes", 1500), ("thanks", 700)):
        yield Bind(branch, f"## {branch.capitalize()}\n\n- …\n", after=5)
        yield Commit(branch, ("commits",), fresh)
        yield WRITE.ends(branch)
    yield WRITE.joins()
    yield Bind("draft", "# v4.12.0\n\n## Features\n\n- …\n", after=6)
    yield Commit("draft", WRITE.branches, 1900, 200, truth={"notes.md": "# v4.12.0\n"})
    yield done(4, "let draft = session: editor")
    yield done(5, "let checked = session: editor", after=4)
    yield Commit("checked", ("draft",), 1100, 300)
    yield done(6, 'session "tag the release"', after=2)
    yield failed(7, 'session "publish the draft"', "403 Forbidden: token lacks scope write:pages")
    yield retry(7, 'session "publish the draft"', 2, 2, after=6)
    yield failed(7, 'session "publish the draft"', "403 Forbidden: token lacks scope write:pages")
    yield Record(8, "output url", "skipped", after=1)
    yield End("failed")


CHANGELOG_SOURCE = """---
name: publish-changelog
kind: function
---

# Publish the changelog

A person has to agree before anything is published.

### Execution

```prose
input version
let text = session: editor
gate "publish to the site?" (timeout: 60m)
session: publisher
```
"""


def publish_changelog() -> Iterator[Step]:
    """Stands at a gate that nobody has answered."""
    yield done(1, "input version")
    yield Bind("version", "4.12.0", kind="input", source="input version")
    yield Bind("text", "## 4.12.0\n\nFaster start, fewer surprises.", after=20)
    yield Commit("text", fresh=3100, reused=400, cause="external", truth={"text.md": "## 4.12.0\n"})
    yield done(2, "let text = session: editor")
    yield Record(3, 'gate "publish to the site?"', "executing", label="gate", after=2)
    yield Table(
        "gates",
        {
            "id": "INTEGER PRIMARY KEY",
            "execution_id": "INTEGER REFERENCES execution(id)",
            "name": "TEXT",
            "prompt": "TEXT",
            "status": "TEXT DEFAULT 'pending'",
            "created_at": "TEXT",
            "timeout_at": "TEXT",
        },
    )
    gate = {"execution_id": RowOf("gate"), "name": "publish", "prompt": "Publish to the site?"}
    times = {"created_at": Moment(0), "timeout_at": Moment(3600)}
    yield Row("gates", {**gate, "status": "pending", **times})


TICKETS_SOURCE = """---
name: ticket-triage
kind: function
---

# Ticket triage

### Execution

```prose
block triage(ticket):
  let topic = session: sorter
  let answer = session: helper (retry: 2)

input queue
loop until **the queue is empty** (max: 4):
  do triage(next)
output summary
```
"""

TICKETS = ("login loops", "export is empty", "wrong currency", "dark theme flickers")
UNTIL_EMPTY = Loop(
    2,
    "l1",
    "loop until **the queue is empty** (max: 4)",
    most=4,
    condition="**the queue is empty**",
)


def ticket_triage() -> Iterator[Step]:
    """A block for every ticket, with names of its own; measurements in a table of its own."""
    yield done(1, "input queue")
    yield Bind("queue", "4 open tickets", kind="input", source="input queue")
    yield Table("x_metrics", {"execution_id": "INTEGER", "metric_name": "TEXT", "value": "REAL"})
    yield UNTIL_EMPTY.starts()
    for number, ticket in enumerate(TICKETS, start=1):
        call, label = f"do triage({ticket})", f"ticket-{number}"
        yield block_starts(3, call, "triage", 1, label, under=None, after=1)
        yield Bind("topic", ticket, frame=label, after=3)
        yield done(31, "let topic = session: sorter", under=label)
        if number % 2 == 0:
            yield failed(32, "let answer = session: helper", "HTTP 529: overloaded", under=label)
            yield retry(32, "let answer = session: helper", 2, 3, under=label, after=3)
        yield Bind("answer", f"Known: {ticket}. Try the latest build.", frame=label, after=4)
        yield Commit(f"triage.{number}", fresh=900 + 70 * number, reused=310, cause="external")
        yield done(32, "let answer = session: helper", under=label)
        metric = {"execution_id": RowOf(label), "metric_name": "seconds", "value": 7.5 + number}
        yield Row("x_metrics", metric)
        yield block_ends(3, call, "triage", 1, under=label, after=0.5)
        yield Remember("helper", f"- {number} tickets answered", f"ticket {number}", ticket)
        yield UNTIL_EMPTY.round(number)
    yield UNTIL_EMPTY.exits(4, "the queue is empty")
    yield Bind("summary", "4 answered, 2 at the second try", kind="output", after=2)
    yield done(4, "output summary")
    yield End("completed")


WEEKLY_SOURCE = """# weekly report
input week

parallel:
  sales = session "Sum up sales"
  support = session "Sum up support"
  product = session "Sum up product"

loop until **everyone has agreed** (max: 3):
  session "Ask for corrections"

output report
"""

TEAMS = ("sales", "support", "product")


def weekly_report() -> Iterator[Step]:
    """By a writer that changes its rows in place and says when each began and ended."""
    yield from _timed(1, "input week", 1)
    yield Bind("week", "this week", kind="input", source="input week")
    meta = {"parallel_id": "p1", "strategy": "all", "branches": list(TEAMS)}
    yield Record(2, "parallel:", "executing", meta, label="all", timed=True)
    for index, team in enumerate(TEAMS, start=3):
        branch = {"parallel_id": "p1", "branch": team}
        text = f'{team} = session "Sum up {team}"'
        yield Record(
            index, text, "executing", branch, under="all", label=team, timed=True, after=0.4
        )
    for seconds, team in zip((11, 16, 9), TEAMS, strict=True):
        yield Bind(team, f"{team}: up 3 % on the week before", after=seconds)
        yield Change(team, "completed")
    yield Change("all", "completed", after=0.5)
    loop = {"loop_id": "l1", "max_iterations": 3, "condition": "**everyone has agreed**"}
    started = {**loop, "current_iteration": 1}
    yield Record(6, "loop until **everyone has agreed**", "executing", started, label="loop")
    yield from _timed(7, 'session "Ask for corrections"', 8, under="loop")
    yield Change("loop", "executing", {**loop, "current_iteration": 2}, ended=False, after=0.2)
    yield Change("statement 7", "executing", ended=False, after=1)
    yield Change("statement 7", "completed", after=8)
    yield Change("loop", "completed", {**loop, "current_iteration": 2}, after=0.5)
    yield from _timed(8, 'session "Write the summary"', 14)
    yield Bind("report", "A quiet week.", kind="output")
    yield from _timed(9, "output report", 1)
    yield End("completed")


def _timed(index: int, text: str, seconds: float, under: str | None = None) -> Iterator[Step]:
    label = f"statement {index}"
    yield Record(index, text, "executing", under=under, label=label, timed=True, after=1)
    yield Change(label, "completed", after=seconds)


RELEASE_NOTES = Script("release-notes", RELEASE_SOURCE, release_notes)
PUBLISH_CHANGELOG = Script("publish-changelog", CHANGELOG_SOURCE, publish_changelog)
TICKET_TRIAGE = Script("ticket-triage", TICKETS_SOURCE, ticket_triage)
WEEKLY_REPORT = Script("weekly-report", WEEKLY_SOURCE, weekly_report)
