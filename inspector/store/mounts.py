"""Whether changes of a file system are announced to this machine, by the kind of its mount.

Source: Linux `/proc/self/mountinfo` (proc(5)). Systems without it answer no.
"""

import os
import re
from functools import lru_cache

MOUNTINFO = "/proc/self/mountinfo"

REMOTE = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "drvfs",
        "fakeowner",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "osxfs",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
    }
)
"""File systems that others write to, or whose writers are outside this kernel."""

# FUSE serves both; these are known to be written from elsewhere.
_REMOTE_FUSE = re.compile(
    r"fuse\.(?:.*(?:ssh|nfs|smb|s3|gcs|blob|rclone|dav|gluster|ceph|grpc|osxfs|vmhgfs|goofys|juice)"
    r".*)"
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def is_remote_file_system(path: str, mountinfo: str = MOUNTINFO) -> bool:
    """Whether a real path lies on a file system that changes without telling; no if unknown."""
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as table:
            mounts = _mounts(table.read())
    except OSError:
        return False
    kind = ""
    longest = -1
    for point, file_system in mounts:
        # The last of several mounts on one point is the one that is seen.
        if len(point) >= longest and _is_below(path, point):
            kind, longest = file_system, len(point)
    return kind in REMOTE or _REMOTE_FUSE.fullmatch(kind) is not None


@lru_cache(maxsize=4)
def _mounts(text: str) -> tuple[tuple[str, str], ...]:
    """Mount point and kind of each line, in the order of mounting."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if separator and len(fields) > 4 and after:
            point = _OCTAL.sub(lambda escape: chr(int(escape[1], 8)), fields[4])
            found.append((point, after.split(" ")[0]))
    return tuple(found)


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip(os.sep) + os.sep)
