"""A plan: the pre-flight of a run with the exact command, or the reason why there is none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from inspector.model.preflight import Command, Decision, PreFlight
from inspector.model.run import Run
from inspector.resume.command import (
    NoHost,
    argument_error,
    host_words,
    pick,
    program_of,
    template_words,
)


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices of the user, in the settings and for this run."""

    hosts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    templates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Runtime → the words of the user's command, with names in braces to fill in."""
    host: str | None = None
    decision: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a launch would do; `problem` says why it is not possible, None if it is."""

    run: Run
    preflight: PreFlight
    command: Command | None
    program: str | None
    """File of the program; None if not found."""
    problem: str | None
    host: str | None = None
    decision: str | None = None
    launches: int = 0
    """Number of launches of the run when the plan was made."""

    @property
    def can_launch(self) -> bool:
        """True if the plan can be launched."""
        return self.problem is None

    @property
    def request(self) -> str | None:
        """HTTP request with the chosen decision, as an alternative to the command."""
        for decision in self.preflight.decisions:
            if decision.word == self.decision:
                return decision.request
        return self.preflight.request


def make_plan(
    run: Run,
    preflight: PreFlight,
    choices: Choices,
    launches: int = 0,
    held: str | None = None,
) -> Plan:
    """Makes the plan; never raises. `held` describes a launch that has not ended."""
    empty = Plan(run, preflight, None, None, None, None, choices.decision, launches)
    if not preflight.resumable:
        return replace(empty, problem=sentence(preflight.reason or "it cannot be resumed"))
    blocked = held or _decision_error(preflight, choices.decision)
    try:
        words, host = _words(run, preflight, choices)
    except NoHost as why:
        return replace(empty, problem=blocked or str(why))
    folder = preflight.folder if preflight.command is None else preflight.command.cwd
    plan = replace(empty, host=host, problem=blocked)
    invalid = argument_error(words) or _no_folder(folder)
    if invalid is not None or folder is None:
        return replace(plan, problem=sentence(invalid or "where to start it is not known"))
    env = {} if preflight.command is None else preflight.command.env
    program = program_of(words[0])
    if program is None:
        missing = f"There is no program {words[0]!r} on the PATH; the command can be copied."
        plan = replace(plan, problem=blocked or missing)
    return replace(plan, command=Command(words, folder, env), program=program)


def _words(run: Run, preflight: PreFlight, choices: Choices) -> tuple[tuple[str, ...], str | None]:
    if preflight.command is not None:
        return preflight.command.argv, None
    if preflight.prompt is not None:
        host = pick(choices.hosts, choices.host)
        return host_words(host, preflight.prompt), host.name
    template = choices.templates.get(run.runtime)
    if not template:
        raise NoHost(
            f"No command resumes {run.runtime} runs. Set the command of your own host as"
            f' resume = ["…"] under [{run.runtime}] in the settings, or send the request.'
        )
    fills = dict(preflight.fills)
    if choices.decision is not None:
        fills["decision"] = choices.decision
    return template_words(template, fills), None


def _decision_error(preflight: PreFlight, decision: str | None) -> str | None:
    """Returns why the chosen decision is not possible; None if it is or none is needed."""
    if not preflight.decisions:
        return None if decision is None else "This run does not wait for a decision."
    known = {one.word: one for one in preflight.decisions}
    if decision is None:
        return f"Choose {' or '.join(known)} first."
    chosen: Decision | None = known.get(decision)
    if chosen is None:
        return f"The decision can be {' or '.join(known)}."
    return None if chosen.why_not is None else sentence(chosen.why_not)


def _no_folder(folder: str | None) -> str | None:
    if folder is None:
        return None
    if not os.path.isabs(folder) or "\0" in folder:
        return "the folder to start it in has no absolute path"
    if not os.path.isdir(folder):
        return "the folder to start it in is gone"
    return None


def sentence(words: str) -> str:
    """Returns `words` with a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?', '!')) else '.'}"
