"""How a cross-chain run stands: its tracks and handoffs, which are right where summaries are old.

Source: Grimoire's cross-chain store. `resume` writes `run_tracks` and `run_handoffs`, but neither
the source's ledger nor its `runs.cross_chain`, which goes on saying `waiting` for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.query.grimoire.lines import money
from inspector.query.grimoire.rows import Handoff, Track
from inspector.text.numbers import age, clock_time
from inspector.text.parse_time import parse_instant

_SOURCE, _DESTINATION = "source", "destination"


def is_waiting(tracks: Sequence[Track], handoffs: Sequence[Handoff]) -> bool:
    """Whether the run waits: for a handoff that was sent, or to go on."""
    return any(track.status == "waiting" for track in tracks) or any(
        handoff.status == "submitted" for handoff in handoffs
    )


def spell_of(tracks: Sequence[Track], role: str) -> str | None:
    """The spell that runs on a track."""
    found = next((one for one in tracks if _role(one) == role), None)
    return None if found is None else found.spell


def _role(track: Track) -> str:
    return track.role or track.track_id


def concerns(spell: str, tracks: Sequence[Track]) -> bool:
    """Whether this spell's run is the one that waits: the source, from which a resume begins."""
    source = spell_of(tracks, _SOURCE)
    return source is None or source == spell


def title_of(spell: str, tracks: Sequence[Track]) -> str:
    """A source names where it goes."""
    source, destination = spell_of(tracks, _SOURCE), spell_of(tracks, _DESTINATION)
    if source == spell and destination not in (None, spell):
        return f"{spell} → {destination}"
    return spell


def raw_words(tracks: Sequence[Track], handoffs: Sequence[Handoff]) -> str:
    """The recorded words that make a run wait."""
    words = [f"track {one.track_id}={one.status}" for one in tracks if one.status == "waiting"]
    words += [f"handoff={one.status}" for one in handoffs]
    return "; ".join(words)


def note_of(handoffs: Sequence[Handoff]) -> str:
    """What a waiting run shows as its progress."""
    stands = {one.status for one in handoffs}
    if "submitted" in stands:
        return "handoff sent"
    return "handoff arrived" if "settled" in stands else "waiting"


def waiting_sentence(handoffs: Sequence[Handoff], timeout_s: Any, now: int) -> str:
    """What is waited for, since when, and until when."""
    sent = next((one for one in handoffs if one.status == "submitted"), None)
    if sent is None:
        arrived = any(one.status == "settled" for one in handoffs)
        return (
            "The handoff has arrived; the destination waits to be resumed."
            if arrived
            else "The destination waits; no handoff is recorded that it could wait for."
        )
    moved = money(sent.submitted_amount, sent.asset)
    way = f"from chain {sent.origin_chain_id} to chain {sent.destination_chain_id}"
    since = parse_instant(sent.created_at)
    ago = "" if since is None else f", sent {age(now - since)} ago"
    return f"Waits for {moved} {way}{ago}; {_expiry(sent, timeout_s, now)}."


def _expiry(sent: Handoff, timeout_s: Any, now: int) -> str:
    expires = parse_instant(sent.expires_at)
    if expires is not None:
        word = "expired" if expires <= now else "expires"
        return f"{word} {clock_time(expires, now, None).strip()}"
    if isinstance(timeout_s, int | float) and not isinstance(timeout_s, bool):
        return f"no expiry is recorded, a resume would wait {timeout_s} s from its own start"
    return "no expiry is recorded"


def failures(tracks: Sequence[Track]) -> Sequence[Track]:
    """Tracks that failed."""
    return [one for one in tracks if one.status == "failed"]


def stale(summary: Any, tracks: Sequence[Track], handoffs: Sequence[Handoff]) -> list[str]:
    """Where the summary in the run's own row says other than the tables."""
    if not isinstance(summary, dict):
        return []
    said = _said(summary, "tracks", "trackId") | _said(summary, "handoffs", "handoffId")
    stands = {one.track_id: one.status for one in tracks}
    stands |= {one.handoff_id: one.status for one in handoffs}
    return [
        f"{name} {said[name]} → {word}"
        for name, word in stands.items()
        if name in said and said[name] != word
    ]


def _said(summary: dict[str, Any], part: str, name: str) -> dict[str, Any]:
    listed = summary.get(part)
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {one[name]: one.get("status") for one in rows if isinstance(one.get(name), str)}
