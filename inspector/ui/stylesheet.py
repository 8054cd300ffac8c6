"""Finds the style sheets: beside the package in a checkout, inside it in an installation."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE.parent / "styles", _PACKAGE / "styles")


def stylesheets() -> list[Path]:
    """Every `.tcss` file of the project, in the order of their names.

    Raises FileNotFoundError when there is none, because the screen would be a heap.
    """
    for place in reversed(_PLACES):
        found = sorted(place.glob("*.tcss"))
        if found:
            return list(found)
    raise FileNotFoundError("The style sheets of Inspector are missing: install it again.")
