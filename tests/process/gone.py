"""Tests whether a process has ended, also without an init that reaps orphans (containers)."""

import subprocess

from tests.waiting import becomes_true


def is_gone(pid: int) -> bool:
    """Returns True if a process has ended; zombies count as ended."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return not state or state.startswith("Z")


def gone_within(pid: int, seconds: float) -> bool:
    """Waits for the end of a process that is not our child."""
    return becomes_true(lambda: is_gone(pid), seconds)
