"""What the screen and the command line say about Prism's runs."""

from __future__ import annotations

from inspector.model.store import Store
from inspector.query.presentation import Presentation
from inspector.query.prism import NAME


def _store_label(store: Store, full: bool) -> str:
    return f"{NAME} schema {store.variant}" if store.variant else NAME


PRESENTATION = Presentation(
    name=NAME,
    title="Prism",
    store_label=_store_label,
    event_table="event",
)
