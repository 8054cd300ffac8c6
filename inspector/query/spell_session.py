"""The session that a run belongs to, for whoever holds a reader of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.model.clock import Clock
from inspector.model.run import Run
from inspector.model.store import Runtime
from inspector.query.backend import RunReader, TellsSession
from inspector.query.grimoire.session_document import session_document
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.reading import Tell, tell_nobody


def session_of(
    reader: RunReader, run: Run, limit: int, clock: Clock, tell: Tell = tell_nobody
) -> Mapping[str, Any]:
    """The content of `inspector.pnl/1` for a run's session; a limit below 1 is no limit.

    Raises KeyError where the run's runtime adds up no money, and `StoreUnavailable`.
    """
    if isinstance(reader, TellsSession):
        return reader.session(limit, tell)
    if run.runtime is not Runtime.GRIMOIRE:
        raise KeyError("session")
    store = GrimoireStore(run.store.path, clock)
    try:
        return session_document(store.session(run.session or "", limit, tell))
    finally:
        store.close()
