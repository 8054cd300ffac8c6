"""Colours of each theme by role. No other module of the screen names a colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

from inspector.model.status import Status


class Role(StrEnum):
    """The role of a text, which determines its style."""

    TEXT = "text"
    STRONG = "strong"
    """Titles, the label of the cursor row: bold."""
    MUTED = "muted"
    """Labels, units, ended steps."""
    FAINT = "faint"
    """`–`, `0`, line numbers."""
    ACCENT = "accent"
    """Running, the cursor, the active tab, matches."""
    SUCCESS = "success"
    DONE = "done"
    """Finished bars and areas."""
    WARNING = "warning"
    """Waiting, interrupted, findings."""
    ERROR = "error"
    LOSS = "loss"
    """Negative areas."""
    TRAVEL = "travel"
    """Time travel only."""
    DIM = "dim"
    """Ticks and the rules after group names; not drawn with 16 colours."""
    LINE = "line"
    """Tree guides, rules under tabs."""
    GUIDE = "guide"
    """Bars of parents, borders of dialogs, the cursor of a pane without focus."""


class Ground(StrEnum):
    """The background of a text."""

    BG = "bg"
    RAISED = "raised"
    SELECT = "select"
    HOVER = "hover"
    FIELD = "field"
    SCRIM = "scrim"
    TRAVEL = "travel_ground"


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme. Colours are `#rrggbb`, or names of the terminal's own colours if `ansi`."""

    name: str
    dark: bool
    inks: Mapping[Role, str]
    grounds: Mapping[Ground, str]
    ansi: bool = False


_DARK_INKS = {
    Role.DIM: "#262a32",
    Role.LINE: "#333945",
    Role.GUIDE: "#49505d",
    Role.FAINT: "#6f7784",
    Role.MUTED: "#949ca9",
    Role.TEXT: "#d3d7de",
    Role.STRONG: "#f4f6f9",
    Role.ACCENT: "#82b4ff",
    Role.SUCCESS: "#8bb899",
    Role.DONE: "#5f7d69",
    Role.WARNING: "#e6b866",
    Role.ERROR: "#ff8080",
    Role.LOSS: "#a65a5e",
    Role.TRAVEL: "#c0a2f5",
}
_LIGHT_INKS = {
    Role.DIM: "#e9e7e0",
    Role.LINE: "#d8d6cd",
    Role.GUIDE: "#b9b7ae",
    Role.FAINT: "#84868c",
    Role.MUTED: "#585e69",
    Role.TEXT: "#2c3038",
    Role.STRONG: "#0c0e12",
    Role.ACCENT: "#1a5bbd",
    Role.SUCCESS: "#35694a",
    Role.DONE: "#63927a",
    Role.WARNING: "#7d5200",
    Role.ERROR: "#b0211d",
    Role.LOSS: "#bf6a66",
    Role.TRAVEL: "#6237a6",
}
_CB_DARK_INKS = {
    **_DARK_INKS,
    Role.ACCENT: "#6cc6f7",
    Role.SUCCESS: "#babfc8",
    Role.DONE: "#767c87",
    Role.WARNING: "#fccf4d",
    Role.ERROR: "#ff7a66",
    Role.LOSS: "#a85f50",
    Role.TRAVEL: "#d0a8ee",
}
_CB_LIGHT_INKS = {
    **_LIGHT_INKS,
    Role.ACCENT: "#0060a8",
    Role.SUCCESS: "#53565c",
    Role.DONE: "#84888f",
    Role.WARNING: "#806000",
    Role.ERROR: "#6e0b1c",
    Role.LOSS: "#a1545f",
    Role.TRAVEL: "#7a2f86",
}
# With 256 colours, a saturation of 0.15 or more becomes a strong hue. Grounds stay below that and
# become greys.
_DARK_GROUNDS = {
    Ground.BG: "#14161a",
    Ground.RAISED: "#1b1e24",
    Ground.SELECT: "#2b303a",
    Ground.HOVER: "#21252c",
    Ground.FIELD: "#1f2329",
    Ground.SCRIM: "#0e1013",
    Ground.TRAVEL: "#29232f",
}
_LIGHT_GROUNDS = {
    Ground.BG: "#fbfaf7",
    Ground.RAISED: "#f1f0ed",
    Ground.SELECT: "#dfe3e7",
    Ground.HOVER: "#eae9e4",
    Ground.FIELD: "#ecebe6",
    Ground.SCRIM: "#eeedea",
    Ground.TRAVEL: "#e8e4ea",
}
# Never bright black or bright white: some terminals draw them invisibly.
_TERMINAL_INKS = {
    **dict.fromkeys(Role, "default"),
    Role.ACCENT: "bright_blue",
    Role.SUCCESS: "green",
    Role.DONE: "green",
    Role.WARNING: "yellow",
    Role.ERROR: "red",
    Role.LOSS: "red",
    Role.TRAVEL: "magenta",
}
_TERMINAL_GROUNDS = dict.fromkeys(Ground, "default")

DARK = Palette("dark", True, _DARK_INKS, _DARK_GROUNDS)
LIGHT = Palette("light", False, _LIGHT_INKS, _LIGHT_GROUNDS)
CB_DARK = Palette("cb-dark", True, _CB_DARK_INKS, _DARK_GROUNDS)
CB_LIGHT = Palette("cb-light", False, _CB_LIGHT_INKS, _LIGHT_GROUNDS)
TERMINAL = Palette("terminal", True, _TERMINAL_INKS, _TERMINAL_GROUNDS, ansi=True)
TERMINAL_LIGHT = Palette(
    "terminal-light",
    False,
    {**_TERMINAL_INKS, Role.ACCENT: "blue"},
    _TERMINAL_GROUNDS,
    ansi=True,
)

PALETTES: Mapping[str, Palette] = {
    palette.name: palette for palette in (DARK, LIGHT, CB_DARK, CB_LIGHT, TERMINAL, TERMINAL_LIGHT)
}
"""All palettes by name."""

THEME_NAMES = ("auto", "dark", "light", "cb-dark", "cb-light", "terminal")
"""Values of the setting; `auto` and `terminal` detect whether the terminal is light."""

_LIGHT_BACKGROUNDS = {"7", "15"}


def terminal_is_light(environ: Mapping[str, str]) -> bool:
    """True if COLORFGBG says that the terminal's background is light."""
    return environ.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT_BACKGROUNDS


def choose_palette(theme: str, environ: Mapping[str, str]) -> Palette:
    """Returns the palette for a setting; `auto` is dark unless the terminal is light.

    With NO_COLOR, or a TERM with only 16 colours, it is the terminal's own palette regardless of
    the setting. An unknown name counts as `auto`.
    """
    light = terminal_is_light(environ)
    own = TERMINAL_LIGHT if light else TERMINAL
    if "NO_COLOR" in environ or environ.get("TERM") in ("dumb", "linux", "ansi", "vt100"):
        return own
    if theme == "terminal":
        return own
    return PALETTES.get(theme) or (LIGHT if light else DARK)


def themes() -> list[Theme]:
    """All palettes as Textual themes, with style variables `$ground-raised`, `$ink-muted` …"""
    return [_theme(palette) for palette in PALETTES.values()]


def _theme(palette: Palette) -> Theme:
    def colour(value: str) -> str:
        return f"ansi_{value}" if palette.ansi else value

    inks = {role: colour(value) for role, value in palette.inks.items()}
    grounds = {ground: colour(value) for ground, value in palette.grounds.items()}
    return Theme(
        name=palette.name,
        primary=inks[Role.ACCENT],
        secondary=inks[Role.ACCENT],
        accent=inks[Role.ACCENT],
        warning=inks[Role.WARNING],
        error=inks[Role.ERROR],
        success=inks[Role.SUCCESS],
        foreground=inks[Role.TEXT],
        background=grounds[Ground.BG],
        surface=grounds[Ground.BG],
        panel=grounds[Ground.RAISED],
        boost=grounds[Ground.RAISED],
        dark=palette.dark,
        ansi=palette.ansi,
        variables=_textual_variables(palette) | style_variables(palette),
    )


def _textual_variables(palette: Palette) -> dict[str, str]:
    """Returns variables of Textual's own widgets, without bright greys for 16 colours."""
    if not palette.ansi:
        return {}
    own = BUILTIN_THEMES["ansi-dark" if palette.dark else "ansi-light"].variables
    unsafe = ("white", "black")
    return {
        name: "ansi_default" if value.endswith(unsafe) else value for name, value in own.items()
    }


def style_variables(palette: Palette) -> dict[str, str]:
    """Returns the colours of a palette by their names in style sheets."""
    prefix = "ansi_" if palette.ansi else ""
    colours: dict[str, str] = {f"ink-{role}": value for role, value in palette.inks.items()}
    colours |= {
        f"ground-{ground.replace('_', '-')}": value for ground, value in palette.grounds.items()
    }
    return {name.replace("_", "-"): prefix + value for name, value in colours.items()}


STATUS_ROLE: dict[Status, Role] = {
    Status.RUNNING: Role.ACCENT,
    Status.WAITING: Role.WARNING,
    Status.COMPLETED: Role.SUCCESS,
    Status.FAILED: Role.ERROR,
    Status.INTERRUPTED: Role.WARNING,
    Status.SKIPPED: Role.MUTED,
    Status.PENDING: Role.MUTED,
    Status.NOT_NEEDED: Role.FAINT,
    Status.UNCONFIRMED: Role.TEXT,
    Status.UNKNOWN: Role.TEXT,
}
"""Role of a status glyph."""

_DIM_IN_16_COLOURS = {Role.MUTED, Role.FAINT, Role.LINE, Role.GUIDE, Role.DIM}
_BOLD_WITHOUT_COLOUR = {Role.ERROR, Role.WARNING, Role.TRAVEL}
# Roles that remain readable on raised and selected grounds.
_CLOSE_GROUNDS = {Ground.SELECT, Ground.HOVER, Ground.FIELD}
_ON_CLOSE_GROUND = {Role.FAINT: Role.MUTED, Role.DONE: Role.SUCCESS}


def word_role(status: Status) -> Role:
    """Returns the role of a status word: that of its glyph, but muted for completed."""
    return Role.MUTED if status is Status.COMPLETED else STATUS_ROLE[status]


def status_word(status: Status) -> str:
    """Formats a status for display: `not needed`."""
    return status.replace("_", " ")


class ThemeStyles:
    """Styles of one theme. Without `colour` only bold, dim and reverse remain."""

    def __init__(self, palette: Palette, *, colour: bool = True) -> None:
        self.palette = palette
        self.colour = colour
        self.plain = palette.ansi or not colour
        """True if grounds look the same, so that a rule marks where a raised area starts."""
        self._styles: dict[tuple[Role, Ground, bool, bool], Style] = {}

    def style(
        self,
        role: Role,
        ground: Ground = Ground.BG,
        *,
        bold: bool = False,
        underline: bool = False,
    ) -> Style:
        """Returns the style of a role on a ground."""
        key = (role, ground, bold, underline)
        found = self._styles.get(key)
        if found is None:
            make = self._plain_style if self.plain else self._full_style
            found = self._styles[key] = make(*key)
        return found

    def status(self, status: Status, ground: Ground = Ground.BG) -> Style:
        """Returns the style of a status glyph."""
        return self.style(STATUS_ROLE[status], ground)

    def draws(self, role: Role) -> bool:
        """True if the role is drawn; 16 colours have no grey for ornament."""
        return not (self.plain and role is Role.DIM)

    def _full_style(self, role: Role, ground: Ground, bold: bool, underline: bool) -> Style:
        if ground in _CLOSE_GROUNDS:
            role = _ON_CLOSE_GROUND.get(role, role)
        return Style(
            color=self.palette.inks[role],
            bgcolor=self.palette.grounds[ground],
            bold=bold or role is Role.STRONG,
            underline=underline or None,
        )

    def _plain_style(self, role: Role, ground: Ground, bold: bool, underline: bool) -> Style:
        bold = bold or role is Role.STRONG
        if ground is Ground.SELECT:
            # Reverse video turns hues into grounds; words and glyphs still show the status.
            return Style(
                color="default",
                bgcolor="default",
                reverse=True,
                bold=bold or None,
                underline=underline or None,
            )
        dim = role in _DIM_IN_16_COLOURS or ground is Ground.SCRIM
        if not self.colour:
            bold = bold or role in _BOLD_WITHOUT_COLOUR
        return Style(
            color=self.palette.inks[role] if self.colour and self.palette.ansi else "default",
            bgcolor="default",
            bold=bold or None,
            dim=(dim and not bold) or None,
            underline=(underline or ground is Ground.HOVER) or None,
        )
