"""How a run stands, from the two ends of its log: cheap enough for ten thousand runs.

Pure. Gives what the whole fold would give, or says that it must see more.
"""

from __future__ import annotations

from typing import NamedTuple

from inspector.model.status import ENDED
from inspector.query.openprose.logs.events import Found, Scanner
from inspector.query.openprose.logs.header import MOST_BYTES, Header, read_header
from inspector.query.openprose.logs.lines import Verb
from inspector.query.openprose.logs.state import Ending


class Standing(NamedTuple):
    """The end line that holds, as far as these lines tell."""

    ended: Ending | None
    decided: bool
    """Whether lines before these could not change it."""


def header_in(head: bytes) -> Header:
    """The header from the first bytes of a log."""
    scanner = Scanner()
    found = scanner.feed(head[:MOST_BYTES])
    first = found[0] if found else scanner.unfinished()
    preamble = head if first is None else head[: first.offset]
    return read_header(preamble[:MOST_BYTES].decode("utf-8", "replace"))


def standing(tail: bytes, *, is_whole: bool) -> Standing:
    """How the run stands after the last bytes of a log; `is_whole` if nothing is before them."""
    if not is_whole:
        tail = tail[tail.find(b"\n") + 1 :] if b"\n" in tail else b""
    scanner = Scanner()
    found = scanner.feed(tail)
    last = scanner.unfinished()
    ended, decided = None, is_whole
    for one in [*found, last] if last is not None else found:
        if one.marker.verb is not Verb.RUN:
            ended, decided = None, True
        elif one.marker.name != "test":
            ended, decided = _ending(one), True
    return Standing(ended, decided)


def _ending(found: Found) -> Ending | None:
    marker = found.marker
    if marker.status not in ENDED:
        return None
    word = f"---{marker.name}"
    return Ending(0, found.line, marker.status, word, marker.at, marker.note, marker.error)
