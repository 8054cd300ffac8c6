"""Sums of spending: nothing twice, unknown prices are not zero, currencies stay apart."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.spending import Spending, plain, sum_of, sums_by, without_copies
from inspector.model.run import Tokens


def spent(
    row: str = "u1",
    *,
    cost: str | None = None,
    currency: str | None = "USD",
    tokens: Tokens = Tokens(input=1),  # noqa: B008 - frozen
    counts: bool = True,
    key: str = "k",
) -> Spending:
    amount = None if cost is None else Decimal(cost)
    return Spending(
        row, key, "r", "s", "m", 0, "turn", tokens=tokens, cost=amount, currency=currency,
        counts=counts,
    )  # fmt: skip


def test_an_unknown_price_is_counted_and_adds_nothing() -> None:
    total = sum_of([spent(cost="1.23"), spent(), spent()])
    assert (total.amounts(), total.unpriced) == ({"USD": "1.23"}, 2)


def test_currencies_are_not_added_to_each_other() -> None:
    listed = [spent(cost="1", currency="EUR"), spent(cost="2"), spent(cost="4", currency=None)]
    assert sum_of(listed).amounts() == {"?": "4", "EUR": "1", "USD": "2"}


def test_cached_tokens_are_not_added_to_the_input() -> None:
    total = sum_of([spent(tokens=Tokens(input=17_903, cache_read=17_817, total=17_903))])
    assert (total.input, total.cache_read, total.total) == (17_903, 17_817, 17_903)


def test_unrecorded_amounts_stay_unknown() -> None:
    total = sum_of([spent(tokens=Tokens(output=2))])
    assert total.tokens() == Tokens(output=2)


def test_rows_that_do_not_count_are_left_out() -> None:
    rows = [spent(cost="1"), spent(cost="1", counts=False)]
    assert sum_of(rows).rows == 1
    assert {key: total.rows for key, total in sums_by(rows, lambda one: one.session).items()} == {
        "s": 1
    }


def test_a_copy_of_a_row_counts_once_and_its_namesake_twice() -> None:
    copy = spent("u1", cost="1", key="another database")
    namesake = spent("u1", cost="2")
    kept, left_out = without_copies([spent("u1", cost="1"), copy, namesake])
    assert (len(kept), left_out) == (2, 1)
    assert without_copies([spent("", cost="1")] * 2)[1] == 1


@given(st.lists(st.decimals(0, 10**9, places=6), max_size=30))
def test_costs_are_added_exactly(costs: list[Decimal]) -> None:
    total = sum_of([spent(str(n), cost=f"{cost:f}") for n, cost in enumerate(costs)])
    micros = sum(int(cost.scaleb(6)) for cost in costs)
    assert total.amounts() == ({"USD": plain(Decimal(micros).scaleb(-6))} if costs else {})


def test_amounts_are_plain_digits() -> None:
    assert [plain(Decimal(text)) for text in ("1E-7", "1.50", "1E+3", "0.0", "12")] == [
        "0.0000001", "1.5", "1000", "0", "12",
    ]  # fmt: skip
