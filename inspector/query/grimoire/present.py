"""What the screen and the command line say about Grimoire's runs."""

from __future__ import annotations

import os

from inspector.model.store import Store
from inspector.query.grimoire import NAME, STATE_FOLDER
from inspector.query.presentation import Presentation
from inspector.query.view import TabKind


def _store_label(store: Store, full: bool) -> str:
    return f"{NAME} schema {store.variant}" if store.variant else NAME


def _protected_folder(store_path: str) -> str | None:
    folder = os.path.dirname(store_path)
    return folder if os.path.basename(folder) == STATE_FOLDER else None


PRESENTATION = Presentation(
    name=NAME,
    title="Grimoire",
    store_label=_store_label,
    event_table="event",
    session_noun="spell",
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
