"""Whether a process is gone, also where nobody reaps the orphans of others (containers)."""

import subprocess

from tests.waiting import becomes_true


def is_gone(pid: int) -> bool:
    """A zombie is gone: it runs nothing and holds nothing."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return not state or state.startswith("Z")


def gone_within(pid: int, seconds: float) -> bool:
    """Waits for the end of a process that is not our child."""
    return becomes_true(lambda: is_gone(pid), seconds)
