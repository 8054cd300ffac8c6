"""The signs of a row of the timeline, in words."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.status import Status
from inspector.ui.glyphs import MEANINGS, Glyphs
from inspector.ui.palette import STATUS_ROLE, Role
from inspector.ui.run.row import RowPicture
from inspector.ui.screens.base import GlyphMeaning

_COUNTS = ("parallel", "loop", "attempt")
_KINDS = ("model_call", "tool", "action")


def explain(picture: RowPicture, glyphs: Glyphs) -> Sequence[GlyphMeaning]:
    """What every sign of a row means."""
    status = picture.status
    found = [GlyphMeaning(glyphs.of(status), MEANINGS[status.value], STATUS_ROLE[status])]
    if picture.open is not None:
        fold = "unfolded" if picture.open else "folded"
        found.append(GlyphMeaning(getattr(glyphs, fold), MEANINGS[fold], Role.MUTED))
    for name in _KINDS:
        if picture.sign and picture.sign == getattr(glyphs, name):
            found.append(GlyphMeaning(picture.sign, MEANINGS[name], Role.MUTED))
            break
    for name in _COUNTS:
        if picture.counted.startswith(getattr(glyphs, name)):
            found.append(GlyphMeaning(getattr(glyphs, name), MEANINGS[name], Role.MUTED))
    if picture.bar:
        dashed = {glyphs.open_bar, glyphs.open_parent} & set(picture.bar)
        name = "open_bar" if dashed else "bar" if picture.open is None else "parent_bar"
        found.append(GlyphMeaning(picture.bar[-1], MEANINGS[name], picture.bar_role))
    elif status is not Status.UNKNOWN:
        found.append(GlyphMeaning(" ", "no row tells when: there is no bar", Role.MUTED))
    return found
