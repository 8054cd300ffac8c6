"""One run to its end, for commands that print: a view whenever something was written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from inspector.model.status import ENDED
from inspector.model.store import Health
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.store.read import StoreUnavailable

POLL_SECONDS = 0.05
"""A look costs some ten microseconds and touches nothing."""
PATIENCE_SECONDS = 2.0
"""How long a store may be gone or unreadable before that is the answer."""


def follow(
    reader: RunReader, *, sleep: Callable[[float], None] = time.sleep, poll: float = POLL_SECONDS
) -> Iterator[RunView]:
    """The run now and after every write, until it says that it is over.

    A store that is busy is waited for; one that stays away longer than a writer needs to put
    another in its place, and one that cannot be read at first, raise `StoreUnavailable`.
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
