"""Words of a command: whether the system takes them, where their program is, and how to copy them.

What a database holds only ever becomes a word, whole; nothing here is handed to a shell. The line
of `shell_line` is text for a person who pastes it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.model.preflight import Command

LONGEST_WORD = 120_000
"""Bytes of one word that every system hands over."""
MOST_BYTES = 200_000
"""Of all words together."""

_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c"
                       "\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # fmt: skip
"""What must not stand as it is in text to paste; a line break inside quotes may."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _@%+=:,./-")


def why_unfit(words: Sequence[str]) -> str | None:
    """Why the system would not take these words as one command; None when it does."""
    total = 0
    for word in words:
        if "\0" in word:
            return "a word of the command would hold a NUL, which no program can be given"
        try:
            size = len(os.fsencode(word))
        except UnicodeEncodeError:
            return "a word of the command holds characters that no program can be given"
        if size > LONGEST_WORD:
            return "a word of the command is too long to be handed over"
        total += size + 1
    return "the command is too long to be handed over" if total > MOST_BYTES else None


def program_of(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """The file of a program: an absolute path, or a name in the folders of PATH.

    Folders of PATH that are not absolute are left out: they would mean the folder that the program
    is started in, which is the inspected one.
    """
    if os.path.isabs(name):
        return name if _is_program(name) else None
    if os.sep in name or not name:
        return None
    environ = os.environ if environ is None else environ
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and _is_program(path):
            return path
    return None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def shell_line(command: Command) -> str:
    """The command as text for a POSIX shell: `cd FOLDER && NAME=… PROGRAM …`."""
    settings = [f"{name}={quoted(value)}" for name, value in command.env.items()]
    words = [quoted(word) for word in command.argv]
    return f"cd {quoted(command.cwd)} && {' '.join([*settings, *words])}"


def quoted(word: str) -> str:
    """One word for a shell. Control characters are written as `$'\\x1b'`, which bash, zsh and ksh
    read; all else is quoted as any shell reads it."""
    if not _CONTROLS.search(word):
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, _bytes_of(word)))}'"


def _bytes_of(word: str) -> bytes:
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return word.encode("utf-8", "surrogatepass")


def _escaped(byte: int) -> str:
    return chr(byte) if byte in _PLAIN else f"\\x{byte:02x}"


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
