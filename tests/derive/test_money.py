"""Money of any size: every digit is kept, sums are sums."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.money import MAX_DIGITS, Account, Accounts, all_digits, read_digits

AMOUNTS = st.integers(min_value=0, max_value=2**400)
ACCOUNTS = st.builds(Account, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)


@given(st.integers(min_value=-(10**9000), max_value=10**9000))
def test_every_digit_is_written_and_read(number: int) -> None:
    digits = all_digits(abs(number))
    assert read_digits(digits) == abs(number)
    assert all_digits(-abs(number)) == (f"-{digits}" if number else "0")


def test_numbers_with_too_many_digits_are_rejected() -> None:
    assert read_digits("9" * 20_000) == 10**20_000 - 1
    with pytest.raises(ValueError, match="digits"):
        read_digits("9" * (MAX_DIGITS + 1))


@given(st.lists(st.tuples(st.sampled_from(["A", "B", "C"]), ACCOUNTS)))
def test_sums_do_not_depend_on_how_they_were_grouped(moves: list[tuple[str, Account]]) -> None:
    one_by_one, halves = Accounts(), [Accounts(), Accounts()]
    for n, (asset, account) in enumerate(moves):
        one_by_one.of(asset).add(account)
        halves[n % 2].of(asset).add(account)
    together = Accounts()
    for half in halves:
        together.add(half)
    assert dict(together) == dict(one_by_one)
    assert together.net == sum(account.net for _, account in moves)
    assert together.unaccounted == sum(account.unaccounted for _, account in moves)


@given(ACCOUNTS)
def test_the_net_is_credits_less_the_rest(account: Account) -> None:
    spent = account.debits + account.fees + account.losses
    assert account.net == account.credits - spent


def test_taking_in_others_leaves_them_as_they_were() -> None:
    theirs, ours = Accounts(), Accounts()
    theirs.of("A").credits = 5
    ours.add(theirs)
    ours.of("A").credits += 1
    assert dict(theirs) == {"A": Account(5)}


def test_assets_stay_in_the_order_in_which_they_appeared() -> None:
    accounts = Accounts()
    for asset in "BAC":
        accounts.of(asset)
    assert [asset for asset, _ in accounts] == ["B", "A", "C"]
    assert len(accounts) == 3
