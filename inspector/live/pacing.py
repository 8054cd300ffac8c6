"""How often something may be told: at once after silence, then at a steady rate."""

from __future__ import annotations

FAST_SECONDS = 0.1
SLOW_SECONDS = 0.25
"""Over a slow line (SSH)."""


class Pacing:
    """Says how long to wait before the next delivery; the first after silence waits for nothing."""

    def __init__(self, interval: float = FAST_SECONDS) -> None:
        self._interval = interval
        self._last = float("-inf")

    def wait(self, now: float) -> float:
        """Seconds until the next delivery may go out."""
        return max(0.0, self._last + self._interval - now)

    def sent(self, now: float) -> None:
        """Notes a delivery."""
        self._last = now
