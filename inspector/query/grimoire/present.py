"""What the screen and the command line say about Grimoire's runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from inspector.model.store import Store
from inspector.query.grimoire import NAME, STATE_FOLDER
from inspector.query.grimoire.cross_chain import HANDOFF_STATUS, RESULT_STATUS, TRACK_STATUS
from inspector.query.presentation import Column, Format, Presentation, RecordTable, Tone
from inspector.query.view import TabKind


def _store_label(store: Store, full: bool) -> str:
    return f"{NAME} schema {store.variant}" if store.variant else NAME


def _protected_folder(store_path: str) -> str | None:
    folder = os.path.dirname(store_path)
    return folder if os.path.basename(folder) == STATE_FOLDER else None


def _route(record: Mapping[str, Any]) -> str:
    return f"{record.get('originChainId')} → {record.get('destinationChainId')}"


TRACKS = RecordTable(
    (
        Column("track", 11, "trackId", tone=Tone.TEXT),
        Column("spell", 16, "spellId", tone=Tone.TEXT, grows=True),
        Column("chain", 8, "chainId", right=True, narrow=False),
        Column("status", 10, "status", Format.STATUS),
        Column("updated", 9, "updatedAt", Format.WHEN, right=True, narrow=False),
        Column("error", 24, "error", tone=Tone.ERROR, grows=True, narrow=False),
    ),
    title="trackId",
    status="status",
    statuses=TRACK_STATUS,
)
HANDOFFS = RecordTable(
    (
        Column("step", 12, "sourceStepId", tone=Tone.TEXT, grows=True),
        Column("sent", 18, "submittedAmount", Format.AMOUNT, Tone.TEXT, right=True, asset="asset"),
        Column("status", 10, "status", Format.STATUS),
        Column(
            "arrived",
            18,
            "settledAmount",
            Format.AMOUNT,
            right=True,
            narrow=False,
            asset="asset",
        ),
        Column("chains", 14, _route, narrow=False),
        Column("created", 9, "createdAt", Format.WHEN, right=True, narrow=False),
        Column("expires", 9, "expiresAt", Format.WHEN, right=True, narrow=False),
    ),
    title="handoffId",
    status="status",
    statuses=HANDOFF_STATUS,
)
RESULTS = RecordTable(
    (
        Column("track", 11, "trackId"),
        Column("step", 14, "stepId", tone=Tone.TEXT, grows=True),
        Column("status", 10, "status", Format.STATUS),
        Column("updated", 9, "updatedAt", Format.WHEN, right=True, narrow=False),
        Column("transaction", 20, "reference", grows=True, narrow=False),
        Column("error", 16, "error", tone=Tone.ERROR, grows=True, narrow=False),
    ),
    title="stepId",
    status="status",
    statuses=RESULT_STATUS,
)

PRESENTATION = Presentation(
    name=NAME,
    title="Grimoire",
    store_label=_store_label,
    event_table="event",
    session_noun="spell",
    tables={"tracks": TRACKS, "handoffs": HANDOFFS, "steps": RESULTS},
    tab_kinds={
        "state": TabKind.COMPARISON,
        "provenance": TabKind.COMPARISON,
        "tracks": TabKind.CROSS_CHAIN,
        "handoffs": TabKind.CROSS_CHAIN,
        "steps": TabKind.CROSS_CHAIN,
    },
    has_pnl=True,
    moves_funds=True,
    can_resume_completed=True,
    ended_note="Grimoire writes a run only when it is over",
    protected_folder=_protected_folder,
)
