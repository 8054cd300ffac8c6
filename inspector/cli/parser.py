"""Commands and their options, declared once."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from inspector import __version__
from inspector.cli.errors import BAD_USAGE, UserError

Parser = argparse.ArgumentParser
_RUN_HELP = (
    "a key, a run id, any unique beginning or end of one, a run folder, a title that one run has, "
    "or `latest`"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see `{self.prog} --help`.", BAD_USAGE)


def screen_parser() -> Parser:
    """`inspector [PATH…]`."""
    lines = "\n".join(f"  {name:<9} {about}" for name, (about, _) in COMMANDS.items())
    parser = _Parser(
        prog="inspector",
        description="Watches and explains the runs of agent runtimes. Never disturbs one.",
        epilog=f"commands:\n{lines}\n\nEach has its own --help. A folder of the same name as a"
        " command: ./NAME.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="project, runs folder, run, file")
    parser.add_argument("--version", action="version", version=f"inspector {__version__}")
    _screen_options(parser)
    _debug(parser)
    return parser


def command_parser(name: str) -> Parser:
    """`inspector NAME …`."""
    about, build = COMMANDS[name]
    parser = _Parser(prog=f"inspector {name}", description=f"{about[:1].upper()}{about[1:]}.")
    build(parser)
    _debug(parser)
    return parser


def _debug(parser: Parser) -> None:
    parser.add_argument("--debug", action="store_true", help="write details to the log")


def _screen_options(parser: Parser) -> None:
    themes = ("auto", "dark", "light", "cb-dark", "cb-light", "terminal")
    parser.add_argument("--theme", choices=themes, help="colours; cb = colour-blind safe")
    parser.add_argument("--ascii", action="store_true", help="signs that every terminal has")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")


def _where(parser: Parser) -> None:
    parser.add_argument(
        "--in", dest="paths", action="append", default=[], metavar="PATH",
        help="where to look (again for more); default: this folder and your own roots",
    )  # fmt: skip


def _output(parser: Parser, *, lines: bool = True) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="one JSON document")
    if lines:
        group.add_argument("--jsonl", action="store_true", help="one JSON row a line")
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed; give a positive number")
    return speed


def _runs(parser: Parser) -> None:
    parser.add_argument("--status", metavar="S", help="only runs with this status")
    parser.add_argument("--runtime", metavar="R", help="only runs of this runtime")
    parser.add_argument("--owner", metavar="O", help="only runs of this tenant, account or user")
    parser.add_argument("--since", metavar="WHEN", help="2026-01-16, an instant, or 3d, 12h, 45m")
    parser.add_argument("--match", metavar="TEXT", help="only runs with TEXT in title or id")
    parser.add_argument("--limit", type=_count, metavar="N", help="at most N runs")
    _where(parser)
    _output(parser)


def _show(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--at", type=_count, metavar="N", help="after its first N events")
    parser.add_argument("--depth", type=_count, metavar="D", help="only D levels of the tree")
    _where(parser)
    _output(parser)


def _events(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--follow", action="store_true", help="print new ones until the run ends")
    _where(parser)
    _output(parser)


def _values(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--frame", metavar="F", help="as this frame resolves them; root = root")
    parser.add_argument("--name", metavar="X", help="only this name")
    parser.add_argument("--at", type=_count, metavar="N", help="as they were after N events")
    parser.add_argument("--step", metavar="ID", help="as they were there (an id of `show --json`)")
    parser.add_argument("--versions", metavar="X", help="every row of this name, oldest first")
    parser.add_argument("--full", action="store_true", help="whole contents, however large")
    _where(parser)
    _output(parser)


def _receipts(parser: Parser) -> None:
    _run(parser)
    _where(parser)
    _output(parser)


def _pnl(parser: Parser) -> None:
    parser.add_argument("spell", metavar="SPELL", help="a spell, or a unique beginning or end")
    parser.add_argument(
        "--limit", type=int, default=100, metavar="N", help="its newest N runs; 0 = all of them"
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
        help="default: its own record; OpenProse: world_models:A..B compares two versions",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="RUN2",
        help="what is other in PART (Grimoire: state, provenance) than in RUN2, which may be"
        " `previous`",
    )  # fmt: skip
    parser.add_argument("--limit", type=_count, metavar="N", help="table:NAME: at most N rows")
    parser.add_argument(
        "--after", metavar="PLACE", help="table:NAME: rows behind this one, as `next` named it"
    )
    _where(parser)
    _output(parser)


def _resume(parser: Parser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="*", help=f"{_RUN_HELP}; several: --plan")
    parser.add_argument("--plan", action="store_true", help="only tell; nothing is started")
    parser.add_argument(
        "--yes", action="store_true", help="launch without asking; RUN is then the full key"
    )
    parser.add_argument("--host", metavar="H", help="who is asked to resume an OpenProse run")
    parser.add_argument(
        "--decision", choices=("approve", "deny"), help="the answer to a Prism run that waits"
    )
    parser.add_argument(
        "--background", action="store_true", help="in a terminal of its own; prints what it says"
    )
    parser.add_argument("--log", action="store_true", help="what was launched, and what came of it")
    _where(parser)
    _output(parser)


def _sql(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("query", metavar="QUERY", help="one SELECT; nothing can be written")
    parser.add_argument("--limit", type=_count, default=1000, metavar="N", help="at most N rows")
    _where(parser)
    _output(parser)


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
    "runs": ("the list of runs", _runs),
    "show": ("one run: its steps as a tree, and findings", _show),
    "events": ("the recorded facts of a run in order", _events),
    "values": ("the values of a run, or as one frame resolves them", _values),
    "receipts": ("receipts, chain verdicts, tokens by cause", _receipts),
    "pnl": ("a spell's session ledger and P&L, and what was realised", _pnl),
    "usage": ("tokens and cost, of all runs or of one", _usage),
    "record": ("the runtime's own records behind one tab", _record),
    "resume": ("what resuming a run would do, and the launch", _resume),
    "sql": ("one SELECT over a run's own database, read only", _sql),
    "watch": ("plain lines as a run goes on; the exit code tells how it ended", _watch),
    "demo": ("a live demonstration workspace", _demo),
    "doctor": ("what was found, what cannot be read, and why", _doctor),
}
"""Command → what it does, and what declares its options."""
