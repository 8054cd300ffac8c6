"""Which program is asked to resume a run: built-in presets and the user's own, never the tree's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.model.preflight import Command

PROMPT = "{prompt}"
"""Stands for the whole prompt, as one word."""

PRESETS: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude", "-p", PROMPT),
    "codex": ("codex", "exec", PROMPT),
}
"""Hosts that OpenProse's own help names."""

LONGEST_ARGUMENT = 120_000
"""Bytes of one word that every system hands over."""


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
        return shutil.which(self.words[0]) is not None


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


def command_for(host: Host, prompt: str, folder: str) -> Command:
    """The words to start: the prompt is one of them, whatever is in it. Raises NoHost."""
    if "\0" in prompt or len(prompt.encode()) > LONGEST_ARGUMENT:
        raise NoHost("The prompt cannot be handed over as one word; save the plan and paste it.")
    if not any(PROMPT in word for word in host.words):
        raise NoHost(f"The host {host.name!r} has no {PROMPT} among its words.")
    if not os.path.isdir(folder):
        raise NoHost(f"The folder {folder!r} is gone, so nothing can be started in it.")
    words = tuple(prompt if word == PROMPT else word.replace(PROMPT, prompt) for word in host.words)
    return Command(words, folder)
