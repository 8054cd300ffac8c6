"""One line of a run's log: whether it marks an event, and what it says.

Source: OpenProse filesystem state document, "Event Markers", and the logs that agents really write:
other arrows, tags, notes of any length, no sign. A line is a marker by itself, whatever stands
before it, and stays one whatever is added to it: so event numbers never move.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import islice
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


LONGEST_NAME = 1000
"""Characters of a name that tell it from others; the line itself keeps the rest."""

MOST_NAMES = 1000
"""Members of a parallel that one line may name."""


class Verb(StrEnum):
    """What a marker line speaks of."""

    STATEMENT = "statement"
    PARALLEL = "parallel"
    JOIN = "join"
    LOOP = "loop"
    EXIT = "exit"
    BLOCK = "block"
    DONE = "done"
    RETRY = "retry"
    RUN = "run"


class Marker(NamedTuple):
    """A marker line, read: what it says without what it means."""

    verb: Verb
    body: str
    """What stands after the arrow, as it stands."""
    statement: int | str | None = None
    """Its number; None in older lines that have none."""
    letter: str = ""
    """Which member of a parallel, from `3a→`."""
    scope: str | None = None
    """The block invocation that it is about, from `#43`."""
    within: str | None = None
    """The one that it happened in."""
    name: str = ""
    """Statement, block or word; with its tag."""
    tag: str | None = None
    status: Status = Status.UNKNOWN
    recorded: str | None = None
    """The sign and the word behind it, as they stand."""
    error: str | None = None
    note: str | None = None
    names: tuple[str, ...] = ()
    """Members that a parallel's line names."""
    number: int | None = None
    """Round of a loop, or attempt."""
    most: int | None = None
    delegate: str | None = None
    """The delegate's id, where a statement yields to one (`name` is the statement)."""
    target: str | None = None
    """The delegate's name."""
    indented: bool = False
    """More than one space after the arrow: what a delegate did."""
    at: str | None = None
    """The instant of a `---` line, as it stands."""


# A name and a sign: what nearly every line says.
_PLAIN = re.compile(r"([0-9]{1,9})([a-z]?)(?:→|->) (([A-Za-z0-9_.-]+) (✓(?: rendered)?))")
_NUMBERED = re.compile(
    r"\ufeff?[ \t]{0,16}(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9}){0,8})(?P<letter>[A-Za-z]{0,2})"
    r"[ \t]?(?:→|⟶|➔|➜|➝|-{1,2}>|[–—]>)(?P<gap>[ \t]*)(?P<body>.*)",
    re.DOTALL,
)
_RUN = re.compile(r"\ufeff?[ \t]{0,16}---(?P<word>[A-Za-z][\w-]*)(?P<rest>.*)", re.DOTALL)
_BARE = re.compile(r"\ufeff?[ \t]{0,16}(?P<body>[∥‖].*|loop:[ ]?[0-9].*)", re.DOTALL)
_SCOPED = re.compile(r"#(?P<id>[\w-]{1,64})(?=\s|$)\s*(?P<rest>.*)", re.DOTALL)
_DONE = re.compile(r"done\b\s*(?P<word>.*)", re.DOTALL)
_PARALLEL = re.compile(r"(?:[∥‖]|\|\|)[ \t:]*(?P<rest>.*)", re.DOTALL)
_BRACKETED = re.compile(r"\[(?P<names>[^\]]*)\]\s*(?P<rest>.*)", re.DOTALL)
_START = re.compile(r"(?:start(?:ed)?|begin|fork)\b[ \t:]*(?P<names>.*)", re.DOTALL)
_JOIN = re.compile(r"(?:done|join(?:ed)?|completed?|end)\b[ \t:]*(?P<note>.*)", re.DOTALL)
_FAIL = re.compile(r"(?:fail(?:ed)?|error)\b[ \t:]*(?P<note>.*)", re.DOTALL)
_LOOP = re.compile(
    r"loop:[ ]?(?P<number>[0-9]{1,9})(?:[ ]?/[ ]?(?:(?P<most>[0-9]{1,9})|[*∞?]))?(?P<rest>.*)",
    re.DOTALL,
)
_EXIT = re.compile(r"[ \t,;:–—-]*exit(?:ed)?\b[ \t:]*(?P<reason>.*)", re.DOTALL)
_BLOCK = re.compile(r"block:(?P<name>[^\s#]*)(?:#(?P<id>[\w-]{1,64}))?(?P<rest>.*)", re.DOTALL)
_RETRY = re.compile(
    r"retry:[ ]?(?P<number>[0-9]{1,9})(?:[ ]?/[ ]?(?P<most>[0-9]{1,9}))?(?P<rest>.*)", re.DOTALL
)
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}:[0-9:.,]*(?:[ ]?(?:[Zz]|UTC)|[ ]?[+-][0-9]{2}:?[0-9]{0,2})?)?"
)
_INDENT = 2


def read_line(text: str) -> Marker | None:
    """The marker that a line is, None when it is none: a note, a heading, an empty line."""
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return read_any_line(text)
    number, letter, body, name, sign = plain.groups()
    return Marker(
        Verb.STATEMENT, body, int(number), letter, None, None, name, None, Status.COMPLETED, sign
    )


def read_any_line(text: str) -> Marker | None:
    """As `read_line`, without its short way for the commonest line."""
    found = _NUMBERED.match(text)
    if found is not None:
        number, letter = found["number"], found["letter"].lower()
        statement: int | str = int(number) if number.isdigit() else number
        indented = len(found["gap"].expandtabs(_INDENT)) >= _INDENT
        marker = read_body(found["body"].strip())
        return marker._replace(statement=statement, letter=letter, indented=indented)
    found = _RUN.match(text)
    if found is not None:
        word = found["word"].lower().rstrip("-_")
        return _run(word, found["rest"].lstrip(" \t:").rstrip(), text.strip().lstrip("\ufeff"))
    found = _BARE.match(text)
    return None if found is None else read_body(found["body"].strip())


def read_body(body: str) -> Marker:
    """What stands after the arrow."""
    scoped = _SCOPED.match(body)
    if scoped is not None:
        return _scoped(body, scoped["id"], scoped["rest"])
    return _read(body)


def _read(body: str) -> Marker:
    for starts, read in _READERS:
        if body.startswith(starts):
            marker = read(body)
            if marker is not None:
                return marker
    return _statement(body)


def _scoped(body: str, scope: str, rest: str) -> Marker:
    done = _DONE.match(rest)
    if done is None:
        inner = _read(rest)
        # The block that begins inside another one names itself.
        return inner._replace(body=body, scope=inner.scope or scope, within=scope)
    said = read_signed(done["word"])
    word = _clipped(done["word"]).strip() if said is None else said.before
    return Marker(
        Verb.DONE,
        body,
        scope=scope,
        within=scope,
        name=word,
        status=Status.COMPLETED if said is None else said.status,
        recorded=f"done {word}".strip() if said is None else said.recorded,
        error=None if said is None else said.error,
        note=None if said is None else said.note,
    )


def _parallel(body: str) -> Marker | None:
    found = _PARALLEL.match(body)
    if found is None:
        return None
    rest, names = found["rest"], ""
    listed = _BRACKETED.match(rest)
    if listed is not None:
        names, rest = listed["names"], listed["rest"]
    start, join, fail = _START.match(rest), _JOIN.match(rest), _FAIL.match(rest)
    if start is not None:
        return Marker(
            Verb.PARALLEL,
            body,
            names=_names(names or start["names"]),
            status=Status.RUNNING,
            recorded="∥start",
        )
    said = read_signed(rest)
    words = join["note"] if join else fail["note"] if fail else said.rest if said else ""
    if join is not None or (said is not None and said.status is Status.COMPLETED):
        done = Marker(Verb.JOIN, body, status=Status.COMPLETED, recorded="∥done")
        return done._replace(names=_names(names), note=unwrapped(words))
    if fail is not None or said is not None:
        status = Status.FAILED if said is None else said.status
        error = unwrapped(words) if status is Status.FAILED else None
        recorded = None if said is None else said.recorded
        over = Marker(Verb.JOIN, body, status=status, recorded=recorded, error=error)
        return over._replace(names=_names(names))
    # A word that is still being written is not yet a list.
    listing = names or (rest if re.search(r"[,;、]", rest) else "")
    return Marker(Verb.PARALLEL, body, names=_names(listing))


def _names(text: str) -> tuple[str, ...]:
    """Names in a list; commas where there are any, else spaces. A note behind the last is none."""
    text = _clipped(text, 64 * LONGEST_NAME).strip().strip("[]")
    if text.count("(") == 1 and text.endswith(")"):
        text = text[: text.rindex("(")].rstrip() or text
    parts = re.split(r"[,;、]", text) if re.search(r"[,;、]", text) else text.split()
    named = (name for part in parts if (name := _clipped(part.strip())))
    return tuple(dict.fromkeys(islice(named, MOST_NAMES)))


def _loop(body: str) -> Marker | None:
    found = _LOOP.match(body)
    if found is None:
        return None
    number, most = int(found["number"]), found["most"]
    ended = _EXIT.match(found["rest"])
    said = None if ended is not None else read_signed(found["rest"])
    marker = Marker(
        Verb.LOOP if ended is None else Verb.EXIT,
        body,
        status=Status.RUNNING if ended is None else Status.COMPLETED,
        number=number,
        most=None if most is None else int(most),
        recorded=None if ended is None else "exit",
        note=unwrapped(found["rest"] if ended is None else ended["reason"]),
    )
    return marker if said is None else _signed(marker, said)


def _signed(marker: Marker, said: Signed) -> Marker:
    return marker._replace(
        status=said.status,
        recorded=said.recorded,
        error=said.error,
        note=said.before or said.note,
    )


def _block(body: str) -> Marker | None:
    found = _BLOCK.match(body)
    if found is None or not (found["name"] or found["id"]):
        return None
    said = read_signed(found["rest"])
    marker = Marker(
        Verb.BLOCK,
        body,
        name=_clipped(found["name"]),
        scope=found["id"],
        status=Status.RUNNING,
        note=unwrapped(found["rest"]),
    )
    return marker if said is None else _signed(marker, said)


def _retry(body: str) -> Marker | None:
    found = _RETRY.match(body)
    if found is None:
        return None
    rest, note = note_of(found["rest"])
    most = found["most"]
    return Marker(
        Verb.RETRY,
        body,
        name=_clipped(rest),
        status=Status.RUNNING,
        recorded="retry",
        number=int(found["number"]),
        most=None if most is None else int(most),
        note=note,
    )


_READERS = (
    (("∥", "‖", "||"), _parallel),
    ("loop:", _loop),
    ("block:", _block),
    ("retry:", _retry),
)


def _statement(body: str) -> Marker:
    said: Signed | None = read_signed(body)
    if said is None:
        return Marker(Verb.STATEMENT, body, name=_clipped(body), tag=tag_of(body))
    tag = tag_of(said.before)
    yields = said.status is Status.WAITING
    return Marker(
        Verb.STATEMENT,
        body,
        name=_clipped(said.before),
        tag=tag,
        status=said.status,
        recorded=said.recorded,
        error=said.error,
        note=said.note,
        target=_clipped(said.word) if yields else None,
        delegate=_delegate(said.note) if yields else None,
    )


def tag_of(name: str) -> str | None:
    """The tag that a name begins with, such as `input` of `[input] question`."""
    found = re.match(r"\[([^\[\]]{1,40})\]", name)
    return None if found is None else found[1].strip().lower()


def _delegate(note: str | None) -> str | None:
    for pattern in (r"delegate:\s*([^\s,;)]{1,128})", r"([\w.:/-]{1,128})"):
        found = re.search(pattern, note or "")
        if found is not None:
            return found[1]
    return None


def _run(word: str, rest: str, body: str) -> Marker:
    instant = _INSTANT.match(rest)
    at = None if instant is None else instant[0]
    said, note = note_of(rest[len(at) :] if at is not None else rest)
    status = {"end": Status.COMPLETED, "error": Status.FAILED}.get(word, Status.UNKNOWN)
    if word == "test":
        verdict = said.split(" ")[0].upper()
        passed = {"PASS": Status.COMPLETED, "FAIL": Status.FAILED}
        status = passed.get(verdict.removesuffix("ED"), Status.UNKNOWN)
    error = said or note if word == "error" else None
    if word == "test" and status is Status.FAILED:
        error = note or said
    return Marker(
        Verb.RUN,
        body,
        name=word,
        status=status,
        recorded=f"---{word}",
        at=at,
        error=error or None,
        note=note if said == "" else f"{said} ({note})" if note else said,
    )


def _clipped(text: str, limit: int = LONGEST_NAME) -> str:
    return text if len(text) <= limit else text[:limit]
