"""Regular expressions compiled on first use, to keep start-up fast."""

from __future__ import annotations

import re
from typing import cast


class _LazyPattern:
    """Proxy of a pattern that compiles it on first access."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(self._source), name)
        # Cached on the instance: later calls are as fast as the pattern's own.
        self.__dict__[name] = found
        return found


def lazy_pattern(source: str) -> re.Pattern[str]:
    """Like `re.compile`, deferred to first use."""
    return cast("re.Pattern[str]", _LazyPattern(source))
