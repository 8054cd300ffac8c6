"""Regular expressions that are compiled when they are first used, not when a program begins."""

from __future__ import annotations

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a pattern; each method of it is fetched once."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source), name)
        # Found in the instance from now on, as fast as the pattern's own.
        self.__dict__[name] = found
        return found


def lazy_pattern(source: str) -> re.Pattern[str]:
    """As `re.compile`, which is called for `source` when the pattern is first used."""
    return cast("re.Pattern[str]", _LatePattern(source))
