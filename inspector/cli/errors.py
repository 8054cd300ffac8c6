"""Exit codes, and what is told to a person who asked for something that cannot be had."""

FINE = 0
BAD_NEWS = 1
"""The answer is bad news (`watch`, `receipts`, `diff`, `resume` only)."""
BAD_USAGE = 2
NOT_FOUND = 3
"""Nothing matches, a PATH is missing, or several runs match."""
UNREADABLE = 4
"""The store cannot be read now."""
BROKEN = 70
"""A fault of ours (what `sysexits.h` calls EX_SOFTWARE)."""


class UserError(Exception):
    """One sentence that says what is wrong and what to do, with the exit code."""

    def __init__(self, message: str, code: int = BAD_USAGE) -> None:
        super().__init__(message)
        self.code = code


class NotWritten(UserError):
    """The answer has no place to go to."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"The answer could not be written: {error.strerror}.", UNREADABLE)
