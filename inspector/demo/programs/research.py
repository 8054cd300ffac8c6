"""deep-research: a parallel, a loop that drafts and reviews, a branch that fails and recovers."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.demo.language import Bind, Commit, End, Remember, Script, Step
from inspector.demo.shapes import Loop, Parallel, done

QUESTION = "How do tides shape estuaries?"
FINDINGS_BYTES = 847_000
LINE = "- station {n:05d}: high water {high} cm, low water {low} cm, silt {silt} mg/l\n"

SOURCE = """---
name: deep-research
kind: function
---

# Deep research

Reads widely, drafts, and lets three reviewers argue until the draft is complete.

### Requires

- `question`: what to find out

### Returns

- `report`: the answer, with every claim checked

### Execution

```prose
input question

parallel:  # gather
  literature = session: researcher
  measurements = session: researcher
  counterpoints = session: researcher

loop until **complete** (max: 5):
  parallel:  # draft
    critic = session: critic
    fact-checker = session: checker (retry: 2)
    stylist = session: stylist
  let draft = session: writer

output report = draft
```
"""

SOURCES = ("literature", "measurements", "counterpoints")
NOTES = tuple(f"gather.{name}" for name in SOURCES)
GATHER = Parallel(2, "gather", *SOURCES)
REVIEW = Parallel(4, "draft", "critic", "fact-checker", "stylist")
UNTIL_COMPLETE = Loop(3, "l1", "loop until **complete** (max: 5)", most=5, condition="**complete**")


def findings() -> str:
    """A table of measurements, too large for a row."""
    table = "".join(
        LINE.format(n=n, high=310 + n * 7 % 90, low=40 + n * 3 % 50, silt=n * 13 % 97)
        for n in range(1, 101)
    )
    whole = "# Findings\n\n" + table * (FINDINGS_BYTES // len(table) + 1)
    return whole[: FINDINGS_BYTES - 1] + "\n"


def gather() -> Iterator[Step]:
    """Three searches side by side; one finds more than fits into a row."""
    yield done(1, "input question", after=1)
    yield Bind("question", QUESTION, kind="input", source="input question")
    yield Commit("question", cause="external", truth={"question.md": QUESTION + "\n"})
    yield GATHER.starts(after=2)
    for name in SOURCES:
        yield GATHER.begins(name, label=name)
    yield done(21, 'session "search the library"', under="literature", after=5)
    yield done(22, 'session "read the tide gauges"', under="measurements", after=4)
    for name, fresh in zip(SOURCES, (8120, 10100, 5630), strict=True):
        yield Bind(name, f"{name}: notes from the search", source=f"{name} = session: researcher")
        truth = {f"{name}.md": f"Notes on {name}.\n"}
        yield Commit(f"gather.{name}", ("question",), fresh, 600, truth=truth, facets=("notes",))
        yield GATHER.ends(name, after=6)
    yield GATHER.joins(after=0.5)
    yield Commit("outline", NOTES, 2200, 900)
    yield Bind(
        "findings",
        "4 measuring campaigns, 31 stations; see the attachment",
        attachment="attachments/findings.md",
        content=findings(),
    )


def unchanged() -> Iterator[Step]:
    """Nodes that a round wakes and whose inputs have not moved."""
    yield Commit("question", reused=40, cause="external", status="skipped")
    for node in NOTES:
        yield Commit(node, ("question",), reused=150, status="skipped")
    yield Commit("outline", NOTES, reused=210, status="skipped")


def review(number: int) -> Iterator[Step]:
    """A round in which all three reviewers come back at the first try."""
    yield REVIEW.starts(after=2)
    yield Bind("critic", f"round {number}: the second claim needs a source", after=4)
    yield _reviewed("critic", 1500)
    yield REVIEW.ends("critic")
    yield Bind("fact-checker", f"round {number}: 17 of 19 claims hold", after=5)
    yield _reviewed("fact-checker", 1900)
    yield REVIEW.ends("fact-checker")
    yield Bind("stylist", f"round {number}: shorter sentences", after=3)
    yield _reviewed("stylist", 700)
    yield REVIEW.ends("stylist")
    yield REVIEW.joins()
    yield from unchanged()
    yield from write(number)
    yield UNTIL_COMPLETE.round(number)


def write(number: int) -> Iterator[Step]:
    """The writer takes the reviews in."""
    yield Bind("draft", f"Draft {number}: tides sort silt by weight …", after=6)
    truth = {"draft.md": f"Draft {number}.\n", "claims.json": f'{{"checked": {15 + number}}}'}
    reviewers = ("review.critic", "review.fact-checker", "review.stylist")
    yield Commit("draft", reviewers, 2400, 1100, truth=truth, facets=("claims", "text"))
    yield Commit("draft", ("draft",), status="skipped", cause="self")
    yield done(5, "let draft = session: writer", after=1)


def hard_review() -> Iterator[Step]:
    """Round 3: the fact checker cannot reach its sources, twice."""
    yield REVIEW.starts(after=2)
    yield REVIEW.begins("critic", after=1)
    yield REVIEW.begins("fact-checker", after=0.5)
    yield _failed_check("HTTP 503", 310)
    yield REVIEW.fails("fact-checker", "HTTP 503", after=3)
    yield Bind("critic", "round 3: the last section repeats the first", after=1)
    yield _reviewed("critic", 1500)
    yield REVIEW.ends("critic")
    yield REVIEW.retries("fact-checker", 2, 3, after=1)
    yield REVIEW.begins("stylist", label="stylist")
    yield done(41, 'session "read the house style"', under="stylist", after=2)
    yield done(42, 'session "mark the passive voice"', under="stylist", after=2)
    yield _failed_check("Connection timeout after 30s", 490)
    yield REVIEW.fails(
        "fact-checker", "Connection timeout after 30s\ncalling search.fetch", after=6
    )
    yield done(43, 'session "shorten openings"', under="stylist", after=2)
    yield done(44, 'session "read aloud"', under="stylist", after=2)
    for node in NOTES:
        yield Commit(node, ("question",), reused=150, status="skipped")


def recovery() -> Iterator[Step]:
    """The third attempt of round 3 succeeds, and the round ends."""
    yield REVIEW.retries("fact-checker", 3, 3, after=5)
    yield Bind("stylist", "round 3: two openings rewritten", after=2)
    yield _reviewed("stylist", 900)
    yield REVIEW.ends("stylist")
    yield Bind("fact-checker", "round 3: 19 of 19 claims hold", after=7)
    yield _reviewed("fact-checker", 2300)
    yield REVIEW.ends("fact-checker")
    yield REVIEW.joins()
    yield from write(3)
    yield UNTIL_COMPLETE.round(3)


def research() -> Iterator[Step]:
    """A whole run."""
    yield from gather()
    yield UNTIL_COMPLETE.starts()
    yield Remember("critic", "- doubts round numbers", "review draft 1", "asked for one source")
    yield from review(1)
    yield Remember(
        "critic", "- doubts round numbers\n- likes tables", "review draft 2", "asked for a table"
    )
    yield from review(2)
    yield Remember("writer", "- writes short", "draft 2", "took in both reviews")
    yield from hard_review()
    yield from recovery()
    yield from review(4)
    yield UNTIL_COMPLETE.exits(4, "complete")
    yield Bind("report", "Tides sort silt by weight, and the estuary keeps the record.", "output")
    yield done(6, "output report = draft", after=2)
    yield End("completed", after=0.5)


def _reviewed(name: str, fresh: int) -> Commit:
    return Commit(f"review.{name}", ("draft", *NOTES), fresh)


def _failed_check(reason: str, fresh: int) -> Commit:
    return Commit(
        "review.fact-checker",
        ("draft", "gather.literature"),
        fresh,
        status="failed",
        diff={"failure_reason": reason},
    )


DEEP_RESEARCH = Script("deep-research", SOURCE, research)
LIVE_EVENTS = 38
"""Rows after which the fact checker has failed twice and its parallel has not joined."""
