"""What `grimoire resume` would do with a run, and when it must not be started.

Source: the observed behaviour of Grimoire's `resume`. It needs the manifest of a cross-chain cast,
a destination track and a handoff. A destination that already has a row is executed again before its
second row is refused. Without a terminal the exit code is 1 even after success, and it is 0 while
the run is still waiting; so the outcome is read from the store.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspector.model.preflight import Caution, Command, PreFlight, refused
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.grimoire import STATE_FOLDER
from inspector.query.grimoire.cross_chain import DESTINATION, SOURCE, TRACK_STATUS, track_of
from inspector.query.grimoire.position import CONFIRMED, SETTLED, Result, position_of
from inspector.query.grimoire.records import Handoff, Track, manifest_of
from inspector.query.grimoire.rows import CrossChainRows
from inspector.text.numbers import age
from inspector.text.parse_time import parse_instant

PROGRAM = "grimoire"
SCHEMA = "grimoire.cross_chain.phase1.v1"
EXECUTE, SIMULATE = "execute", "simulate"
_TYPEABLE = re.compile(r"[!-~]{1,80}")


@dataclass(frozen=True, slots=True)
class Material:
    """What a pre-flight is computed from."""

    run: Run
    rows: CrossChainRows
    database: str
    project: str
    has_spell_file: bool
    """Whether the destination's spell file exists where the manifest says."""
    now: int
    """UTC ms."""

    @property
    def manifest(self) -> Mapping[str, object]:
        """The manifest of the cross-chain cast; empty if there is none."""
        return manifest_of(self.rows.provenance)


def spell_path(provenance: object) -> str | None:
    """Return the path of the destination's spell file, as it was typed."""
    path = manifest_of(provenance).get("destination_spell_path")
    return path if isinstance(path, str) and path else None


def preflight(material: Material) -> PreFlight:
    """Return what a resume would do, or why it is refused."""
    run, rows = material.run, material.rows
    destination = track_of(rows.tracks, DESTINATION)
    record = dict(_record(rows))
    outcome = run.status if destination is None else _status(destination)
    reason = _why_not(material, destination)
    liveness = _liveness(material)
    if reason is not None or destination is None or run.run_id is None:
        reason = reason or "no destination is recorded"
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
        stands=_position_words(handoff, destination),
        done=tuple(_done(rows, destination)),
        will_run=tuple(_will_run(handoff, destination)),
        unknown=tuple(_unknown(rows, destination)),
        warnings=tuple(_warnings(material, handoff, destination)),
        needs=(
            "a wallet key: KEY_ENV=NAME names its environment variable; otherwise the keystore"
            " prompts for its password in the terminal",
        ),
        command=Command(argv, material.project),
        folder=material.project,
        liveness=liveness,
        confirm=_confirmation(run.run_id) if executes else None,
        judged="Exit code is not reliable (1 after some successes, 0 while waiting); check the"
        " destination's track and row.",
        record=record,
        outcome=outcome,
    )


def _results(rows: CrossChainRows) -> list[Result]:
    return [Result(one.track_id, one.step_id, one.status) for one in rows.results]


def _confirmation(run_id: str) -> str:
    return run_id if _TYPEABLE.fullmatch(run_id) else "money moves"


def _record(rows: CrossChainRows) -> Iterator[tuple[str, str]]:
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
    """Return why Grimoire would refuse or must not be started, in the order of its own checks."""
    rows, manifest, run_id = material.rows, material.manifest, material.run.run_id
    if run_id is None:
        return "only a state is recorded, no run"
    if run_id.startswith("-"):
        return "its id starts with a dash and would be parsed as an option"
    if not rows.spells:
        return "its row is gone (Grimoire keeps only the newest 100 rows of a spell)"
    if not rows.tracks and manifest.get("schema_version") != SCHEMA:
        return (
            "it is not a cross-chain cast, and Grimoire resumes nothing else; run the spell again"
            f" with `--data-replay {run_id}`"
        )
    if destination is not None and destination.status == "completed":
        return "its destination is completed; nothing is left to resume"
    if manifest.get("mode") == SIMULATE:
        return "it is a simulation; nothing was sent"
    source = track_of(rows.tracks, SOURCE)
    if source is not None and source.status == "failed":
        return "its source failed; nothing was handed over"
    if destination is None or not rows.handoffs:
        what = "destination" if destination is None else "handoff"
        return f"its record is incomplete: no {what}"
    return _why_not_now(material, destination)


def _why_not_now(material: Material, destination: Track) -> str | None:
    manifest = material.manifest
    spell = destination.spell or manifest.get("destination_spell_id")
    if spell in material.rows.spells:
        return (
            f"{spell} already has a row for this run: Grimoire would execute the destination again"
            " and then fail to record it"
        )
    if manifest.get("schema_version") != SCHEMA:
        return "its manifest is missing"
    if not material.has_spell_file:
        path = spell_path(material.rows.provenance)
        return f"the destination's spell file {path!r} does not exist"
    return None


def _position_words(handoff: Handoff, destination: Track) -> str:
    return f"handoff {handoff.status}, destination {destination.spell} {destination.status}"


def _done(rows: CrossChainRows, destination: Track) -> Iterator[str]:
    for one in rows.results:
        if one.track_id != destination.track_id and one.status == CONFIRMED:
            yield f"step {one.step_id} of the {one.track_id}: confirmed"


def _will_run(handoff: Handoff, destination: Track) -> Iterator[str]:
    if handoff.status != SETTLED:
        yield "wait for the handoff to arrive"
    chain = "" if destination.chain_id is None else f" on chain {destination.chain_id}"
    yield f"{'then ' if handoff.status != SETTLED else ''}all of {destination.spell}{chain}"


def _unknown(rows: CrossChainRows, destination: Track) -> Iterator[str]:
    for one in rows.results:
        if one.track_id != destination.track_id and one.status != CONFIRMED:
            yield f"step {one.step_id} of the {one.track_id}: {one.status}; check its transaction"
        elif one.track_id == destination.track_id and one.status != CONFIRMED:
            yield f"step {one.step_id}: {one.status}, outcome unknown; it runs again"
        elif one.track_id == destination.track_id:
            yield f"step {one.step_id}: confirmed, but Grimoire skips no step; it runs again"


def _warnings(material: Material, handoff: Handoff, destination: Track) -> Iterator[Caution]:
    if material.manifest.get("mode") == EXECUTE:
        yield Caution("money_moves", "The destination sends real transactions.")
    yield Caution("only_once", "If the destination fails, the run cannot be resumed again.")
    if handoff.status in ("failed", "expired"):
        why = f" ({handoff.reason})" if handoff.reason else ""
        yield Caution(
            f"handoff_{handoff.status}",
            f"The handoff is recorded as {handoff.status}{why}. --watch checks its status again;"
            " without it nothing happens.",
        )
    timeout = material.manifest.get("handoff_timeout_sec")
    if handoff.status != SETTLED and isinstance(timeout, int | float):
        yield Caution(
            "timeout",
            f"After {timeout} s of waiting, the handoff is recorded as expired and the destination"
            " as failed.",
        )
    yield Caution(
        "may_live",
        "Another resume of this run may already be waiting; Grimoire does not record it.",
    )


def _liveness(material: Material) -> str:
    written = [parse_instant(one.updated_at) for one in material.rows.tracks]
    written += [parse_instant(one.updated_at) for one in material.rows.handoffs]
    last = max((one for one in written if one is not None), default=None)
    if last is None:
        return "unknown; Grimoire does not record a waiting resume"
    return f"unknown; last write {age(material.now - last)} ago"


def project_of(database: str, spell_path: str | None) -> str:
    """Return the folder in which a spell was started, judging by where its store is.

    For a state folder with another name it is that folder or its parent, whichever has the spell's
    file at its relative path; the state folder itself if neither has.
    """
    folder = os.path.dirname(database)
    if os.path.basename(folder) == STATE_FOLDER:
        return os.path.dirname(folder)
    near = (folder, os.path.dirname(folder))
    if spell_path is not None and not os.path.isabs(spell_path):
        return next((one for one in near if is_file(one, spell_path)), folder)
    return folder


def is_file(project: str, path: str | None) -> bool:
    """Return whether a spell's file exists, without opening it."""
    return path is not None and os.path.isfile(os.path.join(project, path))
