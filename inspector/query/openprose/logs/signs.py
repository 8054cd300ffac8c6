"""The sign in a marker line, the word and the note behind it.

Source: OpenProse filesystem state document, "Event Markers": ✓ ✗ ∅ ⇒ ⟳. Real logs add ⊘ and use
signs that look alike. A sign inside parentheses belongs to a note and says nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from inspector.model.status import Status

_SIGNS = {
    Status.COMPLETED: "✓✔✅☑",
    Status.FAILED: "✗✘❌✖",
    Status.SKIPPED: "∅⊘⏭",
    Status.WAITING: "⇒",
    Status.RUNNING: "⟳↻🔄",
}
STATUS_OF = {sign: status for status, signs in _SIGNS.items() for sign in signs}
_ANY = re.compile(f"[{''.join(STATUS_OF)}]")
_VERDICT = re.compile(f"[{_SIGNS[Status.COMPLETED]}{_SIGNS[Status.FAILED]}]")
_BRACKETS = re.compile(rf"[()]|{_ANY.pattern}")
LONGEST_WORD = 200
"""Characters behind a sign that are kept as what was recorded."""
_STYLE = "\ufe0e\ufe0f"


class Signed(NamedTuple):
    """A text with a sign."""

    before: str
    status: Status
    word: str
    """What follows the sign, without the note: `rendered`, `deferred`, an error's name."""
    note: str | None
    rest: str
    """All that follows the sign."""
    recorded: str
    """The sign and the word."""

    @property
    def error(self) -> str | None:
        """Why it failed; the note stands in where no name is given."""
        return (self.word or self.note) if self.status is Status.FAILED else None


def read_signed(text: str) -> Signed | None:
    """The text around its sign; None when it has none."""
    at = _place(text)
    if at is None:
        return None
    rest = text[at + 1 :].lstrip(_STYLE).strip()
    word, note = note_of(rest)
    before = text[:at].strip().rstrip(":").rstrip()
    recorded = f"{text[at]} {word[:LONGEST_WORD]}".strip()
    return Signed(before, STATUS_OF[text[at]], word, note, rest, recorded)


def _place(text: str) -> int | None:
    first = _ANY.search(text)
    if first is None:
        return None
    # An assertion is free text: only what it ends with is its verdict.
    verdict = _VERDICT if text.startswith("[eval]") else None
    depth, last = 0, None
    for found in _BRACKETS.finditer(text):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth = max(0, depth - 1)
        elif depth == 0:
            if verdict is None:
                return found.start()
            last = found.start() if verdict.match(found[0]) else last
    # Parentheses that never close hide nothing.
    return first.start() if last is None and depth else last


def note_of(text: str) -> tuple[str, str | None]:
    """A text and the note in parentheses at its end; the note is None where there is none."""
    text = text.strip()
    found = re.search(r"(?:^|\s)\(", text)
    if found is None:
        return text, None
    at = found.end() - 1
    return text[:at].rstrip(" \t—–-:;,"), unwrapped(text[at:])


def unwrapped(text: str) -> str | None:
    """A note without the parentheses around it; None when nothing is said."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return text or None
