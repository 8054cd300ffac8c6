"""Logs as agents write them: whole ones by name, and arbitrary lines for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

HEADER = "# run:20260404-090000-5e5e05 tide-report\nroot: reports/tide\n\n"

ELDER = """# run:20260115-143052-a7b3c9 feature.prose

1→ research ✓
2→ ∥start a,b,c
2a→ a ✓
2b→ b ✓
2c→ c ✓
2→ ∥done
3→ loop:1/5
3→ synthesis ✓
3→ loop:2/5 exit(**complete**)
4→ block:process#43 chunk 7
4→ #43 split ✓
4→ #43 block:process#44 chunk 7.1
4→ #44 split ✓
4→ #44 done
4→ #43 done BASE_CASE
5→ ✗ timeout
5→ retry:2/3
5→ ✓
---end 2026-01-15T14:35:22Z
"""

DELEGATED = """# run:20260317-143052-a7b3c9 deep-research
upstream: [20260306-112233-f4a5b6, 20260306-112234-f4a5b7]
root: research/deep-research

1→ [input] question ✓
2→ researcher ∅ skipped
4→ server ⇒ synthesizer (delegate: req-001)
4→   synthesizer ✓
4→ server ⟳ (resumed)
4→ server ✓ rendered
5→ [eval] answer ⇒ cites ✓ two sources ✓
5→ [eval] is short ✗
---test FAIL (1/2 assertions)
---end 2026-03-17T14:35:22Z
"""

ALL = {"elder": ELDER, "delegated": DELEGATED}


def among(words: str) -> st.SearchStrategy[str]:
    """One of these words, which stand between bars."""
    return st.sampled_from(words.split("|"))


_NAMES = among("a|b|writer|lead (scope)|[input] q||x.y/z|#7|∥")
_SIGNS = among(
    "| ✓| ✓ rendered| ✗| ✗ oops (why)| ⊘ deferred| ∅ skipped| ⇒ b (delegate: r1)| ⟳ (resumed)"
    "| (note ✓)"
)
_ARROWS = among("→|->|-->| →")
_PARALLELS = among(" ∥start a,b| ∥start| ∥done| ∥done (all)| ∥ [a b c] done| ∥ ✗ x| ∥a,b| ∥")
_LOOPS = st.builds(
    lambda number, most, tail: f" loop:{number}{most}{tail}",
    st.integers(0, 4),
    among("|/3|/5|/*"),
    among("|| exit| exit(done)| ✓"),
)
_INSIDE = st.builds(
    lambda number, body: f" #{number} {body}",
    st.integers(1, 3),
    among("done|done WORD|done ✗ bad|x ✓|block:make#2|loop:1/2|∥start a,b|∥done|retry:1/2|"),
)
_BODIES = st.one_of(
    st.builds(lambda name, sign: f" {name}{sign}", _NAMES, _SIGNS),
    st.builds(lambda name, sign: f"   {name}{sign}", _NAMES, _SIGNS),
    _PARALLELS,
    _LOOPS,
    _INSIDE,
    st.integers(1, 3).map(lambda number: f" block:make#{number} arg"),
    st.integers(0, 4).map(lambda attempt: f" retry:{attempt}/3"),
    st.text(max_size=12).map(lambda text: text.replace("\n", " ")),
)
_NUMBERED = st.builds(
    lambda number, letter, arrow, body: f"{number}{letter}{arrow}{body}",
    st.integers(1, 4),
    st.sampled_from(("", "", "", "a", "b", "c")),
    _ARROWS,
    _BODIES,
)
_RUN_LINES = among(
    "---end 2026-01-15T14:35:22Z|---end|---error 2026-01-15T14:35:22Z boom (late)|---test PASS"
    "|---resume 2026-01-16T00:00:00Z (why)|---test FAIL (1/2)|---pause"
)
_PROSE = st.one_of(
    among(
        "|---|# vm.log|- a note ✓|status: failed|∥ [a b] done|loop:2/5 exit|```|1. a list ✓"
        "|\ufeff|\r"
    ),
    st.text(max_size=20).map(lambda text: text.replace("\n", " ")),
)

LINES = st.one_of(_NUMBERED, _NUMBERED, _NUMBERED, _RUN_LINES, _PROSE)
"""One line, mostly a marker, some of them like those before."""
LOGS = st.lists(LINES, max_size=40)
