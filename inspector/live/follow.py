"""One run to its end, for commands that print: a view whenever something was written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from inspector.model.status import ENDED
from inspector.query.backend import RunReader
from inspector.query.view import RunView
from inspector.store.read import StoreUnavailable

POLL_SECONDS = 0.05
"""A look costs some ten microseconds and touches nothing."""


def follow(
    reader: RunReader, *, sleep: Callable[[float], None] = time.sleep, poll: float = POLL_SECONDS
) -> Iterator[RunView]:
    """The run now and after every write, until it says that it is over.

    A store that is busy is waited for; the first read may raise `StoreUnavailable`.
    """
    view = reader.refresh()
    yield view
    while view.run.status not in ENDED:
        sleep(poll)
        if not reader.changed():
            continue
        try:
            view = reader.refresh()
        except StoreUnavailable:
            continue
        yield view
