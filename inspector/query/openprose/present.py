"""What the screen and the command line say about OpenProse's runs."""

from __future__ import annotations

import os

from inspector.model.run import Run
from inspector.model.store import Store, WriteStyle
from inspector.query.openprose import NAME
from inspector.query.presentation import Presentation


def _store_label(store: Store, full: bool) -> str:
    label = f"{NAME} {store.variant}" if store.variant else NAME
    return (
        f"{label}, {store.write_style}" if full and store.write_style != WriteStyle.NONE else label
    )


def _head_facts(run: Run) -> tuple[str, ...]:
    return () if run.mode is None else (f"state mode {run.mode}",)


PRESENTATION = Presentation(
    name=NAME,
    title="OpenProse",
    store_label=_store_label,
    head_facts=_head_facts,
    present_only=("agents", "receipts"),
    value_note="projection: what the run wrote down, not what was proved",
    event_table="execution",
    protected_folder=os.path.dirname,
)
