"""Lists of rows as hypothesis makes them: likely ones, odd ones, and cells of any type."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from inspector.query.openprose.events import Row
from tests.query.openprose.builders import (
    Cells,
    branch,
    cells,
    done,
    executing,
    exited,
    failed,
    joined,
    loop,
    parallel,
    retry,
    round_,
)

WORDS = (
    "pending", "executing", "completed", "failed", "skipped", "started", "joined", "iteration",
    "exited", "retry",
)  # fmt: skip
_KEYS = (
    "parallel_id", "branch", "branches", "loop_id", "iteration", "max", "max_iterations",
    "attempt", "max_retries", "retry_attempt", "current_iteration", "block", "depth",
    "condition", "reason", "strategy",
)  # fmt: skip
_NAMES = st.sampled_from(["a", "b", "p1", "p/1", "1", "", "?", 1, None, True, [1], 1.5])

_TEXTS = st.sampled_from(
    ["a", "b", "parallel:", "parallel:a", "parallel: b", "loop 3", "for x in y", "do blk",
     "block b", "repeat", "", None, b"\xff\x41", "parallel:a\nb", 5, 1.5, "x\x00y"]
)  # fmt: skip
_INDEXES = st.one_of(
    st.integers(1, 4),
    st.sampled_from([None, "1", "x", 1.0, 1.5, b"1", 2**62, -1, float("inf"), ""]),
)
_STATUSES = st.sampled_from([*WORDS, "Completed ", None, "", b"completed", 3, "odd"])
_INSTANTS = st.sampled_from(
    [None, None, None, "2026-01-01 00:00:00", "2026-01-01T00:00:05Z", "x", 5, b"z",
     "9999-01-01 00:00:00", "1970-01-01 00:00:00", 1_768_593_600_000, 1e300]
)  # fmt: skip
_PARENTS = st.one_of(
    st.none(), st.integers(-1, 14), st.sampled_from(["1", "x", 1.0, 2.5, b"2", 2**63 - 1, ""])
)
_METADATA: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.sampled_from(["", "{}", "{bad", "[1]", "null", "3", '{"x":NaN}', b"\xff", 7, 1.5,
                     "[" * 9000, '{"max":' + "9" * 5000 + "}"]),
    st.dictionaries(
        st.sampled_from(_KEYS),
        st.one_of(_NAMES, st.integers(-1, 4), st.lists(_NAMES, max_size=4)),
        max_size=5,
    ).map(json.dumps),
)  # fmt: skip

ODD = st.builds(
    Cells, _INDEXES, _TEXTS, _STATUSES, _INSTANTS, _INSTANTS,
    st.sampled_from([None, "", "it broke", b"\xff", 3]), _PARENTS, _METADATA,
)  # fmt: skip
"""Any cell of any row may hold anything."""

PLAIN = st.builds(
    cells,
    st.integers(1, 3),
    st.sampled_from(["completed", "failed", "executing", "pending"]),
    st.sampled_from(["a", "b"]),
)

LIKELY = st.one_of(
    PLAIN,
    st.sampled_from(
        [
            loop("l1", 3, 1), round_("l1", 1, 1), round_("l1", 2, 1), exited("l1", index=1),
            loop("l2", 2, 3, branch="b", parallel_id="p1"), round_("l2", 1, 3),
            parallel("p1", "a b", 2), branch("p1", "a", index=2), branch("p1", "b", "failed", 2),
            joined("p1", 2), parallel("p2", "b c", 3, branch="a"),
            loop("l3", 4, 1), round_("l3", 1, 1), round_("l3", 2, 1), exited("l3", index=1),
            done(4, loop_id="l3"), failed(1), retry(1, 2, 3),
            executing(2, "do x", block="x"), done(2, "do x"),
        ]
    ),
    st.builds(
        cells,
        st.integers(1, 3),
        st.sampled_from(["completed", "executing", "iteration", "started"]),
        st.sampled_from(["a", "do x", "loop"]),
        parent=st.integers(0, 14),
        loop_id=st.sampled_from(["l1", "l2"]),
    ),
    st.builds(executing, st.integers(1, 3), parent=st.integers(0, 14)),
    st.builds(
        cells,
        st.integers(1, 3),
        st.sampled_from(["completed", "failed", "executing", "pending"]),
        st.sampled_from(["a", "b", "do x"]),
        parent=st.integers(1, 6),
    ),
)  # fmt: skip
"""Rows that mean something to each other."""

_IDS = st.one_of(
    st.integers(-2, 20), st.sampled_from([None, "x", "y", "3", b"z", 1.0, 2.5, -(2**62), -(2**63)])
)


def _with_ids(described: list[Cells]) -> st.SearchStrategy[list[Row]]:
    ascending = st.just([(n, *one) for n, one in enumerate(described, 1)])
    count = len(described)
    odd = st.lists(_IDS, min_size=count, max_size=count).map(
        lambda ids: [(row, *one) for row, one in zip(ids, described, strict=True)]
    )
    return st.one_of(ascending, ascending, odd)


ANY_ROWS: st.SearchStrategy[list[Row]] = st.one_of(
    st.lists(st.one_of(ODD, LIKELY), max_size=14), st.lists(LIKELY, max_size=25)
).flatmap(_with_ids)
