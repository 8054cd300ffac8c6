"""`inspector resume RUN…`: the plan, the exact command, and the launch."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from inspector.cli.errors import BAD_NEWS, BAD_USAGE, FINE, UNREADABLE, UserError, clock
from inspector.cli.output import shown, write_json, write_jsonl, write_line
from inspector.cli.workspace import chosen, workspace
from inspector.config.folders import state_dir
from inspector.config.settings import load_settings
from inspector.export import documents
from inspector.export.documents import Document
from inspector.model.clock import Clock, rfc3339
from inspector.model.preflight import Command, Decision, PreFlight
from inspector.process.background import Background, run_in_background
from inspector.process.foreground import NotStarted, run_here
from inspector.query.run_reader import RunReader, preflight_of
from inspector.query.workspace import Workspace
from inspector.resume.command import NoHost, pick, shell_line
from inspector.resume.document import facts
from inspector.resume.launch import (
    BACKGROUND,
    TERMINAL,
    Launching,
    Outcome,
    Refused,
    check,
    claim,
    environment,
    exit_words,
    held_by,
    launch_count,
    launches,
    output_folder,
)
from inspector.resume.lock import AlreadyRunning, NoLock
from inspector.resume.plan import Choices, Plan, make_plan, sentence
from inspector.store.read import StoreUnavailable

LABEL_CELLS = 14
_SIGNS = {"keep": "+", "unconfirmed": "~", "will run": ".", "warning": "^", "not resumable": "x"}
RETRY_SECONDS = (0.0, 0.1, 0.3, 1.0, 2.0)
"""Delays between attempts to read a store after the launch."""
POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Opened:
    """A run that the user named, with its reader and plan."""

    reader: RunReader
    plan: Plan
    name: str


def run(options: argparse.Namespace) -> int:
    """Print plans, or launch one; exit 1 if a run cannot be resumed or resuming failed."""
    folder = _folder()
    if options.log:
        return _log(folder, options)
    if not options.runs:
        raise UserError("Name a run, or use --log to list launches.")
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
            raise UserError(f"Cannot be read: {trouble.reason}.", UNREADABLE) from None
        finally:
            for one in opened:
                one.reader.close()


def _folder() -> Path:
    try:
        return state_dir()
    except OSError as error:
        raise UserError(f"No private folder for the launch log: {error}.") from None


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


def _open(found: Workspace, name: str, choices: Choices, folder: Path) -> Opened:
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
    """Print a plan as text."""

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
                f"--yes needs the full key of the run: {shown(plan.run.key)}", BAD_USAGE
            )
    elif not has_terminal or options.json or options.jsonl:
        raise UserError(
            "To launch, confirm in a terminal, or give --yes with the full key of the run."
            " --plan only prints the plan.",
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
        write_line("No launches yet.")
    else:
        for launch_ in found:
            _print_launch(launch_, options.reveal)
    return FINE


def _print_launch(record: dict[str, object], reveal: bool) -> None:
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


def launch(
    opened: Opened, choices: Choices, folder: Path, clock: Clock, options: argparse.Namespace
) -> int:
    """Launch a confirmed plan and print the outcome."""
    plan = opened.plan
    try:
        launching = claim(folder, plan, clock)
    except (Refused, AlreadyRunning, NoLock) as why:
        raise UserError(f"{why}", BAD_NEWS) from None
    try:
        check(plan, preflight_of(opened.reader, plan.run), choices)
        begun = launching.begin(BACKGROUND if options.background else TERMINAL)
    except Refused as why:
        launching.release()
        raise UserError(f"{why}", BAD_NEWS) from None
    except BaseException:
        launching.release()
        raise
    code, problem = None, None
    try:
        if options.background:
            code = _run_in_background(launching, output_folder(folder, begun.id), options)
        else:
            code = _run_in_terminal(launching, options)
    except NotStarted as why:
        problem = f"{why}"
    after = None if problem is not None else _read_afterwards(opened)
    outcome = launching.end(code, after, started=problem is None)
    _print_outcome(plan, outcome, problem or exit_words(code), code, options)
    return FINE if outcome.went_well else BAD_NEWS


def _run_in_terminal(launching: Launching, options: argparse.Namespace) -> int:
    plan = launching.plan
    assert plan.command is not None and plan.program is not None
    sys.stdout.flush()
    # Keep the output of the program out of the JSON document.
    stdout = sys.stderr.fileno() if options.json or options.jsonl else None
    return run_here(
        plan.command.argv,
        program=plan.program,
        cwd=plan.command.cwd,
        env=environment(plan),
        keep=(launching.lock.descriptor,),
        stdout=stdout,
        on_start=launching.lock.note_child,
    )


def _run_in_background(
    launching: Launching, folder: Path, options: argparse.Namespace
) -> int | None:
    """Run the command in its own pseudo-terminal and print its output until it ends."""
    plan = launching.plan
    assert plan.command is not None and plan.program is not None
    started = run_in_background(
        plan.command.argv,
        program=plan.program,
        cwd=plan.command.cwd,
        env=environment(plan),
        folder=folder,
        keep=(launching.lock.descriptor,),
        on_start=launching.lock.note_child,
    )
    try:
        while started.running:
            _print_new_lines(started, options)
            time.sleep(POLL_SECONDS)
        _print_new_lines(started, options)
    except KeyboardInterrupt:
        launching.release()
        raise UserError(
            f"Still running in the background as process {started.pid}."
            " See `inspector resume --log` for the outcome.",
            BAD_NEWS,
        ) from None
    return started.exit_code


def _print_new_lines(started: Background, options: argparse.Namespace) -> None:
    for line in started.lines():
        print(shown(line, reveal=options.reveal), file=sys.stderr, flush=True)


def _read_afterwards(opened: Opened) -> PreFlight | None:
    for pause in RETRY_SECONDS:
        time.sleep(pause)
        try:
            return preflight_of(opened.reader, opened.plan.run)
        except StoreUnavailable:
            continue
    return None


def _print_outcome(
    plan: Plan, outcome: Outcome, ended: str, code: int | None, options: argparse.Namespace
) -> None:
    if options.json or options.jsonl:
        result: Mapping[str, object] = {
            "verdict": outcome.verdict,
            "words": outcome.words,
            "exit_code": code,
            "ended": ended,
            "changes": list(outcome.changes),
        }
        content = {**plan_document(plan), "launch": result}
        if options.json:
            write_json("resume", content, reveal=options.reveal)
        else:
            write_jsonl("resume", [content], reveal=options.reveal)
        return
    write_line()
    write_line(f"{sentence(outcome.words)[:-1]}; {shown(ended)}.")
    for change in outcome.changes:
        write_line(f"  {shown(change, reveal=options.reveal)}")


def plan_document(plan: Plan) -> Document:
    """The content of `inspector.resume/1`."""
    flight = plan.preflight
    return {
        "run": documents.run(plan.run),
        "resumable": flight.resumable,
        "reason": flight.reason,
        "position": None if flight.position is None else asdict(flight.position),
        "stands": flight.stands,
        "done": list(flight.done),
        "will_run": list(flight.will_run),
        "unknown": list(flight.unknown),
        "warnings": [{"code": one.code, "message": one.message} for one in flight.warnings],
        "needs": list(flight.needs),
        "command": None if plan.command is None else command_document(plan.command),
        "prompt": flight.prompt,
        "launchable": plan.can_launch,
        "problem": plan.problem,
        "host": plan.host,
        "liveness": flight.liveness,
        "confirm": flight.confirm,
        "decisions": [_decision(one) for one in flight.decisions],
        "decision": plan.decision,
        "request": plan.request,
        "deadline": rfc3339(flight.deadline),
        "judged": flight.judged,
        "recorded": dict(flight.record),
        "outcome": flight.outcome,
        "launches": plan.launches,
    }


def command_document(command: Command) -> Document:
    """A command's words, folder and environment."""
    return {"argv": list(command.argv), "cwd": command.cwd, "env": dict(command.env)}


def _decision(one: Decision) -> Document:
    return {"word": one.word, "why_not": one.why_not, "request": one.request}
