"""Follow one run to its end, for commands that print."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from inspector.model.status import ENDED
from inspector.model.store import Health
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.store.read import StoreUnavailable

POLL_SECONDS = 0.05
"""A check costs some ten microseconds and touches nothing."""
PATIENCE_SECONDS = 2.0
"""How long a store may be gone or unreadable before following ends."""


def follow(
    reader: RunReader, *, sleep: Callable[[float], None] = time.sleep, poll: float = POLL_SECONDS
) -> Iterator[RunView]:
    """Yield the run now and after every write until its status is final.

    A busy store is waited for. Raises `StoreUnavailable` if the store cannot be read at first, or
    is gone for longer than a writer needs to replace it.
    """
    view = reader.refresh()
    yield view
    failures = 0
    while view.run.status not in ENDED:
        sleep(poll)
        if not reader.changed():
            continue
        try:
            fresh = reader.refresh()
        except StoreUnavailable as trouble:
            failures = 0 if trouble.health is Health.BUSY else failures + 1
            if failures * poll >= PATIENCE_SECONDS:
                raise
            continue
        failures = 0
        if fresh is not view:
            view = fresh
            yield view
