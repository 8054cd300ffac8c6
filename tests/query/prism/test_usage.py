"""Which usage rows count, and the usage report."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.model.run import Tokens
from inspector.query.prism.usage import (
    LAST_TURN_AGAIN,
    NO_RUN,
    REPEATS,
    TOTAL,
    TURN,
    UNSCOPED,
    UsageRow,
    cost_of,
    judged_run,
    judged_without_run,
    source_of,
    tokens_of,
)
from tests.query.prism.builders import make, run, session, usage


def used(
    amount: int, scope: str = TURN, turn: int | None = None, of: str | None = "r1"
) -> UsageRow:
    tokens = Tokens(input=amount)
    return UsageRow(0, f"u{amount}", "s1", of, scope, turn, None, tokens, None, None, 0, True)


def counted(*rows: UsageRow, succeeded: bool = True) -> list[int | None]:
    listed = judged_run(rows, "key", None, succeeded)
    return [one.tokens.input for one in listed if one.counts]


def test_a_total_does_not_count_beside_turns() -> None:
    rows = (used(1), used(2), used(3), used(6, TOTAL))
    assert counted(*rows) == [1, 2, 3]
    listed = judged_run(rows, "key", None, True)
    assert [one.why_not for one in listed] == [None, None, None, REPEATS]
    assert source_of(listed) == TURN


def test_a_total_counts_without_turns() -> None:
    assert counted(used(6, TOTAL)) == [6]


def test_turns_of_earlier_segments_count() -> None:
    assert counted(used(50, turn=1), used(60, turn=1), used(60, TOTAL)) == [50, 60]


@pytest.mark.parametrize("scope", [UNSCOPED, TOTAL])
def test_the_last_row_of_schema_version_1_repeats_a_turn(scope: str) -> None:
    rows = (used(120, scope), used(35, scope), used(35, scope))
    assert counted(*rows) == [120, 35]
    assert judged_run(rows, "key", None, True)[-1].why_not == LAST_TURN_AGAIN
    # A run that did not succeed got no such row: both turns happened to be alike.
    assert counted(*rows, succeeded=False) == [120, 35, 35]


def test_rows_without_a_run_do_not_count_twice() -> None:
    total, turn = used(999, TOTAL, of=None), used(5, TURN, of=None)
    assert [one.why_not for one in judged_without_run([total], {"s1"})] == [NO_RUN]
    assert [one.why_not for one in judged_without_run([total, turn], ())] == [NO_RUN, None]
    assert [one.why_not for one in judged_without_run([total], ())] == [None]


def test_a_missing_total_is_input_plus_output() -> None:
    assert tokens_of({"inputTokens": 3, "outputTokens": 4}).total == 7
    assert tokens_of({"inputTokens": 3, "totalTokens": 9}).total == 9
    assert tokens_of({"cacheReadTokens": 3}).total is None
    assert tokens_of({"inputTokens": -1, "outputTokens": "4"}) == Tokens()


@pytest.mark.parametrize("price", [None, "", "1", -1, True, float("nan"), float("inf"), [], {}])
def test_an_invalid_price_is_unknown(price: Any) -> None:
    assert cost_of(price) is None


def test_prices_are_exact() -> None:
    assert cost_of(Decimal("0.1")) == Decimal("0.1")
    assert cost_of(0) == Decimal(0)


def ask(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["usage", *words, "--in", str(root), "--json", "--reveal"]) == 0
    return json.loads(capsys.readouterr().out)


def test_usage_by_run_session_model_and_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(
        tmp_path / "prism.db",
        session(),
        session("s2"),
        run("r1", "succeeded", model={"provider": "p", "model": "m1"}),
        run("r2", "failed", "s2", model={"provider": "p", "model": "m2"}),
        usage("u1", {"inputTokens": 10, "cost": 0.1, "currency": "USD"}),
        usage("u2", {"inputTokens": 20, "cost": 0.2, "currency": "USD"}),
        usage("u3", {"inputTokens": 30}, "run_total"),
        usage(
            "u4", {"inputTokens": 5, "cost": 1, "currency": "EUR"}, of="r2", session_id="s2",
            recorded_at="2026-03-02T00:00:00.000Z",
        ),
        usage("u5", '{"inputTokens": 1, "cost": NaN}', of="r2", session_id="s2"),
        usage("u6", "{bad", of="r2", session_id="s2"),
    )  # fmt: skip
    found = ask(tmp_path, capsys)
    by_run = {one["run_id"]: one for one in found["runs"]}
    assert by_run["r1"]["input_tokens"] == 30
    assert by_run["r1"]["cost"] == {"USD": "0.3"}
    assert by_run["r1"]["source"] == "provider_turn"
    assert (by_run["r2"]["input_tokens"], by_run["r2"]["unpriced"]) == (6, 2)
    assert found["total"]["cost"] == {"EUR": "1", "USD": "0.3"}
    assert [(one["session"], one["input_tokens"]) for one in found["by"]["session"]] == [
        ("s1", 30),
        ("s2", 6),
    ]
    assert [one["model"] for one in found["by"]["model"]] == ["m1", "m2"]
    assert {one["day"]: one["input_tokens"] for one in found["by"]["day"]} == {
        "2026-03-01": 31,
        "2026-03-02": 5,
    }
    assert [one["id"] for one in found["not_added"]] == ["u3"]
    assert "provider_turn" in found["how"]


def test_usage_of_one_run_row_by_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(
        tmp_path / "prism.db",
        session(),
        run("r1"),
        run("r2"),
        usage("u1", {"inputTokens": 1}, turn=1, attempt=2),
    )
    found = ask(tmp_path, capsys, "r1")
    assert [(one["id"], one["turn"], one["attempt"]) for one in found["rows"]] == [("u1", 1, 2)]
    nothing = ask(tmp_path, capsys, "r2")
    assert [one["input_tokens"] for one in nothing["runs"]] == [None]
    assert nothing["runs"][0]["source"] is None


def test_a_copied_database_is_counted_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (session(), run("r1", "succeeded"), usage("u1", {"inputTokens": 7}))
    make(tmp_path / "a" / "prism.db", *rows)
    make(tmp_path / "backup" / "prism.db", *rows)
    found = ask(tmp_path, capsys)
    assert (found["total"]["input_tokens"], found["copies_left_out"]) == (7, 1)
