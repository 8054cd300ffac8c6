"""Checks of how the time of some work grows, on machines that are busy with other work."""

import gc
import time
from collections.abc import Callable

ATTEMPTS = 8


def assert_grows_at_most(
    factor: float, small: Callable[[], object], large: Callable[[], object], grace: float = 0.0
) -> None:
    """Fails if `large` takes more than `factor` times the processor time of `small`.

    Other programs only ever make work slower, so the fastest of several attempts is compared, and
    the first attempts within the bound are enough. `grace` is in seconds.
    """
    small()
    fastest_small = fastest_large = float("inf")
    for _ in range(ATTEMPTS):
        fastest_small = min(fastest_small, processor_time(small))
        fastest_large = min(fastest_large, processor_time(large))
        if fastest_large < factor * fastest_small + grace:
            return
    raise AssertionError(f"{fastest_large:.4f} s is over {factor:g} times {fastest_small:.4f} s")


def processor_time(work: Callable[[], object]) -> float:
    """Seconds of this process, without garbage collection."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        begin = time.process_time()
        work()
        return time.process_time() - begin
    finally:
        if was_enabled:
            gc.enable()
