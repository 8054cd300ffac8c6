"""Money as it moved: amounts of any size in base units, added up by asset.

No amount is ever rounded, and no two assets are ever added into one as if they were alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields
from decimal import Decimal

MOST_DIGITS = 100_000
"""A number with more digits is not read: no asset has it, and reading it takes for ever."""

_AT_ONCE = 4000
"""Python refuses to read or write an int of more than 4,300 digits in one go."""


def read_digits(digits: str) -> int:
    """A whole number from its ASCII digits, however many. Raises ValueError beyond MOST_DIGITS."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is not read")
    return _read(digits)


def _read(digits: str) -> int:
    if len(digits) <= _AT_ONCE:
        return int(digits)
    low = len(digits) // 2
    scale: int = 10**low
    return _read(digits[:-low]) * scale + _read(digits[-low:])


def written(number: int) -> str:
    """A whole number with every digit, however many."""
    return str(number) if -_EXACT < number < _EXACT else f"{Decimal(number):f}"


_EXACT = 10**_AT_ONCE


def in_units(number: int, decimals: int) -> str:
    """Base units as an amount with its point, digit by digit: 1500000 of 6 decimals is `1.5`.

    No digit is lost, and zeros that say nothing are left out.
    """
    if decimals < 0:
        raise ValueError("an asset has no less than 0 decimals")
    digits = written(abs(number)).rjust(decimals + 1, "0")
    whole, part = digits[: len(digits) - decimals], digits[len(digits) - decimals :].rstrip("0")
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


@dataclass(slots=True)
class Account:
    """What happened to one asset, in its base units; all but `net` are sums of what moved."""

    credits: int = 0
    debits: int = 0
    fees: int = 0
    losses: int = 0
    unaccounted: int = 0
    """What no rule explains; part of it may be in `fees` or `losses` too."""

    @property
    def net(self) -> int:
        """Credits less debits, fees and losses."""
        return self.credits - self.debits - self.fees - self.losses

    def add(self, other: Account) -> None:
        """Takes in another account of the same asset."""
        for column in _COLUMNS:
            setattr(self, column, getattr(self, column) + getattr(other, column))


_COLUMNS = tuple(column.name for column in fields(Account))


class Accounts:
    """Accounts by asset, in the order in which the assets first appeared."""

    __slots__ = ("_by_asset",)

    def __init__(self) -> None:
        self._by_asset: dict[Hashable, Account] = {}

    def __len__(self) -> int:
        return len(self._by_asset)

    def __iter__(self) -> Iterator[tuple[Hashable, Account]]:
        return iter(self._by_asset.items())

    def of(self, asset: Hashable) -> Account:
        """The account of an asset, opened when it is first asked for."""
        return self._by_asset.setdefault(asset, Account())

    def add(self, other: Accounts) -> None:
        """Takes in other accounts."""
        for asset, account in other:
            self.of(asset).add(account)

    @property
    def unaccounted(self) -> int:
        """Whether anything is unexplained: a sum over units that differ, so only 0 says much."""
        return sum(account.unaccounted for _, account in self)

    @property
    def net(self) -> int:
        """The plain sum over all assets, whose units differ: only for who asks for just that."""
        return sum(account.net for _, account in self)
