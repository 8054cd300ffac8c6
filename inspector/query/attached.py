"""Words for the verdicts on attachments."""

from __future__ import annotations

from inspector.model.value import AttachmentVerdict

_OUTSIDE = "outside the run's folder, not opened"

WORDS: dict[AttachmentVerdict, tuple[str, str]] = {
    AttachmentVerdict.OK: ("ok", ""),
    AttachmentVerdict.OK_BINARY: ("not text", ""),
    AttachmentVerdict.OK_TRUNCATED_PREVIEW: ("large", ""),
    AttachmentVerdict.OK_REPLACEMENT_CHARS: ("not in UTF-8", ""),
    AttachmentVerdict.MISSING: ("missing", "no such file: it was moved or never written"),
    AttachmentVerdict.MISSING_OR_EXPAND: (
        "missing",
        "no such file; the <placeholder> in its path was never filled in",
    ),
    AttachmentVerdict.REFUSE_OUTSIDE: ("outside", _OUTSIDE),
    AttachmentVerdict.BROKEN_LINK: ("broken link", "the link leads nowhere"),
    AttachmentVerdict.NOT_A_FILE: ("not a file", "a folder or a device, not opened"),
    AttachmentVerdict.UNREADABLE: ("unreadable", "permission denied"),
    AttachmentVerdict.NONE: ("no path", "the value refers to a file, but no path is recorded"),
}
"""Verdict → a word or two, and the problem as a sentence without a full stop (empty if none)."""


def word_of(verdict: AttachmentVerdict) -> str:
    """Return a verdict in a word or two."""
    return WORDS[verdict][0]


def problem_of(verdict: AttachmentVerdict) -> str:
    """Return why the file cannot be shown; empty if it can."""
    return WORDS[verdict][1]
