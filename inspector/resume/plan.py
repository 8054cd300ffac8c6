"""A plan: the pre-flight of a run with the very command that would be started, or why none can."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from inspector.model.preflight import Command, Decision, PreFlight
from inspector.model.run import Run
from inspector.resume.command import NoHost, host_words, pick, program_of, template_words, why_unfit


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person chose, in the settings and for this run."""

    hosts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    prism: Sequence[str] | None = None
    """The words of the command that resumes a Prism run."""
    host: str | None = None
    decision: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done. `problem` says why it cannot be launched from here, None when it can."""

    run: Run
    preflight: PreFlight
    command: Command | None
    program: str | None
    """The file of the command's program; None when it was not found."""
    problem: str | None
    host: str | None = None
    decision: str | None = None
    launches: int = 0
    """How often the run had been launched by us when the plan was made."""

    @property
    def can_launch(self) -> bool:
        """Whether it can be launched from here."""
        return self.problem is None

    @property
    def request(self) -> str | None:
        """What to send to a server of the runtime instead, for the decision that was chosen."""
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
    """The plan; never raises. `held` says who launched the run and has not ended."""
    empty = Plan(run, preflight, None, None, None, None, choices.decision, launches)
    if not preflight.resumable:
        return replace(empty, problem=sentence(preflight.reason or "it cannot be resumed"))
    undecided = held or _undecided(preflight, choices.decision)
    try:
        words, host = _words(preflight, choices)
    except NoHost as why:
        return replace(empty, problem=undecided or str(why))
    folder = preflight.folder if preflight.command is None else preflight.command.cwd
    plan = replace(empty, host=host, problem=undecided)
    unfit = why_unfit(words) or _no_folder(folder)
    if unfit is not None or folder is None:
        return replace(plan, problem=sentence(unfit or "where to start it is not known"))
    env = {} if preflight.command is None else preflight.command.env
    program = program_of(words[0])
    if program is None:
        missing = f"There is no program {words[0]!r} on the PATH; the command can be copied."
        plan = replace(plan, problem=undecided or missing)
    return replace(plan, command=Command(words, folder, env), program=program)


def _words(preflight: PreFlight, choices: Choices) -> tuple[tuple[str, ...], str | None]:
    if preflight.command is not None:
        return preflight.command.argv, None
    if preflight.prompt is not None:
        host = pick(choices.hosts, choices.host)
        return host_words(host, preflight.prompt), host.name
    if not choices.prism:
        raise NoHost(
            "Nothing resumes a stored Prism run by itself: give the command of your own host as"
            ' resume = ["…"] under [prism] in the settings, or send the request.'
        )
    fills = dict(preflight.fills)
    if choices.decision is not None:
        fills["decision"] = choices.decision
    return template_words(choices.prism, fills), None


def _undecided(preflight: PreFlight, decision: str | None) -> str | None:
    """Why the decision that was chosen cannot be carried out; None when it can or none is asked."""
    if not preflight.decisions:
        return None if decision is None else "This run does not wait for a decision."
    known = {one.word: one for one in preflight.decisions}
    if decision is None:
        return f"Say whether to {' or to '.join(known)}."
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
    """Words with a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?', '!')) else '.'}"
