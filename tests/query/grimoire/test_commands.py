"""The commands on Grimoire stores: pnl, runs, show, events, values, record, usage, doctor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from tests.query.grimoire.building import EXECUTE, Book, Ledger
from tests.store.builders import untouched

HUGE = str(2**300 + 1)


@pytest.fixture
def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str], set_now: Any) -> Any:
    set_now("2026-11-29T21:00:00Z")

    def ask(*words: str, code: int = 0, json_: bool = True, reveal: bool = True) -> Any:
        form = (("--json",) if json_ else ()) + (("--reveal",) if json_ and reveal else ())
        asked_for = [*words, "--in", str(tmp_path), *form]
        assert main(asked_for) == code
        out, err = capsys.readouterr()
        if code:
            return err
        return json.loads(out) if json_ else out

    return ask


def store(tmp_path: Path, name: str = ".grimoire") -> Path:
    ledger = Ledger("20261129T200047-aaaaaa", "Treasury").begin()
    ledger.add("step_started", stepId="c", kind="compute")
    ledger.add("binding_set", name="big", value=HUGE).add("step_completed", stepId="c")
    ledger.action("swap", HUGE).ready().commit("swap")
    book = Book().state("Treasury", json.dumps({"sum": HUGE}))
    book.whole(ledger, provenance=EXECUTE, final_state=json.dumps({"sum": HUGE}))
    return book.save(tmp_path / name / "grimoire.db")


def test_values_beyond_any_machine_number_survive_everywhere(tmp_path: Path, asked: Any) -> None:
    path = store(tmp_path)
    run = "20261129T200047-aaaaaa"
    with untouched(path.parent):
        told = asked("pnl", "Treasury")
        assert [one["net"] for one in told["pnl"]["assets"]] == [HUGE, f"-{HUGE}"]
        assert [one["net"] for one in told["realised"]["assets"]] == [HUGE, f"-{HUGE}"]
        assert HUGE in {one["value"] for one in asked("values", run)["values"]}
        events = asked("events", run)["events"]
        assert sum(HUGE in json.dumps(event["payload"]) for event in events) >= 5
        assert sum(HUGE in event["text"].replace(",", "") for event in events) >= 5
        steps = asked("show", run)["steps"]
        assert any(HUGE in step["label"].replace(",", "") for step in steps)
        assert asked("record", "Treasury", "state")["records"] == [{"sum": HUGE}]
        assert asked("record", run, "run")["records"][0]["finalState"] == {"sum": HUGE}
        assert asked("runs")["runs"][0]["session"] == "Treasury"
        assert HUGE in asked("pnl", "Treasury", json_=False).replace(",", "")


def test_a_spell_is_named_by_any_unique_part(tmp_path: Path, asked: Any) -> None:
    path = store(tmp_path)
    for name in ("Treasury", "Treas", "sury", f"grimoire:{path}#Treasury"):
        assert asked("pnl", name)["pnl"]["spellId"] == "Treasury"
    assert "No spell matches 'Nothing'" in asked("pnl", "Nothing", code=3)


def test_a_spell_of_two_stores_is_asked_for_by_its_key(tmp_path: Path, asked: Any) -> None:
    store(tmp_path)
    other = store(tmp_path, "other/.grimoire")
    said = asked("pnl", "Treasury", code=3)
    assert "2 spells" in said and f"grimoire:{other}#Treasury" in said
    assert asked("pnl", f"grimoire:{other}#Treasury")["ledger"]["runs"]["total"] == 1


@pytest.mark.parametrize(("limit", "runs"), [("1", 1), ("2", 2), ("0", 3), ("-1", 3), ("99", 3)])
def test_limits(limit: str, runs: int, tmp_path: Path, asked: Any) -> None:
    book = Book()
    for n in range(3):
        book.whole(Ledger(f"r{n}", "S").begin().move("A", "1", "credit"))
    book.save(tmp_path / "grimoire.db")
    assert asked("pnl", "S", "--limit", limit)["pnl"]["runCount"] == runs


def test_a_limit_that_is_no_number(asked: Any) -> None:
    assert "--limit" in asked("pnl", "S", "--limit", "abc", code=2)


def test_what_pnl_says_in_words(tmp_path: Path, asked: Any) -> None:
    book = Book()
    for n, (reason, amount) in enumerate([("credit", "1200"), ("mystery\x1b[2J", "7")]):
        book.whole(Ledger(f"r{n}", "S").begin().move("USDC\x07", amount, reason).ready())
    book.run("S", "bad", metrics="{").save(tmp_path / "grimoire.db")
    said = asked("pnl", "S", json_=False)
    assert "2 runs, 2 ok, 0 failed" in said
    assert "1,200" in said and "unaccounted: 7 USDC" in said
    assert "left out: bad, metrics" in said
    assert "\x1b" not in said and "\x07" not in said


def test_parts_of_one_run_under_two_spells_are_one_answer(tmp_path: Path, asked: Any) -> None:
    book = Book().run("Src", "r1", final_state='{"of": "src"}')
    book.run("Dst", "r1", final_state='{"of": "dst"}').track("r1", "source", "Src", "completed")
    book.save(tmp_path / "grimoire.db")
    assert asked("record", "r1", "run")["records"][0]["finalState"] == {"of": "dst"}
    assert len(asked("record", "r1", "tracks")["records"]) == 1
    assert "matches 2 runs" in asked("show", "r1", code=3)
    key = next(run["key"] for run in asked("runs")["runs"] if run["session"] == "Src")
    assert asked("record", key, "run")["records"][0]["finalState"] == {"of": "src"}


def test_the_list_is_not_read_by_way_of_large_ledgers(
    tmp_path: Path, asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path)
    monkeypatch.setattr("inspector.query.grimoire.run_head.HEAVY_BYTES", 100)
    (run,) = asked("runs")["runs"]
    assert run["steps"]["total"] is None
    assert [finding["code"] for finding in run["findings"]] == ["ledger_large"]
    shown = asked("show", run["run_id"])["run"]
    assert shown["steps"]["total"] > 0
    assert not shown["findings"]


def test_no_use_is_recorded(tmp_path: Path, asked: Any) -> None:
    store(tmp_path)
    assert asked("usage")["runs"] == []


def test_doctor_says_what_leaves_no_trace(tmp_path: Path, asked: Any) -> None:
    store(tmp_path)
    sentences = asked("doctor")["never_recorded"]["grimoire"]
    assert any("--no-state" in sentence for sentence in sentences)
    assert "--no-state" in asked("doctor", json_=False)


def test_addresses_and_parameters_are_masked_unless_revealed(tmp_path: Path, asked: Any) -> None:
    manifest = {"rpc_by_chain": {"1": "http://10.0.0.5:8545"}, "params": {"amount": 987654321}}
    provenance = {
        "runtime_mode": "simulate",
        "rpc_url": "https://rpc.example/v2/abcd",
        "resolved_params": {"vault": "0xfeedfeed"},
        "cross_chain": manifest,
    }
    Book().run("S", "r1", provenance=json.dumps(provenance)).save(tmp_path / "grimoire.db")
    for part in ("provenance", "run"):
        shown = json.dumps(asked("record", "r1", part, reveal=False))
        for secret in ("rpc.example", "10.0.0.5", "0xfeedfeed", "987654321"):
            assert secret not in shown
        assert "masked: rpc address" in shown and "masked: parameter" in shown
        assert "simulate" in shown
    assert asked("record", "r1", "provenance")["records"] == [provenance]


def test_decimals_and_symbols_are_those_of_the_settings_and_base_units_stay(
    tmp_path: Path, asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path)
    plain = asked("pnl", "Treasury")
    settings = tmp_path / "settings.toml"
    settings.write_text('[assets.ETH]\ndecimals = 18\nsymbol = "Ether"\n')
    monkeypatch.setenv("INSPECTOR_CONFIG", str(settings))
    told = asked("pnl", "Treasury")
    assert plain["units"] == {}
    assert {name: told[name] for name in ("pnl", "ledger", "realised")} == {
        name: plain[name] for name in ("pnl", "ledger", "realised")
    }
    assert told["units"]["ETH"]["pnl"]["net"].replace(".", "") == HUGE
    assert (told["units"]["ETH"]["symbol"], told["units"]["ETH"]["decimals"]) == ("Ether", 18)
    said = asked("pnl", "Treasury", json_=False)
    assert "decimals from your settings (Ether 18), else base units" in said
    whole, part = HUGE[:-18], HUGE[-18:]
    assert f"{int(whole):,}.{part}" in said
    assert f"-{int(HUGE):,}" in said


def test_pnl_in_words_by_step_and_by_run(tmp_path: Path, asked: Any) -> None:
    book = Book()
    for n, mode in enumerate([EXECUTE, EXECUTE]):
        ledger = Ledger(f"r{n}", "S").begin().action("swap", "1500").ready()
        book.whole(ledger.commit("swap", confirmed=n), provenance=mode)
    book.run("S", "empty", success=0).save(tmp_path / "grimoire.db")
    lines = asked("pnl", "S", json_=False).splitlines()
    by_step = lines[lines.index("by step") :]
    assert (
        by_step[2].split()
        == [
            *("swap", "ETH", "+3,000", "+1,500", "0", "0", "realised", "1,", "unconfirmed", "1"),
        ]
        or "unconfirmed 1, realised 1" in by_step[2]
    )
    by_run = lines[lines.index("by run") :]
    assert by_run[2].split() == ["empty", "no", "moves", "(simulate)"]
    assert by_run[3].split()[:4] == ["r1", "ETH", "+1,500", "+1,500"]
    assert by_run[5].split()[:4] == ["r0", "ETH", "+1,500", "–"]


def test_a_warning_is_in_the_units_of_everything_else(
    tmp_path: Path, asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger("r1", "S").begin().add("step_started", stepId="lend", kind="action")
    ledger.add("step_completed", stepId="lend").move("WBTC", "250000000", "action:lend:input")
    ledger.move("WBTC", "250000000", "loss:lend:slippage")
    Book().whole(ledger.ready()).save(tmp_path / "grimoire.db")
    assert "lend books 250,000,000 WBTC twice" in asked("pnl", "S", json_=False)
    settings = tmp_path / "settings.toml"
    settings.write_text("[assets.WBTC]\ndecimals = 8\n")
    monkeypatch.setenv("INSPECTOR_CONFIG", str(settings))
    assert "lend books 2.5 WBTC twice" in asked("pnl", "S", json_=False)


def test_a_handoff_under_way_is_said_not_to_be_realised(tmp_path: Path, asked: Any) -> None:
    ledger = Ledger("r1", "S").begin().action("bridge", "300000", type="bridge", asset="USDC")
    book = Book().whole(ledger.ready().commit("bridge"), provenance=EXECUTE)
    book.handoff("r1", "submitted").save(tmp_path / "grimoire.db")
    assert "submitted, not realised: 300,000 USDC in run r1" in asked("pnl", "S", json_=False)
