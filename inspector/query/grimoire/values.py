"""Values of a run: bindings of its steps, its final state, and the spell's persistent state.

Source: Grimoire's state persistence. Persistent state is loaded before a run and saved after it.
Ephemeral state and bindings exist only during a run; its ledger records the bindings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping

from inspector.model.value import Value
from inspector.query.grimoire import js
from inspector.query.grimoire.events import fact_of
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.state import State
from inspector.query.view import ValueList
from inspector.text.parse_time import parse_instant

WHOLE_BYTES = 64 * 1024
"""Larger contents are given only on request."""
PREVIEW_CHARS = 1024

BINDING, FINAL, PERSISTENT = "binding", "final state", "persistent state"
ROOT, FINAL_SCOPE, PERSISTENT_SCOPE = "root", "final", "persistent"

_TYPES = ((bool, "boolean"), (str, "text"), (int, "integer"), (float, "real"))


def newest_bindings(state: State, event: int) -> dict[str, tuple[int, int]]:
    """Return name → (last entry that set it, number of earlier ones) after the first `event`.

    Names are in order of first appearance.
    """
    stop = bisect_right(state.bindings, event)
    found: dict[str, tuple[int, int]] = {}
    for n, name in zip(state.bindings[:stop], state.binding_names, strict=False):
        known = found.get(name)
        found[name] = (n, 0 if known is None else known[1] + 1)
    return found


def binding(n: int, entry: object, older: int, source: str | None, full: bool) -> Value:
    """Return the value that entry `n` bound; `older` is the number of superseded ones."""
    fact = fact_of(n, entry)
    return value_of(
        fact.text("name"),
        ROOT,
        BINDING,
        fact.body.get("value"),
        full=full,
        superseded=older,
        source=source,
        at=fact.at,
        row=n,
    )


def value_of(
    name: str | None,
    scope: str,
    kind: str,
    content: object,
    *,
    full: bool,
    superseded: int = 0,
    source: str | None = None,
    at: int | None = None,
    row: int | None = None,
) -> Value:
    """Return a JSON value as a Value; its content is text itself, or JSON for anything else."""
    text = content if isinstance(content, str) else js.compact(content)
    size = len(text.encode("utf-8", "surrogatepass"))
    whole = full or size <= WHOLE_BYTES
    return Value(
        name=name,
        scope=scope,
        kind=kind,
        type=_type(content),
        size=size,
        value=None if content is None or not whole else text,
        preview="" if content is None else text[:PREVIEW_CHARS],
        superseded=superseded,
        source_statement=source,
        updated_at=at,
        row=row,
    )


def _type(content: object) -> str:
    if content is None:
        return "null"
    if isinstance(content, js.Literal):
        return "integer"
    return next((name for kind, name in _TYPES if isinstance(content, kind)), "json")


def states(
    row: Mapping[str, object] | None, saved: Mapping[str, object] | None, full: bool
) -> Iterator[Value]:
    """Yield the run's final state, and the spell's currently saved state."""
    if row is not None:
        yield from _state(row.get("final_state"), FINAL_SCOPE, FINAL, row.get("timestamp"), full)
    if saved is not None:
        stamp = saved.get("updated_at")
        yield from _state(saved.get("state"), PERSISTENT_SCOPE, PERSISTENT, stamp, full)


def _state(text: object, scope: str, kind: str, stamp: object, full: bool) -> Iterator[Value]:
    if text is None:
        return
    try:
        content = js.parse(text)
    except Unreadable as error:
        yield value_of(None, scope, kind, f"cannot be read: {error}", full=full)
        return
    at = parse_instant(stamp)
    if not isinstance(content, dict):
        yield value_of(None, scope, kind, content, full=full, at=at)
        return
    for name, item in content.items():
        yield value_of(name, scope, kind, item, full=full, at=at)


def value_list(frame: str | None, values: list[Value]) -> ValueList:
    """Return values with the number of rows that they represent."""
    return ValueList(frame, sum(1 + one.superseded for one in values), tuple(values))
