"""The command that resumes a run: hosts, templates, limits, and a line to copy.

Text from a database only becomes a whole argument; nothing is passed to a shell. The result of
`shell_line` is text for a person to paste.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.model.preflight import Command

MAX_ARGUMENT_BYTES = 120_000
"""Limit for one argument on every system."""
MAX_COMMAND_BYTES = 200_000
"""Limit for all arguments together."""

_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c"
                       "\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # fmt: skip
"""Characters to escape in text to paste; a line break in quotes is fine."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _@%+=:,./-")


def argument_error(words: Sequence[str]) -> str | None:
    """Returns why the system would reject these arguments; None if it accepts them."""
    total = 0
    for word in words:
        if "\0" in word:
            return "a word of the command would hold a NUL, which no program can be given"
        try:
            size = len(os.fsencode(word))
        except UnicodeEncodeError:
            return "a word of the command holds characters that no program can be given"
        if size > MAX_ARGUMENT_BYTES:
            return "a word of the command is too long to be handed over"
        total += size + 1
    return "the command is too long to be handed over" if total > MAX_COMMAND_BYTES else None


def program_of(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Returns the file of a program: an absolute path, or a name found on PATH.

    Relative folders on PATH are skipped: they would refer to the inspected folder, where the
    program is started.
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
    """Formats the command for a POSIX shell: `cd FOLDER && NAME=… PROGRAM …`."""
    settings = [f"{name}={quoted(value)}" for name, value in command.env.items()]
    words = [quoted(word) for word in command.argv]
    return f"cd {quoted(command.cwd)} && {' '.join([*settings, *words])}"


def quoted(word: str) -> str:
    """Quotes an argument for a shell; control characters become `$'\\x1b'` (bash, zsh, ksh)."""
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
"""Placeholder for the whole prompt."""

PRESETS: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude", "-p", PROMPT),
    "codex": ("codex", "exec", PROMPT),
}
"""The hosts named in OpenProse's help."""

TEMPLATE_NAMES = (
    "run_id", "session_id", "workflow_id", "expected_version", "decision", "approval_id",
)  # fmt: skip
"""Placeholders of a Prism template."""

_NAME = re.compile(r"\{([a-z_]+)\}")


class NoHost(Exception):
    """No host can be used; the text is a sentence with the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Host:
    """A program that can resume a run, with a name."""

    name: str
    words: tuple[str, ...]

    @property
    def installed(self) -> bool:
        """True if its program is found."""
        return program_of(self.words[0]) is not None


def hosts(chosen: Mapping[str, Sequence[str]]) -> tuple[Host, ...]:
    """Returns the user's hosts, then the presets that they do not replace."""
    own = [Host(name, tuple(words)) for name, words in chosen.items() if words]
    names = {host.name for host in own}
    return (*own, *(Host(name, words) for name, words in PRESETS.items() if name not in names))


def pick(chosen: Mapping[str, Sequence[str]], name: str | None) -> Host:
    """Returns the named host, else the first installed, else the first. Raises NoHost."""
    known = hosts(chosen)
    if name is None:
        return next((host for host in known if host.installed), known[0])
    for host in known:
        if host.name == name:
            return host
    listed = ", ".join(host.name for host in known)
    raise NoHost(f"Unknown host {name!r}. Choose one of {listed}, or add it under [hosts].")


def host_words(host: Host, prompt: str) -> tuple[str, ...]:
    """Returns the arguments, with the prompt in them. Raises NoHost."""
    if not any(PROMPT in word for word in host.words[1:]):
        raise NoHost(f"The command of host {host.name!r} does not contain {PROMPT}.")
    return (host.words[0], *(word.replace(PROMPT, prompt) for word in host.words[1:]))


def template_words(template: Sequence[str], fills: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the arguments of a template with its placeholders filled. Raises NoHost.

    The program itself has no placeholders. Filled text is not expanded again and cannot become an
    option: it must not start an argument with a dash.
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
            raise NoHost(f"The {name} starts with a dash and would be taken for an option.")
        return fills[name]

    return _NAME.sub(value, word)


def _missing(name: str) -> str:
    if name == "decision":
        return "Choose approve or deny first."
    if name == "approval_id":
        return "The template has {approval_id}, but the run does not wait for exactly one approval."
    return f"The template has {{{name}}}, which this run does not have."
