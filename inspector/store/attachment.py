"""Checks files that values of a run name, and reads their beginning.

Source: OpenProse state document (`attachment_path` is relative to the run folder). The path was
written by a language model, so it is followed one name at a time from the run folder and never out
of it. Links are resolved by hand; nothing is opened by a path that could change meanwhile.
"""

import codecs
import errno
import os
import re
import stat
from dataclasses import dataclass, field

from inspector.model.value import Attachment, AttachmentVerdict

PREVIEW_BYTES = 65_536
WHOLE_BYTES = 1_048_576
"""Files up to this size are checked whole before they count as text; of larger ones only the
preview is read, and the verdict says so.
"""

_MAX_LINKS = 40
"""Maximum links in one path, as in Linux."""
_MAX_DEPTH = 100
"""Maximum folders held open at once."""

_UNEXPANDED = re.compile(r"<[^<>/]+>|^~|\$\{?\w|%\w+%")
_CONTROLS = bytes(range(0x20)).translate(None, b"\t\n\v\f\r\x1b") + b"\x7f"
_CONTROL_SHARE = 0.1

_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_Verdict = AttachmentVerdict


class _Refused(Exception):
    """Ends the check with a verdict."""

    def __init__(self, verdict: AttachmentVerdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


def inspect_attachment(
    run_folder: str, recorded: str | None, *, preview_bytes: int = PREVIEW_BYTES
) -> tuple[Attachment, bytes]:
    """Checks a recorded path; returns the attachment and the file's first `preview_bytes`.

    `size` is in bytes and only set for regular files. The bytes are the whole file if there are
    `size` of them; a file over WHOLE_BYTES and `preview_bytes` is `ok_truncated_preview` unless
    its beginning is binary. Never raises.
    """
    if not recorded:
        return Attachment("", _Verdict.NONE), b""
    try:
        found, data, size = _read(run_folder, recorded, preview_bytes)
    except _Refused as refused:
        found, data, size = refused.verdict, b"", None
    except OSError as error:
        found, data, size = _verdict_of(error), b"", None
    except ValueError:
        # A NUL, or a character that no file name can contain.
        found, data, size = _Verdict.MISSING, b"", None
    if found is _Verdict.MISSING and _UNEXPANDED.search(recorded):
        found = _Verdict.MISSING_OR_EXPAND
    return Attachment(recorded, found, size), data


def _verdict_of(error: OSError) -> AttachmentVerdict:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL):
        return _Verdict.MISSING
    return _Verdict.UNREADABLE


def _read(
    run_folder: str, recorded: str, preview_bytes: int
) -> tuple[AttachmentVerdict, bytes, int]:
    walk = _PathWalk(os.path.realpath(run_folder))
    try:
        holder, name = walk.follow(recorded)
        seen = os.stat(name, dir_fd=holder, follow_symlinks=False)
        descriptor = _open_regular(name, holder, seen)
    finally:
        walk.close()
    try:
        size = os.fstat(descriptor).st_size
        wanted = size if size <= WHOLE_BYTES else max(preview_bytes, 0)
        data = _first(descriptor, max(wanted, preview_bytes))
    finally:
        os.close(descriptor)
    # A file may grow while it is read.
    size = max(size, len(data))
    return _judge(data, size, preview_bytes), data[: max(preview_bytes, 0)], size


def _open_regular(name: str, holder: int, seen: os.stat_result) -> int:
    """Opens what `seen` describes if it is a regular file and still the same one."""
    if not stat.S_ISREG(seen.st_mode):
        raise _Refused(_Verdict.NOT_A_FILE)
    try:
        descriptor = os.open(name, _FILE_FLAGS | getattr(os, "O_NOATIME", 0), dir_fd=holder)
    except PermissionError:
        # Only the owner may use O_NOATIME.
        descriptor = os.open(name, _FILE_FLAGS, dir_fd=holder)
    opened = os.fstat(descriptor)
    if not os.path.samestat(seen, opened) or not stat.S_ISREG(opened.st_mode):
        os.close(descriptor)
        raise _Refused(_Verdict.UNREADABLE)
    return descriptor


def _first(descriptor: int, wanted: int) -> bytes:
    parts: list[bytes] = []
    while wanted > 0:
        part = os.read(descriptor, wanted)
        if not part:
            break
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _judge(data: bytes, size: int, preview_bytes: int) -> AttachmentVerdict:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if b"\0" in data or controls > len(data) * _CONTROL_SHARE:
        return _Verdict.OK_BINARY
    if size > max(WHOLE_BYTES, preview_bytes):
        return _Verdict.OK_TRUNCATED_PREVIEW
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=len(data) >= size)
    except UnicodeDecodeError:
        return _Verdict.OK_REPLACEMENT_CHARS
    return _Verdict.OK


@dataclass(slots=True)
class _PathWalk:
    """The path from the run folder down: open folders, each opened from its parent."""

    root: str
    folders: list[int] = field(default_factory=list)
    todo: list[str | None] = field(default_factory=list)
    """Names still to follow, the next one last; None marks the end of a link's target."""
    links: int = 0

    def follow(self, recorded: str) -> tuple[int, str]:
        """Returns the open folder with the recorded file, and its name, which is not a link.

        Raises OSError if access is denied, _Refused with a verdict otherwise.
        """
        self.folders.append(os.open(self.root, _FOLDER_FLAGS))
        self._prepend(recorded)
        while self.todo:
            name = self.todo.pop()
            if name is None or name == ".":
                continue
            if name == "..":
                self._up()
            elif self._down(name):
                return self.folders[-1], name
        raise _Refused(_Verdict.NOT_A_FILE)

    def close(self) -> None:
        """Closes the folders."""
        while self.folders:
            os.close(self.folders.pop())

    def _prepend(self, path: str) -> None:
        """Prepends a path to the names to follow; an absolute one restarts."""
        if os.path.isabs(path):
            self._restart(path)
        else:
            names = [name for name in path.split("/") if name]
            # A name before a slash must be a folder, even at the end.
            self.todo.extend(reversed([*names, "."] if path.endswith("/") else names))

    def _restart(self, path: str) -> None:
        """Restarts in the run folder if an absolute path leads into it."""
        real = os.path.realpath(path)
        if not f"{real}/".startswith(f"{self.root.rstrip('/')}/"):
            raise _Refused(_Verdict.REFUSE_OUTSIDE)
        self._count_link()
        while len(self.folders) > 1:
            os.close(self.folders.pop())
        self._prepend(os.path.relpath(real, self.root) + ("/" if path.endswith("/") else ""))

    def _up(self) -> None:
        if len(self.folders) > 1:
            os.close(self.folders.pop())
            return
        # Leaves the run folder, perhaps to return by name.
        rest = [name for name in reversed(self.todo) if name is not None]
        self.todo = [None for name in self.todo if name is None]
        self._restart(os.path.join(self.root, "..", *rest))

    def _down(self, name: str) -> bool:
        """Returns True if the name is the file; else enters the folder or follows the link."""
        try:
            seen = os.stat(name, dir_fd=self.folders[-1], follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            raise self._missing() from None
        if stat.S_ISLNK(seen.st_mode):
            self._count_link()
            self.todo.append(None)
            self._prepend(os.readlink(name, dir_fd=self.folders[-1]))
            return False
        if all(rest is None for rest in self.todo):
            return True
        if not stat.S_ISDIR(seen.st_mode):
            raise self._missing()
        if len(self.folders) >= _MAX_DEPTH:
            raise _Refused(_Verdict.UNREADABLE)
        self.folders.append(os.open(name, _FOLDER_FLAGS, dir_fd=self.folders[-1]))
        return False

    def _count_link(self) -> None:
        self.links += 1
        if self.links > _MAX_LINKS:
            raise _Refused(_Verdict.BROKEN_LINK)

    def _missing(self) -> _Refused:
        """Returns the verdict for a missing name; outside if the rest leaves the run folder."""
        depth = len(self.folders)
        for name in reversed(self.todo):
            depth += 0 if name in (None, ".") else -1 if name == ".." else 1
            if depth < 1:
                return _Refused(_Verdict.REFUSE_OUTSIDE)
        return _Refused(_Verdict.BROKEN_LINK if None in self.todo else _Verdict.MISSING)
