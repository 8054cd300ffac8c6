"""The door: which command was meant, what went wrong in one sentence, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from inspector.cli.errors import UserError
from inspector.cli.parser import COMMANDS, command_parser, screen_parser

INTERRUPTED = 130
"""What shells give for a program that Ctrl-C ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; never lets a traceback through."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(words)
    except UserError as error:
        print(f"inspector: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away: nothing more may be written, not even by the interpreter's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _dispatch(words: Sequence[str]) -> int:
    if words and words[0] in COMMANDS:
        name, parser = words[0], command_parser(words[0])
    else:
        name, parser = "screen", screen_parser()
    options = parser.parse_args(words[1:] if name != "screen" else words)
    run: Callable[..., int] = import_module(f"inspector.cli.{name}").run
    return run(options)
