"""What every part of the screen needs in order to draw: styles, signs, keys, clock and zone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Protocol

from textual.widget import Widget

from inspector.model.clock import Clock, system_clock
from inspector.ui.commands import Keys
from inspector.ui.palette import DARK, Palette, choose_palette
from inspector.ui.roles import Roles
from inspector.ui.signs import FULL, Signs, for_terminal


class ScreenSettings(Protocol):
    """What the screen asks of the settings."""

    @property
    def theme(self) -> str:
        """One of `auto dark light cb-dark cb-light terminal`."""

    @property
    def ascii(self) -> str:
        """Whether signs are ASCII: `auto`, `yes` or `no`."""

    @property
    def keys(self) -> Mapping[str, str]:
        """Keys by command id, separated by commas; empty = the command has no key."""


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """Settings as they are when nobody set any."""

    theme: str = "auto"
    ascii: str = "auto"
    keys: Mapping[str, str] = field(default_factory=dict)


class Kit:
    """Styles, signs, keys, clock (UTC ms) and time zone (None = that of this machine) in use.

    `epoch` grows with every change that makes drawn lines wrong, so that caches start anew.
    """

    def __init__(
        self,
        palette: Palette = DARK,
        *,
        colour: bool = True,
        signs: Signs = FULL,
        keys: Keys | None = None,
        clock: Clock | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self.roles = Roles(palette, colour=colour)
        self.signs = signs
        self.keys = keys or Keys(())
        self.clock = clock or system_clock()
        self.zone = zone
        self.epoch = 0

    def use_palette(self, palette: Palette) -> None:
        """Changes the theme."""
        self.roles = Roles(palette, colour=self.roles.colour)
        self.epoch += 1

    def next_zone(self) -> str:
        """Changes between the zone of this machine and UTC; returns its name."""
        self.zone = UTC if self.zone is None else None
        self.epoch += 1
        return "UTC" if self.zone is UTC else "local time"


def kit_for_terminal(
    settings: ScreenSettings,
    keys: Keys,
    clock: Clock,
    environ: Mapping[str, str] | None = None,
) -> Kit:
    """The kit for these settings on this terminal."""
    environ = os.environ if environ is None else environ
    return Kit(
        choose_palette(settings.theme, environ),
        colour="NO_COLOR" not in environ and environ.get("TERM") != "dumb",
        signs=for_terminal(settings.ascii, environ),
        keys=keys,
        clock=clock,
    )


_DEFAULT: list[Kit] = []


def kit_of(widget: Widget) -> Kit:
    """The kit of the application that a widget is in; a plain one in any other application."""
    found = getattr(widget.app, "kit", None)
    if isinstance(found, Kit):
        return found
    if not _DEFAULT:
        _DEFAULT.append(Kit())
    return _DEFAULT[0]
