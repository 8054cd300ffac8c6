"""What a program writes to a terminal, as plain lines: no colours, no moving about, no controls.

A line that is written over, as a spinner does, only leaves what stood there last.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

LONGEST_LINE = 2_000
"""Characters of a line that are kept."""
_LONGEST_SEQUENCE = 4_096
"""Characters after which a sequence that does not end is taken for none."""
_STRING = f"[\\]PX^_][^\x07\x1b]{{0,{_LONGEST_SEQUENCE}}}"
"""OSC, DCS, SOS, PM and APC up to what ends them."""
_SEQUENCE = re.compile(f"\x1b(?:\\[[0-?]*[ -/]*[@-~]|{_STRING}(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")
_ERASED = re.compile("\x1b\\[[02]?K")
"""The rest of the line is wiped."""
_WIPE = "\0"
_UNFINISHED = re.compile(f"\x1b(?:\\[[0-?]*[ -/]*|{_STRING}|[ -/]*)?")


class PlainLines:
    """Turns bytes as they come into finished lines; `current` is the line that is under way."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._line: list[str] = []
        self._at = 0

    @property
    def current(self) -> str:
        """The line that has not ended yet."""
        return "".join(self._line).rstrip()

    def feed(self, data: bytes) -> list[str]:
        """The lines that ended with these bytes."""
        text = self._rest + self._decoder.decode(data).replace(_WIPE, "")
        last = text.rfind("\x1b")
        self._rest = ""
        if last >= 0 and len(text) - last < _LONGEST_SEQUENCE and _UNFINISHED.fullmatch(text, last):
            self._rest, text = text[last:], text[:last]
        ended: list[str] = []
        for character in _SEQUENCE.sub("", _ERASED.sub(_WIPE, text)):
            if character == _WIPE:
                del self._line[self._at :]
            elif character == "\n":
                ended.append(self.current)
                self._line, self._at = [], 0
            elif character == "\r":
                self._at = 0
            elif character == "\b":
                self._at = max(0, self._at - 1)
            elif character == "\t":
                for _ in range(8 - self._at % 8):
                    self._put(" ")
            elif unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
                self._put(character)
        return ended

    def _put(self, character: str) -> None:
        if self._at < len(self._line):
            self._line[self._at] = character
        elif len(self._line) < LONGEST_LINE:
            self._line.append(character)
        self._at = min(self._at + 1, LONGEST_LINE)
