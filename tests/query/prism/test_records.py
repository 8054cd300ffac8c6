"""The store's records behind the tabs, and fields that are never shown."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.query.prism.records import PARTS
from inspector.query.prism.store_reader import PrismStore
from tests.query.prism.builders import (
    Story,
    at,
    checkpoint,
    entry,
    lease,
    make,
    ms,
    row,
    run,
    schema,
    session,
    writing,
)

TOKEN = "capability-of-the-worker"
SECRET = "hunter2 in an argument"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    pending = {
        "status": "suspended",
        "sessionId": "s1",
        "deadlineAt": at(60_000),
        "pendingCalls": [{"call": {"id": "w1", "arguments": {"note": SECRET, "n": 4}}}],
    }
    return make(
        tmp_path / "prism.db",
        session("s1", metadata={"title": "Tides"}),
        session("s2", parent_session_id="s1"),
        session("lead-1-session"),
        run("root", "suspended", tenant_id="acme"),
        run("child", "succeeded", "lead-1-session", tenant_id="acme", started_at=at(50)),
        row(
            "prism_tool_calls", id="t1", session_id="s1", run_id="root", tool_call_id="d1",
            name="delegate", arguments={}, status="started", started_at=at(40), redacted=0,
        ),
        entry("a", run_id="root"),
        entry("b", "a"),
        entry("c", "a", kind="label", message=None, label="fork"),
        entry("x", "b", of="s2", run_id="root"),
        entry("y", "gone", of="s2"),
        checkpoint("prism.agent-run", "root", pending, category="agent-run"),
        checkpoint("prism.workflow", "my%20flow/w1", {"status": "running"}),
        lease("my%20flow/w1", 60_000),
        row(
            "prism_run_feedback", id="f1", run_id="root", session_id="s1", tags=["good"],
            scorer_ids=[], evaluation_ids=[], created_at=at(0), tenant_id="acme", rating=-0.5,
        ),
        row(
            "prism_legal_holds", id="h1", resource_kind="session", resource_id="s1",
            reason="litigation", created_at=at(0),
        ),
        *Story("root").start().statements(),
    )  # fmt: skip


def ask(
    database: Path, capsys: pytest.CaptureFixture[str], *words: str, reveal: bool = True
) -> Any:
    more = ["--reveal"] if reveal else []
    command = ["record", *words, "--in", str(database.parent), "--json", *more]
    assert main(command) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_records_are_found_by_session_store_or_run(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(database, capsys, "s2")["part"] == "session"
    for store in (str(database), str(database.parent), database.name):
        assert ask(database, capsys, store)["part"] == "store"
    assert ask(database, capsys, "root")["part"] == "run"
    assert ask(database, capsys, "lead-1")["records"][0]["id"] == "lead-1-session"
    assert main(["record", "nowhere", "--in", str(database)]) == 3
    assert main(["record", "s1", "nothing", "--in", str(database)]) == 2
    assert "no part 'nothing'" in capsys.readouterr().err


def test_a_name_in_two_stores_is_ambiguous(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in ("a", "b"):
        make(tmp_path / place / "prism.db", session("s1"))
    assert main(["record", "s1", "--in", str(tmp_path)]) == 3
    assert "matches 2 names" in capsys.readouterr().err


def test_sessions_form_a_tree_with_guesses_marked(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = ask(database, capsys, str(database), "session")["records"]
    ours = {one["id"]: one["inspector"] for one in records}
    assert (ours["s1"]["children"], ours["s2"]["depth"]) == (["s2"], 1)
    assert (ours["s1"]["entries"], ours["s1"]["runs"]) == (3, 1)
    guess = ours["lead-1-session"]["parent_guess"]
    assert (guess["guess"], guess["supervisor"], guess["runs"]) == (True, "lead", ["root"])
    assert "parent_guess" not in ours["s2"]
    assert (ours["s1"]["clone_of"], ours["s2"]["clone_of"]) == ([], ["s1"])


def test_branches_are_leaves_with_their_paths(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ask(database, capsys, "s1", "branches")["records"]
    assert {one["leafId"]: one["path"] for one in first} == {"b": ["a", "b"], "c": ["a", "c"]}
    assert [one["leafId"] for one in first if one["inspector"]["latest"]] == ["c"]
    second = {one["leafId"]: one for one in ask(database, capsys, "s2", "branches")["records"]}
    assert second["x"]["path"] == ["b", "x"]
    assert second["x"]["inspector"]["parent_session"] == "s1"
    assert second["y"]["inspector"]["parent_missing"] == "gone"


def test_checkpoints_have_decoded_keys_and_remaining_time(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_NOW", str(ms(20_000)))
    records = ask(database, capsys, str(database), "checkpoints")["records"]
    ours = {one["namespace"]: one["inspector"] for one in records}
    assert ours["prism.workflow"]["key"] == ["my flow", "w1"]
    assert ours["prism.agent-run"]["deadline_in_ms"] == 40_000
    own = ask(database, capsys, "root", "checkpoints")["records"]
    assert [one["key"] for one in own] == ["root"]


def test_arguments_of_pending_calls_are_masked_entirely(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ask(database, capsys, "root", "checkpoints", reveal=False)
    call = whole["records"][0]["value"]["pendingCalls"][0]["call"]
    assert call == {
        "id": "w1",
        "arguments": {
            "note": f"‹masked: argument, {len(SECRET)} chars›",
            "n": "‹masked: argument, 1 chars›",
        },
    }
    assert whole["masked"] == 2
    assert main(["record", "root", "checkpoints", "--in", str(database)]) == 0
    assert SECRET not in capsys.readouterr().out
    shown = ask(database, capsys, "root", "checkpoints")
    arguments = shown["records"][0]["value"]["pendingCalls"][0]["call"]["arguments"]
    assert arguments == {"note": SECRET, "n": 4}


def test_a_lease_is_explained_and_its_token_withheld(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for now, state in ((20_000, "active"), (90_000, "expired")):
        monkeypatch.setenv("INSPECTOR_NOW", str(ms(now)))
        (own,) = ask(database, capsys, "w1", "leases")["records"]
        assert own["inspector"]["state"] == state
        assert own["ownerId"] == "worker"
    with closing(PrismStore(str(database), lambda: ms(0))) as store:
        runs = {one.run_id: one for one in store.summarize()[1]}
        for part in PARTS:
            told = [store.record_of(subject, part)[1] for subject in (None, "s1")]
            for name in ("root", "w1"):
                with closing(store.open(runs[name])) as reader:
                    told.append(reader.record(part))
            assert TOKEN not in json.dumps(told)


def test_a_replaced_worker_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make(
        tmp_path / "p.db",
        checkpoint("prism.workflow", "f/w1", {"status": "running"}, fencing_token=2),
        lease("f/w1", 60_000),
    )
    (own,) = ask(path, capsys, "w1", "leases")["records"]
    assert own["inspector"]["refused"] is True


def test_a_workflow_without_a_lease_has_an_absent_lease(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path / "p.db", checkpoint("prism.workflow", "f/w1", {"status": "running"}))
    (own,) = ask(path, capsys, "w1", "leases")["records"]
    assert own["inspector"]["state"] == "absent"


def test_tool_calls_lists_rows_and_calls_joins_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = {
        "session_id": "s1", "run_id": "r1", "tool_call_id": "c1", "name": "read",
        "arguments": {"q": 1}, "redacted": 1,
    }  # fmt: skip
    rows = [("started", 0, None), ("started", 0, {"pct": 50}), ("finished", 0, None)]
    path = make(
        tmp_path / "p.db",
        session(),
        run(),
        *(
            row("prism_tool_calls", id=f"t{n}", status=s, started_at=at(t), progress=p, **call)
            for n, (s, t, p) in enumerate([*rows, ("blocked", 9, None)])
        ),
    )
    assert len(ask(path, capsys, "r1", "tool_calls")["records"]) == 4
    first, second = ask(path, capsys, "r1", "calls")["records"]
    assert first["inspector"]["transitions"] == ["started", "started", "finished"]
    assert (first["progress"], first["status"]) == ({"pct": 50}, "finished")
    assert second["status"] == "blocked"


def test_other_tables_have_records_too(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(database, capsys, str(database), "legal_holds")["records"][0]["reason"]
    feedback = ask(database, capsys, "root", "feedback")["records"]
    assert (feedback[0]["rating"], feedback[0]["tags"]) == (-0.5, ["good"])
    migrations = ask(database, capsys, str(database), "migrations")["records"]
    assert {one["inspector"]["checksum"] for one in migrations} == {"current"}
    store = ask(database, capsys, str(database), "store")["records"][0]
    assert (store["verdict"], store["rows"]["prism_runs"]) == ("verified_current", 2)


@pytest.mark.parametrize("version", [3, 8])
def test_search_works_with_and_without_the_index(tmp_path: Path, version: int) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "How do tides\n work?"}]}
    indexed = row(
        "prism_session_search_fts", session_id="s1", entry_id="e1", body="How do tides work?"
    )
    path = make(
        tmp_path / "prism.db",
        session("s1") if version == 8 else row("prism_sessions", id="s1", created_at=at(0),
                                               updated_at=at(0)),
        entry("e1", run_id="r1", message=message),
        entry("e2", "e1"),
        *([indexed] if version == 8 else []),
        version=version,
    )  # fmt: skip
    with closing(PrismStore(str(path), lambda: 0)) as store:
        (hit,) = store.search("tides WORK", 10)
        assert (hit.session, hit.run_id, hit.ref) == ("s1", "r1", "e1")
        assert hit.text == "How do tides work?"
        assert store.search("nothing like it", 10) == []
        assert store.search('"', 10) == []
        assert store.search("", 10) == []


def test_search_falls_back_when_the_index_is_damaged(tmp_path: Path) -> None:
    path = make(
        tmp_path / "prism.db",
        session(),
        entry("tides"),
        "DROP TABLE prism_session_search_fts",
        "CREATE TABLE prism_session_search_fts (entry_id)",
    )
    with closing(PrismStore(str(path), lambda: 0)) as store:
        assert [one.ref for one in store.search("tides", 10)] == ["tides"]


def test_a_missing_wal_is_suspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with writing(tmp_path / "prism.db") as writer:
        writer.write(*schema())
        writer.kill()
    (tmp_path / "prism.db-wal").unlink()
    assert main(["doctor", "--in", str(tmp_path), "--json"]) == 0
    (refused,) = json.loads(capsys.readouterr().out)["not_stores"]
    assert (refused["health"], "-wal file" in refused["reason"]) == ("empty", True)


def test_doctor_reports_the_message_of_prism(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "prism.db", "ALTER TABLE prism_runs ADD COLUMN custom TEXT")
    assert main(["doctor", "--in", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "Prism 0.3.0 says: Persistence schema table prism_runs has unexpected columns." in told
    assert "prism_runs has an unexpected column custom" in told
    assert main(["doctor", "--in", str(tmp_path), "--json"]) == 0
    (store,) = json.loads(capsys.readouterr().out)["stores"]
    assert (store["verdict"], store["health"]) == ("drifted", "ok")


def test_runs_of_one_owner(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["runs", "--owner", "acme", "--in", str(database), "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)["runs"]
    assert {one["run_id"] for one in found} == {"root", "child"}
