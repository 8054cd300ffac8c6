"""The other process: what a `Writer` has it do to a database. Imports little, to start soon."""

import json
import os
import sqlite3
import sys
from typing import Any

from tests.store import ledger


class Hands:
    """What the writing process can do. `n` counts the transactions of the ledger."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.n = 0
        self.connection: sqlite3.Connection | None = None
        self.second: sqlite3.Connection | None = None
        self._ledgers: dict[str, bytes] = {}

    def sql(self, *statements: str) -> list[Any]:
        rows: list[Any] = []
        for statement in statements:
            rows = self._open().execute(statement).fetchall()
        return rows

    def many(self, statement: str, rows: list[list[Any]]) -> None:
        self._open().executemany(statement, rows)

    def close(self) -> None:
        for connection in (self.connection, self.second):
            if connection is not None:
                connection.close()
        self.connection = self.second = None

    def fresh(self, journal_mode: str) -> int:
        """A new ledger with one transaction, in a file of its own."""
        self.close()
        self._remove()
        self.n = 0
        with open(self.path, "wb") as file:
            file.write(self._ledger(journal_mode))
        self._open_ledger(journal_mode)
        return self.commit()

    def commit(self, times: int = 1) -> int:
        for _ in range(times):
            self.n += 1
            self.sql("BEGIN IMMEDIATE", *ledger.statements(self.n), "COMMIT")
        return self.n

    def checkpoint(self, kind: str) -> None:
        self.sql(f"PRAGMA wal_checkpoint({kind})")

    def partial_checkpoint(self) -> None:
        """Moves pages to the database while a reader's mark keeps the log from starting over."""
        reader = sqlite3.connect(self.path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM counter").fetchall()
        self.commit(2)
        self.checkpoint("PASSIVE")
        reader.execute("COMMIT")
        reader.close()

    def begin_spilled(self) -> None:
        """A transaction that has written pages, and some of them twice, and is left open."""
        self.sql("BEGIN IMMEDIATE", "UPDATE band SET n = -1", "UPDATE band SET n = -2")
        self.grow()

    def finish(self) -> int:
        """Commits the open transaction as the next one."""
        self.n += 1
        band = self.n - self.n % 3
        self.sql(*ledger.statements(self.n), f"UPDATE band SET n = {band}", "COMMIT")
        return self.n

    def finish_if_open(self) -> int:
        return self.finish() if self._open().in_transaction else self.commit()

    def roll_back(self) -> None:
        self.sql("ROLLBACK")

    def settle(self) -> None:
        """Ends the open transaction, if any, in the way its journal allows."""
        if self._open().in_transaction:
            (mode,) = self.sql("PRAGMA journal_mode")[0]
            self.finish() if mode == "off" else self.roll_back()

    def committed(self) -> int:
        return self.n

    def grow(self) -> None:
        self.many("INSERT INTO junk VALUES(?)", [["j" * 3000]] * 30)

    def shrink(self) -> None:
        self.sql("DELETE FROM junk", "PRAGMA incremental_vacuum")

    def reopen(self) -> None:
        self.close()
        self._open_ledger("")

    def replace(self) -> int:
        """Renames another database over this one."""
        self.n += 1
        new = self.path + ".new"
        with open(new, "wb") as file:
            file.write(self._ledger("wal"))
        other = sqlite3.connect(new, isolation_level=None)
        other.execute("BEGIN")
        for number in range(1, self.n + 1):
            for statement in ledger.statements(number):
                other.execute(statement)
        other.execute("UPDATE cell SET pad = 'another'")
        other.execute("COMMIT")
        other.close()
        self.close()
        for suffix in ("-wal", "-shm"):
            if os.path.exists(self.path + suffix):
                os.unlink(self.path + suffix)
        os.replace(new, self.path)
        self._open_ledger("")
        return self.n

    def switch_modes(self) -> int:
        self.sql("PRAGMA journal_mode=DELETE")
        self.commit()
        self.sql("PRAGMA journal_mode=WAL")
        return self.n

    def steps(self, *steps: list[Any]) -> int:
        """Several of the above; gives the number of transactions."""
        for name, *arguments in steps:
            getattr(self, name)(*arguments)
        return self.n

    def keep_second(self) -> None:
        """Another connection that keeps the log's index alive."""
        self.second = sqlite3.connect(self.path, isolation_level=None)
        self.second.execute("SELECT count(*) FROM sqlite_master").fetchall()

    def unpublish(self, index: str) -> None:
        """Puts back an older index (hex) of the log, as if the last writer had died before it
        told of its commit, and goes on with the second connection."""
        if self.second is None:
            self.keep_second()
        with open(self.path + "-shm", "r+b") as file:
            file.write(bytes.fromhex(index))
        self.connection, self.second = self.second, self.connection

    def _open(self) -> sqlite3.Connection:
        if self.connection is None:
            self.connection = sqlite3.connect(self.path, isolation_level=None, timeout=0)
        return self.connection

    def _open_ledger(self, journal_mode: str) -> None:
        if journal_mode:
            self.sql(f"PRAGMA journal_mode={journal_mode}")
        self.sql("PRAGMA synchronous=OFF", "PRAGMA wal_autocheckpoint=0", "PRAGMA cache_size=10")

    def _ledger(self, journal_mode: str) -> bytes:
        kind = "wal" if journal_mode == "wal" else "delete"
        if kind not in self._ledgers:
            made = self.path + ".made"
            maker = sqlite3.connect(made, isolation_level=None)
            maker.execute("PRAGMA auto_vacuum=incremental")
            maker.execute(f"PRAGMA journal_mode={kind}")
            maker.executescript(ledger.SCHEMA)
            maker.close()
            with open(made, "rb") as file:
                self._ledgers[kind] = file.read()
            os.unlink(made)
        return self._ledgers[kind]

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(self.path + suffix):
                os.unlink(self.path + suffix)


def serve(path: str) -> None:
    hands = Hands(path)
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        try:
            answer = {"value": getattr(hands, what)(*arguments)}
        except sqlite3.Error as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
