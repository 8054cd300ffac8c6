"""From what a piece of text is to how it looks, for the theme that is in use."""

from rich.style import Style

from inspector.model.status import Status
from inspector.ui.palette import Ground, Palette, Role

STATUS_ROLE: dict[Status, Role] = {
    Status.RUNNING: Role.ACCENT,
    Status.WAITING: Role.WARNING,
    Status.COMPLETED: Role.SUCCESS,
    Status.FAILED: Role.ERROR,
    Status.INTERRUPTED: Role.WARNING,
    Status.SKIPPED: Role.MUTED,
    Status.PENDING: Role.MUTED,
    Status.NOT_NEEDED: Role.FAINT,
    Status.UNCONFIRMED: Role.TEXT,
    Status.UNKNOWN: Role.TEXT,
}
"""The hue of a status sign."""

_DIM_IN_16_COLOURS = {Role.MUTED, Role.FAINT, Role.LINE, Role.GUIDE, Role.DIM}
_BOLD_WITHOUT_COLOUR = {Role.ERROR, Role.WARNING, Role.TRAVEL}
# What stays readable on grounds that are nearer to it.
_CLOSE_GROUNDS = {Ground.SELECT, Ground.HOVER, Ground.FIELD}
_ON_CLOSE_GROUND = {Role.FAINT: Role.MUTED, Role.DONE: Role.SUCCESS}


def word_role(status: Status) -> Role:
    """The hue of a status word: that of its sign, except that completed is quiet."""
    return Role.MUTED if status is Status.COMPLETED else STATUS_ROLE[status]


def status_word(status: Status) -> str:
    """The status as people read it: `not needed`."""
    return status.replace("_", " ")


class Roles:
    """Styles of one theme. With `colour` false only bold, dim and reverse are left."""

    def __init__(self, palette: Palette, *, colour: bool = True) -> None:
        self.palette = palette
        self.colour = colour
        self.plain = palette.ansi or not colour
        """True where grounds cannot be told apart: one rule stands where raised begins."""
        self._styles: dict[tuple[Role, Ground, bool, bool], Style] = {}

    def style(
        self,
        role: Role,
        ground: Ground = Ground.BG,
        *,
        bold: bool = False,
        underline: bool = False,
    ) -> Style:
        """The style of a role on a ground."""
        key = (role, ground, bold, underline)
        found = self._styles.get(key)
        if found is None:
            make = self._plain_style if self.plain else self._full_style
            found = self._styles[key] = make(*key)
        return found

    def status(self, status: Status, ground: Ground = Ground.BG) -> Style:
        """The style of a status sign."""
        return self.style(STATUS_ROLE[status], ground)

    def draws(self, role: Role) -> bool:
        """Whether the role is drawn at all: 16 colours have no grey for ornament."""
        return not (self.plain and role is Role.DIM)

    def _full_style(self, role: Role, ground: Ground, bold: bool, underline: bool) -> Style:
        if ground in _CLOSE_GROUNDS:
            role = _ON_CLOSE_GROUND.get(role, role)
        return Style(
            color=self.palette.inks[role],
            bgcolor=self.palette.grounds[ground],
            bold=bold or role is Role.STRONG,
            underline=underline or None,
        )

    def _plain_style(self, role: Role, ground: Ground, bold: bool, underline: bool) -> Style:
        bold = bold or role is Role.STRONG
        if ground is Ground.SELECT:
            # Reverse video turns hues into grounds; words and signs still say the status.
            return Style(
                color="default",
                bgcolor="default",
                reverse=True,
                bold=bold or None,
                underline=underline or None,
            )
        dim = role in _DIM_IN_16_COLOURS or ground is Ground.SCRIM
        if not self.colour:
            bold = bold or role in _BOLD_WITHOUT_COLOUR
        return Style(
            color=self.palette.inks[role] if self.colour and self.palette.ansi else "default",
            bgcolor="default",
            bold=bold or None,
            dim=(dim and not bold) or None,
            underline=(underline or ground is Ground.HOVER) or None,
        )
