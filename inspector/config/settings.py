"""What a person chose, read from one TOML file; without it, or where it is wrong, the defaults.

TOML, zones and folders load when settings are read, not when this module is.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from inspector.config import checks
from inspector.config.folders import config_file

FILE_VARIABLE = "INSPECTOR_CONFIG"
"""Names another settings file."""

_LARGEST_FILE = 1_000_000


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of a model cost; None is unknown, which is not free."""

    input: Decimal | None = None
    output: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Asset:
    """How an asset's base units are shown; no runtime records it."""

    decimals: int
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be chosen; the fields are the keys of the file."""

    theme: str = "auto"
    """auto, dark, light, cb-dark, cb-light or terminal."""
    ascii: str = "auto"
    """auto, always or never: signs of ASCII instead of Unicode."""
    time_zone: str = "local"
    """local, utc or an IANA name."""
    refresh: str = "auto"
    """auto, fast or slow."""
    mouse: bool = True
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Keys by action id; an empty tuple takes the key away."""
    prices: Mapping[str, Price] = field(default_factory=_nothing)
    """By model."""
    assets: Mapping[str, Asset] = field(default_factory=_nothing)
    """By asset id as the runtime records it."""
    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Commands that can resume an OpenProse run, as words, by the name of the host."""
    prism_resume: tuple[str, ...] | None = None
    """The words of the command that resumes a Prism run."""

    def zone(self) -> tzinfo | None:
        """The chosen zone; None is the zone of this machine."""
        if self.time_zone in ("local", "utc"):
            return UTC if self.time_zone == "utc" else None
        from zoneinfo import ZoneInfo

        return ZoneInfo(self.time_zone)


_FILE = checks.fields(
    {
        "theme": checks.one_of("auto", "dark", "light", "cb-dark", "cb-light", "terminal"),
        "ascii": checks.one_of("auto", "always", "never"),
        "time_zone": checks.time_zone,
        "refresh": checks.one_of("auto", "fast", "slow"),
        "mouse": checks.boolean,
        "keys": checks.each(checks.keys, nested=True),
        "prices": checks.each(
            checks.fields(
                {
                    "input": checks.decimal,
                    "output": checks.decimal,
                    "cache_read": checks.decimal,
                    "cache_write": checks.decimal,
                    "currency": checks.short_text,
                }
            )
        ),
        "assets": checks.each(
            checks.fields({"decimals": checks.whole(0, 255), "symbol": checks.short_text})
        ),
        "hosts": checks.each(checks.words),
        "prism": checks.fields({"resume": checks.words}),
    }
)


def load_settings(path: Path | None = None) -> tuple[Settings, tuple[str, ...]]:
    """The settings, and a sentence for each thing in their file that could not be used.

    The file is `path`, or what INSPECTOR_CONFIG names, or the user's own, which need not exist.
    Never raises for what a file holds or lacks.
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


def _read(file: Path) -> dict[str, Any]:
    """The file as TOML; raises OSError, ValueError, ArithmeticError or RecursionError."""
    import tomllib

    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    if status.st_size > _LARGEST_FILE:
        raise ValueError("it is larger than a megabyte")
    return tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)


def _settings(raw: dict[str, Any], report: checks.Report) -> Settings:
    found: Any = _FILE(raw, "", report)
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
        prism_resume=found.pop("prism", {}).get("resume"),
        **found,
    )
