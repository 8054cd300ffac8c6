"""What the screen and the command line say about Tally's runs: typed data only."""

from __future__ import annotations

from inspector.model.store import Store
from inspector.query.presentation import Column, Format, Presentation, RecordTable, Tone
from inspector_tally import NAME
from inspector_tally.fold import STATUSES


def _store_label(store: Store, full: bool) -> str:
    return "tally database" if full else NAME


MARKS = RecordTable(
    columns=(
        Column("seq", 4, "seq", right=True),
        Column("step", 12, "step", tone=Tone.TEXT, grows=True),
        Column("word", 8, "word", format=Format.STATUS),
        Column("at", 9, "at_ms", format=Format.CLOCK, right=True),
    ),
    title="step",
    status="word",
    statuses=STATUSES,
)

PRESENTATION = Presentation(
    name=NAME,
    title="Tally",
    store_label=_store_label,
    tables={"marks": MARKS},
    event_table="tally_marks",
)
