"""One run as a row of the list: what each column says, and in which role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.strip import Strip

from inspector.config.settings import Asset
from inspector.derive.filters import Words
from inspector.derive.groups import Group, elapsed_ms, is_active
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import (
    CANNOT_BE_KNOWN,
    NOT_RECORDED,
    Zone,
    amount,
    clock_time,
    count,
    duration,
    local_moment,
    tokens,
)
from inspector.ui.glyphs import Glyphs
from inspector.ui.lines import Line
from inspector.ui.palette import STATUS_ROLE, Ground, Role, ThemeStyles, status_word, word_role
from inspector.ui.runs.columns import DONE_CELLS, NET_CELLS, Columns

ID_TAIL = 6
"""Characters of a run id that tell it from others."""


@dataclass(frozen=True, slots=True)
class Look:
    """What drawing a row needs beside the run."""

    styles: ThemeStyles
    glyphs: Glyphs
    zone: Zone
    now: int
    words: Words
    assets: Mapping[str, Asset] = field(default_factory=dict)


def elapsed_text(run: Run, now: int) -> str:
    """How long it took or has taken; `?` when whether it lives is not known (now in UTC ms)."""
    length = elapsed_ms(run, now)
    if length is None and run.status is Status.RUNNING and run.started_at is not None:
        return CANNOT_BE_KNOWN
    return duration(length)


def started_text(run: Run, group: Group, now: int, zone: Zone) -> str:
    """When it began; under the heading `yesterday` the time of day is enough."""
    if group is Group.YESTERDAY and run.started_at is not None:
        moment = local_moment(run.started_at, zone)
        return CANNOT_BE_KNOWN if moment is None else f"{moment:%H:%M}"
    return clock_time(run.started_at, now, zone)


def short_id(run: Run, glyphs: Glyphs) -> str:
    """The end of the run id behind `…`, or all of it when that is no longer."""
    name = glyphs.safe(run.run_id) if run.run_id else glyphs.plain(NOT_RECORDED)
    return name if cell_width(name) <= ID_TAIL + 1 else glyphs.cut + name[-ID_TAIL:]


def done_text(done: int | None) -> str:
    """Completed steps in four cells; nothing where the runtime counts none."""
    if done is None:
        return ""
    if done < 10**DONE_CELLS:
        return str(done)
    for unit, scale in (("k", 10**3), ("M", 10**6), ("B", 10**9)):
        if done < scale * 1000:
            return f"{done // scale}{unit}"
    return ">999"


def now_text(run: Run, glyphs: Glyphs) -> tuple[str, bool]:
    """What goes on, in signs, and whether that is a failure."""
    failed = run.steps.failed
    if run.status is Status.COMPLETED:
        return "", False
    if run.status is Status.FAILED and failed:
        return f"{count(failed)} {glyphs.failed}", True
    progress = run.progress
    parts = []
    if progress.parallel_total is not None:
        done = 0 if progress.parallel_done is None else progress.parallel_done
        parts.append(f"{glyphs.parallel} {done}/{progress.parallel_total}")
    if progress.unconfirmed:
        parts.append(f"{glyphs.unconfirmed} {progress.unconfirmed}")
    if progress.loop_now is not None:
        of = "" if progress.loop_max is None else f"/{progress.loop_max}"
        parts.append(f"{glyphs.loop} {progress.loop_now}{of}")
    if progress.note:
        parts.append(glyphs.safe(progress.note))
    if not parts and failed:
        return f"{count(failed)} {glyphs.failed}", True
    return "  ".join(parts), False


def net_text(run: Run, glyphs: Glyphs, assets: Mapping[str, Asset]) -> str:
    """The amount of the one asset, or how many assets there are."""
    net = run.net
    if not net:
        return glyphs.plain(NOT_RECORDED)
    if len(net) > 1:
        return f"{len(net)} assets"
    ((name, units),) = net.items()
    asset = assets.get(name)
    number = amount(units, decimals=asset.decimals if asset else None, sign=True)
    if asset and number.rpartition(".")[2] != number and len(number.rpartition(".")[2]) == 1:
        # Amounts of money stand under each other with two digits behind the point.
        number += "0"
    symbol = asset.symbol if asset and asset.symbol else name
    text = glyphs.safe(f"{number} {symbol}")
    # A number that is cut would be another number.
    return text if cell_width(text) <= NET_CELLS else "1 asset"


def paint_run(
    run: Run, group: Group, columns: Columns, look: Look, ground: Ground, focused: bool
) -> Strip:
    """The row of a run. On the cursor's ground it bears the cursor sign."""
    glyphs, cursor = look.glyphs, ground is Ground.SELECT
    line = Line(columns.width, look.styles, ground)
    if cursor:
        line.put(0, glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
    line.put(columns.sign, glyphs.of(run.status), STATUS_ROLE[run.status])
    if columns.word is not None:
        line.put(columns.word, status_word(run.status), word_role(run.status))
    if run.findings:
        line.put(columns.mark, glyphs.finding, Role.WARNING)
    started = glyphs.plain(started_text(run, group, look.now, look.zone))
    _title(line, run, columns, look, started, cursor and focused)
    if columns.runtime is not None and columns.run is not None:
        line.put(columns.runtime, run.runtime, Role.MUTED)
        line.put(columns.run, short_id(run, glyphs), Role.MUTED)
    if columns.started_end is not None:
        line.right(columns.started_end, started, _unless_missing(started, Role.MUTED))
    _numbers(line, run, columns, look)
    return line.strip()


def _title(line: Line, run: Run, columns: Columns, look: Look, started: str, strong: bool) -> None:
    cells = columns.title_cells
    if columns.started_end is not None and columns.runtime is None:
        # A long date may reach into the column of the titles; then a long title gives way.
        cells = min(cells, columns.started_end - cell_width(started) - 1 - columns.title)
    title = clip(look.glyphs.safe(run.title), cells, ellipsis=look.glyphs.cut)
    role = Role.STRONG if strong else Role.TEXT
    line.put(columns.title, "", role)
    at = 0
    for start, end in look.words.spans(title):
        line.add(title[at:start], role)
        line.put(line.cells, title[start:end], Role.ACCENT, bold=strong, underline=True)
        at = end
    line.add(title[at:], role)


def _numbers(line: Line, run: Run, columns: Columns, look: Look) -> None:
    glyphs = look.glyphs
    plain = Role.MUTED if run.status is Status.COMPLETED else Role.TEXT
    elapsed = glyphs.plain(elapsed_text(run, look.now))
    line.right(columns.elapsed_end, elapsed, _unless_missing(elapsed, plain))
    if columns.done_end is None or columns.now is None:
        return
    line.right(columns.done_end, done_text(run.steps.completed), plain)
    now, failure = now_text(run, glyphs)
    live = is_active(run, look.now)
    role = Role.ERROR if failure else Role.TEXT if live else Role.MUTED
    line.put(columns.now, clip(now, columns.now_cells, ellipsis=glyphs.cut), role)
    if columns.tokens_end is not None:
        spent = glyphs.plain(tokens(run.tokens.total))
        line.right(columns.tokens_end, spent, _unless_missing(spent, plain))
    if columns.net_end is not None:
        net = net_text(run, glyphs, look.assets)
        line.right(columns.net_end, net, _unless_missing(net, Role.TEXT))


def _unless_missing(text: str, role: Role) -> Role:
    """Zero and what is not recorded are the quietest of all."""
    return Role.FAINT if text in (NOT_RECORDED, "-", "0") else role
