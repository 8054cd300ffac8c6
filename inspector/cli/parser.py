"""The commands and their options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from inspector import __version__
from inspector.cli.errors import BAD_USAGE, UserError

Parser = argparse.ArgumentParser
_RUN_HELP = (
    "key or id of a run, or a unique beginning or end of one; a run folder, a unique title, "
    "or `latest`"
)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, without importing shutil and its compression modules."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_help_cells() - 2)


def _help_cells() -> int:
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):
        return 80


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}. See `{self.prog} --help`.", BAD_USAGE)


def screen_parser() -> Parser:
    """`inspector [PATH…]`."""
    lines = "\n".join(f"  {name:<9} {about}" for name, (about, _) in COMMANDS.items())
    parser = _Parser(
        prog="inspector",
        description="Watch, explain and resume agent runs. Never locks or changes a store.",
        epilog=f"commands:\n{lines}\n\nEach has its own --help. To open a folder named like a"
        " command, write ./NAME.",
        formatter_class=_Formatter,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="project, runs folder, run, file")
    parser.add_argument("--version", action="version", version=f"inspector {__version__}")
    _screen_options(parser)
    _debug(parser)
    return parser


def command_parser(name: str) -> Parser:
    """`inspector NAME …`."""
    about, build = COMMANDS[name]
    parser = _Parser(
        prog=f"inspector {name}",
        description=f"{about[:1].upper()}{about[1:]}.",
        formatter_class=_Formatter,
    )
    build(parser)
    _debug(parser)
    return parser


def _debug(parser: Parser) -> None:
    parser.add_argument("--debug", action="store_true", help="write details to the log")


def _screen_options(parser: Parser) -> None:
    themes = ("auto", "dark", "light", "cb-dark", "cb-light", "terminal")
    parser.add_argument("--theme", choices=themes, help="colours; cb = colour-blind safe")
    parser.add_argument("--ascii", action="store_true", help="ASCII glyphs only")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")


def _where(parser: Parser) -> None:
    parser.add_argument(
        "--in", dest="paths", action="append", default=[], metavar="PATH",
        help="folder to search; repeatable (default: this folder and your own roots)",
    )  # fmt: skip


def _output(parser: Parser, *, lines: bool = True, csv: bool = False) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="one JSON document")
    if lines:
        group.add_argument("--jsonl", action="store_true", help="one JSON row per line")
    if csv:
        group.add_argument("--csv", action="store_true", help="CSV with a header line")
    parser.add_argument("--reveal", action="store_true", help="do not mask secrets")


def _run(parser: Parser, *, optional: bool = False) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?" if optional else None, help=_RUN_HELP)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return speed


def _runs(parser: Parser) -> None:
    parser.add_argument("--status", metavar="S", help="only runs with this status")
    parser.add_argument("--runtime", metavar="R", help="only runs of this runtime")
    parser.add_argument("--owner", metavar="O", help="only runs of this tenant, account or user")
    parser.add_argument(
        "--since", metavar="WHEN", help="2026-01-16, an RFC 3339 time, or 3d, 12h, 45m ago"
    )
    parser.add_argument("--match", metavar="TEXT", help="only runs with TEXT in title or id")
    parser.add_argument("--limit", type=_count, metavar="N", help="at most N runs")
    _where(parser)
    _output(parser)


def _show(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--at", type=_count, metavar="N", help="the state after its first N events")
    parser.add_argument("--depth", type=_count, metavar="D", help="at most D levels of the tree")
    _where(parser)
    _output(parser)


def _events(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--follow", action="store_true", help="print new events until the run ends")
    _where(parser)
    _output(parser)


def _values(parser: Parser) -> None:
    _run(parser)
    parser.add_argument(
        "--frame", metavar="F", help="values that frame F resolves (`root` or a row number)"
    )
    parser.add_argument("--name", metavar="X", help="only this name")
    parser.add_argument("--at", type=_count, metavar="N", help="values after N events")
    parser.add_argument("--step", metavar="ID", help="values at this step (id from `show --json`)")
    parser.add_argument("--versions", metavar="X", help="every recorded version of X, oldest first")
    parser.add_argument("--full", action="store_true", help="complete values, however large")
    _where(parser)
    _output(parser)


def _receipts(parser: Parser) -> None:
    _run(parser)
    _where(parser)
    _output(parser)


def _pnl(parser: Parser) -> None:
    parser.add_argument("spell", metavar="SPELL", help="a spell, or a unique beginning or end")
    parser.add_argument(
        "--limit", type=int, default=100, metavar="N", help="only its newest N runs; 0 = all"
    )
    _where(parser)
    _output(parser, lines=False)


def _usage(parser: Parser) -> None:
    _run(parser, optional=True)
    _where(parser)
    _output(parser)


def _record(parser: Parser) -> None:
    parser.add_argument(
        "run", metavar="RUN|SPELL|SESSION|STORE", help=f"{_RUN_HELP}; a spell, a session, a file"
    )
    parser.add_argument(
        "part", metavar="PART", nargs="?",
        help="default: its own record; table:NAME; world_models:A..B compares versions",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="RUN2",
        help="changes in PART (Grimoire: state, provenance) since RUN2, or since `previous`",
    )  # fmt: skip
    parser.add_argument("--limit", type=_count, metavar="N", help="table:NAME: at most N rows")
    parser.add_argument(
        "--after",
        metavar="PLACE",
        help="table:NAME: continue after this row (the `next` of a page)",
    )
    _where(parser)
    _output(parser, csv=True)


def _resume(parser: Parser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="*", help=f"{_RUN_HELP}; several: --plan")
    parser.add_argument("--plan", action="store_true", help="print the plan; start nothing")
    parser.add_argument(
        "--yes", action="store_true", help="launch without asking; RUN must be the full key"
    )
    parser.add_argument("--host", metavar="H", help="host used to resume OpenProse runs")
    parser.add_argument(
        "--decision",
        choices=("approve", "deny"),
        help="answer for a Prism run that waits",
    )
    parser.add_argument(
        "--background", action="store_true", help="launch in a pseudo-terminal and print its output"
    )
    parser.add_argument("--log", action="store_true", help="list launches and their outcomes")
    _where(parser)
    _output(parser)


def _sql(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("query", metavar="QUERY", help="one SELECT statement (read-only)")
    parser.add_argument("--limit", type=_count, default=1000, metavar="N", help="at most N rows")
    _where(parser)
    _output(parser, csv=True)


def _watch(parser: Parser) -> None:
    _run(parser, optional=True)
    _where(parser)


def _demo(parser: Parser) -> None:
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="2 = twice as fast")
    _screen_options(parser)


def _doctor(parser: Parser) -> None:
    _where(parser)
    _output(parser, lines=False)


COMMANDS: dict[str, tuple[str, Callable[[Parser], None]]] = {
    "runs": ("list runs", _runs),
    "show": ("show the steps of a run as a tree, and findings", _show),
    "events": ("list the recorded events of a run in order", _events),
    "values": ("list the values of a run, or those that one frame resolves", _values),
    "receipts": ("verify receipts; tokens by cause", _receipts),
    "pnl": ("show the ledger and P&L of a spell's session", _pnl),
    "usage": ("sum tokens and cost of all runs or of one", _usage),
    "record": ("print the runtime's own records, or rows of a table", _record),
    "resume": ("show what resuming a run would do, and launch it", _resume),
    "sql": ("run one SELECT on a run's database, read-only", _sql),
    "watch": ("print a line per change; the exit code is the outcome", _watch),
    "demo": ("open a live demonstration", _demo),
    "doctor": ("list what was found, what cannot be read, and why", _doctor),
}
"""Command → its help, and the function that declares its options."""
