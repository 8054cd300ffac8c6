"""What a careful reader would point out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A code for programs, a sentence for people, and where to look."""

    code: str
    message: str
    ref: str | None = None
    """Step id, row (`execution:12`) or value name; None for the run as a whole."""
