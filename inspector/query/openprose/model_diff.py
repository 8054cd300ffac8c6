"""The differences between two versions of a world model, file by file, or the files of one.

Selected by `A..B`, `..B` (B against the node's previous version) or `A`, each a version, its
recomputed address, or enough of the beginning or end of either.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence

from inspector.query.openprose.world_models import Kept, ModelFile, change_of, differences

SCHEME = "sha256:"
BETWEEN = ".."
LEAST_ASKED = 4
"""Minimum characters that select a version."""
MOST_TEXT = 1 << 20
"""Maximum bytes of a file that is compared line by line."""
MOST_LINES = 5_000
"""Maximum differing lines; beyond it, files are not compared line by line."""
MOST_FILES = 2_000

Record = Mapping[str, object]


def keep(versions: Iterable[Kept], which: str) -> list[Kept]:
    """Return all versions; only those that `which` selects keep their files, which may be large."""
    found: list[Kept] = []
    newest: dict[tuple[object, object], int] = {}
    wanted = _wanted(which)
    for one in versions:
        place = _place(one)
        is_wanted = any(_is(one.record, each) for each in wanted)
        before = newest.get(place)
        if before is not None and not (is_wanted or _is_asked_for(found[before], wanted)):
            found[before] = Kept(found[before].record, None)
        if one.files is not None:
            newest[place] = len(found)
        found.append(one)
    for at in newest.values():
        if not _is_asked_for(found[at], wanted):
            found[at] = Kept(found[at].record, None)
    return found


def answer(kept: Sequence[Kept], which: str) -> list[Record]:
    """Return the records of versions, or what `which` selects. Raises KeyError without a match."""
    if not which:
        return [one.record for one in kept]
    first, between, second = which.partition(BETWEEN)
    if not between:
        return _contents(_files(kept, _one(kept, first), first))
    after = _one(kept, second)
    new = _files(kept, after, second)
    if first:
        old = _files(kept, _one(kept, first), first)
    else:
        before = _before(kept, after)
        old = () if before is None else before
    return _compared(old, new)


def _wanted(which: str) -> tuple[str, ...]:
    return tuple(one for one in which.split(BETWEEN) if one)


def _is_asked_for(one: Kept, wanted: Sequence[str]) -> bool:
    return any(_is(one.record, each) for each in wanted)


def _is(record: Record, wanted: str) -> bool:
    return _has(record, "address", wanted) or _has(record, "version", wanted)


def _has(record: Record, field: str, wanted: str) -> bool:
    known, asked = record.get(field), wanted.removeprefix(SCHEME)
    if not isinstance(known, str) or not asked:
        return False
    name = known.removeprefix(SCHEME)
    part = len(asked) >= LEAST_ASKED and (name.startswith(asked) or name.endswith(asked))
    return part or asked == name


def _one(kept: Sequence[Kept], wanted: str) -> int:
    """Return the index of the selected version; of several, the first.

    The recomputed address takes precedence over the claimed one: a version that was changed still
    claims the address of its original.
    """
    for field in ("address", "version"):
        found = [at for at, one in enumerate(kept) if _has(one.record, field, wanted)]
        if len({kept[at].record[field] for at in found}) == 1:
            return next((at for at in found if kept[at].files is not None), found[0])
    raise KeyError(wanted)


def _files(kept: Sequence[Kept], at: int, wanted: str) -> tuple[ModelFile, ...]:
    files = kept[at].files
    if files is None:
        raise KeyError(wanted)
    return files


def _before(kept: Sequence[Kept], at: int) -> tuple[ModelFile, ...] | None:
    """Return the files of the node's previous version, if they could be read."""
    place = _place(kept[at])
    earlier = (one.files for one in reversed(kept[:at]) if _place(one) == place)
    return next((files for files in earlier if files is not None), None)


def _place(one: Kept) -> tuple[object, object]:
    return (one.record.get("node"), one.record.get("store"))


def _contents(files: Sequence[ModelFile]) -> list[Record]:
    return [
        {"path": one.path, "size": len(one.content), "text": text_of(one.content)}
        for one in files[:MOST_FILES]
    ]


def _compared(old: Sequence[ModelFile], new: Sequence[ModelFile]) -> list[Record]:
    return [
        {
            "path": one.path,
            "change": change_of(one),
            "before_size": None if one.before is None else len(one.before),
            "after_size": None if one.after is None else len(one.after),
            "lines": lines_between(one.before or b"", one.after or b""),
        }
        for one in differences(old, new)[:MOST_FILES]
    ]


def text_of(content: bytes) -> str | None:
    """Return a file as text; None if it is not text or too long."""
    if len(content) > MOST_TEXT or b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def lines_between(before: bytes, after: bytes) -> list[str] | None:
    """Return the differing lines with three of context, prefixed with ` `, `-`, `+` or `@@`.

    JSON is formatted first. None if either side is not text or too much differs.
    """
    old, new = text_of(before), text_of(after)
    if old is None or new is None:
        return None
    left, right = _lines(old), _lines(new)
    same = next(
        (at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
        min(len(left), len(right)),
    )
    if max(len(left), len(right)) - same > MOST_LINES:
        return None
    return list(difflib.unified_diff(left, right, lineterm="", n=3))[2:]


def _lines(text: str) -> list[str]:
    if text[:1] in ("{", "["):
        try:
            return json.dumps(json.loads(text), ensure_ascii=False, indent=2).split("\n")
        except (ValueError, RecursionError):
            pass
    return text.split("\n") if text else []
