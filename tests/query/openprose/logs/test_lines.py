"""What one line says, and that a marker stays one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.status import Status
from inspector.query.openprose.logs.lines import Verb, read_line
from tests.query.openprose.logs.shapes import LINES


@pytest.mark.parametrize(
    ("line", "name", "status", "recorded", "error", "note"),
    [
        ("1→ [input] q ✓", "[input] q", "completed", "✓", None, None),
        ("2-> node ✓ rendered", "node", "completed", "✓ rendered", None, None),
        ("2→ node ∅ skipped", "node", "skipped", "∅ skipped", None, None),
        ("7→ w ⊘ deferred (no tool)", "w", "skipped", "⊘ deferred", None, "no tool"),
        ("3→ n ✗ no-key (late; asked)", "n", "failed", "✗ no-key", "no-key", "late; asked"),
        ("3→ n ✗ (late)", "n", "failed", "✗", "late", "late"),
        ("5→ ✗ timeout", "", "failed", "✗ timeout", "timeout", None),
        ("5→ ✓", "", "completed", "✓", None, None),
        ("5→ lead (scope) ✓ (ok ✗ not)", "lead (scope)", "completed", "✓", None, "ok ✗ not"),
        ("4→ s ⟳ (resumed)", "s", "running", "⟳", None, "resumed"),
        ("4→ [eval] a ✓ b ⇒ c ✗", "[eval] a ✓ b ⇒ c", "failed", "✗", None, None),
        ("4→ commit:x aa11", "commit:x aa11", "unknown", None, None, None),
        ("4→ half (never closed ✓", "half (never closed", "completed", "✓", None, None),
        ("4→ done ✅", "done", "completed", "✅", None, None),
        ("12→", "", "unknown", None, None, None),
    ],
)
def test_statements(
    line: str, name: str, status: str, recorded: str | None, error: str | None, note: str | None
) -> None:
    marker = read_line(line)
    assert marker is not None and marker.verb is Verb.STATEMENT
    said = (marker.name, marker.status.value, marker.recorded, marker.error, marker.note)
    assert said == (name, status, recorded, error, note)


@pytest.mark.parametrize(
    "line",
    [
        "", "---", "----------", "--- a/file", "# vm.log", "## Phase 1", "- 1. a list ✓", "✓ good",
        "2026-05-12 → 2026-05-26 is the window", "tool → other (linear)", "1. research ✓", "12",
        "- q1 answered 500; 4→ failed", "#1 done", "a→ b ✓",
    ],
)  # fmt: skip
def test_notes(line: str) -> None:
    assert read_line(line) is None


@pytest.mark.parametrize(
    ("line", "verb", "names"),
    [
        ("3→ ∥start a,b", Verb.PARALLEL, ("a", "b")),
        ("3-> ∥ start a, b , c", Verb.PARALLEL, ("a", "b", "c")),
        ("3→ ∥start [a b]", Verb.PARALLEL, ("a", "b")),
        ("3→ ∥start a,b (two of them)", Verb.PARALLEL, ("a", "b")),
        ("3→ ∥start lead (x),lead (y)", Verb.PARALLEL, ("lead (x)", "lead (y)")),
        ("3→ ∥start", Verb.PARALLEL, ()),
        ("3→ ∥sta", Verb.PARALLEL, ()),
        ("3→ ∥done", Verb.JOIN, ()),
        ("3→ ∥done (spent $1)", Verb.JOIN, ()),
        ("∥ [a b c] done", Verb.JOIN, ("a", "b", "c")),
        ("3→ ∥ [a, b] ✓", Verb.JOIN, ("a", "b")),
        ("3→ ∥ ✗ broke", Verb.JOIN, ()),
    ],
)
def test_parallels(line: str, verb: Verb, names: tuple[str, ...]) -> None:
    marker = read_line(line)
    assert marker is not None and (marker.verb, marker.names) == (verb, names)


@pytest.mark.parametrize(
    ("line", "verb", "number", "most", "note"),
    [
        ("5→ loop:2/50", Verb.LOOP, 2, 50, None),
        ("5→ loop:2", Verb.LOOP, 2, None, None),
        ("5→ loop:2/∞", Verb.LOOP, 2, None, None),
        ("loop:2/5 exit", Verb.EXIT, 2, 5, None),
        ("3→ loop:2/5 exit(**complete (really)**)", Verb.EXIT, 2, 5, "**complete (really)**"),
        ("5→ retry:2/3", Verb.RETRY, 2, 3, None),
        ("5→ retry:2", Verb.RETRY, 2, None, None),
    ],
)
def test_rounds(line: str, verb: Verb, number: int, most: int | None, note: str | None) -> None:
    marker = read_line(line)
    assert marker is not None
    assert (marker.verb, marker.number, marker.most, marker.note) == (verb, number, most, note)


def test_blocks() -> None:
    begun, inner = read_line("4→ block:make#43 TASK-1"), read_line("4→ #43 child ✓")
    over, nested = read_line("4→ #43 done BASE"), read_line("4→ #43 block:make#44 x")
    assert begun and (begun.verb, begun.name, begun.scope) == (Verb.BLOCK, "make", "43")
    assert begun.note == "TASK-1" and begun.within is None
    assert inner and (inner.verb, inner.within, inner.name) == (Verb.STATEMENT, "43", "child")
    assert over and (over.verb, over.within, over.name) == (Verb.DONE, "43", "BASE")
    assert nested and (nested.scope, nested.within) == ("44", "43")


def test_delegates() -> None:
    asked, answered = read_line("4→ s ⇒ syn (delegate: r-1)"), read_line("4→   syn ✓")
    assert asked and (asked.status, asked.target, asked.delegate) == (Status.WAITING, "syn", "r-1")
    assert answered and answered.indented and answered.name == "syn"
    plain = read_line("4→ syn ✓")
    assert plain and not plain.indented


@pytest.mark.parametrize(
    ("line", "word", "status", "at", "note", "error"),
    [
        ("---end 2026-01-15T14:35:22Z", "end", "completed", "2026-01-15T14:35:22Z", None, None),
        ("---end 2026-01-15T14:35:22Z (partial: x)", "end", "completed", "2026-01-15T14:35:22Z",
         "partial: x", None),
        ("---error 2026-01-15T14:35:22Z a.B (late)", "error", "failed", "2026-01-15T14:35:22Z",
         "a.B (late)", "a.B"),
        ("---error: out of money", "error", "failed", None, "out of money", "out of money"),
        ("---END", "end", "completed", None, None, None),
        ("---resume 2026-01-15 (why)", "resume", "unknown", "2026-01-15", "why", None),
        ("---test FAIL (1/2 assertions)", "test", "failed", None, "FAIL (1/2 assertions)",
         "1/2 assertions"),
        ("---test PASSED", "test", "completed", None, "PASSED", None),
        ("---pause", "pause", "unknown", None, None, None),
    ],
)  # fmt: skip
def test_run_lines(
    line: str, word: str, status: str, at: str | None, note: str | None, error: str | None
) -> None:
    marker = read_line(line)
    assert marker is not None and marker.verb is Verb.RUN
    said = (marker.name, marker.status.value, marker.at, marker.note or None, marker.error)
    assert said == (word, status, at, note, error)


@given(st.one_of(LINES, st.text()), st.text())
def test_a_marker_stays_one_whatever_is_added(line: str, more: str) -> None:
    if read_line(line) is not None:
        assert read_line(line + more) is not None


@given(st.text(alphabet="0123→->∥#/:()✓✗⇒ loopretyblckdnsta[]", max_size=60))
def test_no_line_breaks_it(line: str) -> None:
    read_line(line)
    read_line(f"1→ {line}")


def test_a_hostile_line_costs_no_more_than_its_length() -> None:
    for part in ("#1 ", "(", "✓", "∥[", "loop:1/", "a,", "[eval] (✓"):
        marker = read_line("1→ " + part * (60_000 // len(part)))
        assert marker is not None and len(marker.name) <= 1000 and len(marker.names) <= 1000
