"""The two runs of the pictures: one by the order of its events, one by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from inspector.model.run import Run, RunKind, Tokens
from inspector.model.status import Status
from inspector.model.step import Attempt, Event, StepKind
from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.query.view import RunView, Tab
from tests.ui.run.fakes import (
    COMPLETED,
    FAILED,
    PENDING,
    RUNNING,
    WAITING,
    FakeReader,
    Part,
    RunFeed,
    run_of,
    store_of,
    view_of,
)

ZONE = "Etc/GMT-1"
"""Which is an hour before UTC."""
AS_OF = int(datetime(2026, 1, 16, 13, 32, 7, tzinfo=UTC).timestamp() * 1000)
NOW = AS_OF + 600

STATEMENT, PARALLEL, BRANCH = StepKind.STATEMENT, StepKind.PARALLEL, StepKind.BRANCH
LOOP, ITERATION = StepKind.LOOP, StepKind.ITERATION

RESEARCH = run_of(findings=("‹b› fact-checker failed twice and its parallel has not joined",))
RESEARCH_TABS = (
    Tab("timeline", "Timeline"),
    Tab("values", "Values", 14),
    Tab("receipts", "Receipts", 31, "ok"),
    Tab("agents", "Agents", 2),
    Tab("world_models", "World model", 5),
    Tab("source", "Source"),
    Tab("raw", "Raw"),
)
EVENTS = 38


def _branches(parent: int, *spans: tuple[str, str, int, int]) -> list[Part]:
    return [
        Part(BRANCH, label, COMPLETED, first, last, parent, name)
        for name, label, first, last in spans
    ]


def _round(number: int, first: int, last: int) -> list[Part]:
    """A finished round of the loop, whose number of the parallel is 6, 11, 16."""
    around = 6 + 5 * (number - 1)
    return [
        Part(ITERATION, "", COMPLETED, first, last, 5, number),
        Part(PARALLEL, "draft", COMPLETED, first, last, around, "p2"),
        *_branches(
            around + 1,
            ("a", "critic", first, first + 2),
            ("b", "fact-checker", first + 1, first + 2),
            ("c", "stylist", first + 2, last),
        ),
    ]


ERROR = "Connection timeout after 30s\ncalling search.fetch"
TRIES = (
    Attempt(1, FAILED, "failed", "HTTP 503", 30, 30),
    Attempt(2, FAILED, "failed", "timeout", 36, 36),
)
RESEARCH_PARTS = [
    Part(STATEMENT, "input question", COMPLETED, 1, 1, ref={"statement_index": 1}),
    Part(PARALLEL, "gather", COMPLETED, 2, 12, segment="p1", ref={"statement_index": 2}),
    *_branches(
        1, ("a", "literature", 2, 8), ("b", "measurements", 3, 10), ("c", "counterpoints", 4, 11)
    ),
    Part(LOOP, "loop until complete", RUNNING, 13, 38, of=5, ref={"statement_index": 3}),
    *_round(1, 13, 19),
    *_round(2, 20, 26),
    Part(ITERATION, "", RUNNING, 27, 38, 5, 3),
    Part(PARALLEL, "draft", RUNNING, 27, 38, 16, "p2"),
    Part(BRANCH, "critic", COMPLETED, 27, 30, 17, "a"),
    Part(
        BRANCH,
        "fact-checker",
        FAILED,
        30,
        36,
        17,
        "b",
        error=ERROR,
        most=3,
        attempts=TRIES,
        ref={"statement_index": 3, "frame": 3, "depth": 1, "branch": "b"},
    ),
    Part(BRANCH, "stylist", RUNNING, 33, 38, 17, "c"),
]
OWNERS = {12: 1, 19: 6, 26: 11, 30: 19, 36: 19}
FACT_CHECKER = 19


def _at(part: Part, event: int) -> Part:
    """A step as the record told it after so many events."""
    if part.last <= event:
        return part
    return replace(
        part, status=RUNNING, raw="started", last=event, error=None, attempts=(), most=None
    )


def research(at: int | None = None) -> RunView:
    """The run by order, after so many events."""
    event = EVENTS if at is None else min(at, EVENTS)
    parts = [_at(part, event) for part in RESEARCH_PARTS if part.first <= event]
    return view_of(
        RESEARCH,
        parts,
        EVENTS,
        at=event,
        owners=OWNERS,
        failures=(30, 36),
        tabs=RESEARCH_TABS,
        as_of=AS_OF,
    )


def text(name: str, scope: str, kind: str, size: int, shown: str, origin: str, row: int) -> Value:
    whole = shown if shown[:1] == "{" or "…" not in shown else None
    return Value(name, scope, kind, "text", size, whole, shown, 0, origin, None, None, row)


def attached(name: str, size: int, verdict: AttachmentVerdict, origin: str, row: int) -> Value:
    attachment = Attachment(f"attachments/{name}.md", verdict, size)
    return Value(name, "root", "let", "text", 90, None, "", 0, origin, None, attachment, row)


OK, MISSING = AttachmentVerdict.OK, AttachmentVerdict.MISSING
SCORE = (
    '{"score": 0.71, "sources": ["tide gauge series, 1954 to 2019", "shelf model, run 12"], '
    '"verdict": "supported, with one open question"}'
)
SECRET = "Bearer " + "t0k3n" * 6 + "abc"
RESEARCH_VALUES = (
    text("question", "root", "input", 12, "How do tides…", "1 input question", 1),
    text("audience", "root", "input", 9, "general", "1 input question", 2),
    attached("literature", 212_000, OK, "2 gather ‹a›", 3),
    attached("measurements", 31_000, OK, "2 gather ‹b›", 4),
    attached("counterpoints", 4_000, MISSING, "2 gather ‹c›", 5),
    attached("findings", 847_000, OK, "2 gather", 6),
    text("result", "frame 3 ‹b›", "let", 4_118, SCORE, "3 ↻[2] ‹b›", 7),
    text("result", "root", "let", 3_020, '{"score": 0.64, "sources": [1]}', "3 ↻[2]", 8),
    text("result", "root", "let", 3_010, '{"score": 0.58, "sources": [1]}', "3 ↻[1]", 9),
    text("api_key", "root", "const", 40, SECRET, "1 input question", 10),
    text(
        "draft",
        "frame 3 ‹a›",
        "let",
        9_000,
        "# Tides and the shelf\n\nA tide…",
        "3 ↻[3] ‹a›",
        11,
    ),
)
NOT_SET = Value("result", "root", None, "null", 0, None, "")
HERE = (
    text("question", "root", "input", 12, "How do…", "1 input question", 1),
    attached("findings", 847_000, OK, "2 gather", 6),
    NOT_SET,
)


def research_feed() -> RunFeed:
    """The run by order, with what its reader answers."""
    reader = FakeReader(research)
    reader.values_by_scope = {None: RESEARCH_VALUES, "root": RESEARCH_VALUES[:6]}
    reader.whole = RESEARCH_VALUES
    view = research()
    reader.contexts = {
        view.steps.path(FACT_CHECKER): {"values": HERE},
        view.steps.path(6): {"values": HERE[:2]},
    }
    return RunFeed(research, reader)


START = AS_OF - 542_000
TRIAGE = replace(
    run_of(
        "support-triage",
        "r-7f2c",
        WAITING,
        store=store_of("prism", "8"),
        findings=("approval for refund expires in 12m; nothing else can continue before it",),
        session="s-41",
        started_at=START,
        order_only=False,
        tokens=Tokens(total=19_200),
        cost={"USD": "0.14"},
    ),
    kind=RunKind.AGENT,
)
TRIAGE_TABS = (
    Tab("timeline", "Timeline"),
    Tab("values", "Values", 9),
    Tab("usage", "Usage", None, "19.2k"),
    Tab("agents", "Agents", 3),
    Tab("checkpoints", "Checkpoints", 4),
    Tab("raw", "Raw"),
)
SEGMENT, TURN = StepKind.SEGMENT, StepKind.TURN
CALL, TOOL = StepKind.MODEL_CALL, StepKind.TOOL_CALL


def _timed(
    kind: StepKind,
    label: str,
    parent: int,
    begin: float,
    end: float | None,
    *,
    tokens: int | None = None,
    status: Status = COMPLETED,
    **given: Any,
) -> Part:
    """A step by seconds since the start."""
    ref = {"tokens": tokens} if tokens is not None else {}
    ref |= given.pop("ref", {})
    return Part(
        kind,
        label,
        status,
        parent=parent,
        started=START + int(begin * 1000),
        ended=None if end is None else START + int(end * 1000),
        ref=ref,
        **given,
    )


INVOICE_TRIES = (
    Attempt(1, FAILED, "error", "HTTP 502"),
    Attempt(2, COMPLETED, "finished"),
)
_TRIAGE_STEPS = (
    _timed(SEGMENT, "segment 1", -1, 0, 63.4, tokens=15_800),
    _timed(TURN, "turn 1", 0, 0, 19.3, tokens=4_100),
    _timed(CALL, "model call", 1, 0, 6.9, tokens=3_300),
    _timed(TOOL, "search_tickets", 1, 6.9, 13.1),
    _timed(TOOL, "fetch_customer", 1, 6.9, 10.0),
    _timed(CALL, "model call", 1, 13.1, 19.3, tokens=800),
    _timed(TURN, "turn 2", 0, 19.3, 41.7, tokens=6_200),
    _timed(CALL, "model call", 6, 19.3, 28.6, tokens=4_900),
    _timed(TOOL, "fetch_invoice", 6, 28.1, 33.6, status=FAILED, error="HTTP 502"),
    _timed(TOOL, "fetch_invoice", 6, 33.9, 37.0, attempts=INVOICE_TRIES),
    _timed(CALL, "model call", 6, 36.9, 41.7, tokens=1_300),
    _timed(TURN, "turn 3", 0, 41.7, 63.4, tokens=5_500),
    _timed(CALL, "model call", 11, 41.7, 53.4, tokens=5_500),
    _timed(TOOL, "policy_lookup", 11, 52.4, 57.9),
    _timed(TOOL, "draft_reply", 11, 52.2, 63.4),
    _timed(
        SEGMENT, "segment 2", -1, 520, None, tokens=3_400, status=WAITING, ref={"note": "resumed"}
    ),
    _timed(TURN, "turn 4", 15, 520, None, tokens=3_400, status=WAITING),
    _timed(CALL, "model call", 16, 520, 529.3, tokens=3_400),
    _timed(
        TOOL,
        "refund",
        16,
        530.204,
        None,
        status=WAITING,
        raw="suspended",
        ref={
            "note": "approval",
            "status_note": "for a person, expires in 12m",
            "row": "prism_tool_calls 44",
            "sequence": 61,
        },
    ),
)
TRIAGE_EVENTS = 61
REFUND = 18
_FIRSTS = (1, 2, 3, 5, 6, 9, 12, 13, 17, 20, 24, 27, 28, 33, 34, 41, 42, 43, 50)
_LASTS = (40, 11, 4, 8, 7, 10, 26, 16, 19, 23, 25, 39, 32, 35, 38, 61, 61, 49, 61)
TRIAGE_PARTS = [
    replace(part, first=first, last=last)
    for part, first, last in zip(_TRIAGE_STEPS, _FIRSTS, _LASTS, strict=True)
]
RELATED = {
    "asked with": (
        {
            "order": '"A-20417"',
            "amount": '"120.00"',
            "currency": '"EUR"',
            "reason": '"damaged in transit"',
        },
    ),
    "approval": (
        {
            "id": "ap-19",
            "requested": "14:31:56.010",
            "deadline": "14:44:00.000",
            "answer": "none yet",
        },
    ),
    "checkpoint": ({"id": "cp-4", "size": "18 KB", "integrity": "✓ digest matches"},),
}


def triage(at: int | None = None) -> RunView:
    """The run by time, after so many events."""
    event = TRIAGE_EVENTS if at is None else min(at, TRIAGE_EVENTS)
    parts = []
    for part in TRIAGE_PARTS:
        if part.first <= event:
            over = part.last <= event
            parts.append(
                part if over else replace(part, status=RUNNING, last=event, ended=None, error=None)
            )
    return view_of(
        TRIAGE,
        parts,
        TRIAGE_EVENTS,
        at=event,
        failures=(19,),
        tabs=TRIAGE_TABS,
        as_of=AS_OF,
    )


def triage_feed() -> RunFeed:
    """The run by time, with what its reader answers."""
    reader = FakeReader(triage)
    path = triage().steps.path(REFUND)
    reader.contexts = {
        path: {"related": RELATED, "events": (Event(61, 61, "tool", None, None, None, "", {}),)}
    }
    return RunFeed(triage, reader)


def both() -> Sequence[Run]:
    """The runs, for the list."""
    return RESEARCH, TRIAGE


__all__ = ["PENDING", "RESEARCH", "TRIAGE", "research", "research_feed", "triage", "triage_feed"]
