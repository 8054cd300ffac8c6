"""Inspector's own log: `inspector.log` in the state folder, rotating, with secrets masked.

Nothing is imported, opened or created before the first record, and no record reaches the terminal.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger
    from pathlib import Path

LOG_NAME = "inspector.log"
MAX_BYTES = 1_000_000
"""Size at which the log is renamed to `inspector.log.1` and a new one begins."""
BACKUPS = 2
MAX_FAILURES = 200
"""Distinct failures recorded by one process; a fault in a loop must not fill the log."""

_debugging = False
_log: Logger | None = None
_recorded: set[str] = set()
_opening = threading.Lock()


def log_path() -> Path:
    """Path of the log, which need not exist. Raises OSError if the folder cannot be private."""
    from inspector.config.folders import state_dir

    return state_dir() / LOG_NAME


def enable_debug() -> None:
    """Records `debug` messages from now on (`--debug`)."""
    global _debugging
    _debugging = True


def debug(message: str, *args: object) -> None:
    """Records a message with %-style arguments if `--debug` was given. Never raises."""
    if _debugging:
        with suppress(Exception):
            _opened().debug(message, *args)


def log_failure(context: str, error: BaseException) -> Path | None:
    """Records `error` with its traceback and returns the path of the log.

    Returns None if the log cannot be written. The same failure is recorded once per process. Local
    variables are not recorded. Never raises.
    """
    try:
        import traceback

        trace = "".join(traceback.format_exception(error))
        path = log_path()
        if trace not in _recorded and len(_recorded) < MAX_FAILURES:
            _opened().error("%s\n%s", context, trace.rstrip())
            _recorded.add(trace)
    except Exception:
        # A fault of the log must not hide the failure.
        return None
    return path


def internal_error(context: str, error: Exception) -> str:
    """Records a fault of Inspector's own; returns `Internal error: TYPE: TEXT (log: PATH)`."""
    path = log_failure(context, error)
    return f"Internal error: {type(error).__name__}: {error} (log: {path or 'not writable'})"


def close_log() -> None:
    """Closes the log and forgets recorded failures; the next record opens it again."""
    global _log, _debugging
    if _log is not None:
        for handler in list(_log.handlers):
            _log.removeHandler(handler)
            with suppress(OSError):
                handler.close()
    _log, _debugging = None, False
    _recorded.clear()


def _opened() -> Logger:
    global _log
    with _opening:
        if _log is None:
            _log = _open()
        return _log


def _open() -> Logger:
    import logging
    import os
    from logging.handlers import RotatingFileHandler

    from inspector.text.escape import visible_lines
    from inspector.text.mask import mask

    class MaskedFormatter(logging.Formatter):
        """Masks secrets and escapes control characters: messages may quote recorded data."""

        def format(self, record: logging.LogRecord) -> str:
            return "\n".join(visible_lines(mask(super().format(record)).text))

    class LogFile(RotatingFileHandler):
        """Raises instead of printing: standard error belongs to the screen."""

        def handleError(self, record: logging.LogRecord) -> None:
            error = sys.exception()
            if error is not None:
                raise error

    path = log_path()
    # Created here because the handler would create it readable by others.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600))
    handler = LogFile(path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8")
    handler.setFormatter(MaskedFormatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    log = logging.Logger("inspector", logging.DEBUG if _debugging else logging.INFO)
    log.addHandler(handler)
    return log
