"""A run as lists show it: from its row, the ends of its ledger, its tracks and handoffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.model.run import Finding, Progress, Run, RunKind
from inspector.model.status import Status
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.grimoire import NAME, cross_chain, records
from inspector.query.grimoire.records import (
    Handoff,
    Mode,
    Track,
    manifest_of,
    mode_of,
    parsed_columns,
    text_of,
)
from inspector.query.grimoire.rows import RunRows, newer_version_reason, variant_of
from inspector.query.grimoire.state import State
from inspector.text.numbers import size
from inspector.text.parse_time import parse_instant

ARRIVING_MS = 60_000
"""A run's three writes follow each other closely; after this long a missing one is lost."""

STATE_SLACK_MS = 5000
"""A state is saved just before its run's row; one saved later than this has no row yet."""

HEAVY_BYTES = 4 << 20
"""Lists do not read larger ledgers; their steps are counted when the run is opened."""

_LONGEST_MS = 1 << 53
"""A longer duration is not believed."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Everything known of a run without reading its ledger's entries."""

    spell: str
    run_id: str | None
    """None for a spell with a saved state but no run."""
    has_row: bool = False
    has_ledger: bool = False
    timestamp: Any = None
    success: Any = None
    error: str | None = None
    duration: Any = None
    mode: Mode | str | None = None
    timeout_s: Any = None
    """Seconds that a resume waits for a handoff, from the manifest."""
    cross_chain: Any = None
    """The row's own summary of tracks and handoffs, which `resume` does not update."""
    first_at: int | None = None
    last_at: int | None = None
    """Instants (UTC ms) of the first and last entry, if they were read."""
    size: int = 0
    """Bytes of the ledger's text; 0 if not known."""
    tracks: tuple[Track, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    state_at: int | None = None
    """When the spell's state was saved (UTC ms), if that was after all of its runs."""

    @property
    def row_ends_at(self) -> int | None:
        """The end according to the row (UTC ms): its timestamp and its duration."""
        stamp = parse_instant(self.timestamp)
        if stamp is None:
            return None
        took = self.duration
        is_known = isinstance(took, int | float) and 0 <= took < _LONGEST_MS
        return stamp + (int(took) if is_known else 0)


def late_state(known: RunSummary, saved: object, *, newest: bool) -> RunSummary:
    """Return the run with the instant of its spell's state, if that was saved after all its runs.

    Not for cross-chain runs: they are saved long after their preview.
    """
    saved_at, ended = parse_instant(saved), known.row_ends_at
    if not newest or known.tracks or saved_at is None or ended is None:
        return known
    return replace(known, state_at=saved_at) if saved_at - ended > STATE_SLACK_MS else known


def known_of(spell: str, run_id: str | None, rows: RunRows, state: State) -> RunSummary:
    """Return the summary of a run that has been read, with the instants of the fold."""
    row = rows.row or {}
    parsed = parsed_columns(row)[0] if rows.row is not None else {}
    provenance = parsed.get("provenance")
    known = RunSummary(
        spell,
        run_id,
        has_row=rows.row is not None,
        has_ledger=rows.ledger is not None,
        timestamp=row.get("timestamp"),
        success=row.get("success"),
        error=text_of(row.get("error")),
        duration=row.get("duration"),
        mode=mode_of(provenance),
        timeout_s=manifest_of(provenance).get("handoff_timeout_sec"),
        cross_chain=parsed.get("cross_chain"),
        first_at=state.first_at,
        last_at=state.last_at,
        tracks=rows.tracks,
        handoffs=rows.handoffs,
    )
    saved_at = None if rows.state is None else rows.state.get("updated_at")
    return late_state(known, saved_at, newest=not rows.newer_runs)


def store_of_run(path: str, rows: RunRows) -> Store:
    """Return the store as read with one run's rows."""
    health, reason = Health.OK, newer_version_reason(rows.version)
    if reason is not None:
        health = Health.PARTIAL
    if rows.damage:
        health, reason = Health.PARTIAL, "; ".join(one.sentence for one in rows.damage)
    variant = variant_of(rows.tables, rows.version)
    return Store(path, NAME, variant, WriteStyle.APPEND, health, reason)


def run_key(path: str, spell: str, run_id: str | None) -> str:
    """Return the key of a run; a run id is unique only within its spell."""
    return f"{NAME}:{path}#{spell}/{run_id or ''}"


def head(store: Store, known: RunSummary, now: int) -> Run:
    """Return the run for a list."""
    status, raw = _status(known)
    started = known.first_at
    if started is None and known.run_id is not None:
        started = parse_instant(records.started_from_id(known.run_id))
    ended = known.last_at if known.last_at is not None else known.row_ends_at
    waiting = status is Status.WAITING
    return Run(
        key=run_key(store.path, known.spell, known.run_id),
        kind=RunKind.SPELL,
        store=store,
        run_id=known.run_id,
        title=cross_chain.title_of(known.spell, known.tracks) or "(no name)",
        status=status,
        raw_status=raw,
        session=known.spell,
        parent_key=_parent(store, known),
        findings=tuple(findings(known, now)),
        started_at=started,
        ended_at=None if waiting or status is Status.UNKNOWN else ended,
        last_activity_at=_last_write(known, ended),
        order_only=known.first_at is None,
        mode=known.mode,
        progress=Progress(note=cross_chain.progress_note(known.handoffs) if waiting else None),
        complete=known.size > HEAVY_BYTES,
    )


def _status(known: RunSummary) -> tuple[Status, str | None]:
    status, raw = records.status_of(known.success) if known.has_row else (Status.UNKNOWN, None)
    waiting = cross_chain.is_waiting(known.tracks, known.handoffs)
    if not waiting or not cross_chain.is_resumed_from(known.spell, known.tracks):
        return status, raw
    words = cross_chain.waiting_words(known.tracks, known.handoffs)
    return Status.WAITING, words if raw is None else f"{raw}; {words}"


def _parent(store: Store, known: RunSummary) -> str | None:
    """Return the key of the source's run, for the run on the destination's track."""
    source = cross_chain.spell_of(known.tracks, "source")
    destination = cross_chain.spell_of(known.tracks, "destination")
    if source is None or source == known.spell or destination != known.spell:
        return None
    return run_key(store.path, source, known.run_id)


def _last_write(known: RunSummary, ended: int | None) -> int | None:
    written = [one.updated_at for one in known.tracks]
    written += [one.updated_at for one in known.handoffs]
    stamps = [*map(parse_instant, written), ended, known.state_at]
    return max((one for one in stamps if one is not None), default=known.first_at)


def findings(known: RunSummary, now: int) -> Iterator[Finding]:
    """Yield the findings that do not need the ledger's entries; `now` in UTC ms."""
    if known.error:
        code = records.error_code(known.error)
        words = records.error_text(known.error)
        yield Finding("run_failed", words if code is None else f"{code}: {words}", "run")
    yield from _presence(known, now)
    if _status(known)[0] is Status.WAITING:
        words = cross_chain.waiting_sentence(known.handoffs, known.timeout_s, now)
        yield Finding("waiting", words, "handoffs")
    if records.succeeded(known.success):
        yield from _failed_tracks(known.tracks)
    if known.size > HEAVY_BYTES:
        words = f"The ledger is large ({size(known.size)}); open the run to count its steps."
        yield Finding("ledger_large", words, "ledger")
    changes = cross_chain.outdated(known.cross_chain, known.tracks, known.handoffs)
    if changes:
        yield Finding(
            "stale_summary",
            f"The run's cross-chain summary is out of date: {', '.join(changes)}.",
            "run",
        )


def _failed_tracks(tracks: Sequence[Track]) -> Iterator[Finding]:
    for track in cross_chain.failed_tracks(tracks):
        why = "" if track.error is None else f": {track.error}"
        yield Finding("track_failed", f"Track {track.track_id} failed{why}", track.track_id)


def _presence(known: RunSummary, now: int) -> Iterator[Finding]:
    if known.run_id is None:
        yield Finding("state_only", "Only a saved state is recorded for this spell, no run.")
    elif not known.has_row and known.has_ledger:
        yield Finding(
            "orphan",
            "The run has a ledger but no row: Grimoire keeps only the newest 100 rows of a spell.",
            "ledger",
        )
    elif not known.has_row:
        yield Finding(
            "orphan", "Only tracks are recorded for this run, no row and no ledger.", "tracks"
        )
    elif not known.has_ledger:
        yield _without_ledger(known, now)
    if known.state_at is not None and known.run_id is not None:
        yield _state_newer(now - known.state_at)


def _state_newer(age_ms: int) -> Finding:
    if 0 <= age_ms < ARRIVING_MS:
        words = "The spell's state has just been saved: a new run is being written."
        return Finding("arriving", words, "state")
    words = "The spell's state was saved after its newest recorded run; a later run may be lost."
    return Finding("state_newer", words, "state")


def _without_ledger(known: RunSummary, now: int) -> Finding:
    ended = known.row_ends_at
    if ended is not None and 0 <= now - ended < ARRIVING_MS:
        return Finding("arriving", "The run's ledger has not been written yet.", "ledger")
    return Finding("ledger_missing", "The run has no ledger: its steps are not recorded.", "ledger")
