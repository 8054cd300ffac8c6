"""Exact amounts of money in base units, summed by asset; never rounded, never mixed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields
from decimal import Decimal

MAX_DIGITS = 100_000
"""Longer numbers are rejected: no asset has them, and parsing takes quadratic time."""

_CHUNK_DIGITS = 4000
"""Python does not convert ints of more than 4,300 digits at once."""


def read_digits(digits: str) -> int:
    """Parses an integer of ASCII digits. Raises ValueError above MAX_DIGITS."""
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    return _read(digits)


def _read(digits: str) -> int:
    if len(digits) <= _CHUNK_DIGITS:
        return int(digits)
    low = len(digits) // 2
    scale: int = 10**low
    return _read(digits[:-low]) * scale + _read(digits[-low:])


def all_digits(number: int) -> str:
    """Formats an integer of any size with all its digits."""
    return str(number) if -_EXACT < number < _EXACT else f"{Decimal(number):f}"


_EXACT = 10**_CHUNK_DIGITS


def in_units(number: int, decimals: int) -> str:
    """Formats base units with a decimal point: 1500000 with 6 decimals is `1.5`.

    Exact; trailing zeros are dropped. Raises ValueError for negative `decimals`.
    """
    if decimals < 0:
        raise ValueError("decimals must not be negative")
    digits = all_digits(abs(number)).rjust(decimals + 1, "0")
    whole, part = digits[: len(digits) - decimals], digits[len(digits) - decimals :].rstrip("0")
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


@dataclass(slots=True)
class Account:
    """Sums of one asset in base units."""

    credits: int = 0
    debits: int = 0
    fees: int = 0
    losses: int = 0
    unaccounted: int = 0
    """Sum that no rule explains; may overlap `fees` or `losses`."""

    @property
    def net(self) -> int:
        """Credits less debits, fees and losses."""
        return self.credits - self.debits - self.fees - self.losses

    def add(self, other: Account) -> None:
        """Adds another account of the same asset."""
        for column in _COLUMNS:
            setattr(self, column, getattr(self, column) + getattr(other, column))


_COLUMNS = tuple(column.name for column in fields(Account))


class Accounts:
    """Accounts by asset in order of first appearance."""

    __slots__ = ("_by_asset",)

    def __init__(self) -> None:
        self._by_asset: dict[Hashable, Account] = {}

    def __len__(self) -> int:
        return len(self._by_asset)

    def __iter__(self) -> Iterator[tuple[Hashable, Account]]:
        return iter(self._by_asset.items())

    def of(self, asset: Hashable) -> Account:
        """Returns the account of an asset, creating it if needed."""
        return self._by_asset.setdefault(asset, Account())

    def add(self, other: Accounts) -> None:
        """Adds all accounts of another set."""
        for asset, account in other:
            self.of(asset).add(account)

    @property
    def unaccounted(self) -> int:
        """Sum over all assets, whose units differ: only useful compared to 0."""
        return sum(account.unaccounted for _, account in self)

    @property
    def net(self) -> int:
        """Sum over all assets, whose units differ."""
        return sum(account.net for _, account in self)
