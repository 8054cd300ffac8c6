"""One launch from the command line: under the lock, in this terminal or behind it, judged."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.cli.errors import BAD_NEWS, FINE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line
from inspector.cli.plan_document import plan_document
from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.process.background import Background, run_in_background
from inspector.process.foreground import NotStarted, run_here
from inspector.query.run_reader import RunReader, preflight_of
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
    output_folder,
)
from inspector.resume.lock import AlreadyRunning, NoLock
from inspector.resume.plan import Choices, Plan, sentence
from inspector.store.read import StoreUnavailable

LOOK_AGAIN_SECONDS = (0.0, 0.1, 0.3, 1.0, 2.0)
"""Pauses before a store that cannot be read after the launch is looked at again."""
POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Opened:
    """A run that was named, its reader, and the plan that was made of it."""

    reader: RunReader
    plan: Plan
    name: str


def launch(
    opened: Opened, choices: Choices, folder: Path, clock: Clock, options: argparse.Namespace
) -> int:
    """Launches a plan that was confirmed, and says what came of it."""
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
            code = _behind(launching, output_folder(folder, begun.id), options)
        else:
            code = _here(launching, options)
    except NotStarted as why:
        problem = f"{why}"
    after = None if problem is not None else _look(opened)
    outcome = launching.end(code, after, started=problem is None)
    _tell(plan, outcome, problem or exit_words(code), code, options)
    return FINE if outcome.went_well else BAD_NEWS


def _here(launching: Launching, options: argparse.Namespace) -> int:
    plan = launching.plan
    assert plan.command is not None and plan.program is not None
    sys.stdout.flush()
    # A document on standard output is not mixed with what the program says.
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


def _behind(launching: Launching, folder: Path, options: argparse.Namespace) -> int | None:
    """Runs it in a terminal of its own and prints what it says, until it ends."""
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
            _repeat(started, options)
            time.sleep(POLL_SECONDS)
        _repeat(started, options)
    except KeyboardInterrupt:
        launching.release()
        raise UserError(
            f"It goes on in the background as process {started.pid};"
            " `inspector resume --log` tells how it ends.",
            BAD_NEWS,
        ) from None
    return started.exit_code


def _repeat(started: Background, options: argparse.Namespace) -> None:
    for line in started.lines():
        print(shown(line, reveal=options.reveal), file=sys.stderr, flush=True)


def _look(opened: Opened) -> PreFlight | None:
    for pause in LOOK_AGAIN_SECONDS:
        time.sleep(pause)
        try:
            return preflight_of(opened.reader, opened.plan.run)
        except StoreUnavailable:
            continue
    return None


def _tell(
    plan: Plan, outcome: Outcome, ended: str, code: int | None, options: argparse.Namespace
) -> None:
    if options.json or options.jsonl:
        told: Mapping[str, Any] = {
            "verdict": outcome.verdict,
            "words": outcome.words,
            "exit_code": code,
            "ended": ended,
            "changes": list(outcome.changes),
        }
        content = {**plan_document(plan), "launch": told}
        if options.json:
            write_json("resume", content, reveal=options.reveal)
        else:
            write_jsonl("resume", [content], reveal=options.reveal)
        return
    write_line()
    write_line(f"{sentence(outcome.words)[:-1]}; {shown(ended)}.")
    for change in outcome.changes:
        write_line(f"  {shown(change, reveal=options.reveal)}")
