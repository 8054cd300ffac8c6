"""The process that follows a run as the screen does, and notes when each view is delivered.

    python -m benchmarks.follower ROOT RUN

Prints the number of events and the instant of every view: `time.monotonic_ns()`. Views are not
held back to ten a second: that belongs to painting, not to detecting.
"""

import sys
import threading
import time
from collections.abc import Sequence

from inspector.live.feed import Message, Overview, Subscription
from inspector.live.watched import WatchedWorkspace
from inspector.model.clock import system_clock
from inspector.query.workspace import Workspace


def main(arguments: Sequence[str]) -> int:
    """Follows until standard input is closed."""
    root, run = arguments
    feed = WatchedWorkspace(Workspace([root], system_clock(), root), interval=0.0)
    listed = threading.Event()
    keys: list[str] = []

    def deliver(message: Message) -> None:
        if isinstance(message, Overview):
            keys.extend(one.key for one in message.runs if one.run_id == run)
            if keys:
                listed.set()
        else:
            print(message.total_events, time.monotonic_ns(), flush=True)

    feed.start(deliver)
    if not listed.wait(20):
        feed.stop()
        raise SystemExit(f"no run {run} below {root}")
    feed.follow([Subscription(keys[0])])
    sys.stdin.read()
    feed.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
