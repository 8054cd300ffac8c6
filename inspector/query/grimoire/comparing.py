"""Compares the persistent state and the provenance of two runs of a spell.

Source: Grimoire's state persistence (`final_state`) and runtime provenance, where a data source is
identified by the parameter that it belongs to (`path`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.derive.differences import Change, Difference, differences, same
from inspector.query.comparison import Comparison, Side
from inspector.query.grimoire import js
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.records import Record

STATE, PROVENANCE = "state", "provenance"
COLUMNS: Mapping[str, str] = {STATE: "final_state", PROVENANCE: "provenance"}
NOUNS: Mapping[str, str] = {STATE: "final state", PROVENANCE: "provenance"}

SAME = "same"
_EVERY_TIME = frozenset({"generated_at"})
"""Fields that differ between any two runs."""
_SOURCES = "sources"
_AGES = frozenset({"snapshot_age_sec"})
"""A source ages by itself; that alone is no change."""


def side_of(part: str, run_id: str | None, row: Mapping[str, object] | None) -> Side:
    """Return what a run's row records under a part. Raises KeyError for a part not compared."""
    column, noun = COLUMNS[part], NOUNS[part]
    if row is None:
        which = "The run" if run_id is None else run_id
        return Side(run_id, why_not=f"{which} has no row, so its {noun} is not recorded")
    named = row.get("run_id")
    run_id = run_id if named is None else str(named)
    text = row.get(column)
    if text is None:
        return Side(run_id, why_not=f"{run_id} has no {noun}")
    try:
        content = js.parse(text)
    except Unreadable as error:
        return Side(run_id, why_not=f"The {noun} of {run_id} cannot be read: {error}")
    if not isinstance(content, dict):
        shown = js.compact(content)
        return Side(run_id, why_not=f"The {noun} of {run_id} is not an object: {shown}")
    return Side(run_id, content)


def compare(part: str, before: Side, after: Side) -> Comparison:
    """Return the changes from `before` to `after`."""
    missing = tuple(f"{one.why_not}." for one in (before, after) if one.why_not is not None)
    if missing:
        return Comparison(part, before.run_id, after.run_id, (), missing)
    found = _COMPARED[part](before.content, after.content)
    notes = () if found else (f"The {NOUNS[part]} is the same in both runs.",)
    return Comparison(part, before.run_id, after.run_id, found, notes)


def beside(part: str, before: Side, after: Side) -> Comparison:
    """Return every name of either side, changed or not."""
    changes = compare(part, before, after)
    then, now = before.content or {}, after.content or {}
    found: list[Record] = []
    if part == PROVENANCE:
        found += _each(_by_path(then), _by_path(now), now, before.content is None)
        then, now = _without_sources(then), _without_sources(now)
    found += _each(then, now, None, before.content is None)
    return replace(changes, records=found)


def _each(
    then: Mapping[str, object], now: Mapping[str, object], sources_of: Any, alone: bool
) -> Iterator[Record]:
    """Yield a record for each name; `sources_of` is the provenance if these are its sources."""
    for name in dict.fromkeys((*then, *now)):
        record: Record = {"name": name, "change": None if alone else _change(name, then, now)}
        is_source = sources_of is not None
        for side, content in (("before", then), ("after", now)):
            if name in content:
                record[side] = content[name] if is_source else {name: content[name]}
        if is_source:
            record["of"] = "source"
            record["stale"] = name in now and is_stale(now[name], sources_of)
        yield record


def _change(name: str, then: Mapping[str, Any], now: Mapping[str, object]) -> str:
    if name not in now:
        return Change.REMOVED.value
    if name not in then:
        return Change.ADDED.value
    one, other = then[name], now[name]
    if isinstance(one, dict) and isinstance(other, dict):
        inside = {place.path[0] for place in _all(one, other)}
        return Change.CHANGED.value if inside - _AGES else SAME
    return SAME if same(one, other) else Change.CHANGED.value


def _state(before: object, after: object) -> Sequence[Record]:
    return [_record(one) for one in _all(before, after)]


def _provenance(before: Any, after: Any) -> Sequence[Record]:
    now = _by_path(after)
    sources = [_source(one, now, after) for one in _sources_differ(_by_path(before), now)]
    return [*sources, *map(_record, _all(_without_sources(before), _without_sources(after)))]


_COMPARED: Mapping[str, Callable[[object, object], Sequence[Record]]] = {
    STATE: _state,
    PROVENANCE: _provenance,
}


def _all(before: Any, after: Any) -> Sequence[Difference]:
    """Return all differences; a single one if the values are nested too deeply."""
    try:
        return list(differences(before, after))
    except RecursionError:
        return [Difference(("(nested too deeply to compare)",), Change.CHANGED)]


def _sources_differ(before: Any, after: Any) -> Iterator[Difference]:
    """Yield sources that were added, removed or changed; of those, only the changed fields."""
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield Difference((name,), Change.REMOVED, before=before[name])
        elif name not in before:
            yield Difference((name,), Change.ADDED, after=after[name])
        else:
            changed = {one.path[0] for one in _all(before[name], after[name])}
            if changed - _AGES:
                then, now = before[name], after[name]
                yield Difference((name,), Change.CHANGED, _only(changed, then), _only(changed, now))


def _only(names: Collection[str], source: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in source.items() if name in names}


def _record(one: Difference) -> Record:
    """Return a difference with each value nested under its path."""
    record: Record = {"name": one.name, "change": one.change.value}
    if one.change is not Change.ADDED:
        record["before"] = _under(one.path, one.before)
    if one.change is not Change.REMOVED:
        record["after"] = _under(one.path, one.after)
    return record


def _under(path: Sequence[str], value: object) -> object:
    for name in reversed(path):
        value = {name: value}
    return value


def _source(one: Difference, now: Mapping[str, object], provenance: Mapping[str, object]) -> Record:
    """Return the difference of a source, named by its parameter."""
    record: Record = {"name": one.name, "of": "source", "change": one.change.value}
    if one.change is not Change.ADDED:
        record["before"] = one.before
    if one.change is not Change.REMOVED:
        record["after"] = one.after
        record["stale"] = is_stale(now[one.name], provenance)
    return record


def _by_path(provenance: Mapping[str, object]) -> dict[str, object]:
    """Return the sources by parameter, or by index if they have none."""
    listed = provenance.get(_SOURCES)
    found: dict[str, object] = {}
    for number, one in enumerate(listed if isinstance(listed, list) else ()):
        source = one if isinstance(one, dict) else {"source": one}
        name = source.get("path")
        key = name if isinstance(name, str) else f"sources[{number}]"
        while key in found:
            key += "'"
        found[key] = source
    return found


def _without_sources(provenance: Mapping[str, object]) -> dict[str, object]:
    left_out = _EVERY_TIME | ({_SOURCES} if isinstance(provenance.get(_SOURCES), list) else set())
    return {name: value for name, value in provenance.items() if name not in left_out}


def is_stale(source: object, provenance: Mapping[str, object]) -> bool:
    """Return whether a source was older than the run allowed, as recorded or by its age."""
    if not isinstance(source, dict):
        return False
    if isinstance(source.get("stale"), bool):
        return bool(source["stale"])
    age, most = source.get("snapshot_age_sec"), provenance.get("data_max_age_sec")
    return isinstance(age, int | float) and isinstance(most, int | float) and age > most
