"""nightly-audit: four branches, of which a VM that stops early leaves one unconfirmed."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.demo.language import Bind, Commit, End, Record, Script, Step
from inspector.demo.shapes import Parallel, done

SOURCE = """---
name: nightly-audit
kind: function
---

# Nightly audit

### Requires

- `period`: the day to audit

### Returns

- `report`: what does not add up

### Execution

```prose
input period
let accounts = session: clerk

parallel:
  a = session "read ledgers" (retry: 2)
  b = session "compare totals" (retry: 2)
  c = session "draft notes"
  d = session "cross-check"

output report = session: clerk
```
"""

BRANCHES = Parallel(3, "p1", "a", "b", "c", "d")
BUSY = "HTTP 429 from ledger.export"


def audit() -> Iterator[Step]:
    """A whole run. After twelve rows branch c has its value and no row of its own yet."""
    yield done(1, "input period", after=1)
    yield Bind("period", "last night, 00:00 to 24:00", kind="input", source="input period")
    yield Record(2, "let accounts = session: clerk", "executing", after=2)
    yield Bind("accounts", '{"ledgers": 14, "closed": 2, "currency": "EUR"}', after=4)
    yield Commit("accounts", fresh=6200, reused=900, cause="external")
    yield done(2, "let accounts = session: clerk")
    yield BRANCHES.starts()
    yield from _at_the_second_try("a", "14 ledgers read, 2 closed", 12400)
    yield from _at_the_second_try("b", "totals differ by 0.02 EUR in ledger 9", 11500)
    yield Bind("c", "Ledger 9 is off by a rounding difference.", source='c = session "draft notes"')
    yield BRANCHES.ends("c", after=4)
    yield Commit("c", ("a", "b"), 5600, 900)
    yield BRANCHES.begins("d", after=1)
    yield Bind("d", "both lists name the same ledgers", after=6)
    yield Commit("d", ("a", "b"), 4400, 700)
    yield BRANCHES.ends("d")
    yield BRANCHES.joins()
    yield Bind("report", "One rounding difference, nothing missing.", kind="output", after=4)
    yield Commit("report", ("a", "b", "c", "d"), 2700, 300, truth={"report.md": "One issue.\n"})
    yield done(4, "output report = session: clerk")
    yield End("completed")


def _at_the_second_try(branch: str, value: str, fresh: int) -> Iterator[Step]:
    yield BRANCHES.begins(branch, after=1)
    yield BRANCHES.fails(branch, BUSY, after=3)
    yield BRANCHES.retries(branch, 2, 3, after=2)
    yield Bind(branch, value, after=4)
    yield Commit(branch, ("accounts",), fresh)
    yield BRANCHES.ends(branch)


NIGHTLY_AUDIT = Script("nightly-audit", SOURCE, audit)
QUIET_EVENTS = 12
"""Rows after which a and b are done, c has only a value, and d has nothing."""
