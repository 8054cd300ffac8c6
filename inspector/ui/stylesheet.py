"""Finds the style sheets: beside the package in a checkout, inside it in an installation."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE.parent / "styles", _PACKAGE / "styles")


def stylesheets() -> list[Path]:
    """Returns every `.tcss` file of the project, sorted by name.

    Raises FileNotFoundError if there is none, because the screen would be unusable.
    """
    for place in reversed(_PLACES):
        found = sorted(place.glob("*.tcss"))
        if found:
            return list(found)
    raise FileNotFoundError("The style sheets of Inspector are missing: install it again.")
