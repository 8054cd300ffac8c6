"""World models: versions per node, what is published, and whether the bytes are what they claim.

Source: OpenProse's world-model container: `OPWM1`, a file count, and per file in the order of its
path's bytes a length, the path, a length and the content; lengths are 32-bit little endian and
nothing follows. A version is `sha256:` of the container's bytes.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

MAGIC = b"OPWM1"
MOST_FILES = 100_000


class Integrity(StrEnum):
    """Whether an artifact's bytes have the address under which they are kept."""

    VERIFIED = "verified"
    TAMPERED = "tampered"
    UNVERIFIED = "unverified"
    """Only a stamp claims an address, which agents also write as they like."""
    UNREADABLE = "unreadable"


class BadContainer(ValueError):
    """The bytes are no world-model container: why, in a sentence without a full stop."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a world model."""

    path: str
    content: bytes


def decode(data: bytes) -> tuple[ModelFile, ...]:
    """The files of a container. Raises BadContainer."""
    if not data.startswith(MAGIC):
        raise BadContainer("it is no world model: it does not begin with OPWM1")
    count, at = _number(data, len(MAGIC))
    if count > MOST_FILES:
        raise BadContainer(f"it says that it holds {count:,} files, more than are read")
    files: list[ModelFile] = []
    before = b""
    for _ in range(count):
        path, at = _field(data, at)
        content, at = _field(data, at)
        if files and path <= before:
            raise BadContainer("its files are not in order: it was not written as world models are")
        before = path
        files.append(ModelFile(_checked(path), content))
    if at != len(data):
        raise BadContainer("it was added to: bytes follow its last file")
    return tuple(files)


def _number(data: bytes, at: int) -> tuple[int, int]:
    if at + 4 > len(data):
        raise BadContainer("it is cut short: its end is missing")
    return struct.unpack_from("<I", data, at)[0], at + 4


def _field(data: bytes, at: int) -> tuple[bytes, int]:
    length, at = _number(data, at)
    if at + length > len(data):
        raise BadContainer("it is cut short: it ends within a file")
    return data[at : at + length], at + length


def _checked(path: bytes) -> str:
    try:
        text = path.decode()
    except UnicodeDecodeError:
        raise BadContainer("a path in it is not UTF-8") from None
    if not text or text.startswith("/") or ".." in text.split("/"):
        raise BadContainer(f"it holds the path {text!r}, which leaves its folder")
    return text


def framed(files: Sequence[ModelFile]) -> bytes:
    """The container of files, which come in the order of their paths' bytes."""
    parts = [MAGIC, struct.pack("<I", len(files))]
    for file in files:
        for part in (file.path.encode("utf-8", "surrogateescape"), file.content):
            parts += [struct.pack("<I", len(part)), part]
    return b"".join(parts)


def address_of(data: bytes) -> str:
    """The content address of a container."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def integrity(version: str, data: bytes | None) -> Integrity:
    """Whether bytes have the address `version`; None = they could not be read."""
    if data is None:
        return Integrity.UNREADABLE
    return Integrity.VERIFIED if version == address_of(data) else Integrity.TAMPERED


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that differs between two versions; None = it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


def differences(before: Sequence[ModelFile], after: Sequence[ModelFile]) -> tuple[FileChange, ...]:
    """Files that differ between two versions, by path."""
    old = {file.path: file.content for file in before}
    new = {file.path: file.content for file in after}
    return tuple(
        FileChange(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )


def change_of(one: FileChange) -> str:
    """What became of a file: added, removed or changed."""
    if one.before is None:
        return "added"
    return "removed" if one.after is None else "changed"


class Kept(NamedTuple):
    """A version of a node: what is told of it, and its files where they could be read."""

    record: Mapping[str, Any]
    files: tuple[ModelFile, ...] | None
