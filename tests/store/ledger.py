"""A small database whose content is known for every number of transactions.

Transaction n stamps two of forty cells with n and, every third time, all rows of `band`: it touches
few pages, so that a page of any wrong age shows.
"""

import sqlite3
from typing import NamedTuple

CELLS = 40

SCHEMA = """
PRAGMA auto_vacuum=incremental;
BEGIN;
CREATE TABLE counter(n INTEGER);
CREATE TABLE band(id INTEGER PRIMARY KEY, n INTEGER, pad TEXT);
CREATE INDEX band_n ON band(n);
CREATE TABLE cell(id INTEGER PRIMARY KEY, n INTEGER, pad TEXT);
CREATE TABLE junk(pad TEXT);
INSERT INTO counter VALUES(0);
WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 39)
INSERT INTO band SELECT i, 0, printf('%.*c', 900, 'b') FROM k;
WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 39)
INSERT INTO cell SELECT i, 0, printf('%.*c', 900, 'c') FROM k;
COMMIT;
"""


class Seen(NamedTuple):
    """What a reader found."""

    n: int
    lowest: int
    highest: int
    rows: int
    cells: tuple[int, ...]
    integrity: str

    @property
    def whole(self) -> bool:
        """Whether this is what some number of transactions left, undamaged."""
        return self == expected(self.n)


def expected(n: int) -> Seen:
    cells = [0] * CELLS
    for number in range(1, n + 1):
        for cell in cells_of(number):
            cells[cell] = number
    band = n - n % 3
    return Seen(n, band, band, CELLS, tuple(cells), "ok")


def cells_of(n: int) -> tuple[int, int]:
    return n * 7 % CELLS, (n * 11 + 3) % CELLS


def statements(n: int) -> list[str]:
    """The changes of transaction n."""
    changes = [f"UPDATE counter SET n = {n}"]
    changes += [f"UPDATE cell SET n = {n} WHERE id = {cell}" for cell in cells_of(n)]
    if n % 3 == 0:
        changes.append(f"UPDATE band SET n = {n}")
    return changes


def survey(connection: sqlite3.Connection) -> Seen:
    lowest, highest, rows = connection.execute(
        "SELECT min(n), max(n), count(*) FROM band NOT INDEXED"
    ).fetchone()
    (n,) = connection.execute("SELECT n FROM counter").fetchone()
    cells = tuple(n for (n,) in connection.execute("SELECT n FROM cell ORDER BY id"))
    (integrity,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return Seen(n, lowest, highest, rows, cells, integrity)
