"""What `grimoire resume` would do with a run, and when it must not be let. Pure.

Source: Grimoire's CLI, `resume`, as it was seen to behave: it needs the manifest of a cross-chain
cast, a destination's track and a handoff. A destination that has a row already is executed again
before the row is refused. Its exit code is 1 after success where output is no terminal, and 0 while
it merely waits; so the store is asked instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.preflight import Caution, Command, PreFlight, refused
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.grimoire.crossing import TRACK_STATUS
from inspector.query.grimoire.crossing_rows import CrossingRows
from inspector.query.grimoire.position import CONFIRMED, SETTLED, Result, position_of
from inspector.query.grimoire.rows import Handoff, Track
from inspector.text.numbers import age
from inspector.text.parse_time import parse_instant

PROGRAM = "grimoire"
SCHEMA = "grimoire.cross_chain.phase1.v1"
EXECUTE, SIMULATE = "execute", "simulate"
SOURCE, DESTINATION = "source", "destination"
_TYPEABLE = re.compile(r"[!-~]{1,80}")


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that the pre-flight is made of, read before."""

    run: Run
    rows: CrossingRows
    database: str
    project: str
    spell_there: bool
    """Whether the destination's spell file lies where the manifest says."""
    now: int

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest of the cross-chain cast; empty where there is none."""
        provenance = self.rows.provenance
        found = provenance.get("cross_chain") if isinstance(provenance, dict) else None
        return found if isinstance(found, dict) else {}


def spell_path(provenance: Any) -> str | None:
    """The destination's spell file, as it was typed."""
    manifest = provenance.get("cross_chain") if isinstance(provenance, dict) else None
    path = manifest.get("destination_spell_path") if isinstance(manifest, dict) else None
    return path if isinstance(path, str) and path else None


def preflight(material: Material) -> PreFlight:
    """The whole answer."""
    run, rows = material.run, material.rows
    destination = track_of(rows.tracks, DESTINATION)
    record = dict(_record(rows))
    outcome = run.status if destination is None else _status(destination)
    reason = _why_not(material, destination)
    liveness = _liveness(material)
    if reason is not None or destination is None or run.run_id is None:
        reason = reason or "there is no destination that could run"
        return refused(run.key, reason, record=record, outcome=outcome, liveness=liveness)
    handoff = rows.handoffs[0]
    watch = () if handoff.status == SETTLED else ("--watch",)
    state = os.path.dirname(material.database)
    argv = (PROGRAM, "resume", run.run_id, *watch, "--state-dir", state)
    executes = material.manifest.get("mode") == EXECUTE
    return PreFlight(
        run_key=run.key,
        resumable=True,
        reason=None,
        position=position_of(destination.track_id, handoff.status, _results(rows)),
        stands=_stands(handoff, destination),
        done=tuple(_done(rows, destination)),
        will_run=tuple(_will_run(handoff, destination)),
        unknown=tuple(_unknown(rows, destination)),
        warnings=tuple(_warnings(material, handoff, destination)),
        needs=(
            "a wallet key: KEY_ENV=NAME says which variable holds it, else the keystore asks for"
            " its password in the terminal",
        ),
        command=Command(argv, material.project),
        folder=material.project,
        liveness=liveness,
        confirm=_to_type(run.run_id) if executes else None,
        judged="Grimoire's exit code is 1 after some successes and 0 while it only waits; what"
        " counts is the destination's track and row.",
        record=record,
        outcome=outcome,
    )


def track_of(tracks: Sequence[Track], role: str) -> Track | None:
    """The track with a role."""
    return next((one for one in tracks if (one.role or one.track_id) == role), None)


def _results(rows: CrossingRows) -> list[Result]:
    return [Result(one.track_id, one.step_id, one.status) for one in rows.results]


def _to_type(run_id: str) -> str:
    return run_id if _TYPEABLE.fullmatch(run_id) else "money moves"


def _record(rows: CrossingRows) -> Iterator[tuple[str, str]]:
    for track in rows.tracks:
        yield f"track {track.track_id}", track.status or "not recorded"
    for handoff in rows.handoffs:
        yield handoff.handoff_id, handoff.status or "not recorded"
    yield "rows of the run", ", ".join(rows.spells) or "none"
    if rows.saved_at is not None:
        yield "state of the destination", f"saved {rows.saved_at}"


def _status(track: Track) -> Status:
    return TRACK_STATUS.get(track.status or "", Status.UNKNOWN)


def _why_not(material: Material, destination: Track | None) -> str | None:
    """Why Grimoire would refuse, or must not be asked; in the order in which it looks."""
    rows, manifest, run_id = material.rows, material.manifest, material.run.run_id
    if run_id is None:
        return "no run is recorded, only a state"
    if run_id.startswith("-"):
        return "its id begins with a dash and would be taken for an option"
    if not rows.spells:
        return (
            "its row is not there any more (Grimoire keeps a spell's newest 100): it would not be"
            " found"
        )
    if not rows.tracks and manifest.get("schema_version") != SCHEMA:
        return (
            "it is no cross-chain cast, and Grimoire resumes nothing else; its spell can be run"
            f" anew with `--data-replay {run_id}`"
        )
    if destination is not None and destination.status == "completed":
        return "its destination is completed: there is nothing to resume"
    if manifest.get("mode") == SIMULATE:
        return "it was made by simulate: nothing was sent that could arrive"
    source = track_of(rows.tracks, SOURCE)
    if source is not None and source.status == "failed":
        return "its source failed, so nothing was handed over"
    if destination is None or not rows.handoffs:
        what = "destination" if destination is None else "handoff"
        return f"its record is incomplete: no {what} is recorded"
    return _why_not_now(material, destination)


def _why_not_now(material: Material, destination: Track) -> str | None:
    manifest = material.manifest
    spell = destination.spell or manifest.get("destination_spell_id")
    if spell in material.rows.spells:
        return (
            f"a row of {spell} for this run exists already: Grimoire would execute the destination"
            " again and only then fail to record it"
        )
    if manifest.get("schema_version") != SCHEMA:
        return "its manifest is missing, without which Grimoire refuses it"
    if not material.spell_there:
        path = spell_path(material.rows.provenance)
        return f"the destination's spell file {path!r} is not there"
    return None


def _stands(handoff: Handoff, destination: Track) -> str:
    return f"handoff {handoff.status}, destination {destination.spell} {destination.status}"


def _done(rows: CrossingRows, destination: Track) -> Iterator[str]:
    for one in rows.results:
        if one.track_id != destination.track_id and one.status == CONFIRMED:
            yield f"step {one.step_id} of the {one.track_id}: confirmed"


def _will_run(handoff: Handoff, destination: Track) -> Iterator[str]:
    if handoff.status != SETTLED:
        yield "waiting for the handoff to arrive"
    chain = "" if destination.chain_id is None else f" on chain {destination.chain_id}"
    yield f"{'then ' if handoff.status != SETTLED else ''}the whole of {destination.spell}{chain}"


def _unknown(rows: CrossingRows, destination: Track) -> Iterator[str]:
    for one in rows.results:
        if one.track_id != destination.track_id and one.status != CONFIRMED:
            yield f"step {one.step_id} of the {one.track_id}: {one.status}; look at its transaction"
        elif one.track_id == destination.track_id and one.status != CONFIRMED:
            yield f"step {one.step_id}: {one.status}, its outcome is not known; it runs again"
        elif one.track_id == destination.track_id:
            yield f"step {one.step_id}: confirmed, and Grimoire skips none: it runs again"


def _warnings(material: Material, handoff: Handoff, destination: Track) -> Iterator[Caution]:
    if material.manifest.get("mode") == EXECUTE:
        yield Caution("money_moves", "The destination is executed: it sends transactions for real.")
    yield Caution(
        "only_once",
        "If the destination fails, that is recorded, and it cannot be resumed once more.",
    )
    if handoff.status in ("failed", "expired"):
        why = f" ({handoff.reason})" if handoff.reason else ""
        yield Caution(
            f"handoff_{handoff.status}",
            f"The handoff is recorded as {handoff.status}{why}; with --watch its status is asked"
            " again, without it nothing happens.",
        )
    timeout = material.manifest.get("handoff_timeout_sec")
    if handoff.status != SETTLED and isinstance(timeout, int | float):
        yield Caution(
            "timeout",
            f"It waits {timeout} s from its own start; then the handoff is recorded as expired and"
            " the destination as failed.",
        )
    yield Caution(
        "may_live", "Another resume may be waiting for this run already: Grimoire records none."
    )


def _liveness(material: Material) -> str:
    written = [parse_instant(one.updated_at) for one in material.rows.tracks]
    written += [parse_instant(one.updated_at) for one in material.rows.handoffs]
    last = max((one for one in written if one is not None), default=None)
    if last is None:
        return "unknown, Grimoire records nothing of a resume that waits"
    return f"unknown, nothing written for {age(material.now - last)}"
