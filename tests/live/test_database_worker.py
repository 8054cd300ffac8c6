"""A thread for a whole database: answers in order, gives up at once, leaves nothing behind."""

from __future__ import annotations

import queue
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.live.database_worker import CANCELLED, DatabaseWorker
from inspector.live.feed import Unavailable
from inspector.model.clock import system_clock
from inspector.query.ask_sql import CannotAnswer
from inspector.query.raw_database import RawDatabase
from inspector.query.raw_pages import Range, page_rows

MAKE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
connection.executemany("INSERT INTO t VALUES (?, 'x')", [(n,) for n in range(2000)])
connection.execute("CREATE VIEW endless AS WITH RECURSIVE c(x) AS"
    " (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS m FROM c")
connection.commit()
"""
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = tmp_path / "state.db"
    subprocess.run([sys.executable, "-c", MAKE, str(made)], check=True)
    return str(made)


@pytest.fixture
def worker(path: str) -> Iterator[DatabaseWorker]:
    worker = DatabaseWorker(path, system_clock())
    yield worker
    worker.stop()
    worker.join(10)


def test_answers_come_in_the_order_of_asking(worker: DatabaseWorker) -> None:
    answers: queue.Queue[Any] = queue.Queue()

    def ask(number: int) -> None:
        worker.ask(lambda database: (number, database.count_of("t")), answers.put)

    for number in range(20):
        ask(number)
    assert [answers.get(timeout=10) for _ in range(20)] == [(n, 2000) for n in range(20)]


def test_what_takes_long_is_given_up_and_the_next_is_answered(worker: DatabaseWorker) -> None:
    answers: queue.Queue[Any] = queue.Queue()
    began: queue.Queue[None] = queue.Queue()

    def ask_endlessly(database: RawDatabase) -> object:
        began.put(None)
        try:
            return database.sql(ENDLESS)
        except CannotAnswer as refusal:
            return refusal

    worker.ask(ask_endlessly, answers.put)
    worker.ask(lambda database: database.count_of("t"), answers.put)
    began.get(timeout=10)
    worker.cancel()
    assert "given up" in str(answers.get(timeout=4))
    assert answers.get(timeout=4) == 2000


def test_a_page_of_a_view_that_never_ends_is_given_up(worker: DatabaseWorker) -> None:
    answers: queue.Queue[Any] = queue.Queue()
    began: queue.Queue[None] = queue.Queue()

    def open_it(database: RawDatabase) -> object:
        began.put(None)
        return database.open("endless", page_rows)

    worker.ask(open_it, answers.put)
    began.get(timeout=10)
    worker.cancel()
    assert answers.get(timeout=10) == Unavailable(CANCELLED)


def test_a_table_that_is_replaced_by_another_has_no_further_page(
    path: str, worker: DatabaseWorker
) -> None:
    database = RawDatabase(path, system_clock())
    opened = database.open("t", page_rows)
    assert database.current_content() == opened.content
    assert len(opened.first.rows) == 128 and opened.first.more and opened.last
    other = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript("
    other += "'DROP VIEW endless; DROP TABLE t; CREATE TABLE t (z)')"
    subprocess.run([sys.executable, "-c", other, path], check=True)
    assert database.current_content() > opened.content
    assert database.page(opened.shape, Range(), 5) is None
    assert not database.open("t", page_rows).first.rows
    database.close()


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    worker = DatabaseWorker(str(tmp_path / "gone.db"), system_clock())
    answers: queue.Queue[Any] = queue.Queue()
    worker.ask(lambda database: database.names(), answers.put)
    found = answers.get(timeout=10)
    assert isinstance(found, Unavailable) and found.reason
    worker.stop()
    worker.join(10)
    worker.ask(lambda database: database.names(), answers.put)
    assert answers.empty()


def test_nothing_is_written_beside_the_database(path: str, worker: DatabaseWorker) -> None:
    answers: queue.Queue[Any] = queue.Queue()
    before = Path(path).read_bytes()
    worker.ask(lambda database: database.open("t", page_rows), answers.put)
    worker.ask(lambda database: database.sql("SELECT count(*) FROM t"), answers.put)
    answers.get(timeout=10)
    answers.get(timeout=10)
    assert Path(path).read_bytes() == before
    assert [one.name for one in Path(path).parent.iterdir()] == ["state.db"]
