"""Reasons why a store cannot be read: health, a phrase, and since when."""

from inspector.model.store import Health


class StoreUnavailable(Exception):
    """No reliable answer.

    `health` is never `ok`; `reason` is a sentence without a full stop; `since` is when this reader
    first met the same health without an answer since (UTC ms), None if unknown.
    """

    def __init__(self, health: Health, reason: str, since: int | None = None) -> None:
        super().__init__(reason)
        self.health = health
        self.reason = reason
        self.since = since


def gone() -> StoreUnavailable:
    """Returns the error for a missing file."""
    return StoreUnavailable(Health.GONE, "the database file is not there")


def empty() -> StoreUnavailable:
    """Returns the error for a database without any commit."""
    return StoreUnavailable(Health.EMPTY, "the database is empty: nothing has been committed to it")


def denied(what: str) -> StoreUnavailable:
    """Returns the error for denied access to `what`."""
    return StoreUnavailable(Health.DENIED, f"this user may not read {what}")


def unreadable(why: str) -> StoreUnavailable:
    """Returns the error for unreadable content or a wrong file type."""
    return StoreUnavailable(Health.UNREADABLE, why)


def unsupported(file_format: int) -> StoreUnavailable:
    """Returns the error for a newer file format (SQLite file format, bytes 18 and 19)."""
    return StoreUnavailable(
        Health.UNSUPPORTED,
        f"the database has file format {file_format}; only 1 and 2 are known",
    )


def busy(why: str) -> StoreUnavailable:
    """Returns the error if writers left no moment to read."""
    return StoreUnavailable(Health.BUSY, why)
