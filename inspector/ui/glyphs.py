"""Glyphs of the screen, one cell each, and their ASCII replacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from inspector.model.status import Status
from inspector.text.escape import visible
from inspector.text.mask import mask

MOST_OF_A_LINE = 2_000
"""Characters considered for a single line: more than the widest terminal shows."""

_WIDE_LANGUAGES = ("ja", "zh", "ko")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A set of glyphs; `glyphs_for_terminal` chooses one of the two."""

    running: str = "●"
    waiting: str = "◆"
    completed: str = "✓"
    failed: str = "✗"
    interrupted: str = "■"
    pending: str = "·"
    skipped: str = "»"
    not_needed: str = "–"
    unconfirmed: str = "≈"
    unknown: str = "?"
    finding: str = "▲"
    parallel: str = "∥"
    loop: str = "↻"
    attempt: str = "×"
    branch_open: str = "‹"
    branch_close: str = "›"
    model_call: str = "◇"
    tool: str = "ƒ"
    action: str = "$"
    unfolded: str = "▾"
    folded: str = "▸"
    bar: str = "━"
    bar_from: str = "╺"
    bar_to: str = "╸"
    parent_bar: str = "─"
    parent_from: str = "╶"
    parent_to: str = "╴"
    open_bar: str = "╍"
    open_parent: str = "╌"
    guide: str = "│"
    idle: str = "┊"
    rule: str = "─"
    cursor: str = "▌"
    caret: str = "▏"
    differs: str = "≠"
    cut: str = "…"
    nothing: str = "–"
    arrow: str = "→"
    ascii: bool = False
    """True if every glyph is ASCII."""
    letters: bool = True
    """True if the terminal can show letters beyond ASCII; else they are escaped."""

    def of(self, status: Status) -> str:
        """Returns the glyph of a status."""
        sign: str = getattr(self, status.value)
        return sign

    def branch(self, name: str) -> str:
        """Formats the name of a branch: `‹b›`."""
        return f"{self.branch_open}{name}{self.branch_close}"

    def plain(self, text: str) -> str:
        """Replaces characters in our own text that the set does not have:

        `resume…` or `resume~`.
        """
        if not self.ascii or text.isascii():
            return text
        text = text.translate(_TO_ASCII)
        return text if self.letters else text.encode("ascii", "backslashreplace").decode("ascii")

    def safe(self, text: str) -> str:
        """Untrusted text on one line: secrets masked, control characters escaped."""
        if len(text) > MOST_OF_A_LINE:
            text = text[:MOST_OF_A_LINE] + "…"
        return self.plain(visible(mask(text).text))


FULL = Glyphs()
ASCII = Glyphs(
    running="*",
    waiting="!",
    completed="+",
    failed="x",
    interrupted="#",
    pending=".",
    skipped=">",
    not_needed="-",
    unconfirmed="~",
    unknown="?",
    finding="^",
    parallel="|",
    loop="@",
    attempt="x",
    branch_open="<",
    branch_close=">",
    model_call="o",
    tool="f",
    action="$",
    unfolded="-",
    folded="+",
    bar="=",
    bar_from="=",
    bar_to="=",
    parent_bar="-",
    parent_from="-",
    parent_to="-",
    open_bar="~",
    open_parent="~",
    guide="|",
    idle=":",
    rule="-",
    cursor=">",
    caret="_",
    differs="!",
    cut="~",
    nothing="-",
    arrow=">",
    ascii=True,
)
ASCII_ONLY = Glyphs(
    **{
        item.name: getattr(ASCII, item.name)
        for item in fields(Glyphs)
        if item.name not in ("ascii", "letters")
    },
    ascii=True,
    letters=False,
)

_TO_ASCII = str.maketrans(
    {
        getattr(FULL, item.name): getattr(ASCII, item.name)
        for item in fields(Glyphs)
        if isinstance(getattr(FULL, item.name), str)
    }
    | {"←": "<", "↑": "^", "↓": "v", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'"}
)

MEANINGS: Mapping[str, str] = {
    **{status.value: status.replace("_", " ") for status in Status},
    "unconfirmed": "unconfirmed: its value exists, its end was never recorded",
    "unknown": "unknown: the record says nothing that we understand",
    "not_needed": "not needed: what it belongs to went on without it",
    "finding": "something that a careful reader would point out",
    "parallel": "branches that have joined, of all in the parallel",
    "loop": "the round of the loop, of its maximum",
    "attempt": "how many times it was tried",
    "model_call": "a call of a model",
    "tool": "a call of a tool",
    "action": "an action that moves money",
    "unfolded": "what is inside is shown",
    "folded": "what is inside is hidden",
    "bar": "from first to last record, finished",
    "parent_bar": "the span of what is inside",
    "open_bar": "no end is recorded",
    "idle": "a stretch without records was cut out",
    "nothing": "not recorded",
    "cut": "the text goes on",
}
"""Meaning of each glyph, for the help."""


def glyphs_for_terminal(setting: str, environ: Mapping[str, str]) -> Glyphs:
    """Returns the glyphs for a setting (ASCII `always`, `never` or `auto`) and a terminal.

    `auto` is ASCII where other glyphs would be garbled (TERM=dumb, a locale that is not UTF-8) or
    two cells wide (Japanese, Chinese and Korean locales).
    """
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    # Without any locale variable Python assumes UTF-8, and so do we.
    utf8 = not locale or "utf8" in locale.lower().replace("-", "")
    garbled = environ.get("TERM") == "dumb" or not utf8
    if setting == "never":
        return FULL
    if garbled:
        return ASCII_ONLY
    if setting == "always" or locale.startswith(_WIDE_LANGUAGES):
        return ASCII
    return FULL
