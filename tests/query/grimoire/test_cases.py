"""The cases with known answers: every view and record, read from our JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.export import documents
from inspector.export.pnl import session_document
from inspector.model.clock import system_clock
from inspector.query.grimoire.js import sort_key
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.text.escape import json_text
from tests.case_archives import Cases

ARCHIVE = "grimoire"
NAMES = [
    "advisory",
    "all_events",
    "all_spells",
    "cli_counter",
    "corrupt",
    "cross_chain",
    "empty_v2",
    "failing",
    "internal_error",
    "nested",
    "pruning",
    "schema_v0a_no_provenance",
    "schema_v3_future",
    "treasury",
    "value_deltas",
    "wal_open",
]
NEWEST_SCHEMA = 2
QUIRKS = ("constructor", "__proto__")
"""Names that a counter of the runtime gets wrong; the two quirks that are named exceptions."""

EQUAL: Counter[str] = Counter()
EXCEPTED: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how many answers were equal, and which exceptions were made."""
    yield
    for title, counted in (("equal", EQUAL), ("excepted", EXCEPTED)):
        listed = ", ".join(f"{count} {name}" for name, count in sorted(counted.items()))
        print(f"\nGrimoire cases: {sum(counted.values())} answers {title}: {listed}")


def same(what: str, ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict) and "__error" in theirs:
        EXCEPTED[f"{what}: upstream threw"] += 1
        return
    assert ours == theirs, what
    EQUAL[what] += 1


class Answers:
    """Our JSON about one case."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.capsys = root, capsys
        self.store = GrimoireStore(str((root / "grimoire.db").resolve()), system_clock())

    def ask(self, *words: str) -> Any:
        command = [*words, "--in", str(self.root), "--json", "--reveal"]
        assert main(command) == 0, self.capsys.readouterr().err
        return json.loads(self.capsys.readouterr().out)

    def pnl(self, spell: str, limit: int) -> Any:
        """What `pnl` prints, without starting the command anew for each of a thousand views."""
        session = self.store.session(spell, limit)
        content = session_document(session, {})
        whole = documents.document("pnl", content, reveal=True)
        return json.loads(json_text(whole))

    def records(self, subject: str, part: str) -> Any:
        return self.ask("record", subject, part)["records"]

    def of_spell(self, spell: str, part: str) -> Any:
        """What `record SPELL PART` prints, likewise."""
        named, rows = self.store.record_of(spell, part)
        whole = documents.document("record", documents.record(named, rows), reveal=True)
        return json.loads(json_text(whole))["records"]


@pytest.mark.parametrize("name", NAMES)
def test_every_view_and_record(
    name: str, cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = cases.copy(ARCHIVE, name, tmp_path)
    expected = cases.expected(ARCHIVE)[name]
    answers = Answers(root, capsys)
    try:
        if "open_error" in expected:
            check_future(answers)
            return
        check_store(expected, answers)
        check_history(expected["history_all"], answers)
        for spell, of_spell in expected["by_spell"].items():
            check_spell(spell, of_spell, answers)
        for spell in list(expected["by_spell"])[:3]:
            check_printed(spell, answers)
        for run_id, of_run in expected["by_run"].items():
            for part, fact in (
                ("run", [of_run["byId"]]),
                ("tracks", of_run["tracks"]),
                ("handoffs", of_run["handoffs"]),
                ("steps", of_run["steps"]),
            ):
                same(f"by run: {part}", answers.records(run_id, part), fact)
    finally:
        answers.store.close()


def check_future(answers: Answers) -> None:
    """The runtime refuses a newer schema; ours is shown as far as it is known, and says so."""
    store = answers.ask("runs")["stores"][0]
    assert store["health"] == "partial"
    assert f"newer than {NEWEST_SCHEMA}" in store["reason"]
    EXCEPTED["newer schema: upstream threw"] += 1


def check_store(expected: dict[str, Any], answers: Answers) -> None:
    (record,) = answers.records(str(answers.root / "grimoire.db"), "store")
    for name in ("counts", "orphan_ledgers", "spells", "all_spell_ids"):
        same(name, record[name], expected[name])
    # The answers were made on copies, which the runtime had brought up to date.
    if record["user_version"] == expected["user_version"]:
        same("runs_columns", record["runs_columns"], expected["runs_columns"])


def check_history(expected: dict[str, Any], answers: Answers) -> None:
    """`history` lists every spell with a saved state and its newest run."""
    if "error" in expected:
        EXCEPTED["history: upstream threw"] += 1
        return
    listed = [
        {"id": spell, "lastRun": answers.of_spell(spell, "run")[0]}
        for spell in answers.store.sessions()
    ]
    if "lastRun" in (expected["result"] or [{}])[0]:
        same("history", listed, expected["result"])


def check_spell(spell: str, expected: dict[str, Any], answers: Answers) -> None:
    limits = {f"limit_{limit}": limit for limit in (1, 3, 20, 0, -1)}
    for name, limit in {**limits, "api_default_100": 100}.items():
        ours = answers.pnl(spell, limit)
        check_views(name, ours, expected[name]["ledgerView"], expected[name]["pnlView"])
    history = expected["history_cli_default"]
    if "result" in history:
        ours = answers.pnl(spell, 20)
        check_views(
            "history",
            ours,
            history["result"]["sessionLedger"],
            history["result"]["sessionPnl"],
        )
        ids = [run["run_id"] for run in ours["realised"]["runs"]]
        same("history runs", ids, history["result"]["runs"])
    else:
        EXCEPTED["history of a spell: upstream threw"] += 1
    same("runs", answers.of_spell(spell, "run"), expected["runs"])
    same("state", (answers.of_spell(spell, "state") or [None])[0], expected["state"])
    check_lengths(spell, expected["ledger_lengths"], answers)


def check_printed(spell: str, answers: Answers) -> None:
    """The commands print what was compared."""
    assert answers.ask("pnl", spell, "--limit", "3") == answers.pnl(spell, 3)
    for part in ("run", "state"):
        assert answers.records(spell, part) == answers.of_spell(spell, part)


def check_views(what: str, ours: Any, ledger: Any, pnl: Any) -> None:
    """Where the runtime threw, ours leaves out what made it and says so."""
    if "__error" in ledger or "__error" in pnl:
        assert ours["unreadable"], what
    if any(quirk in ours["ledger"][part] for part in ("events", "receipts") for quirk in QUIRKS):
        EXCEPTED[f"{what}: names that counters get wrong"] += 1
        ours["ledger"], ledger = _without_quirks(ours["ledger"]), _without_quirks(ledger)
    same(f"{what} ledger", ours["ledger"], ledger)
    same(f"{what} P&L", ours["pnl"], pnl)


def _without_quirks(view: Any) -> Any:
    return {
        part: {name: count for name, count in value.items() if name not in QUIRKS}
        if part in ("events", "receipts", "triggers")
        else value
        for part, value in view.items()
    }


def check_lengths(spell: str, expected: dict[str, Any], answers: Answers) -> None:
    _, runs = answers.store.summarize()
    of_spell = {run.run_id: run for run in runs if run.session == spell}
    for run_id, length in expected.items():
        if isinstance(length, dict) and "__error" not in length:
            EXCEPTED["a ledger that is no list"] += 1
            continue
        reader = answers.store.open(of_spell[run_id])
        try:
            same("ledger length", reader.refresh().total_events, length or 0)
        finally:
            reader.close()


def test_the_order_of_assets(cases: Cases) -> None:
    pairs = json.loads((cases.folder(ARCHIVE) / "COLLATION.json").read_text("utf-8"))["pairs"]
    wrong = [
        (one, other)
        for one, other, sign in pairs
        if (sort_key(one) > sort_key(other)) - (sort_key(one) < sort_key(other)) != sign
    ]
    assert not wrong
    EQUAL["order of two names"] += len(pairs)
