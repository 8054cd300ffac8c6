"""Settings from one TOML file; missing or invalid values fall back to the defaults.

tomllib, zoneinfo and platformdirs are imported when settings are read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType
from typing import Any, Never

from inspector.config.folders import config_file

Report = Callable[[str], None]
Reader = Callable[[object, str, Report], object]
"""Validates a value given its key and a reporter; raises Invalid to use the default."""


class Invalid(ValueError):
    """A value that cannot be used; the text is a sentence for the user."""


def unknown(name: str, known: Collection[str]) -> str:
    """Returns the end of a sentence about an unknown name, with the closest known one."""
    from difflib import get_close_matches

    nearest = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"is unknown; did you mean {nearest[0]}?" if nearest else "is unknown; ignored."


def quoted(value: object) -> str:
    """Formats a value for a message, at most 60 characters."""
    text = repr(value if not isinstance(value, Decimal) else float(value))
    return text if len(text) <= 60 else f"{text[:57]}..."


def one_of(*words: str) -> Reader:
    """Accepts one of `words`."""

    def read(value: object, where: str, report: Report) -> str:
        if isinstance(value, str) and value in words:
            return value
        raise Invalid(f"{where} is {quoted(value)}; it can be {', '.join(words)}.")

    return read


def boolean(value: object, where: str, report: Report) -> bool:
    """Accepts true or false."""
    if isinstance(value, bool):
        return value
    raise Invalid(f"{where} is {quoted(value)}; it can be true or false.")


def time_zone(value: object, where: str, report: Report) -> str:
    """Accepts `local`, `utc` or a known IANA name."""
    from zoneinfo import ZoneInfo

    if value in ("local", "utc"):
        return str(value)
    try:
        return ZoneInfo(value).key if isinstance(value, str) else _no_zone(value, where)
    except (ValueError, LookupError, OSError):
        return _no_zone(value, where)


def _no_zone(value: object, where: str) -> str:
    raise Invalid(
        f"{where} is {quoted(value)}; it can be local, utc or a name such as Europe/London."
    )


def words(value: object, where: str, report: Report) -> tuple[str, ...]:
    """Accepts a command as a list of arguments, not as a shell string."""
    listed = value if isinstance(value, list) else []
    strings = [word for word in listed if isinstance(word, str) and "\0" not in word]
    if strings and len(strings) == len(listed) and strings[0]:
        return tuple(strings)
    raise Invalid(f'{where} must be a list of strings, such as ["npm", "run", "resume"].')


def keys(value: object, where: str, report: Report) -> tuple[str, ...]:
    """Accepts a key or a list of keys; an empty string unbinds."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(key, str) for key in listed):
        raise Invalid(f'{where} must be a key such as "ctrl+r", a list of keys, or "" for none.')
    for key in listed:
        if any(character.isspace() or not character.isprintable() for character in key):
            raise Invalid(
                f"{where} names the key {quoted(key)}; write space, tab or enter as words."
            )
    return tuple(key for key in listed if key)


def decimal(value: object, where: str, report: Report) -> Decimal:
    """Accepts an exact, non-negative amount as text or number."""
    number = None
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = None
    # A mistyped exponent must not become a number of a million digits.
    if number is None or not number.is_finite() or not -18 <= number.adjusted() <= 12:
        raise Invalid(f'{where} is {quoted(value)}; it must be an amount such as "3.00".')
    if number < 0:
        raise Invalid(f"{where} is {quoted(value)}; it must not be negative.")
    return number


def whole(low: int, high: int) -> Reader:
    """Accepts an integer from `low` to `high`."""

    def read(value: object, where: str, report: Report) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise Invalid(f"{where} is {quoted(value)}; it must be a whole number, {low} to {high}.")

    return read


def short_text(value: object, where: str, report: Report) -> str:
    """Accepts a printable text of at most 20 characters."""
    if isinstance(value, str) and 0 < len(value) <= 20 and value.isprintable():
        return value
    raise Invalid(f"{where} is {quoted(value)}; it must be a word of at most 20 characters.")


def each(read: Reader, *, nested: bool = False) -> Reader:
    """Accepts a table with arbitrary keys; invalid entries are reported and skipped.

    `nested` joins the keys of inner tables with dots: TOML parses `run.open = "o"` as nested.
    """

    def read_all(value: object, where: str, report: Report) -> dict[str, object]:
        entries: dict[str, object] = {}
        for name, item in _entries(value, where, nested):
            try:
                entries[name] = read(item, f"{where}.{name}", report)
            except Invalid as invalid:
                report(str(invalid))
        return entries

    return read_all


def _entries(value: object, where: str, nested: bool) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict):
        raise Invalid(f"{where} must be a table, such as [{where}].")
    for name, item in value.items():
        if nested and isinstance(item, dict):
            for inner, leaf in _entries(item, f"{where}.{name}", nested):
                yield f"{name}.{inner}", leaf
        else:
            yield name, item


def fields(readers: Mapping[str, Reader]) -> Reader:
    """Accepts a table with known keys; unknown and invalid ones are reported and skipped."""

    def read(value: object, where: str, report: Report) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, item in _entries(value, where, nested=False):
            place = f"{where}.{name}" if where else name
            if name not in readers:
                report(_unknown_field(place, item, readers))
                continue
            try:
                found[name] = readers[name](item, place, report)
            except Invalid as invalid:
                report(str(invalid))
        return found

    return read


def _unknown_field(place: str, item: object, readers: Mapping[str, Reader]) -> str:
    table, _, path = place.partition(".")
    if isinstance(item, dict) and "." in path:
        return f'{place} is a table; if the name has a dot, quote it: [{table}."{path}"].'
    return f"{place} {unknown(place.rpartition('.')[2], readers)}"


FILE_VARIABLE = "INSPECTOR_CONFIG"
"""Environment variable with the path of another settings file."""

_MAX_FILE_BYTES = 1_000_000


def _nothing() -> Mapping[str, Never]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens of a model; None = unknown, which is not free."""

    input: Decimal | None = None
    output: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Asset:
    """Display of an asset's base units, which no runtime records."""

    decimals: int
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; the fields are the keys of the file."""

    theme: str = "auto"
    """auto, dark, light, cb-dark, cb-light or terminal."""
    ascii: str = "auto"
    """auto, always or never: ASCII glyphs instead of Unicode."""
    time_zone: str = "local"
    """local, utc or an IANA name."""
    refresh: str = "auto"
    """auto, fast or slow."""
    mouse: bool = True
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Keys by command id; an empty tuple unbinds."""
    prices: Mapping[str, Price] = field(default_factory=_nothing)
    """By model."""
    assets: Mapping[str, Asset] = field(default_factory=_nothing)
    """By asset id as the runtime records it."""
    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Commands that resume an OpenProse run, by host name."""
    resume_commands: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Runtime → the words of the command that resumes its runs: `resume` in a table of its name."""

    def zone(self) -> tzinfo | None:
        """Returns the zone; None = the zone of this machine."""
        if self.time_zone in ("local", "utc"):
            return UTC if self.time_zone == "utc" else None
        from zoneinfo import ZoneInfo

        return ZoneInfo(self.time_zone)


_FILE_FIELDS: Mapping[str, Reader] = {
    "theme": one_of("auto", "dark", "light", "cb-dark", "cb-light", "terminal"),
    "ascii": one_of("auto", "always", "never"),
    "time_zone": time_zone,
    "refresh": one_of("auto", "fast", "slow"),
    "mouse": boolean,
    "keys": each(keys, nested=True),
    "prices": each(
        fields(
            {
                "input": decimal,
                "output": decimal,
                "cache_read": decimal,
                "cache_write": decimal,
                "currency": short_text,
            }
        )
    ),
    "assets": each(fields({"decimals": whole(0, 255), "symbol": short_text})),
    "hosts": each(words),
}
_FILE = fields(_FILE_FIELDS)


def load_settings(path: Path | None = None) -> tuple[Settings, tuple[str, ...]]:
    """Returns the settings, and a sentence for each problem in their file.

    Reads `path`, else the file in INSPECTOR_CONFIG, else the user's own, which need not exist.
    Never raises for the content of a file.
    """
    named = path or (Path(os.environ[FILE_VARIABLE]) if os.environ.get(FILE_VARIABLE) else None)
    file = named or config_file()
    problems: list[str] = []
    try:
        raw = _read(file)
    except FileNotFoundError:
        return Settings(), (f"{file} does not exist; the defaults are used.",) if named else ()
    except (OSError, ValueError, ArithmeticError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Settings(), (f"{file} cannot be read, the defaults are used: {why}.",)
    settings = _settings(raw, lambda problem: problems.append(f"{file}: {problem}"))
    return settings, tuple(problems)


def _read(file: Path) -> dict[str, object]:
    """Parses the file; raises OSError, ValueError, ArithmeticError or RecursionError."""
    import tomllib

    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    if status.st_size > _MAX_FILE_BYTES:
        raise ValueError("it is larger than a megabyte")
    return tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)


def _resume_commands(raw: Mapping[str, object], report: Report) -> dict[str, tuple[str, ...]]:
    """Take the tables that hold nothing but a resume command: their names are runtimes."""
    commands: dict[str, tuple[str, ...]] = {}
    for name, table in raw.items():
        if name not in _FILE_FIELDS and isinstance(table, dict) and table.keys() == {"resume"}:
            try:
                found: Any = words(table["resume"], f"{name}.resume", report)
                commands[name] = tuple(found)
            except Invalid as invalid:
                report(str(invalid))
                commands[name] = ()
    return commands


def _settings(raw: dict[str, object], report: Report) -> Settings:
    commands = _resume_commands(raw, report)
    found: Any = _FILE({name: raw[name] for name in raw if name not in commands}, "", report)
    prices = {name: Price(**entry) for name, entry in found.pop("prices", {}).items()}
    assets = {}
    for name, entry in found.pop("assets", {}).items():
        if "decimals" in entry:
            assets[name] = Asset(**entry)
        else:
            report(f"assets.{name} has no decimals, so its amounts stay in base units.")
    return Settings(
        prices=MappingProxyType(prices),
        assets=MappingProxyType(assets),
        keys=MappingProxyType(found.pop("keys", {})),
        hosts=MappingProxyType(found.pop("hosts", {})),
        resume_commands=MappingProxyType({name: one for name, one in commands.items() if one}),
        **found,
    )
