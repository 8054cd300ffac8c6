"""How a run stands, from the two ends of its log: cheap enough for ten thousand runs.

Pure. Gives what the whole fold would give, or says that it must see more.
"""

from __future__ import annotations

from typing import NamedTuple

from inspector.model.status import ENDED
from inspector.query.openprose.logs.events import first_marker, marker_in
from inspector.query.openprose.logs.header import MOST_BYTES, Header, read_header
from inspector.query.openprose.logs.lines import Marker, Verb
from inspector.query.openprose.logs.state import Ending


class Standing(NamedTuple):
    """The end line that holds, as far as these lines tell."""

    ended: Ending | None
    decided: bool
    """Whether lines before these could not change it."""


def header_in(head: bytes) -> Header:
    """The header from the first bytes of a log."""
    preamble = head[: first_marker(head[:MOST_BYTES])]
    return read_header(preamble[:MOST_BYTES].decode("utf-8", "replace"))


def standing(tail: bytes, *, is_whole: bool) -> Standing:
    """How the run stands after the last bytes of a log; `is_whole` if nothing is before them."""
    if not is_whole:
        tail = tail[tail.find(b"\n") + 1 :] if b"\n" in tail else b""
    end = len(tail)
    while end >= 0:
        start = tail.rfind(b"\n", 0, end) + 1
        marker = marker_in(tail[start:end])
        # A test judges the run, it does not go on with it.
        if marker is not None and not (marker.verb is Verb.RUN and marker.name == "test"):
            return Standing(_ending(marker), True)
        end = start - 1
    return Standing(None, is_whole)


def _ending(marker: Marker) -> Ending | None:
    if marker.verb is not Verb.RUN or marker.status not in ENDED:
        return None
    return Ending(0, 0, marker.status, f"---{marker.name}", marker.at, marker.note, marker.error)
