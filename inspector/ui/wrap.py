"""Long sentences over several lines, never through a cluster."""

from inspector.text.measure import cell_width, clip, clusters


def wrapped(text: str, cells: int, most: int, cut: str = "…") -> list[str]:
    """`text` (safe already) in at most `most` lines of at most `cells` cells; the rest is cut."""
    if cells <= 0 or most <= 0:
        return []
    lines: list[str] = []
    rest = text.strip()
    while rest and len(lines) < most - 1:
        taken = _line(rest, cells)
        if not taken:
            break
        lines.append(taken.rstrip())
        rest = rest[len(taken) :].lstrip()
    if rest:
        lines.append(clip(rest, cells, ellipsis=cut))
    return lines


def _line(text: str, cells: int) -> str:
    """The beginning of a text that fits, up to a space where there is one."""
    used = end = 0
    space = 0
    for cluster, wide in clusters(text):
        if used + wide > cells:
            break
        used += wide
        end += len(cluster)
        if cluster == " ":
            space = end
    if end == len(text) or cell_width(text) <= cells:
        return text
    # A word that ends where the line does is whole.
    return text[:end] if text[end : end + 1] == " " or not space else text[:space]
