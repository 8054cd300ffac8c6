"""What came of the file that a value names, in words for people."""

from __future__ import annotations

from inspector.model.value import AttachmentVerdict

_OUTSIDE = "it lies outside of the run's folder, so it is not opened"

WORDS: dict[AttachmentVerdict, tuple[str, str]] = {
    AttachmentVerdict.OK: ("ok", ""),
    AttachmentVerdict.OK_BINARY: ("not text", ""),
    AttachmentVerdict.OK_TRUNCATED_PREVIEW: ("large", ""),
    AttachmentVerdict.OK_REPLACEMENT_CHARS: ("not in UTF-8", ""),
    AttachmentVerdict.MISSING: ("missing", "there is no such file: it was moved or never written"),
    AttachmentVerdict.MISSING_OR_EXPAND: (
        "missing",
        "there is no such file; what stands in <> was never filled in",
    ),
    AttachmentVerdict.REFUSE_OUTSIDE: ("outside", _OUTSIDE),
    AttachmentVerdict.BROKEN_LINK: ("broken link", "it is a link that leads nowhere"),
    AttachmentVerdict.NOT_A_FILE: ("not a file", "it is a folder or a device, so it is not opened"),
    AttachmentVerdict.UNREADABLE: ("unreadable", "it cannot be read: see who may read it"),
    AttachmentVerdict.NONE: ("no path", "the value speaks of a file, and no path is recorded"),
}
"""For each verdict a word or two, and what is wrong in a sentence without its full stop."""


def word_of(verdict: AttachmentVerdict) -> str:
    """A verdict in a word or two."""
    return WORDS[verdict][0]


def trouble_of(verdict: AttachmentVerdict) -> str:
    """Why the file is not shown; empty where it can be."""
    return WORDS[verdict][1]
