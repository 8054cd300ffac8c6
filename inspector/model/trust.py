"""Declares which text in a model is Inspector's own; all other text is data and gets masked.

A string field without a declaration is data whose field name counts: `password: str` hides its
whole value. Enumerations, numbers and instants are never masked.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeVar

T = TypeVar("T")


class Trust(Enum):
    """How the text of a field is treated before anybody sees it."""

    OWN = "own"
    """Written by Inspector, or a name by which a run is addressed: shown as it is."""
    UNNAMED = "unnamed"
    """Data, under a field name that says nothing about it."""


Own = Annotated[T, Trust.OWN]
Unnamed = Annotated[T, Trust.UNNAMED]
