"""Named values, and the files that may contain their content."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.model.trust import Own


class AttachmentVerdict(StrEnum):
    """Result of checking the file that a value names."""

    OK = "ok"
    OK_BINARY = "ok_binary"
    OK_TRUNCATED_PREVIEW = "ok_truncated_preview"
    OK_REPLACEMENT_CHARS = "ok_replacement_chars"
    MISSING = "missing"
    MISSING_OR_EXPAND = "missing_or_expand"
    REFUSE_OUTSIDE = "refuse_outside"
    BROKEN_LINK = "broken_link"
    NOT_A_FILE = "not_a_file"
    UNREADABLE = "unreadable"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file named by a value: recorded path, verdict, and size in bytes."""

    path: str
    verdict: AttachmentVerdict
    size: int | None = None


class Then(StrEnum):
    """Whether a value had been written at a given event."""

    WRITTEN = "written"
    NOT_YET = "not_yet"
    UNKNOWN = "unknown"


WHEN_UNKNOWN = "write time unknown"
"""Shown for a value that may not have existed yet."""


@dataclass(frozen=True, slots=True)
class Value:
    """A named value. In OpenProse self-reported by the run, not the canonical record."""

    name: str | None
    scope: Own[str]
    """`root` or the frame's number."""
    kind: Own[str | None]
    type: Own[str]
    """Storage class: text, integer, real, blob, null."""
    size: int
    """Bytes of the recorded content."""
    value: str | None
    """Content as text; None if it is larger than requested or not text."""
    preview: str
    superseded: int = 0
    """Number of older rows of the same name and scope."""
    source_statement: str | None = None
    updated_at: int | None = None
    attachment: Attachment | None = None
    row: int | None = None
    then: Then | None = None
    """Whether it existed at the requested event; None = no event requested."""
    written_event: int | None = None
    """Event that wrote it, if known and requested."""
