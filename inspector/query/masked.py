"""Documents without secrets: every text that comes from data is looked at, and masks are counted.

Only words and instants of our own making, and the names by which a store or run is asked for, are
left as they are. Records of a runtime are data through and through, whatever their fields are
called.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any, TypeVar, cast, get_type_hints

from inspector.model.trust import Trust
from inspector.text.escape import json_text
from inspector.text.mask import mask, mask_named
from inspector.text.redacted_fields import (
    ARGUMENT,
    ARGUMENTS,
    MANIFEST,
    PARAMETER,
    PARAMS,
    PENDING,
    REDACTED,
    VALUE_OF_NAME,
)

T = TypeVar("T")

_OURS = frozenset(
    {
        "schema", "key", "kind", "runtime", "store", "run_id", "session", "parent_key", "path",
        "status", "variant", "write_style", "health", "code", "verdict", "started_at", "ended_at",
        "last_activity_at", "updated_at", "at", "as_of", "scope", "type", "frame", "part",
    }
)  # fmt: skip
"""Fields whose text is an identifier, a word of ours or an instant: nothing to mask."""

_NAMED_BY_US = frozenset({"id", "parent", "ref", "step", "raw_status", "at_raw"})
"""Fields of our own whose text comes from data, but whose name says nothing about it."""

_DATA = frozenset({"payload", "records", "receipts", "attachment", "rows"})
"""Fields that hold what a runtime recorded, under its own names."""

_HARMLESS = re.compile(r"[\w\[\]/.@%+-]{0,15}(?:#\w{0,4})?|[0-9TZ:., +-]{0,40}", re.ASCII)
"""Too short for any secret without a name, or an instant."""

_DEEPEST = 60
"""Levels beyond which data is masked as the text that it would be written as."""
_CACHED_CHARS = 200


class Masks:
    """Walks a document and masks what looks like a secret."""

    def __init__(self) -> None:
        self.count = 0

    def content(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The same document, masked."""
        return {key: self._walk(key, value, False, 0) for key, value in content.items()}

    def typed(self, model: T) -> T:
        """Return a masked copy of a dataclass instance, by the declarations of its fields.

        A field that declares nothing is data (see `inspector.model.trust`).
        """
        changed: dict[str, Any] = {}
        own_name = getattr(model, "name", None)
        for name, trust in _trust_of(cast(Hashable, type(model))).items():
            if trust is Trust.OWN:
                continue
            value = getattr(model, name)
            named = name if trust is None else None
            if name in VALUE_OF_NAME and isinstance(own_name, str):
                named = own_name
            shown = self._typed(named, value)
            if shown is not value:
                changed[name] = shown
        if "preview" in changed and isinstance(whole := getattr(model, "value", None), str):
            # A secret that the end of the preview cuts in two is only known as one in the whole.
            preview = str(getattr(model, "preview", ""))
            if whole.startswith(preview):
                changed["preview"] = changed.get("value", whole)[: len(preview)]
        return replace(model, **changed) if changed else model  # type: ignore[type-var]

    def _typed(self, name: str | None, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | Enum):
            return value
        if isinstance(value, str):
            shown, count = _mask(name, value)
            self.count += count
            return value if shown == value else shown
        if is_dataclass(value) and not isinstance(value, type):
            return self.typed(value)
        if isinstance(value, Mapping):
            return self._mapping(value, True, 1)
        if isinstance(value, tuple | list):
            items = [self._typed(name, item) for item in value]
            same = all(one is other for one, other in zip(items, value, strict=True))
            return value if same else type(value)(items)
        return value

    def _walk(self, name: str, value: Any, data: bool, depth: int) -> Any:
        if name in REDACTED and data:
            return self._hidden(value, REDACTED[name])
        if isinstance(value, str):
            return self._text(name, value, data)
        if name == PENDING and data:
            return self._walk("calls", self._pending(value), data, depth)
        if isinstance(value, Mapping):
            if depth > _DEEPEST:
                return self._text(name, json_text(value), True)
            if name == "ref" and not data:
                return {key: self._ref(str(key), item, depth + 1) for key, item in value.items()}
            return self._mapping(value, data or name in _DATA, depth + 1)
        if isinstance(value, list | tuple):
            if depth > _DEEPEST:
                return self._text(name, json_text(value), True)
            inside = data or name in _DATA
            return [self._walk(name, item, inside, depth + 1) for item in value]
        return value

    def _ref(self, name: str, value: Any, depth: int) -> Any:
        """Mask what a step refers to: its names are the runtime's, even if ours are the same."""
        return self._walk(name, value, isinstance(value, str) and name in _OURS, depth)

    def _pending(self, calls: Any) -> Any:
        """Calls without what is in their arguments, whatever it looks like."""
        if isinstance(calls, Mapping):
            return {
                key: self._hidden(item, ARGUMENT) if key == ARGUMENTS else self._pending(item)
                for key, item in calls.items()
            }
        if isinstance(calls, list | tuple):
            return [self._pending(item) for item in calls]
        return calls

    def _hidden(self, value: Any, kind: str) -> Any:
        if isinstance(value, Mapping):
            return {key: self._hidden(item, kind) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._hidden(item, kind) for item in value]
        if value is None or isinstance(value, bool) or value == "":
            return value
        self.count += 1
        return f"‹masked: {kind}, {len(str(value))} chars›"

    def _mapping(self, value: Mapping[Any, Any], data: bool, depth: int) -> dict[Any, Any]:
        if data and value.keys() >= MANIFEST:
            value = {**value, PARAMS: self._hidden(value[PARAMS], PARAMETER)}
        named = value.get("name")
        known = named if isinstance(named, str) and ("value" in value or "preview" in value) else ""
        masked = {
            key: self._walk(
                known if key in VALUE_OF_NAME and known else str(key), item, data, depth
            )
            for key, item in value.items()
        }
        whole, preview = value.get("value"), value.get("preview")
        if isinstance(whole, str) and isinstance(preview, str) and whole.startswith(preview):
            # A secret that the end of the preview cuts in two is only known as one in the whole.
            masked["preview"] = masked["value"][: len(preview)]
        return masked

    def _text(self, name: str, text: str, data: bool) -> str:
        if data:
            shown, count = _mask(name, text)
        elif name in _OURS:
            return text
        elif name in _NAMED_BY_US:
            if _HARMLESS.fullmatch(text):
                return text
            shown, count = _mask(None, text)
        else:
            shown, count = _mask(name, text)
        self.count += count
        return shown


def _mask(name: str | None, text: str) -> tuple[str, int]:
    return _short(name, text) if len(text) <= _CACHED_CHARS else _looked_at(name, text)


def _looked_at(name: str | None, text: str) -> tuple[str, int]:
    masked = mask(text) if name is None else mask_named(name, text)
    return masked.text, masked.count


@cache
def _trust_of(model: Any) -> Mapping[str, Trust | None]:
    """Return how each field of a dataclass that may hold text is declared."""
    hints = get_type_hints(model, include_extras=True)
    found: dict[str, Trust | None] = {}
    for one in fields(model):
        marks = getattr(hints[one.name], "__metadata__", ())
        found[one.name] = next((mark for mark in marks if isinstance(mark, Trust)), None)
    return found


@lru_cache(maxsize=8192)
def _short(name: str | None, text: str) -> tuple[str, int]:
    return _looked_at(name, text)
