"""The amounts of a session in the units that a person knows, beside the base units as recorded.

No runtime records decimals or symbols. Only assets that the settings name have them here; of every
other one nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from inspector.config.settings import Asset
from inspector.derive.money import in_units

SUMS = ("credits", "debits", "fees", "losses", "net", "unaccounted")

Document = dict[str, Any]


def units(content: Mapping[str, Any], assets: Mapping[str, Asset]) -> Document:
    """By asset: what the settings say of it, and its sums with the point in its place.

    `content` is that of `inspector.pnl/1`, in base units.
    """
    realised = content["realised"]
    return {
        name: {
            "decimals": known.decimals,
            "symbol": known.symbol,
            "pnl": _sums(content["pnl"]["assets"], name, known),
            "realised": _sums(realised["assets"], name, known),
            "outcomes": {
                outcome: _sums(one["assets"], name, known)
                for outcome, one in realised["outcomes"].items()
                if any(asset.get("asset") == name for asset in one["assets"])
            },
        }
        for name, known in assets.items()
        if any(one.get("asset") == name for one in content["pnl"]["assets"])
    }


def _sums(listed: Sequence[Mapping[str, Any]], name: str, known: Asset) -> Document | None:
    """An asset's sums; None where it is not listed."""
    found = next((one for one in listed if one.get("asset") == name), None)
    if found is None:
        return None
    # By way of Decimal: Python refuses to read an int of more than 4,300 digits.
    return {one: in_units(int(Decimal(found[one])), known.decimals) for one in SUMS}
