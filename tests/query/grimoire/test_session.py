"""A spell's session: Grimoire's own numbers, and what became of the money."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import Asset
from inspector.derive.money import in_units
from inspector.export.pnl import session_document
from inspector.query.grimoire.accounting import FEE_ADDRESS, LOSS_ADDRESS, RunAccounts, read_reason
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.progress import ReadCancelled
from tests.query.grimoire.building import DRY_RUN, EXECUTE, SIMULATE, Book, Ledger

Asked = Callable[..., Any]
ASSETS = {"USDC": Asset(6, "Dollar"), "DAI": Asset(18)}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    stores: list[GrimoireStore] = []

    def ask(book: Book, spell: str = "Spell", limit: int = 100) -> Any:
        stores.append(GrimoireStore(str(book.save(tmp_path / "grimoire.db")), lambda: 0))
        return session_document(stores[-1].session(spell, limit), ASSETS)

    yield ask
    for store in stores:
        store.close()


def by_asset(assets: list[dict[str, Any]], column: str = "net") -> dict[str, str]:
    return {one["asset"]: one[column] for one in assets}


def outcomes(told: Any, column: str = "net") -> dict[str, dict[str, str]]:
    found = told["realised"]["outcomes"]
    return {outcome: by_asset(one["assets"], column) for outcome, one in found.items()}


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("action:a:input", "debits"), ("action:a:output", "credits"), ("fee_output", "fees"),
        ("coffee", "fees"), ("Glossy", "losses"), ("SLIPPAGE:input", "losses"),
        ("bridge_out", "debits"), ("Inflow", "credits"), ("input", "unaccounted"),
        ("mystery", "unaccounted"), ("protocol FEE", "fees"),
    ],
)  # fmt: skip
def test_what_a_reason_makes_of_a_move(reason: str, kind: str) -> None:
    assert read_reason(reason)[0] == kind


def test_fees_and_losses_are_explained_only_where_they_should_go() -> None:
    ledger = Ledger().move("A", "10", "fee", FEE_ADDRESS).move("A", "7", "fee", "0xaa")
    ledger.move("A", "5", "loss", LOSS_ADDRESS).move("A", "3", "slippage", LOSS_ADDRESS.upper())
    ledger.move("A", "0", "credit").move("A", "-4", "fee").move("A", "2", "mystery")
    money = RunAccounts()
    money.add_entries(ledger.entries)
    ((_, account),) = money.accounts
    assert (account.fees, account.losses, account.unaccounted) == (17, 8, 7 + 3 + 4 + 2)
    assert money.deltas == 7
    whys = {(why.why, why.reason): sums for why, sums in money.unexplained.items()}
    assert whys == {
        ("fee_elsewhere", "fee"): (1, 7),
        ("loss_elsewhere", "slippage"): (1, 3),
        ("not_positive", "fee"): (1, 4),
        ("unknown_reason", "mystery"): (1, 2),
    }


def test_what_is_not_positive_needs_no_reason() -> None:
    money = RunAccounts()
    for amount in ("0", "-5"):
        delta = {"asset": "A", "amount": amount}
        money.add_entry({"event": {"type": "value_delta", "delta": delta}})
    money.add_entry({"event": {"type": "value_delta", "delta": {"asset": "A", "amount": "1"}}})
    ((_, account),) = money.accounts
    assert (account.unaccounted, money.deltas) == (5, 2)
    assert [trouble.entry for trouble in money.unreadable] == [3]


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["USDC", "ETH", ""]),
        st.integers(-(2**300), 2**300),
        st.sampled_from(["credit", "debit", "fee", "loss", "action:a:input", "?"]),
        st.sampled_from([FEE_ADDRESS, LOSS_ADDRESS, "0xaa"]),
    )
)


@given(MOVES, st.integers(0, 40))
def test_sums_are_the_same_however_the_entries_come(
    moves: list[tuple[str, int, str, str]], cut: int
) -> None:
    ledger = Ledger()
    for asset, amount, reason, to in moves:
        ledger.move(asset, str(amount), reason, to)
    whole, parts = RunAccounts(), RunAccounts()
    whole.add_entries(ledger.entries)
    parts.add_entries(ledger.entries[:cut])
    for entry in ledger.entries[cut:]:
        parts.add_entry(entry)
    assert dict(whole.accounts) == dict(parts.accounts)
    assert (whole.deltas, whole.unexplained, whole.events) == (
        parts.deltas,
        parts.unexplained,
        parts.events,
    )
    positive = sum(amount for _, amount, reason, _ in moves if amount > 0 and reason == "credit")
    assert sum(account.credits for _, account in whole.accounts) == positive


def test_counters_and_sums_over_runs(asked: Asked) -> None:
    book = Book()
    for n in range(5):
        ledger = Ledger(f"r{n}").begin().move("USDC", str(2**256 + n), "credit").ready()
        book.whole(ledger, success=int(n != 1), timestamp=f"2026-11-2{n}T00:00:00.000Z")
    told = asked(book, limit=3)
    assert told["ledger"] == {
        "spellId": "Spell",
        "runs": {
            "total": 3, "success": 3, "failed": 0, "latestRunAt": "2026-11-24T00:00:00.000Z",
        },
        "triggers": {"manual": 3},
        "receipts": {"ready": 3},
        "events": {
            "preview_started": 3, "run_started": 3, "value_delta": 3, "receipt_generated": 3,
            "run_completed": 3, "preview_completed": 3,
        },
    }  # fmt: skip
    assert told["pnl"]["totalNet"] == str(3 * 2**256 + 9)
    assert told["pnl"]["accountingPassed"] is True
    for limit in (0, -1):
        assert asked(Book(), limit=limit)["pnl"]["runCount"] == 5


def test_a_spell_without_runs_has_no_latest_one(asked: Asked) -> None:
    told = asked(Book().state("Spell").ledger(Ledger().move("A", "1", "credit")))
    assert told["ledger"]["runs"] == {"total": 0, "success": 0, "failed": 0}
    assert told["pnl"]["assets"] == []


def test_what_cannot_be_read_is_left_out_and_said(asked: Asked) -> None:
    good = Ledger("good").move("A", "1", "credit")
    reason: Any = 5
    odd = Ledger("odd").move("A", "2", "credit").move("A", "3", reason)
    odd.entries.append({"id": "x"})
    book = Book().whole(good).whole(odd).run("Spell", "bad", metrics="{")
    book.run("Spell", "cut").text("Spell", "cut", f"{good.text()[:-1]},{{")
    told = asked(book)
    assert told["ledger"]["runs"]["total"] == 3
    assert by_asset(told["pnl"]["assets"]) == {"A": "3"}
    assert {(one["run_id"], one["part"]) for one in told["unreadable"]} == {
        ("bad", "metrics"), ("cut", "ledger"), ("odd", "ledger:2"), ("odd", "ledger:3"),
    }  # fmt: skip


def test_only_what_a_chain_confirmed_is_realised(asked: Asked) -> None:
    """Credits 19, fees 17, gas of its own, a revert, a handoff under way, simulations."""
    book = Book()
    real = Ledger("real").begin().action("swap", "1", assetIn="USDC", assetOut="ETH")
    real.move("USDC", "20", "action:swap:output").move("USDC", "17", "fee:swap:rebate", FEE_ADDRESS)
    book.whole(real.ready().commit("swap"), provenance=EXECUTE)
    undone = Ledger("undone").begin().action("swap", "1000").ready()
    undone.commit("swap", success=False, confirmed=0)
    error = "[ACTION_COMMIT_FAILED] Action step 'swap' failed: Transaction reverted"
    book.whole(undone, provenance=EXECUTE, success=0, error=error)
    sent = Ledger("sent").begin().action("bridge", "500", type="bridge", asset="USDC")
    book.whole(sent.ready().commit("bridge"), provenance=EXECUTE)
    book.handoff("sent", "submitted", submitted_amount="500")
    for name, provenance in (("dry", DRY_RUN), ("simulated", SIMULATE)):
        book.whole(Ledger(name).begin().action("swap", "7").ready(), provenance=provenance)
    book.whole(
        Ledger("refused").begin().action("swap", "9").ready("rejected"),
        provenance=EXECUTE, success=0,
    )  # fmt: skip
    told = asked(book)
    real_assets = {one["asset"]: one for one in told["realised"]["assets"]}
    usdc = real_assets["USDC"]
    assert (usdc["credits"], usdc["debits"], usdc["fees"], usdc["net"]) == ("20", "1", "17", "2")
    assert told["realised"]["gas"] == {"gas_used": "42000", "transactions": 2}
    assert outcomes(told, "debits") == {
        "realised": {"USDC": "1", "ETH": "0"},
        "pending": {"USDC": "500"},
        "reverted": {"USDC": "1000", "ETH": "0"},
        "rejected": {"USDC": "9", "ETH": "0"},
        "simulated": {"USDC": "14", "ETH": "0"},
    }
    assert [one["submittedAmount"] for one in told["realised"]["pending"]] == ["500"]
    assert told["realised"]["warnings"][0]["message"].startswith("Includes 5 of 6 runs")


def test_all_outcomes_together_are_what_grimoire_counts(asked: Asked) -> None:
    book = Book()
    for n, (mode, success) in enumerate([(EXECUTE, 1), (EXECUTE, 0), (DRY_RUN, 1), (SIMULATE, 0)]):
        ledger = Ledger(f"r{n}").begin().action("a", "10").action("b", "5").move("X", "3", "fee")
        ledger.ready("ready" if success else "rejected")
        if mode == EXECUTE and success:
            ledger.commit("a", "b", confirmed=1)
        book.whole(ledger, provenance=mode, success=success)
    told = asked(book)
    for asset in told["pnl"]["assets"]:
        for column in ("credits", "debits", "fees", "losses", "net", "unaccounted"):
            parts = [
                int(one[column])
                for outcome in told["realised"]["outcomes"].values()
                for one in outcome["assets"]
                if one["asset"] == asset["asset"]
            ]
            assert sum(parts) == int(asset[column])


def test_orders_and_bridges_are_not_realised_by_being_sent(asked: Asked) -> None:
    order = Ledger("order").begin().action("a", "10").ready().commit("a", confirmed=0)
    bridge = Ledger("bridge").begin().action("b", "5", type="bridge", asset="USDC").ready()
    book = Book().whole(order, provenance=EXECUTE)
    told = asked(book.whole(bridge.commit("b"), provenance=EXECUTE))
    assert set(told["realised"]["outcomes"]) == {"unconfirmed", "pending"}
    assert told["realised"]["assets"] == []


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("submitted", "pending"), ("settled", "realised"), ("failed", "unresolved"),
     ("expired", "unresolved"), ("planned", "pending")],
)  # fmt: skip
def test_what_crossed_is_realised_when_it_arrived(status: str, outcome: str, asked: Asked) -> None:
    ledger = Ledger("r1").begin().action("bridge", "300000", type="bridge", asset="USDC").ready()
    book = Book().whole(ledger.commit("bridge"), provenance=EXECUTE)
    arrived = {"settled_amount": "299850"} if status == "settled" else {}
    told = asked(book.handoff("r1", status, **arrived))
    assert list(told["realised"]["outcomes"]) == [outcome]
    if status == "settled":
        assert by_asset(told["realised"]["assets"]) == {"USDC": "-150"}
        (warning,) = told["realised"]["warnings"]
        assert (warning["code"], warning["amount"]) == ("settled_differs", "150")


def test_a_loss_that_counts_twice_is_said_and_not_realised(asked: Asked) -> None:
    """A lend goes out, comes not back, and is booked as a loss as well."""
    ledger = Ledger("r1").begin().add("step_started", stepId="lend", kind="action")
    action = {"type": "lend", "asset": "WBTC", "amount": "100"}
    ledger.add("action_simulated", action=action, result={})
    ledger.add("step_completed", stepId="lend").move("WBTC", "100", "action:lend:input")
    ledger.move("WBTC", "100", "loss:lend:slippage", LOSS_ADDRESS).ready().commit("lend")
    told = asked(Book().whole(ledger, provenance=EXECUTE))
    assert by_asset(told["pnl"]["assets"]) == {"WBTC": "-200"}
    (real,) = told["realised"]["assets"]
    assert (real["net"], real["double_booked"]) == ("-100", "100")
    (warning,) = told["realised"]["warnings"]
    assert (warning["code"], warning["step_id"], warning["amount"]) == (
        "double_booked", "lend", "100",
    )  # fmt: skip


def test_a_receipt_of_preview_and_commit_is_realised_once(asked: Asked) -> None:
    ledger = Ledger("r1").begin().action("a", "10").ready().commit("a")
    again = ledger.entries[-1]
    ledger.entries.pop()
    ledger.move("USDC", "10", "action:a:input").move("ETH", "10", "action:a:output")
    ledger.entries.append(again)
    told = asked(Book().whole(ledger, provenance=EXECUTE))
    assert by_asset(told["pnl"]["assets"]) == {"ETH": "20", "USDC": "-20"}
    assert by_asset(told["realised"]["assets"]) == {"ETH": "10", "USDC": "-10"}


def test_per_run_and_per_step(asked: Asked) -> None:
    book = Book()
    for n in range(2):
        ledger = Ledger(f"r{n}").begin().action("a", str(10 + n)).action("b", "1").ready()
        book.whole(ledger.commit("a", "b", confirmed=1), provenance=EXECUTE)
    told = asked(book)["realised"]
    assert [(one["run_id"], one["net"], one["realised"]) for one in told["runs"]] == [
        ("r1", {"ETH": "12", "USDC": "-12"}, {"ETH": "11", "USDC": "-11"}),
        ("r0", {"ETH": "11", "USDC": "-11"}, {"ETH": "10", "USDC": "-10"}),
    ]
    steps = {one["step_id"]: one for one in told["steps"]}
    assert by_asset(steps["a"]["assets"]) == {"ETH": "21", "USDC": "-21"}
    assert (steps["a"]["outcomes"], steps["b"]["outcomes"]) == ({"realised": 2}, {"unconfirmed": 2})


def test_assets_of_any_kind_stay_apart(asked: Asked) -> None:
    ledger = Ledger().move("1", "1", "credit").move(1, "2", "credit").move(None, "3", "credit")
    ledger.entries.append(
        {"event": {"type": "value_delta", "delta": {"amount": "4", "reason": "credit"}}}
    )
    told = asked(Book().whole(ledger))  # fmt: skip
    nets = [(one.get("asset", "missing"), one["net"]) for one in told["pnl"]["assets"]]
    assert sorted(nets, key=lambda pair: pair[1]) == [
        ("1", "1"), ("1", "2"), ("null", "3"), ("missing", "4"),
    ]  # fmt: skip


def test_what_became_of_each_step_adds_up_to_what_became_of_all(asked: Asked) -> None:
    book = Book()
    for n, mode in enumerate([EXECUTE, SIMULATE, EXECUTE]):
        ledger = Ledger(f"r{n}").begin().action("a", "10").action("b", "7").ready()
        ledger.move("USDC", "3", "dust")
        if mode == EXECUTE:
            ledger.commit("a", "b", confirmed=1 + n // 2)
        book.whole(ledger, provenance=mode)
    told = asked(book)
    steps = told["realised"]["steps"]
    whole: dict[str, dict[str, int]] = {}
    for step in steps:
        for outcome, net in step["by_outcome"].items():
            for name, number in net.items():
                sums = whole.setdefault(outcome, {})
                sums[name] = sums.get(name, 0) + int(number)
    assert whole == {
        outcome: {name: int(net) for name, net in nets.items()}
        for outcome, nets in outcomes(told).items()
    }
    assert {step["step_id"] for step in steps} <= {"a", "b", None}
    (a,) = (step for step in steps if step["step_id"] == "a")
    assert a["by_outcome"] == {
        "realised": {"ETH": "20", "USDC": "-20"}, "simulated": {"ETH": "10", "USDC": "-10"},
    }  # fmt: skip


def test_moves_that_name_no_step_are_a_line_of_their_own(asked: Asked) -> None:
    ledger = Ledger("r").begin().move("USDC", "5", "credit").ready()
    (step,) = asked(Book().whole(ledger))["realised"]["steps"]
    assert (step["step_id"], step["by_outcome"]) == (None, {"simulated": {"USDC": "5"}})


def test_what_was_realised_so_far_grows_run_by_run(asked: Asked) -> None:
    book = Book()
    for n, mode in enumerate([EXECUTE, SIMULATE, EXECUTE]):
        ledger = Ledger(f"r{n}").begin().action("a", str(10**n)).ready()
        book.whole(ledger.commit("a") if mode == EXECUTE else ledger, provenance=mode)
    told = asked(book)["realised"]
    newest_first = [one["realised_so_far"].get("ETH") for one in told["runs"]]
    assert newest_first == ["101", "1", "1"]
    assert told["runs"][1]["by_outcome"] == {"simulated": {"ETH": "10", "USDC": "-10"}}
    assert told["runs"][0]["assets"][0]["net"] == "100"


def test_a_session_says_how_far_it_is_and_can_be_ended(tmp_path: Path) -> None:
    book = Book()
    for n in range(4):
        book.whole(Ledger(f"r{n}").begin().action("a", "10").ready())
    store = GrimoireStore(str(book.save(tmp_path / "grimoire.db")), lambda: 0)
    told: list[tuple[int, int]] = []
    store.session("Spell", 0, lambda done, of: told.append((done, of)))
    done = [one for one, _ in told]
    assert done == sorted(done) and done[-1] == told[-1][1]
    assert len({of for _, of in told}) == 1 and len(set(done)) >= 4

    def tire(done: int, of: int) -> None:
        if done > of // 2:
            raise ReadCancelled

    with pytest.raises(ReadCancelled):
        store.session("Spell", 0, tire)
    assert store.session("Spell").ledger.total == 4
    store.close()


AMOUNTS = st.integers() | st.integers(-(10**400), 10**400)


@given(AMOUNTS, st.integers(0, 255))
def test_units_lose_no_digit(number: int, decimals: int) -> None:
    text = in_units(number, decimals)
    whole, _, part = text.lstrip("-").partition(".")
    assert len(part) <= decimals and not part.endswith("0")
    assert bool(part) == ("." in text)
    assert int((whole + part.ljust(decimals, "0")) or "0") == abs(number)
    assert text.startswith("-") == (number < 0)
    assert whole == "0" or not whole.startswith("0")


@given(st.lists(AMOUNTS, max_size=5), st.integers(0, 30))
def test_sums_in_units_are_units_of_sums(numbers: list[int], decimals: int) -> None:
    """Point by point: nothing on the way is a float."""
    with localcontext() as context:
        context.prec = 2000
        shown = sum((Decimal(in_units(number, decimals)) for number in numbers), Decimal(0))
        assert shown == Decimal(in_units(sum(numbers), decimals))


def test_units_are_of_assets_that_the_settings_name_and_no_others(asked: Asked) -> None:
    ledger = Ledger("r").begin().action("a", str(2**256 + 1)).ready().commit("a")
    content = asked(Book().whole(ledger, provenance=EXECUTE))
    found = content["units"]
    assert list(found) == ["USDC"]
    shown = found["USDC"]["pnl"]["debits"]
    assert shown == found["USDC"]["realised"]["debits"]
    assert shown.replace(".", "") == str(2**256 + 1)
    assert len(shown.partition(".")[2]) == 6
    assert found["USDC"]["outcomes"].keys() == {"realised"}
