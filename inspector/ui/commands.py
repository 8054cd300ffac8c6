"""What can be done on the screen: each command is declared once, and everything follows from it.

Bindings, footer, palette, help and docs/KEYS.md read the same declarations. A
screen's own commands are declared beside it (`runs/commands.py`, `run/commands.py`) and gathered
in `all_commands.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import punctuation

from textual.binding import Binding, BindingsMap

# Private to Textual, which has no other function for the name of a character's key.
from textual.keys import _character_to_key

EVERYWHERE = "app"
"""The place of commands that every screen has."""
LISTS = "list"
"""The place of commands that every list has: moving the cursor."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can do.

    Its method is named after its id, with `_` for `.` and `-`: `failure.next` is
    `action_failure_next`. What follows a colon is an argument: `tab:3` is `action_tab("3")`.
    """

    id: str
    label: str
    """What it does, for the palette and docs/KEYS.md."""
    keys: tuple[str, ...]
    places: tuple[str, ...]
    """Where it exists: `app`, `list`, or names of screens (`CommandScreen.PLACE`)."""
    help: str = ""
    """A sentence more, for the help of the screen."""
    hint: str | None = None
    """The word in the footer; None = it has none."""
    with_key_of: str | None = None
    """Another command whose key stands beside this one's in the footer and in tables."""
    in_palette: bool = True
    listed: bool = True
    """Whether tables of keys have a row for it."""

    @property
    def method(self) -> str:
        """The name of the method that does it."""
        return "action_" + self.id.partition(":")[0].replace(".", "_").replace("-", "_")

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the method is given."""
        _, colon, argument = self.id.partition(":")
        return (argument,) if colon else ()


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and a word in the footer."""

    key: str
    word: str
    command: str = ""
    """The command's id, to run it on a click."""


_SHOWN = {
    **{_character_to_key(character): character for character in punctuation},
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def shown_key(key: str) -> str:
    """A key as people read it: `enter`, `esc`, `ctrl+p`, `[`."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, _SHOWN.get(last, last)])


def normal_key(key: str) -> str:
    """A key under the name that Textual gives it: `?` is `question_mark`."""
    key = key.strip()
    return _character_to_key(key) if len(key) == 1 else key


class Keys:
    """Which keys run which command, with what a person chose instead of the defaults.

    A person's keys replace all defaults of that command, and commands of the same places lose
    the defaults that clash with them. An empty choice leaves the command without a key.
    """

    def __init__(
        self, commands: Iterable[Command], chosen: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.commands = tuple(commands)
        self.notices: list[str] = []
        """Sentences about choices that could not be honoured."""
        self._by_id = {command.id: command for command in self.commands}
        self._keys = {
            command.id: tuple(normal_key(key) for key in command.keys) for command in self.commands
        }
        self._choose(chosen or {})

    def _choose(self, chosen: Mapping[str, Sequence[str]]) -> None:
        taken: list[tuple[str, str]] = []
        for name, choice in chosen.items():
            command = self._by_id.get(name)
            if command is None:
                self.notices.append(f"There is no command {name!r}, so it has no key.")
                continue
            wanted = dict.fromkeys(normal_key(key) for key in choice if key.strip())
            for key, owner in taken:
                if key in wanted and _meet(self._by_id[owner], command):
                    self.notices.append(f"{key} was given to {owner} and {name}: {owner} has it.")
                    del wanted[key]
            self._keys[name] = tuple(wanted)
            taken += [(key, name) for key in wanted]
        owners = {name for name in chosen if name in self._by_id}
        for command in self.commands:
            if command.id not in owners:
                lost = {key for key, owner in taken if _meet(self._by_id[owner], command)}
                kept = tuple(key for key in self._keys[command.id] if key not in lost)
                self._keys[command.id] = kept

    def __getitem__(self, name: str) -> Command:
        return self._by_id[name]

    def keys(self, name: str) -> tuple[str, ...]:
        """The keys of a command, as Textual names them."""
        return self._keys.get(name, ())

    def shown(self, name: str) -> str:
        """The first key of a command as people read it, with the key that stands beside it."""
        command = self._by_id.get(name)
        if command is None:
            return ""
        names = [name, *([command.with_key_of] if command.with_key_of else [])]
        return " ".join(shown_key(self.keys(other)[0]) for other in names if self.keys(other))

    def all_shown(self, name: str) -> str:
        """All keys of a command as people read them."""
        return " ".join(shown_key(key) for key in self.keys(name))

    def of(self, *places: str) -> list[Command]:
        """The commands of some places, in the order of their declaration."""
        return [command for command in self.commands if set(places) & set(command.places)]

    def bindings(self, place: str) -> BindingsMap:
        """The bindings of one place, with the commands' ids."""
        return BindingsMap(
            Binding(key, f"command({command.id!r})", command.label, id=command.id, show=False)
            for command in self.of(place)
            for key in self.keys(command.id)
        )

    def hints(self, names: Sequence[str]) -> list[Hint]:
        """Footer hints of these commands; those without a key or without a word are left out."""
        hints = []
        for name in names:
            command = self._by_id.get(name)
            key = self.shown(name)
            if command is not None and command.hint and key:
                hints.append(Hint(key, command.hint, name))
        return hints


def _meet(one: Command, other: Command) -> bool:
    """Whether two commands may be there at the same time, so that one key cannot be for both."""
    general = {EVERYWHERE, LISTS}
    mine, theirs = set(one.places), set(other.places)
    return bool(mine & theirs or mine & general or theirs & general)


_TITLES = {EVERYWHERE: "Everywhere", LISTS: "In lists"}


def markdown_table(keys: Keys) -> str:
    """The table of keys for docs/KEYS.md, one row for each command."""
    rows = ["| Where | Key | Does |", "| --- | --- | --- |"]
    for command in keys.commands:
        if not keys.keys(command.id) or not command.listed:
            continue
        where = ", ".join(_TITLES.get(place, place.capitalize()) for place in command.places)
        names = " ".join(f"`{shown_key(key)}`" for key in keys.keys(command.id))
        rows.append(f"| {where} | {names.replace('|', chr(92) + '|')} | {command.label} |")
    return "\n".join(rows) + "\n"


def perform(target: object, command: Command) -> bool:
    """Runs a command on the object that has its method; False when it has none."""
    method = getattr(target, command.method, None)
    if method is None:
        return False
    method(*command.arguments)
    return True


LIST_COMMANDS = (
    Command("cursor.down", "One row down", ("j", "down"), (LISTS,), in_palette=False),
    Command("cursor.up", "One row up", ("k", "up"), (LISTS,), in_palette=False),
    Command("cursor.page-down", "One page down", ("pagedown",), (LISTS,), in_palette=False),
    Command("cursor.page-up", "One page up", ("pageup",), (LISTS,), in_palette=False),
    Command("cursor.first", "First row", ("g", "home"), (LISTS,), in_palette=False),
    Command("cursor.last", "Last row", ("G", "end"), (LISTS,), in_palette=False),
)
