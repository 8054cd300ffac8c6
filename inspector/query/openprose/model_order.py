"""In which order the versions of a node came about: that of the receipts that name them. Pure.

Source: OpenProse's receipt module: every receipt names what its node's world model was then, under
the facet `@atomic`. Nothing else records the order: rows and files may have been copied in any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from inspector.query.openprose.receipts.receipt import Receipt

ATOMIC = "@atomic"
SCHEME = "sha256:"
BY_RECEIPTS, BY_ROWS, BY_FILES = "receipts", "rows", "files"
"""What the place of a version follows: receipts, or else rows, or the times of files."""

T = TypeVar("T")


@dataclass(slots=True)
class Naming:
    """What receipts say of one version of a node."""

    receipt: int
    """The first receipt that names it."""
    before: str | None
    """The version that the node had until then; None at its first receipt."""
    again: int | None = None
    """The last receipt at which the node came back to it."""


Namings = Mapping[str, Mapping[str, Naming]]
"""By node and version, the versions in the order of their first receipts."""
NO_RECEIPTS: Namings = {}


def namings(named: Iterable[tuple[int, str, Mapping[str, Any]]]) -> Namings:
    """From receipts in the order of writing: (id, node, facets)."""
    found: dict[str, dict[str, Naming]] = {}
    last: dict[str, str] = {}
    for receipt, node, facets in named:
        token = facets.get(ATOMIC)
        before = last.get(node)
        if not isinstance(token, str) or token == before:
            continue
        last[node] = token
        versions = found.setdefault(node, {})
        known = versions.get(bare(token))
        if known is None:
            versions[bare(token)] = Naming(receipt, before)
        else:
            known.again = receipt
    return found


def receipt_namings(receipts: Iterable[Receipt]) -> Namings:
    """What receipts that were read say of versions."""
    return namings((one.id, one.node, one.facets) for one in receipts)


def bare(version: object) -> str:
    """A version or token without its scheme."""
    return version.removeprefix(SCHEME) if isinstance(version, str) else ""


def ordered(
    versions: Sequence[T], named: Mapping[str, Naming], name: Callable[[T], str | None]
) -> list[T]:
    """One node's versions: first those that receipts name, by these; then the rest as it was."""
    place = {version: at for at, version in enumerate(named)}
    return sorted(versions, key=lambda one: place.get(bare(name(one)), len(place)))


def told(version: object, named: Mapping[str, Naming], otherwise: str) -> dict[str, Any]:
    """What a version's record says of its place; `otherwise` is what that follows unnamed."""
    naming = named.get(bare(version)) if version is not None else None
    return {
        "order": otherwise if naming is None else BY_RECEIPTS,
        "receipt": None if naming is None else naming.receipt,
        "receipt_again": None if naming is None else naming.again,
        "version_before": None if naming is None else naming.before,
    }
