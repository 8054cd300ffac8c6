"""The cost of reads in SQLite VM steps grows at most linearly."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import pytest

from inspector.query.prism.catalog import Catalog, changes_query
from inspector.query.prism.sessions import branch_records, entry_records
from inspector.query.prism.timeline import LoadRequest, Timeline, load_query, page_query
from inspector.query.tables import read_tables
from tests.query.prism.builders import at, history, schema

STEPS = 1000


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """A database in memory: no file, no lock."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for sql in schema():
            connection.execute(sql)
        for sql, values in history():
            connection.execute(sql, values)
        connection.execute(
            "INSERT INTO prism_sessions (id, created_at, updated_at) VALUES ('s1', '', '')"
        )
        yield connection


def cost_of(connection: sqlite3.Connection, question: Callable[[sqlite3.Connection], Any]) -> int:
    """Steps of SQLite's machine, in thousands."""
    ticks = 0

    def tick() -> int:
        nonlocal ticks
        ticks += 1
        return 0

    connection.set_progress_handler(tick, STEPS)
    question(connection)
    connection.set_progress_handler(None, 0)
    return ticks


def add_chain(connection: sqlite3.Connection, count: int) -> None:
    connection.execute(
        "INSERT INTO prism_session_entries (id, session_id, parent_id, run_id, timestamp, kind,"
        " message) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)"
        " SELECT 'e' || i, 's1', CASE WHEN i THEN 'e' || (i - 1) END, 'r1', printf('%09d', i),"
        """ 'message', '{"role":"user","content":[{"type":"text","text":"lorem"}]}' FROM n""",
        (count,),
    )


def add_runs(connection: sqlite3.Connection, count: int) -> None:
    connection.executemany(
        "INSERT INTO prism_runs (id, session_id, status, started_at, model) VALUES"
        " (?, 's1', ?, ?, '{}')",
        ((f"r{n}", "suspended" if n % 9 == 0 else "running", at(n)) for n in range(count)),
    )
    connection.executemany(
        "INSERT INTO prism_agent_events (id, session_id, run_id, sequence, type, timestamp, event,"
        " redacted) VALUES (?, 's1', ?, ?, 'turn_started', ?, '{}', 0)",
        ((f"e{n}-{m}", f"r{n}", m, at(n + m)) for n in range(count) for m in range(3)),
    )
    connection.executemany(
        "INSERT INTO prism_usage (id, session_id, run_id, scope, usage, recorded_at) VALUES"
        " (?, 's1', ?, 'provider_turn', '{\"inputTokens\": 1}', '')",
        ((f"u{n}", f"r{n}") for n in range(count)),
    )


@pytest.mark.parametrize(
    ("what", "counts"), [("branches", (10_000, 100_000)), ("entries", (2_000, 20_000))]
)
def test_the_transcript_of_ten_times_the_entries_costs_ten_times_as_much(
    what: str, counts: tuple[int, int]
) -> None:
    costs = []
    for count in counts:
        with database() as connection:
            add_chain(connection, count)
            costs.append(cost_of(connection, QUESTIONS[what]))
    small, large = costs
    print(f"\n{what}: {small}k steps at {counts[0]:,} entries, {large}k at {counts[1]:,}")
    assert large < 12 * small


QUESTIONS: dict[str, Callable[[sqlite3.Connection], Any]] = {
    "branches": lambda one: branch_records(one, read_tables(one), ["s1"]),
    "entries": lambda one: entry_records(one, read_tables(one), "s1"),
}


@pytest.mark.parametrize("changed", [False, True])
def test_the_list_of_ten_times_the_runs_costs_ten_times_as_much(changed: bool) -> None:
    costs = []
    for count in (500, 5000):
        with database() as connection:
            add_runs(connection, count)
            catalog = Catalog("/prism.db")
            question = changes_query(catalog.known())
            if changed:
                catalog.merge(question(connection))
                connection.execute(
                    "INSERT INTO prism_agent_events (id, session_id, run_id, sequence, type,"
                    " timestamp, event, redacted)"
                    " VALUES ('new', 's1', 'r1', 99, 'error', '', '{}', 0)"
                )
                question = changes_query(catalog.known())
            costs.append(cost_of(connection, partial(_ask, question)))
    small, large = costs
    print(f"\nlist ({'one event more' if changed else 'first look'}): {small}k steps of 500 runs,"
          f" {large}k of 5,000")  # fmt: skip
    assert large < 13 * max(small, 1)


@pytest.mark.parametrize("what", ["list", "run"])
def test_one_event_more_costs_the_same_however_many_there_were(what: str) -> None:
    costs = []
    for count in (2_000, 20_000):
        with database() as connection:
            add_runs(connection, 20)
            add_events(connection, "r1", 100, count)
            question = _second_list(connection) if what == "list" else _second_look(connection)
            add_events(connection, "r1", 100 + count, 1)
            costs.append(cost_of(connection, partial(_ask, question)))
    small, large = costs
    print(f"\n{what}: {small}k steps after 2,000 events, {large}k after 20,000")
    assert large <= small + 2


def add_events(connection: sqlite3.Connection, run: str, first: int, count: int) -> None:
    connection.executemany(
        "INSERT INTO prism_agent_events (id, session_id, run_id, sequence, type, timestamp, event,"
        " redacted) VALUES (?, 's1', ?, ?, 'message_delta', ?, '{}', 0)",
        ((f"x{run}-{n}", run, n, at(n)) for n in range(first, first + count)),
    )


def _second_list(connection: sqlite3.Connection) -> Callable[[sqlite3.Connection], Any]:
    catalog = Catalog("/prism.db")
    catalog.merge(changes_query(catalog.known())(connection))
    return changes_query(catalog.known())


def _second_look(connection: sqlite3.Connection) -> Callable[[sqlite3.Connection], Any]:
    timeline = Timeline()
    first = load_query(LoadRequest("r1", timeline))(connection)
    timeline.append(first.page.rows)
    if first.page.more:
        after = page_query("r1", timeline.last, first.layout, False)(connection)
        timeline.append(after.rows)
    return load_query(LoadRequest("r1", timeline, first.layout, "asked", "s1"))


def _ask(question: Callable[[sqlite3.Connection], Any], connection: sqlite3.Connection) -> None:
    question(connection)
