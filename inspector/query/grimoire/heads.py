"""A run as the list shows it: from its row, the ends of its ledger, its tracks and handoffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.model.run import Finding, Progress, Run, RunKind
from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.grimoire import NAME, crosschain, verdicts
from inspector.query.grimoire.rows import Handoff, Track
from inspector.query.grimoire.verdicts import Mode
from inspector.text.numbers import size
from inspector.text.parse_time import parse_instant

ARRIVING_MS = 60_000
"""A run's three writes follow each other at once; what is missing after this long is missing."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a run without its ledger's entries."""

    spell: str
    run_id: str | None
    """None for a spell of which only a state was saved."""
    has_row: bool = False
    has_ledger: bool = False
    timestamp: Any = None
    success: Any = None
    error: str | None = None
    duration: Any = None
    mode: Mode | str | None = None
    timeout_s: Any = None
    """How long a resume waits for a handoff, from the manifest."""
    summary: Any = None
    """The row's own summary of tracks and handoffs."""
    first_at: int | None = None
    last_at: int | None = None
    """Instants of the first and last entry, where they were read."""
    size: int = 0
    """Bytes of the ledger's text, where they are known."""
    tracks: tuple[Track, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    state_at: int | None = None
    """When the spell's state was saved, if that was after every run of the spell."""

    @property
    def row_ends_at(self) -> int | None:
        """The end as the row has it: the preview's end, and how long the rest took."""
        stamp = parse_instant(self.timestamp)
        if stamp is None:
            return None
        took = self.duration
        return stamp + (int(took) if isinstance(took, int | float) and 0 <= took < FAR else 0)


FAR = 1 << 53
"""Milliseconds that no run takes: longer than that there is no telling when it ended."""
STATE_SLACK_MS = 5000
"""A state is saved just before its run's row: only later than this it belongs to no row."""


def late_state(known: Known, saved: Any, *, newest: bool) -> Known:
    """The run with the instant of its spell's state, if that was saved after all of its runs.

    A cross-chain run is saved long after its preview: nothing can be said of it.
    """
    saved_at, ended = parse_instant(saved), known.row_ends_at
    if not newest or known.tracks or saved_at is None or ended is None:
        return known
    return replace(known, state_at=saved_at) if saved_at - ended > STATE_SLACK_MS else known


HEAVY_BYTES = 4 << 20
"""A list does not read a larger ledger: counts and structure are told when the run is opened."""


def run_key(path: str, spell: str, run_id: str | None) -> str:
    """The run's key: a run id is only unique within its spell."""
    return f"{NAME}:{path}#{spell}/{run_id or ''}"


def head(store: Store, known: Known, now: int) -> Run:
    """The run from what a list knows."""
    status, raw = _status(known)
    started = known.first_at
    if started is None and known.run_id is not None:
        spelt = verdicts.started_from_id(known.run_id)
        started = parse_instant(spelt)
    ended = known.last_at if known.last_at is not None else known.row_ends_at
    waits = status is Status.WAITING
    return Run(
        key=run_key(store.path, known.spell, known.run_id),
        kind=RunKind.SPELL,
        store=store,
        run_id=known.run_id,
        title=crosschain.title_of(known.spell, known.tracks) or "(no name)",
        status=status,
        raw_status=raw,
        session=known.spell,
        parent_key=_parent(store, known),
        findings=tuple(findings(known, now)),
        started_at=started,
        ended_at=None if waits or status is Status.UNKNOWN else ended,
        last_activity_at=_last_write(known, ended),
        order_only=known.first_at is None,
        mode=known.mode,
        progress=Progress(note=crosschain.note_of(known.handoffs) if waits else None),
        complete=known.size > HEAVY_BYTES,
    )


def _status(known: Known) -> tuple[Status, str | None]:
    status, raw = verdicts.status_of(known.success) if known.has_row else (Status.UNKNOWN, None)
    waiting = crosschain.is_waiting(known.tracks, known.handoffs)
    if not waiting or not crosschain.concerns(known.spell, known.tracks):
        return status, raw
    words = crosschain.raw_words(known.tracks, known.handoffs)
    return Status.WAITING, words if raw is None else f"{raw}; {words}"


def _parent(store: Store, known: Known) -> str | None:
    """The source's run, for the run on the destination's track."""
    source = crosschain.spell_of(known.tracks, "source")
    destination = crosschain.spell_of(known.tracks, "destination")
    if source is None or source == known.spell or destination != known.spell:
        return None
    return run_key(store.path, source, known.run_id)


def _last_write(known: Known, ended: int | None) -> int | None:
    written = [one.updated_at for one in known.tracks]
    written += [one.updated_at for one in known.handoffs]
    stamps = [*map(parse_instant, written), ended, known.state_at]
    return max((one for one in stamps if one is not None), default=known.first_at)


def findings(known: Known, now: int) -> Iterator[Finding]:
    """What a careful reader would say of a run without having read its ledger."""
    if known.error:
        code = verdicts.error_code(known.error)
        words = verdicts.error_text(known.error)
        yield Finding("run_failed", words if code is None else f"{code}: {words}", "run")
    yield from _presence(known, now)
    if _status(known)[0] is Status.WAITING:
        words = crosschain.waiting_sentence(known.handoffs, known.timeout_s, now)
        yield Finding("waiting", words, "handoffs")
    if verdicts.succeeded(known.success):
        yield from _failed_tracks(known.tracks)
    if known.size > HEAVY_BYTES:
        words = f"Its ledger has {size(known.size)}: its steps are counted once it is opened."
        yield Finding("ledger_large", words, "ledger")
    old = crosschain.stale(known.summary, known.tracks, known.handoffs)
    if old:
        yield Finding(
            "stale_summary",
            f"The run's own summary is out of date: {', '.join(old)}.",
            "run",
        )


def _failed_tracks(tracks: Sequence[Track]) -> Iterator[Finding]:
    for track in crosschain.failures(tracks):
        why = "" if track.error is None else f": {track.error}"
        yield Finding("track_failed", f"Track {track.track_id} failed{why}", track.track_id)


def _presence(known: Known, now: int) -> Iterator[Finding]:
    if known.run_id is None:
        yield Finding("state_only", "A state was saved for this spell; no run of it is recorded.")
    elif not known.has_row and known.has_ledger:
        yield Finding(
            "orphan",
            "Its ledger is here, its row is not: Grimoire keeps a spell's newest 100 rows and"
            " shows no others.",
            "ledger",
        )
    elif not known.has_row:
        yield Finding(
            "orphan", "Only its tracks are recorded; neither a row nor a ledger is.", "tracks"
        )
    elif not known.has_ledger:
        yield _without_ledger(known, now)
    if known.state_at is not None and known.run_id is not None:
        yield _state_newer(now - known.state_at)


def _state_newer(age_ms: int) -> Finding:
    if 0 <= age_ms < ARRIVING_MS:
        words = "The spell's state was just saved again: a run of it is arriving."
        return Finding("arriving", words, "state")
    words = "The spell's state was saved again after its newest run, whose record may be lost."
    return Finding("state_newer", words, "state")


def _without_ledger(known: Known, now: int) -> Finding:
    ended = known.row_ends_at
    if ended is not None and 0 <= now - ended < ARRIVING_MS:
        return Finding("arriving", "The run's ledger is still to be written.", "ledger")
    return Finding("ledger_missing", "The run has no ledger: its steps are not recorded.", "ledger")
