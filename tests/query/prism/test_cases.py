"""Parity with the answers of the real store, for every case."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.query.prism.store_reader import PrismStore
from tests.case_archives import Cases

ARCHIVE = "prism"
NAMES = (
    "branched", "completed_tools", "corrupt_json", "drift_extra_column", "drift_missing_index",
    "failed_aborted", "killed_tool", "killed_workflow", "large_100k", "leases",
    "migration_unknown_row", "no_checkpoints_leases", "schema_release_v0.0.13",
    "schema_release_v0.0.5", "schema_release_v0.3.0", "schema_step_v3", "suspended",
    "tampered_checksum", "tenants_feedback", "usage_scopes", "wal_uncheckpointed", "workflows",
)  # fmt: skip
VERDICTS = {
    "drift_extra_column": "drifted",
    "drift_missing_index": "drifted",
    "migration_unknown_row": "newer",
    "schema_release_v0.0.13": "legacy_genuine",
    "schema_release_v0.0.5": "legacy_unchecksummed",
    "schema_step_v3": "verified_older",
    "tampered_checksum": "tampered",
}
COMPARED: Counter[str] = Counter()
OURS = ("inspector", "unreadable")
"""Fields of a record that the store does not give."""

Record = Mapping[str, Any]


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how many facts were compared."""
    yield
    listed = ", ".join(f"{count} {name}" for name, count in sorted(COMPARED.items()))
    print(f"\nPrism cases: {sum(COMPARED.values())} facts compared: {listed}")


def same(what: str, ours: object, theirs: object) -> None:
    COMPARED[what] += 1
    assert ours == theirs, what


def same_records(what: str, ours: Sequence[Record], theirs: Sequence[Record]) -> None:
    """Every field of every record, and no field more."""
    same(f"{what} (number)", len(ours), len(theirs))
    for mine, other in zip(ours, theirs, strict=True):
        COMPARED[f"{what} (fields)"] += len(other)
        COMPARED[what] += 1
        assert {key: value for key, value in mine.items() if key not in OURS} == other, what


class Answers:
    """Our JSON about one database."""

    def __init__(self, database: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.database, self.capsys = database, capsys
        self._known: dict[tuple[str, ...], Any] = {}

    def ask(self, *words: str) -> Any:
        if words not in self._known:
            self._known[words] = self._asked(*words)
        return self._known[words]

    def _asked(self, *words: str) -> Any:
        command = [*words, "--in", str(self.database), "--json", "--reveal"]
        assert main(command) == 0, self.capsys.readouterr().err
        return json.loads(self.capsys.readouterr().out)

    def record(self, part: str, of: str | None = None) -> list[Record]:
        found: list[Record] = self.ask("record", of or str(self.database), part)["records"]
        return found


@pytest.fixture
def answers_of(
    cases: Cases,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    set_now: Callable[[str], None],
) -> Callable[[str], tuple[Answers, Any]]:
    """Our answers and the store's own about a case, at the instant at which it was asked."""

    def answers(name: str) -> tuple[Answers, Any]:
        whole = cases.expected(ARCHIVE)
        set_now(whole["evaluatedAt"])
        root = cases.copy(ARCHIVE, name, tmp_path)
        return Answers(root / "prism.db", capsys), whole["cases"][name]

    return answers


Asked = Callable[[str], tuple[Answers, Any]]


@pytest.mark.parametrize("name", NAMES)
def test_verdict_is_what_the_store_itself_says(name: str, cases: Cases, answers_of: Asked) -> None:
    answers, expected = answers_of(name)
    said = json.loads((cases.folder(ARCHIVE) / "OPEN_RESULTS.json").read_text())
    store = answers.record("store")[0]
    # Where an old release answered, OPEN_RESULTS tells what today's says; else EXPECTED does.
    message = said.get(name, expected.get("openError", "ok"))
    opens = message.startswith("ok")
    same("verdict opens", store["opens"], opens)
    same("verdict says", store["says"], None if opens else message)
    same("verdict", store["verdict"], VERDICTS.get(name, "verified_current"))
    listed = answers.ask("runs")["stores"][0]
    same("verdict of store", listed["verdict"], store["verdict"])
    same("health", listed["health"], "ok")


@pytest.mark.parametrize("name", [n for n in NAMES if n != "large_100k"])
def test_every_asserted_fact(name: str, answers_of: Asked) -> None:
    answers, expected = answers_of(name)
    if expected["open"] != "ok":
        # The store refuses these; ours show them all the same.
        assert answers.ask("runs")["runs"]
        return
    if name == "corrupt_json":
        check_where_the_store_threw(answers, expected)
        check_tools_and_usage(answers, expected)
        return
    check_runs(answers, expected)
    check_sessions(answers, expected)
    check_events(answers, expected)
    check_tools_and_usage(answers, expected)
    check_checkpoints(answers, expected)
    check_leases(answers, expected)
    check_rest(answers, expected)
    check_search(answers, expected)


def check_runs(answers: Answers, expected: Any) -> None:
    same_records("run", answers.record("runs"), expected["runs"])
    listed = {run["run_id"]: run for run in answers.ask("runs")["runs"]}
    for run in expected["runs"]:
        ours = listed[run["id"]]
        same("run.raw_status", ours["raw_status"], run["status"])
        same("run.started_at", ours["started_at"], run["startedAt"])
        same("run.ended_at", ours["ended_at"], run.get("finishedAt"))
        same("run.session", ours["session"], run["sessionId"])
    agents = {run["id"] for run in expected["runs"]}
    for status, ids in expected["runs_by_status"].items():
        found = {run for run in agents if listed[run]["raw_status"] == status}
        same("runs by status", found, set(ids))
    for tenant, of_tenant in expected["by_tenant"].items():
        found = {run for run in agents if listed[run]["owner"].get("tenant") == tenant}
        same("runs by tenant", found, set(of_tenant["runs"]))


def check_sessions(answers: Answers, expected: Any) -> None:
    sessions = answers.record("session")
    same_records("session", sessions, expected["sessions"])
    for tenant, of_tenant in expected["by_tenant"].items():
        found = [one["id"] for one in sessions if one.get("tenantId") == tenant]
        same("sessions by tenant", found, of_tenant["sessions"])
    for session, theirs in expected["entries_by_session"].items():
        entries = answers.record("entries", session)
        same_records("entry", entries, theirs["list"])
        paged = sorted(entries, key=lambda one: (one["timestamp"], one["id"]))
        same("entries by page", [one["id"] for one in paged], theirs["page_ids"])
        branches = answers.record("branches", session)
        latest = [one["path"] for one in branches if one["inspector"]["latest"]]
        same("latest branch", latest, [theirs["latestBranch"]] if theirs["latestBranch"] else [])
        paths = {f"{session}|{one['leafId']}": one["path"] for one in branches}
        request = {k: v for k, v in expected["branch_paths"].items() if k.startswith(f"{session}|")}
        same("branch paths", paths, request)
    recorded = [one for one in answers.record("branches") if "leafId" not in one]
    same("recorded branches", recorded, expected["branches"])


def check_events(answers: Answers, expected: Any) -> None:
    for run, theirs in expected["events_by_run"].items():
        events = answers.ask("events", run)["events"]
        same("event (number)", len(events), len(theirs))
        same("event.n", [one["n"] for one in events], list(range(1, len(theirs) + 1)))
        sequences = [one["payload"]["sequence"] for one in events]
        same("event order", sequences, sorted(sequences))
        by_id = {one["id"]: one for one in events}
        for event in theirs:
            ours = by_id[event["id"]]
            # Before release 0.0.6 the store did not give the sequence.
            payload = {key: ours["payload"][key] for key in event}
            COMPARED["event (fields)"] += len(event)
            same("event", payload, event)
            same("event.kind", ours["kind"], event["type"])
            same("event.at", ours["at"], event["timestamp"])


def check_tools_and_usage(answers: Answers, expected: Any) -> None:
    same_records("tool call", answers.record("tool_calls"), expected["toolCalls"])
    usage = answers.record("usage")
    same_records("usage", usage, expected["usage"])
    for scope, ids in expected["usage_by_scope"].items():
        found = [one["id"] for one in usage if one.get("scope") == scope]
        same("usage by scope", found, ids)
    check_sums(answers, expected["usage"])


def check_sums(answers: Answers, rows: Sequence[Record]) -> None:
    """Turns of a run added up, its total only where there is none: worked out anew from rows."""
    used = answers.ask("usage")
    ours = {one["run_id"]: one for one in used["runs"] if one["run_id"] is not None}
    for run in {row["runId"] for row in rows if "runId" in row}:
        of_run = [row for row in rows if row.get("runId") == run]
        turns = [row["usage"] for row in of_run if row["scope"] == "provider_turn"]
        counted = turns or [row["usage"] for row in of_run]
        for name, field in (
            ("input_tokens", "inputTokens"),
            ("output_tokens", "outputTokens"),
            ("cache_read_tokens", "cacheReadTokens"),
            ("cache_write_tokens", "cacheWriteTokens"),
        ):
            told = [one[field] for one in counted if field in one]
            same(f"sum of {name}", ours[run][name], sum(told) if told else None)
        unpriced = sum("cost" not in one for one in counted)
        same("unpriced", ours[run]["unpriced"], unpriced)
        same("source", ours[run]["source"], "provider_turn" if turns else "run_total")
    total = sum(one["input_tokens"] or 0 for one in ours.values())
    same("sum of all", used["total"]["input_tokens"] or 0, total)


def check_checkpoints(answers: Answers, expected: Any) -> None:
    ours = answers.record("checkpoints")
    key = ("updatedAt", "key")
    theirs = sorted(expected["checkpoints"], key=lambda one: [one[name] for name in key])
    mine = sorted(ours, key=lambda one: [one[name] for name in key])
    same_records("checkpoint", mine, theirs)
    newest_first = sorted((one["updatedAt"] for one in ours), reverse=True)
    same("checkpoint order", [one["updatedAt"] for one in ours], newest_first)
    listed = {run["run_id"]: run for run in answers.ask("runs")["runs"]}
    for workflow in expected["workflow_runs"]:
        run = listed[workflow["runId"]]
        same("workflow.raw_status", run["raw_status"], workflow["status"])
        same("workflow.kind", run["kind"], "workflow")
        names = (("tenant", "tenantId"), ("account", "accountId"), ("user", "userId"))
        told = workflow["ownership"]
        owner = {ours_: told[name] for ours_, name in names if name in told}
        same("workflow.owner", run["owner"], owner)
        own = answers.record("checkpoints", workflow["runId"])
        request = [c for c in expected["checkpoints"] if c["key"] == own[0]["key"]]
        same("workflow.version", workflow["version"] in [c["version"] for c in own], True)
        same_records("checkpoint of a run", own, request)
        parts = own[0]["inspector"]["key"]
        same("workflow.key", parts, [workflow["workflowId"], workflow["runId"]])
    waiting = {run for run, one in listed.items() if one["status"] == "waiting"}
    workflows = {one["runId"] for one in expected["workflow_runs"]}
    same("suspended workflows", waiting & workflows, set(expected["workflow_suspended"]))


def check_leases(answers: Answers, expected: Any) -> None:
    ours = {f"{one['namespace']}|{one['key']}": one for one in answers.record("leases")}
    same("lease (number)", set(ours), set(expected["leases"]))
    for name, theirs in expected["leases"].items():
        lease = ours[name]
        # The one named exception: a token is a secret and is never read.
        assert "token" not in lease
        assert theirs["row"]["token"] not in json.dumps(lease)
        for column, value in theirs["row"].items():
            if column != "token" and value is not None:
                words = column.split("_")
                field = words[0] + "".join(word.capitalize() for word in words[1:])
                same("lease (fields)", lease[field], value)
        active = theirs["getLease"] is not None
        same("lease active", lease["inspector"]["state"] == "active", active)


def check_rest(answers: Answers, expected: Any) -> None:
    migrations = [
        [one["name"], one["version"], one.get("checksum")] for one in answers.record("migrations")
    ]
    # A database that the store migrates answers for the migrated copy.
    theirs = [list(one) for one in expected["migrations"]]
    same("migrations", migrations, theirs[: len(migrations)])
    feedback = answers.record("feedback")
    for owner, theirs in expected["feedback"].items():
        request = json.loads(owner)
        names = ("tenantId", "accountId", "userId")
        own = [f for f in feedback if all(f.get(n) == request.get(n) for n in names)]
        same_records("feedback", own, theirs)
    holds = expected.get("legalHolds", {"items": []})["items"]
    same_records("legal hold", answers.record("legal_holds"), holds)
    if "quota" in expected:
        same_records("quota", answers.record("quotas"), [expected["quota"]])
    same("definitions", answers.record("agent_definitions"), expected["agentDefinitions"])


def check_search(answers: Answers, expected: Any) -> None:
    if "search_hello" not in expected:
        return
    with closing(PrismStore(str(answers.database), lambda: 0)) as store:
        found = {hit.session for hit in store.search("hello", 1000)}
    theirs = {one["sessionId"] for one in expected["search_hello"]["items"]}
    same("sessions found", found, theirs)


def check_where_the_store_threw(answers: Answers, expected: Any) -> None:
    """One unreadable cell costs the store its whole answer, and ours that cell."""
    broken = {run["id"]: run["unreadable"] for run in answers.record("runs") if "unreadable" in run}
    same("upstream threw on runs", "error" in expected["runs"], True)
    same("unreadable runs", list(broken.values()), [["error"]])
    same("upstream threw on events", "error" in expected["events_by_run"], True)
    unreadable = []
    for run in answers.record("runs"):
        events = answers.ask("events", run["id"])["events"]
        unreadable += [one["id"] for one in events if "unreadable" in one["payload"]]
        findings = answers.ask("show", run["id"])["findings"]
        damaged = [one for one in findings if one["code"] == "damaged"]
        same("damage is said", bool(damaged), run["id"] in broken)
    same("unreadable events", len(unreadable), 1)
    for session, theirs in expected["entries_by_session"].items():
        same_records("entry", answers.record("entries", session), theirs["list"])


def test_a_hundred_thousand_entries(answers_of: Asked) -> None:
    answers, expected = answers_of("large_100k")
    same_records("run", answers.record("runs"), expected["runs"])
    same_records("session", answers.record("session"), expected["sessions"])
    (session, theirs), *_ = expected["entries_by_session"].items()
    # A hundred thousand rows as text on the way to us would be a test of that text alone.
    with closing(PrismStore(str(answers.database), lambda: 0)) as store:
        entries = store.record_of(session, "entries")[1]
    same("entries", len(entries), theirs["count"])
    same("first entry", entries[0]["id"], theirs["firstId"])
    same("last entry", entries[-1]["id"], theirs["lastId"])
    same("labels", sum(one["kind"] == "label" for one in entries), theirs["labels"])
    same_records("entry", entries[:5], theirs["page1"]["items"])
    same_records("entry", entries[:-6:-1], theirs["page1desc"]["items"])
    branches = answers.record("branches", session)
    same("branches", len(branches), 1)
    same("longest path", branches[0]["path"], [one["id"] for one in entries])
    for run, events in expected["events_by_run"].items():
        ours = answers.ask("events", run)["events"]
        for place, at in (("first", 0), ("last", -1)):
            event = events[place]
            same("event", {key: ours[at]["payload"][key] for key in event}, event)
