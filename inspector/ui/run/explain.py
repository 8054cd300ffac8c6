"""The signs of a row of the timeline, in words."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.status import Status
from inspector.ui.palette import Role
from inspector.ui.roles import STATUS_ROLE
from inspector.ui.run.row import RowPicture
from inspector.ui.screen import Explained
from inspector.ui.signs import MEANINGS, Signs

_COUNTS = ("parallel", "loop", "attempt")
_KINDS = ("model_call", "tool", "action")


def explain(picture: RowPicture, signs: Signs) -> Sequence[Explained]:
    """What every sign of a row means."""
    status = picture.status
    found = [Explained(signs.of(status), MEANINGS[status.value], STATUS_ROLE[status])]
    if picture.open is not None:
        fold = "unfolded" if picture.open else "folded"
        found.append(Explained(getattr(signs, fold), MEANINGS[fold], Role.MUTED))
    for name in _KINDS:
        if picture.sign and picture.sign == getattr(signs, name):
            found.append(Explained(picture.sign, MEANINGS[name], Role.MUTED))
            break
    for name in _COUNTS:
        if picture.counted.startswith(getattr(signs, name)):
            found.append(Explained(getattr(signs, name), MEANINGS[name], Role.MUTED))
    if picture.bar:
        dashed = {signs.open_bar, signs.open_parent} & set(picture.bar)
        name = "open_bar" if dashed else "bar" if picture.open is None else "parent_bar"
        found.append(Explained(picture.bar[-1], MEANINGS[name], picture.bar_role))
    elif status is not Status.UNKNOWN:
        found.append(Explained(" ", "no row tells when: there is no bar", Role.MUTED))
    return found
