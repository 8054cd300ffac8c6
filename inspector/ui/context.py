"""Everything that drawing needs: styles, glyphs, keys, clock and zone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, tzinfo

from textual.widget import Widget

from inspector.config.settings import Asset, Settings
from inspector.model.clock import Clock, system_clock
from inspector.ui.commands import Keys
from inspector.ui.glyphs import FULL, Glyphs, glyphs_for_terminal
from inspector.ui.palette import DARK, Palette, ThemeStyles, choose_palette


class UiContext:
    """Styles, glyphs, keys, clock (UTC ms) and time zone (None for the system's).

    `epoch` increases with every change that invalidates drawn lines, so that caches are rebuilt.
    """

    def __init__(
        self,
        palette: Palette = DARK,
        *,
        colour: bool = True,
        glyphs: Glyphs = FULL,
        keys: Keys | None = None,
        clock: Clock | None = None,
        zone: tzinfo | None = None,
        assets: Mapping[str, Asset] | None = None,
    ) -> None:
        self.styles = ThemeStyles(palette, colour=colour)
        self.glyphs = glyphs
        self.keys = keys or Keys(())
        self.clock = clock or system_clock()
        self.zone = zone
        self.assets = assets or {}
        """Decimals of assets in the user's settings."""
        self.epoch = 0
        self._units: Mapping[str, Asset] = {}
        self._zones = list(dict.fromkeys((zone, None, UTC)))

    def use_palette(self, palette: Palette) -> None:
        """Sets the theme."""
        self.styles = ThemeStyles(palette, colour=self.styles.colour)
        self.epoch += 1

    def change_units(self) -> None:
        """Switches between the user's decimals and base units."""
        self.assets, self._units = self._units, self.assets
        self.epoch += 1

    @property
    def has_units(self) -> bool:
        """True if the user set decimals for any asset."""
        return bool(self.assets or self._units)

    def next_zone(self) -> str:
        """Cycles through the chosen zone, the system's and UTC; returns the new name."""
        self.zone = self._zones[(self._zones.index(self.zone) + 1) % len(self._zones)]
        self.epoch += 1
        if self.zone is None:
            return "the zone of this machine"
        return "UTC" if self.zone is UTC else str(self.zone)


def ui_for_terminal(
    settings: Settings,
    keys: Keys,
    clock: Clock,
    environ: Mapping[str, str] | None = None,
) -> UiContext:
    """Creates the context for settings and a terminal."""
    environ = os.environ if environ is None else environ
    return UiContext(
        choose_palette(settings.theme, environ),
        colour="NO_COLOR" not in environ and environ.get("TERM") != "dumb",
        glyphs=glyphs_for_terminal(settings.ascii, environ),
        keys=keys,
        clock=clock,
        zone=settings.zone(),
        assets=settings.assets,
    )


_DEFAULT: list[UiContext] = []


def ui_of(widget: Widget) -> UiContext:
    """Returns the context of a widget's application; a plain one for other applications."""
    found = getattr(widget.app, "ui", None)
    if isinstance(found, UiContext):
        return found
    if not _DEFAULT:
        _DEFAULT.append(UiContext())
    return _DEFAULT[0]
