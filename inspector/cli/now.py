"""What time it is for a command."""

from __future__ import annotations

from inspector.cli.errors import UserError
from inspector.model.clock import Clock, system_clock


def clock() -> Clock:
    """The clock of this process. Raises UserError when INSPECTOR_NOW is no instant."""
    try:
        return system_clock()
    except ValueError as error:
        raise UserError(str(error)) from None
