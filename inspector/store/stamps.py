"""How far apart two writes must be for a file's modification times to tell them apart.

Systems stamp files with a clock that ticks every few milliseconds: a write in the tick of the last
one shows nowhere. Since Linux 6.13 some file systems give a write a time of its own whenever
someone has looked at the file since the write before ("Multigrain Timestamps", kernel docs).
"""

import os
import re
import sys
import time
from functools import lru_cache

TICK_NS = 20_000_000
"""Coarser than the clock of any system that keeps fractions of a second."""
COARSE_TICK_NS = 2_000_000_000
"""For file systems that keep whole seconds, or every second one."""

MOUNTINFO = "/proc/self/mountinfo"
_FINE_SINCE = (6, 13)
_FINE = frozenset({"ext4", "tmpfs", "xfs"})
_REMEMBERED_S = 60


def tick_ns(dev: int, mtime_ns: int) -> int:
    """How long after a modification time a write may still leave it as it is; 0 if never."""
    if mtime_ns % 1_000_000_000 == 0:
        return COARSE_TICK_NS
    return 0 if every_write_shows(dev) else TICK_NS


def every_write_shows(dev: int) -> bool:
    """Whether a write after a look always changes the time on this device; no if unknown."""
    # A device number may come to mean another file system, though not between two blinks.
    return _is_fine(dev, int(time.monotonic()) // _REMEMBERED_S)


@lru_cache(maxsize=64)
def _is_fine(dev: int, _when: int) -> bool:
    if sys.platform != "linux" or _kernel(os.uname().release) < _FINE_SINCE:
        return False
    try:
        with open(MOUNTINFO, encoding="utf-8", errors="surrogateescape") as table:
            return kind_of(dev, table.read()) in _FINE
    except OSError:
        return False


def kind_of(dev: int, mountinfo: str) -> str:
    """The kind of file system on a device (proc(5), `mountinfo`); empty when it is not told."""
    wanted = f"{os.major(dev)}:{os.minor(dev)}"
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) > 2 and fields[2] == wanted:
            return after.split(" ")[0]
    return ""


def _kernel(release: str) -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", release)
    return (int(match[1]), int(match[2])) if match else (0, 0)
