"""Measures, clips and pads text in terminal cells.

Never cuts a cluster (an emoji with joiners, a letter with marks, a flag). Uses the widths of Rich
because Rich and Textual draw the screen.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

Align = Literal["left", "right", "center"]

_ZWJ = "\u200d"
_FIRST_REGIONAL, _LAST_REGIONAL = "\U0001f1e6", "\U0001f1ff"


def cell_width(text: str) -> int:
    """Returns the cells of `text` in a terminal; control characters have none."""
    return _rich_measure()(text)


@cache
def _rich_measure() -> Callable[[str], int]:
    # Imported late: JSON output needs no widths.
    from rich.cells import cell_len

    return cell_len


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yields the clusters of `text`, each with its cells."""
    start, size = 0, len(text)
    while start < size:
        end = _cluster_end(text, start)
        cluster = text[start:end]
        yield cluster, cell_width(cluster)
        start = end


def clip(text: str, cells: int, *, ellipsis: str = "…") -> str:
    """Clips `text` to `cells` cells; ends a clipped text with `ellipsis` if it fits."""
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
    """Clips `text` to its last `cells` cells, for names that differ at the end."""
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
    """Clips or pads `text` to exactly `cells` cells."""
    clipped = _without_joiner(clip(text, cells, ellipsis=ellipsis))
    missing = max(0, cells - cell_width(clipped))
    left = {"left": 0, "right": missing, "center": missing // 2}[align]
    return " " * left + clipped + " " * (missing - left)


def _cluster_end(text: str, start: int) -> int:
    """Returns the end of the cluster at `start`."""
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
    """Removes trailing joiners, which would join with the text drawn next."""
    return text.rstrip(_ZWJ)
