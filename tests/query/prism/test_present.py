"""The tables in which the records of each tab are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.query.presentation import Field
from inspector.query.prism.present import LEASE_STATUS, PRESENTATION
from inspector.query.prism.store_reader import PrismStore
from tests.query.prism.builders import (
    Statement,
    at,
    checkpoint,
    lease,
    make,
    ms,
    row,
    run,
    session,
    usage,
)

TABLES = PRESENTATION.tables


def cell(record: Mapping[str, Any], field: Field) -> object:
    return field(record) if callable(field) else record.get(field)


def shown(part: str, records: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Each record by the titles of its columns."""
    return [
        {column.title: cell(record, column.value) for column in TABLES[part].columns}
        for record in records
    ]


def records(tmp_path: Path, part: str, *rows: Statement, of: str = "r1") -> list[Mapping[str, Any]]:
    path = make(tmp_path / "prism.db", session(), run("r1"), *rows)
    with closing(PrismStore(str(path), lambda: ms(60_000))) as store:
        listed = {one.run_id: one for one in store.summarize()[1]}
        with closing(store.open(listed[of])) as reader:
            return list(reader.record(part))


def tool(status: str, **more: Any) -> Statement:
    cells = {"session_id": "s1", "run_id": "r1", "tool_call_id": "c1", "name": "read",
             "arguments": {}, "redacted": 0, "started_at": at(0)}  # fmt: skip
    return row("prism_tool_calls", id=f"t-{status}", status=status, **{**cells, **more})


def test_entries_are_listed_by_speaker_and_text(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "Hello"}]
    cells = {"session_id": "s1", "run_id": "r1", "timestamp": at(5)}
    message = json.dumps({"role": "user", "content": content})
    found = records(
        tmp_path,
        "entries",
        row("prism_session_entries", id="e1", kind="message", message=message, **cells),
        row("prism_session_entries", id="e2", kind="compaction", summary="so far", **cells),
        row("prism_session_entries", id="e3", kind="message", message="{bad", **cells),
    )
    listed = shown("entries", found)
    assert listed[0] == {"from": "user", "text": "Hello", "kind": "message", "time": ms(5)}
    assert (listed[1]["from"], listed[1]["text"]) == ("compaction", "so far")
    problem = TABLES["entries"].problem
    assert problem is not None
    assert [problem(one) for one in found] == [None, None, "Not valid JSON: message"]


def test_calls_are_listed_with_status_and_duration(tmp_path: Path) -> None:
    failed = {"error": {"message": "no such file"}}
    found = records(tmp_path, "calls", tool("started"),
                    tool("error", finished_at=at(40), result=failed))  # fmt: skip
    (listed,) = shown("calls", found)
    assert listed == {
        "tool": "read", "status": "error", "took": 40, "progress": 0, "started": ms(0),
        "call": "c1",
    }  # fmt: skip
    problem = TABLES["calls"].problem
    assert problem is not None and problem(found[0]) == "no such file"


def test_usage_is_listed_with_tokens_and_cost(tmp_path: Path) -> None:
    amounts = {"inputTokens": 7, "outputTokens": 2, "cacheReadTokens": 1, "cost": 0.5,
               "currency": "USD"}  # fmt: skip
    (listed,) = shown("usage", records(tmp_path, "usage", usage("u1", amounts, turn=2, attempt=1)))
    assert listed == {
        "scope": "provider_turn", "turn": 2, "attempt": 1, "input": 7, "output": 2,
        "cache read": 1, "cost": "0.5 USD", "time": ms(0),
    }  # fmt: skip


def test_checkpoints_and_leases_are_listed_with_their_state(tmp_path: Path) -> None:
    rows = (
        checkpoint("prism.workflow", "flow/w1", {"workflowId": "flow", "status": "running"}, 4),
        lease("flow/w1", 90_000),
    )
    (listed,) = shown("checkpoints", records(tmp_path / "a", "checkpoints", *rows, of="w1"))
    assert listed == {
        "of": "workflow or saga", "status": "running", "version": 4, "updated": ms(0),
    }  # fmt: skip
    (listed,) = shown("leases", records(tmp_path / "b", "leases", *rows, of="w1"))
    assert listed == {
        "worker": "worker", "state": "active", "expires": ms(90_000), "fencing": 1,
    }  # fmt: skip
    assert LEASE_STATUS.keys() == {"active", "expired", "released", "absent"}


def test_feedback_is_listed_with_its_rating(tmp_path: Path) -> None:
    given = row("prism_run_feedback", id="f1", run_id="r1", session_id="s1", rating=1.0,
                comment="good", tags=[], scorer_ids=[], evaluation_ids=[], created_at=at(7),
                tenant_id="t")  # fmt: skip
    (listed,) = shown("feedback", records(tmp_path, "feedback", given))
    assert listed == {"rating": 1.0, "comment": "good", "by": None, "time": ms(7)}


@pytest.mark.parametrize("part", [*TABLES])
def test_every_cell_of_a_damaged_record_is_shown_without_an_error(part: str) -> None:
    table = TABLES[part]
    odd: list[dict[str, Any]] = [
        {},
        *({name: value for name in ("message", "usage", "result", "inspector", "timestamp")}
          for value in (None, 7, "x", [1], {"error": 3, "role": {}})),
    ]  # fmt: skip
    for record in odd:
        for column in table.columns:
            cell(record, column.value)
        cell(record, table.title)
        if table.problem is not None:
            assert table.problem(record) is None or isinstance(table.problem(record), str)
