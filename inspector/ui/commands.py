"""Commands: each is declared once; everything about it follows from the declaration.

Bindings, footer, palette, help and docs/KEYS.md read the same declarations. A screen's own commands
are declared beside it (`runs/commands.py`, `run/commands.py`) and collected in `keymap.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import punctuation

from textual.binding import Binding, BindingsMap

# Private to Textual, which has no public function for the key name of a character.
from textual.keys import _character_to_key

EVERYWHERE = "app"
"""Place of commands that every screen has."""
LISTS = "list"
"""Place of commands that every list has: moving the cursor."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the user.

    Its method is named after its id, with `_` for `.` and `-`: `failure.next` is
    `action_failure_next`. The part after a colon is an argument: `tab:3` is `action_tab("3")`.
    """

    id: str
    label: str
    """Description for the palette and docs/KEYS.md."""
    keys: tuple[str, ...]
    places: tuple[str, ...]
    """Places it is available in: `app`, `list`, or names of screens (`CommandScreen.PLACE`)."""
    help: str = ""
    """An additional sentence for the help."""
    hint: str | None = None
    """Label in the footer; None if it is not shown there."""
    with_key_of: str | None = None
    """Command whose key is shown together with this one's, in the footer and in tables."""
    in_palette: bool = True
    listed: bool = True
    """True if tables of keys have a row for it."""

    @property
    def method(self) -> str:
        """Name of the method."""
        return "action_" + self.id.partition(":")[0].replace(".", "_").replace("-", "_")

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments of the method."""
        _, colon, argument = self.id.partition(":")
        return (argument,) if colon else ()


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and a label in the footer."""

    key: str
    word: str
    command: str = ""
    """Id of the command to run on a click."""


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
    """Formats a key for display: `enter`, `esc`, `ctrl+p`, `[`."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, _SHOWN.get(last, last)])


def normal_key(key: str) -> str:
    """Returns Textual's name of a key: `?` is `question_mark`."""
    key = key.strip()
    return _character_to_key(key) if len(key) == 1 else key


class Keys:
    """Key bindings: defaults and the user's choices.

    The user's keys replace all defaults of that command, and commands of the same places lose
    defaults that clash with them. An empty choice leaves a command without a key.
    """

    def __init__(
        self, commands: Iterable[Command], chosen: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.commands = tuple(commands)
        self.notices: list[str] = []
        """Sentences about rejected choices."""
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
                if key in wanted and _overlap(self._by_id[owner], command):
                    self.notices.append(f"{key} was given to {owner} and {name}: {owner} has it.")
                    del wanted[key]
            self._keys[name] = tuple(wanted)
            taken += [(key, name) for key in wanted]
        owners = {name for name in chosen if name in self._by_id}
        for command in self.commands:
            if command.id not in owners:
                lost = {key for key, owner in taken if _overlap(self._by_id[owner], command)}
                kept = tuple(key for key in self._keys[command.id] if key not in lost)
                self._keys[command.id] = kept

    def __getitem__(self, name: str) -> Command:
        return self._by_id[name]

    def keys(self, name: str) -> tuple[str, ...]:
        """Returns the keys of a command, by Textual's names."""
        return self._keys.get(name, ())

    def shown(self, name: str) -> str:
        """Returns the first key of a command for display, with the key of its pair."""
        command = self._by_id.get(name)
        if command is None:
            return ""
        names = [name, *([command.with_key_of] if command.with_key_of else [])]
        return " ".join(shown_key(self.keys(other)[0]) for other in names if self.keys(other))

    def all_shown(self, name: str) -> str:
        """Returns all keys of a command for display."""
        return " ".join(shown_key(key) for key in self.keys(name))

    def of(self, *places: str) -> list[Command]:
        """Returns the commands of some places, in order of declaration."""
        return [command for command in self.commands if set(places) & set(command.places)]

    def bindings(self, place: str) -> BindingsMap:
        """Returns the bindings of one place, with command ids."""
        return BindingsMap(
            Binding(key, f"command({command.id!r})", command.label, id=command.id, show=False)
            for command in self.of(place)
            for key in self.keys(command.id)
        )

    def hints(self, names: Sequence[str]) -> list[Hint]:
        """Returns footer hints for commands that have both a key and a label."""
        hints = []
        for name in names:
            command = self._by_id.get(name)
            key = self.shown(name)
            if command is not None and command.hint and key:
                hints.append(Hint(key, command.hint, name))
        return hints


def _overlap(one: Command, other: Command) -> bool:
    """True if two commands may be available together, so that they cannot share a key."""
    general = {EVERYWHERE, LISTS}
    mine, theirs = set(one.places), set(other.places)
    return bool(mine & theirs or mine & general or theirs & general)


_TITLES = {EVERYWHERE: "Everywhere", LISTS: "In lists"}


def markdown_table(keys: Keys) -> str:
    """Returns the table of keys for docs/KEYS.md, one row per command."""
    rows = ["| Where | Key | Does |", "| --- | --- | --- |"]
    for command in keys.commands:
        if not keys.keys(command.id) or not command.listed:
            continue
        where = ", ".join(_TITLES.get(place, place.capitalize()) for place in command.places)
        names = " ".join(f"`{shown_key(key)}`" for key in keys.keys(command.id))
        rows.append(f"| {where} | {names.replace('|', chr(92) + '|')} | {command.label} |")
    return "\n".join(rows) + "\n"


def perform(target: object, command: Command) -> bool:
    """Calls a command's method on an object; False if it has none."""
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
