"""The colours keep their promises: contrast on every ground, hues that stay apart."""

import itertools
from dataclasses import replace

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.color import Color

from inspector.ui.palette import (
    CB_DARK,
    CB_LIGHT,
    DARK,
    LIGHT,
    PALETTES,
    TERMINAL,
    TERMINAL_LIGHT,
    Ground,
    Palette,
    Role,
    ThemeStyles,
    choose_palette,
    themes,
)

FULL = (DARK, LIGHT, CB_DARK, CB_LIGHT)
GROUNDS = (Ground.BG, Ground.RAISED, Ground.SELECT, Ground.HOVER, Ground.FIELD)
STATUS_HUES = (Role.ACCENT, Role.SUCCESS, Role.WARNING, Role.ERROR)


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""

    def light(colour: str) -> float:
        parts = [part / 255 for part in Color.parse(colour).rgb]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def worst(palette: Palette, role: Role) -> float:
    """The least contrast of a role, as it is drawn on each ground."""
    styles = ThemeStyles(palette)
    ratios = []
    for ground in GROUNDS:
        style = styles.style(role, ground)
        assert style.color is not None and style.bgcolor is not None
        ratios.append(contrast(style.color.name, style.bgcolor.name))
    return min(ratios)


@pytest.mark.parametrize("palette", FULL, ids=lambda palette: palette.name)
def test_text_can_be_read_on_every_ground(palette: Palette) -> None:
    assert worst(palette, Role.TEXT) >= 9.1
    assert worst(palette, Role.STRONG) >= 9.1
    for role in (Role.MUTED, *STATUS_HUES):
        assert worst(palette, role) >= 4.5, role
    for role in (Role.FAINT, Role.DONE):
        assert worst(palette, role) >= 3.0, role


def of_256(colour: str) -> str:
    """A colour as a terminal of 256 colours is told it."""
    reduced = RichColor.parse(colour).downgrade(ColorSystem.EIGHT_BIT)
    return Color(*reduced.get_truecolor()).hex


@pytest.mark.parametrize("palette", FULL, ids=lambda palette: palette.name)
def test_grounds_stay_grey_where_there_are_256_colours(palette: Palette) -> None:
    for ground, colour in palette.grounds.items():
        parts = Color.parse(of_256(colour)).rgb
        assert max(parts) == min(parts), (ground, parts)
    for ground in (Ground.RAISED, Ground.SELECT):
        assert of_256(palette.grounds[ground]) != of_256(palette.grounds[Ground.BG]), ground


@pytest.mark.parametrize("palette", FULL, ids=lambda palette: palette.name)
def test_text_can_be_read_where_there_are_256_colours(palette: Palette) -> None:
    reduced = replace(
        palette,
        inks={role: of_256(colour) for role, colour in palette.inks.items()},
        grounds={ground: of_256(colour) for ground, colour in palette.grounds.items()},
    )
    assert worst(reduced, Role.TEXT) >= 8.5
    assert worst(reduced, Role.MUTED) >= 4.5
    for role in (*STATUS_HUES, Role.TRAVEL):
        assert worst(reduced, role) >= 4.0, role
    for role in (Role.FAINT, Role.DONE):
        assert worst(reduced, role) >= 3.0, role


@pytest.mark.parametrize("palette", FULL, ids=lambda palette: palette.name)
def test_no_two_hues_are_one(palette: Palette) -> None:
    for one, other in itertools.combinations((*STATUS_HUES, Role.TRAVEL, Role.MUTED), 2):
        assert palette.inks[one] != palette.inks[other]


@pytest.mark.parametrize("palette", [TERMINAL, TERMINAL_LIGHT], ids=lambda palette: palette.name)
@pytest.mark.parametrize("colour", [True, False])
def test_sixteen_colours_never_use_the_greys(palette: Palette, colour: bool) -> None:
    styles = ThemeStyles(palette, colour=colour)
    for role, ground in itertools.product(Role, Ground):
        style = styles.style(role, ground)
        assert style.color is not None and style.bgcolor is not None
        assert style.bgcolor.name == "default"
        assert style.color.name not in ("black", "white", "bright_black", "bright_white")
        if not colour or ground is Ground.SELECT:
            assert style.color.name == "default"


def test_without_colour_what_is_wrong_is_bold_and_what_is_over_dim() -> None:
    styles = ThemeStyles(TERMINAL, colour=False)
    assert styles.style(Role.ERROR).bold
    assert styles.style(Role.WARNING).bold
    assert not styles.style(Role.ACCENT).bold
    assert styles.style(Role.MUTED).dim
    assert styles.style(Role.TEXT, Ground.SELECT).reverse


def test_the_theme_follows_the_terminal() -> None:
    assert choose_palette("auto", {}) is DARK
    assert choose_palette("auto", {"COLORFGBG": "15;0"}) is DARK
    assert choose_palette("auto", {"COLORFGBG": "0;15"}) is LIGHT
    assert choose_palette("auto", {"COLORFGBG": "0;default;7"}) is LIGHT
    assert choose_palette("cb-light", {"COLORFGBG": "15;0"}) is CB_LIGHT
    assert choose_palette("no such theme", {}) is DARK
    assert choose_palette("terminal", {"COLORFGBG": "0;15"}) is TERMINAL_LIGHT
    assert choose_palette("dark", {"NO_COLOR": "1"}) is TERMINAL
    assert choose_palette("dark", {"TERM": "dumb"}) is TERMINAL


def test_every_palette_is_a_theme_with_every_colour() -> None:
    made = {theme.name: theme for theme in themes()}
    assert set(made) == set(PALETTES)
    names = {f"ink-{role}" for role in Role} | {
        "ground-bg",
        "ground-raised",
        "ground-travel-ground",
    }
    for theme in made.values():
        assert names <= set(theme.variables)
