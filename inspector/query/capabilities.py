"""Optional features that a run's record can support."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which optional questions a run reader answers; everything else returns None.

    `compared` names the parts of which two runs can be compared with `RunReader.compare`.
    """

    values_over_time: bool = False
    """`values_at` tells which values existed at an event."""
    value_versions: bool = False
    """`versions` lists superseded rows of a name."""
    attachments: bool = False
    """Values may be kept in files of their own, read with `attachment`."""
    receipts: bool = False
    pnl: bool = False
    """The run belongs to a session with a profit and loss account."""
    usage: bool = False
    """Tokens are recorded row by row."""
    approvals: bool = False
    """A waiting run can be approved or denied."""
    compared: tuple[str, ...] = ()


NO_CAPABILITIES = Capabilities()
