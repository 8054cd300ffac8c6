"""Why a database cannot be read now: a health, a sentence for a person, and since when."""

from inspector.model.store import Health


class StoreUnavailable(Exception):
    """The database gave no answer that can be trusted.

    `health` is never `ok`; `reason` is one sentence without a full stop; `since` is when this
    reader first met the same health without an answer in between (UTC ms), None when unknown.
    """

    def __init__(self, health: Health, reason: str, since: int | None = None) -> None:
        super().__init__(reason)
        self.health = health
        self.reason = reason
        self.since = since


def gone() -> StoreUnavailable:
    """There is no such file."""
    return StoreUnavailable(Health.GONE, "the database file is not there")


def empty() -> StoreUnavailable:
    """A database that nothing was ever committed to."""
    return StoreUnavailable(Health.EMPTY, "the database is empty: nothing has been committed to it")


def denied(what: str) -> StoreUnavailable:
    """The system refuses to let us read; `what` names the file for a person."""
    return StoreUnavailable(Health.DENIED, f"this user may not read {what}")


def unreadable(why: str) -> StoreUnavailable:
    """The content itself, or what stands in its place, cannot be read."""
    return StoreUnavailable(Health.UNREADABLE, why)


def unsupported(file_format: int) -> StoreUnavailable:
    """A file format that a later SQLite made (SQLite file format, bytes 18 and 19)."""
    return StoreUnavailable(
        Health.UNSUPPORTED, f"the database has file format {file_format}; only 1 and 2 are known"
    )


def busy(why: str) -> StoreUnavailable:
    """A writer left no moment in which the content could be read."""
    return StoreUnavailable(Health.BUSY, why)
