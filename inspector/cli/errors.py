"""Exit codes, errors shown to the user, and the clock of a command."""

from __future__ import annotations

from inspector.model.clock import Clock, system_clock

FINE = 0
BAD_NEWS = 1
"""The run failed, or a check did (`watch`, `receipts`, `resume` only)."""
BAD_USAGE = 2
NOT_FOUND = 3
"""No run or several runs match, or a PATH does not exist."""
UNREADABLE = 4
"""The store cannot be read, or the output not written."""
BROKEN = 70
"""Internal error (EX_SOFTWARE of `sysexits.h`)."""


class UserError(Exception):
    """What is wrong and what to do, with the exit code."""

    def __init__(self, message: str, code: int = BAD_USAGE) -> None:
        super().__init__(message)
        self.code = code


class NotWritten(UserError):
    """Standard output cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"Cannot write output: {error.strerror}.", UNREADABLE)


def clock() -> Clock:
    """Return the clock of this process. Raises UserError if INSPECTOR_NOW is not a time."""
    try:
        return system_clock()
    except ValueError as error:
        raise UserError(str(error)) from None
