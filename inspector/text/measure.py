"""How many terminal cells a text takes, and how to make it take so many.

A cluster (an emoji with its joiners, a letter with its marks, a flag) is never cut in two. Widths
are those of Rich, because Rich and Textual draw the screen.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

Align = Literal["left", "right", "center"]

_ZWJ = "\u200d"
_FIRST_REGIONAL, _LAST_REGIONAL = "\U0001f1e6", "\U0001f1ff"


def cell_width(text: str) -> int:
    """Cells that `text` takes in a terminal; control characters take none."""
    return _rich_measure()(text)


@cache
def _rich_measure() -> Callable[[str], int]:
    # Imported late: JSON output needs no widths.
    from rich.cells import cell_len

    return cell_len


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """The clusters of `text` in order, each with its cells; joined they are `text` again."""
    start, size = 0, len(text)
    while start < size:
        end = _cluster_end(text, start)
        cluster = text[start:end]
        yield cluster, cell_width(cluster)
        start = end


def clip(text: str, cells: int, *, ellipsis: str = "…") -> str:
    """`text` in at most `cells` cells; what was cut ends in `ellipsis` if that has room."""
    if cells <= 0:
        return ""
    if len(text) <= cells and text.isascii() and text.isprintable():
        return text
    mark = ellipsis if cell_width(ellipsis) <= cells else ""
    room = cells - cell_width(mark)
    kept: list[str] = []
    used, length_within_room = 0, 0
    for cluster, width in clusters(text):
        if used + width > cells:
            return _without_joiner("".join(kept[:length_within_room])) + mark
        used += width
        kept.append(cluster)
        if used <= room:
            length_within_room = len(kept)
    return text


def clip_start(text: str, cells: int, *, ellipsis: str = "…") -> str:
    """The end of `text` in at most `cells` cells, for names that differ at their ends."""
    if cells <= 0:
        return ""
    mark = ellipsis if cell_width(ellipsis) <= cells else ""
    whole = list(clusters(text))
    if sum(width for _, width in whole) <= cells:
        return text
    room, at = cells - cell_width(mark), len(whole)
    while at and whole[at - 1][1] <= room:
        at -= 1
        room -= whole[at][1]
    return mark + "".join(cluster for cluster, _ in whole[at:])


def pad(text: str, cells: int, align: Align = "left", *, ellipsis: str = "…") -> str:
    """`text` in exactly `cells` cells: clipped when longer, filled with spaces when shorter."""
    clipped = _without_joiner(clip(text, cells, ellipsis=ellipsis))
    missing = max(0, cells - cell_width(clipped))
    left = {"left": 0, "right": missing, "center": missing // 2}[align]
    return " " * left + clipped + " " * (missing - left)


def _cluster_end(text: str, start: int) -> int:
    """Index after the cluster that begins at `start`."""
    size = len(text)
    end = start + (2 if text[start] == _ZWJ else 1)
    if _is_regional(text[start]) and end < size and _is_regional(text[end]):
        end += 1
    while end < size:
        character = text[end]
        if character == _ZWJ:
            end += 2
        elif " " <= character <= "~" or cell_width(character):
            break
        else:
            end += 1
    return min(end, size)


def _is_regional(character: str) -> bool:
    return _FIRST_REGIONAL <= character <= _LAST_REGIONAL


def _without_joiner(text: str) -> str:
    """A joiner at the end would swallow whatever is drawn next."""
    return text.rstrip(_ZWJ)
