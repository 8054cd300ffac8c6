"""`inspector resume RUN…`: what would be done, the exact command, and the launch."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspector.cli.errors import BAD_NEWS, BAD_USAGE, FINE, UNREADABLE, UserError
from inspector.cli.launching import Opened, launch
from inspector.cli.now import clock
from inspector.cli.output import shown, write_json, write_jsonl, write_line
from inspector.cli.plan_document import plan_document
from inspector.cli.workspace import chosen, workspace
from inspector.config.folders import state_dir
from inspector.config.settings import load_settings
from inspector.query.run_reader import preflight_of
from inspector.resume.command import NoHost, pick, shell_line
from inspector.resume.document import facts
from inspector.resume.launch import held_by, launch_count, launches
from inspector.resume.plan import Choices, Plan, make_plan
from inspector.store.read import StoreUnavailable

LABEL_CELLS = 14
_SIGNS = {"keep": "+", "unconfirmed": "~", "will run": ".", "warning": "^", "not resumable": "x"}


def run(options: argparse.Namespace) -> int:
    """Prints pre-flights, or launches one run; 1 when one cannot be resumed or it went wrong."""
    folder = _folder()
    if options.log:
        return _log(folder, options)
    if not options.runs:
        raise UserError("Name a run, or ask for the --log of launches.")
    choices = _choices(options)
    with workspace(options.paths) as found:
        opened: list[Opened] = []
        try:
            for name in options.runs:
                opened.append(_open(found, name, choices, folder))
            if options.plan or len(opened) > 1:
                return _show([one.plan for one in opened], options)
            return _launch(opened[0], choices, folder, options)
        except StoreUnavailable as trouble:
            raise UserError(f"It cannot be read now: {trouble.reason}.", UNREADABLE) from None
        finally:
            for one in opened:
                one.reader.close()


def _folder() -> Path:
    try:
        return state_dir()
    except OSError as error:
        raise UserError(f"There is no private folder for the log of launches: {error}.") from None


def _choices(options: argparse.Namespace) -> Choices:
    settings, problems = load_settings(None)
    for problem in problems:
        print(f"inspector: {problem}", file=sys.stderr)
    if options.host is not None:
        try:
            pick(settings.hosts, options.host)
        except NoHost as why:
            raise UserError(f"{why}", BAD_USAGE) from None
    return Choices(settings.hosts, settings.resume_commands, options.host, options.decision)


def _open(found: Any, name: str, choices: Choices, folder: Path) -> Opened:
    chosen_run = chosen(found, name)
    reader = found.open(chosen_run)
    try:
        flight = preflight_of(reader, chosen_run)
        whole = reader.refresh().run
        count, held = launch_count(folder, whole.key), held_by(folder, whole.key)
    except BaseException:
        reader.close()
        raise
    return Opened(reader, make_plan(whole, flight, choices, count, held), name)


def _show(plans: Sequence[Plan], options: argparse.Namespace) -> int:
    if options.jsonl:
        write_jsonl("resume", (plan_document(plan) for plan in plans), reveal=options.reveal)
    elif options.json and len(options.runs) == 1:
        write_json("resume", plan_document(plans[0]), reveal=options.reveal)
    elif options.json:
        content = {"plans": [plan_document(plan) for plan in plans]}
        write_json("resume", content, reveal=options.reveal)
    else:
        for number, plan in enumerate(plans):
            if number:
                write_line()
            print_plan(plan, options.reveal)
    return FINE if all(plan.preflight.resumable for plan in plans) else BAD_NEWS


def print_plan(plan: Plan, reveal: bool) -> None:
    """A plan as plain lines."""

    def safe(text: str) -> str:
        return shown(text, reveal=reveal)

    run, flight = plan.run, plan.preflight
    write_line(f"Resume {safe(run.title)}   {safe(run.run_id or '-')}   {run.runtime}")
    write_line("Nothing has been started.")
    write_line()
    for label, line in facts(plan):
        sign = _SIGNS.get(label, " ")
        write_line(f"{sign} {'' if label == 'warning' else label.ljust(LABEL_CELLS)}{safe(line)}")
    if flight.judged is not None:
        write_line(f"  {'outcome'.ljust(LABEL_CELLS)}{safe(flight.judged)}")
    if plan.command is not None:
        write_line()
        for line in shell_line(plan.command).split("\n"):
            write_line(safe(line))
    if plan.request is not None:
        write_line()
        for line in plan.request.split("\n"):
            write_line(safe(line))
    if plan.problem is not None and flight.resumable:
        write_line()
        write_line(f"Cannot be launched from here: {safe(plan.problem)}")


def _launch(opened: Opened, choices: Choices, folder: Path, options: argparse.Namespace) -> int:
    plan = opened.plan
    has_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if options.yes:
        if opened.name != plan.run.key:
            raise UserError(
                f"With --yes the run is named by its full key: {shown(plan.run.key)}", BAD_USAGE
            )
    elif not has_terminal or options.json or options.jsonl:
        raise UserError(
            "To launch, confirm in a terminal, or give --yes with the run's full key;"
            " --plan only tells.",
            BAD_USAGE,
        )
    if not plan.can_launch:
        if options.json or options.jsonl:
            _show([plan], options)
        else:
            print_plan(plan, options.reveal)
        return BAD_NEWS
    if not options.yes:
        print_plan(plan, options.reveal)
        if not _confirmed(plan):
            write_line("Nothing was started.")
            return BAD_NEWS
    return launch(opened, choices, folder, clock(), options)


def _confirmed(plan: Plan) -> bool:
    typed = plan.preflight.confirm
    write_line()
    if typed is None:
        question = "Type yes to launch: "
    else:
        write_line(f"{shown(plan.preflight.liveness or '')}.")
        question = f"Type {typed} to launch: "
    sys.stdout.flush()
    try:
        return input(question).strip() == (typed or "yes")
    except EOFError:
        return False


def _log(folder: Path, options: argparse.Namespace) -> int:
    found = launches(folder)
    if options.json:
        write_json("resume_log", {"records": found}, reveal=options.reveal)
    elif options.jsonl:
        write_jsonl("resume_log", found, reveal=options.reveal)
    elif not found:
        write_line("Nothing was launched yet.")
    else:
        for launch_ in found:
            _print_launch(launch_, options.reveal)
    return FINE


def _print_launch(record: dict[str, Any], reveal: bool) -> None:
    def safe(name: str) -> str:
        value = record.get(name)
        return "-" if value is None else shown(f"{value}", reveal=reveal)

    argv = record.get("argv")
    program = shown(os.path.basename(str(argv[0]))) if isinstance(argv, list) and argv else "-"
    state = safe("verdict") if record.get("verdict") else safe("state")
    write_line(
        f"{safe('at')}  {state:<11} exit {safe('exit_code'):<4} {program:<10} {safe('where'):<10}"
        f" {safe('run')}"
    )
    changes = record.get("changes")
    for change in changes if isinstance(changes, list) else []:
        write_line(f"    {shown(f'{change}', reveal=reveal)}")
