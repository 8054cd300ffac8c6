"""Entry point: dispatches the command, reports errors in one sentence, returns the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from inspector import __version__
from inspector.cli.errors import BROKEN, FINE, UNREADABLE, NotWritten, UserError
from inspector.cli.parser import COMMANDS, command_parser, screen_parser
from inspector.text.escape import visible

INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""
_LONGEST_LINE = 4000


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; never prints a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        code = _dispatch(words)
        _finish()
        return code
    except UserError as error:
        _report(str(error))
        if isinstance(error, NotWritten):
            _discard_output()
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return FINE
    except OSError as error:
        about = f": {error.filename}" if error.filename else ""
        _report(f"{error.strerror or error}{about}.")
        return UNREADABLE
    except Exception as error:
        from inspector.config.log import internal_error

        _report(f"{internal_error('command line', error)}.")
        return BROKEN


def _report(message: str) -> None:
    """Write an error to standard error, with control characters escaped."""
    lines = f"inspector: {message}".split("\n")
    with suppress(OSError):
        print("\n".join(visible(line[:_LONGEST_LINE]) for line in lines), file=sys.stderr)


def _open_streams() -> None:
    """Replace closed standard streams by the null device.

    Otherwise the next file opened, perhaps a database, would get the descriptor of one of them.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _finish() -> None:
    """Flush standard output while an error can still be reported."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotWritten(error) from None


def _discard_output() -> None:
    """Redirect the closed standard output, so that the flush at exit cannot raise."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(words: Sequence[str]) -> int:
    if words and words[0] in COMMANDS:
        name, parser = words[0], command_parser(words[0])
    else:
        name, parser = "screen", screen_parser()
    options = parser.parse_args(words[1:] if name != "screen" else words)
    if options.debug:
        from inspector.config.log import debug, enable_debug

        enable_debug()
        debug("inspector %s %s on Python %s", __version__, name, sys.version.split()[0])
    run: Callable[..., int] = import_module(f"inspector.cli.{name}").run
    return run(options)
