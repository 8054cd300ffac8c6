"""Which program is asked to resume a run: built-in presets and the user's own, never the tree's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.resume.words import program_of

PROMPT = "{prompt}"
"""Stands for the whole prompt, as one word."""

PRESETS: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude", "-p", PROMPT),
    "codex": ("codex", "exec", PROMPT),
}
"""Hosts that OpenProse's own help names."""

TEMPLATE_NAMES = (
    "run_id", "session_id", "workflow_id", "expected_version", "decision", "approval_id",
)  # fmt: skip
"""Names that a template for Prism may have in braces."""

_NAME = re.compile(r"\{([a-z_]+)\}")


class NoHost(Exception):
    """No program can be asked: why, in one sentence with what to do."""


@dataclass(frozen=True, slots=True)
class Host:
    """A program that can be asked, by its name."""

    name: str
    words: tuple[str, ...]

    @property
    def installed(self) -> bool:
        """Whether its program is found."""
        return program_of(self.words[0]) is not None


def hosts(chosen: Mapping[str, Sequence[str]]) -> tuple[Host, ...]:
    """The user's own hosts first, then the presets that were not replaced."""
    own = [Host(name, tuple(words)) for name, words in chosen.items() if words]
    names = {host.name for host in own}
    return (*own, *(Host(name, words) for name, words in PRESETS.items() if name not in names))


def pick(chosen: Mapping[str, Sequence[str]], name: str | None) -> Host:
    """The named host, else the first that is installed, else the first. Raises NoHost."""
    known = hosts(chosen)
    if name is None:
        return next((host for host in known if host.installed), known[0])
    for host in known:
        if host.name == name:
            return host
    listed = ", ".join(host.name for host in known)
    raise NoHost(f"There is no host {name!r}; choose one of {listed}, or add it under [hosts].")


def host_words(host: Host, prompt: str) -> tuple[str, ...]:
    """The words to start: the prompt is one of them, or a part of one. Raises NoHost."""
    if not any(PROMPT in word for word in host.words[1:]):
        raise NoHost(f"The host {host.name!r} has no {PROMPT} among its words.")
    return (host.words[0], *(word.replace(PROMPT, prompt) for word in host.words[1:]))


def template_words(template: Sequence[str], fills: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a template with what stands for its names. Raises NoHost.

    The program itself has no names. What is filled in is never read again, and never becomes an
    option: a word that would begin with it must not begin with a dash.
    """
    return (template[0], *(_filled(word, fills) for word in template[1:]))


def _filled(word: str, fills: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in TEMPLATE_NAMES:
            listed = " ".join(f"{{{known}}}" for known in TEMPLATE_NAMES)
            raise NoHost(f"The template has {{{name}}}; it can have {listed}.")
        if not fills.get(name):
            raise NoHost(_missing(name))
        if found.start() == 0 and fills[name].startswith("-"):
            raise NoHost(f"The {name} begins with a dash and would be taken for an option.")
        return fills[name]

    return _NAME.sub(value, word)


def _missing(name: str) -> str:
    if name == "decision":
        return "Say whether to approve or to deny."
    if name == "approval_id":
        return "The template has {approval_id}, but not exactly one approval is asked for."
    return f"The template has {{{name}}}, which this run does not have."
