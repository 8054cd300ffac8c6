"""A named value in a scope, and the file that may hold its content."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.model.trust import Own


class AttachmentVerdict(StrEnum):
    """Whether the file that a value names may be read, and how well."""

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
    """A file named by a value: the path as recorded, what came of it, its size in bytes."""

    path: str
    verdict: AttachmentVerdict
    size: int | None = None


class Then(StrEnum):
    """Whether a value was written by an event that is asked about."""

    WRITTEN = "written"
    NOT_YET = "not_yet"
    UNKNOWN = "unknown"


WHEN_UNKNOWN = "when it was written is not recorded"
"""What is said of a value that may not have been there yet."""


@dataclass(frozen=True, slots=True)
class Value:
    """A named value. For OpenProse a projection, not the canonical record."""

    name: str | None
    scope: Own[str]
    """`root` or the frame's number."""
    kind: Own[str | None]
    type: Own[str]
    """Storage class: text, integer, real, blob, null."""
    size: int
    """Bytes of the recorded content."""
    value: str | None
    """Whole content as text, None when it is larger than was asked for or is not text."""
    preview: str
    superseded: int = 0
    """Older rows of the same name and scope."""
    source_statement: str | None = None
    updated_at: int | None = None
    attachment: Attachment | None = None
    row: int | None = None
    then: Then | None = None
    """Whether it was there at the event that was asked about; None = as of now."""
    written_event: int | None = None
    """The event at which it was written, where that is known and was asked for."""
