"""What a run folder keeps its record in."""

from __future__ import annotations

import os

from inspector.query.openprose.discovery import LOGS, STATE


def record_of(folder: str) -> str | None:
    """The name of what a run folder keeps its record in: the database, else a log, else None."""
    names = (STATE, *LOGS)
    return next((name for name in names if os.path.lexists(os.path.join(folder, name))), None)
