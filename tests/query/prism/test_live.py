"""Following a run that another process writes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.model.status import Status
from inspector.query.prism.run_reader import COUNT_SECONDS, AgentRun
from inspector.query.prism.store_reader import PrismStore
from inspector.query.reader_pool import ReaderLease, ReaderPool
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.store.read import ZeroTouchReader
from tests.query.prism.builders import (
    Statement,
    Story,
    Writer,
    at,
    checkpoint,
    entry,
    history,
    ms,
    row,
    run,
    schema,
    session,
    usage,
    writing,
)
from tests.query.prism.test_fold import APPROVAL

LONG = 3_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "prism.db"


@pytest.fixture
def writer(path: Path) -> Iterator[Writer]:
    """A program with a database of the newest schema, in the middle of a session."""
    with writing(path) as one:
        one.write(*schema(), *history(), session(), run("r1"))
        yield one


@pytest.fixture
def store(path: Path, writer: Writer) -> Iterator[PrismStore]:
    with closing(PrismStore(str(path), lambda: ms(1000))) as one:
        yield one


def story() -> list[Statement]:
    """A run from start to end, event by event."""
    told = Story().start().turn(1, "a", "b").tool("a", None).tool("b", None)
    told.tool_end("b").tool_end("a", "error").turn(2).tell("agent_suspended", **APPROVAL)
    told.start().tell("agent_resumed", version=2).tool("w1").turn(1, deltas=5)
    return told.tell("agent_finished").statements()


def content(view: RunView) -> tuple[object, ...]:
    """Everything of a view but when it was made."""
    steps = [view.describe(n) for n in range(len(view.steps))]
    of_run = (view.run.status, view.run.findings, view.run.steps, view.run.progress)
    return (steps, list(view.step_of_event), list(view.failures), of_run, view.open)


def opened(store: PrismStore, name: str = "r1") -> RunReader:
    return store.open(next(one for one in store.summarize()[1] if one.run_id == name))


def test_an_updated_view_equals_a_fresh_one_after_each_event(
    store: PrismStore, writer: Writer
) -> None:
    with closing(opened(store)) as reader:
        for n, statement in enumerate(story(), 1):
            assert not reader.changed() or n == 1
            writer.write(statement)
            assert reader.changed()
            view = reader.refresh()
            assert view.total_events == n
            assert reader.refresh() is view
            with closing(opened(store)) as from_start:
                assert content(from_start.refresh()) == content(view)


def test_the_end_of_a_run_is_noticed_without_an_event(store: PrismStore, writer: Writer) -> None:
    with closing(opened(store)) as reader:
        writer.write(*story())
        assert reader.refresh().run.status is Status.RUNNING
        writer.write(
            (
                "UPDATE prism_runs SET status = 'succeeded', finished_at = ? WHERE id = 'r1'",
                (at(500),),
            )
        )
        view = reader.refresh()
    assert view.run.status is Status.COMPLETED
    assert view.run.ended_at == ms(500)


def test_only_added_events_are_read(
    store: PrismStore, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Story().start().turn(1, deltas=LONG)
    writer.write(*told.statements())
    rows: list[int] = []
    read = ReaderLease.read

    def counting(self: ReaderLease, question: Any) -> Any:
        reading: Any = read(self, question)
        page = getattr(reading.value, "page", reading.value)
        rows.append(len(getattr(page, "rows", ())))
        return reading

    with closing(opened(store)) as reader:
        assert reader.refresh().total_events == LONG + 7
        monkeypatch.setattr(ReaderLease, "read", counting)
        later = Story(first=LONG + 8).turn(2, deltas=0)
        for statement in later.statements():
            writer.write(statement)
            reader.refresh()
    assert rows == [1] * len(later.told)


def test_a_killed_run_shows_everything_committed(path: Path, writer: Writer) -> None:
    writer.write(*story()[:20])
    writer.kill()
    with closing(PrismStore(str(path), lambda: ms(1000))) as store, closing(opened(store)) as one:
        view = one.refresh()
    assert view.total_events == 20
    assert view.run.status is Status.RUNNING


def test_a_past_view_shows_the_first_events(store: PrismStore, writer: Writer) -> None:
    statements = story()
    with closing(opened(store)) as reader:
        seen: list[RunView] = []
        for statement in statements:
            writer.write(statement)
            seen.append(reader.refresh())
        for n, then in enumerate(seen, 1):
            again = reader.at(n)
            assert again.events == n
            # What the run's own row says is of now; its steps are of then.
            assert content(again)[:3] == content(then)[:3]
        assert reader.at(0).events == 0
        assert len(reader.at(0).steps) == 0


def test_events_have_the_fields_of_the_store(store: PrismStore, writer: Writer) -> None:
    writer.write(*story())
    with closing(opened(store)) as reader:
        found = reader.events(2, 3)
        assert [one.n for one in found] == [2, 3, 4]
        assert [one.kind for one in found] == [
            "turn_started",
            "provider_turn_started",
            "message_started",
        ]
        assert found[0].payload["sequence"] == 2
        assert found[0].payload["event"]["turn"] == 1
        assert found[0].at == ms(20)
        assert reader.events(1000, 5) == []


def test_repeated_sequences_are_ordered_by_rowid(store: PrismStore, writer: Writer) -> None:
    writer.write("DROP INDEX prism_agent_events_run_sequence_idx")
    writer.write(*Story().start().turn(1).tell("agent_suspended", **APPROVAL).statements())
    with closing(opened(store)) as reader:
        assert reader.refresh().total_events == 9
        again = [
            (sql, [f"again-{cells[0]}", *cells[1:]])
            for sql, cells in Story().start().tell("agent_resumed", version=2).statements()
        ]
        writer.write(*again)
        view = reader.refresh()
        assert view.total_events == 11
        assert [one.kind for one in reader.events(10, 2)] == ["agent_started", "agent_resumed"]
        assert "sequence_repeats" in [one.code for one in view.run.findings]
        writer.write(*Story(first=3).turn(1).statements()[:0], *_later("more", 3))
        assert reader.refresh().total_events == 12
        assert reader.events(12, 1)[0].id == "more-e3"


def _later(prefix: str, sequence: int) -> list[Statement]:
    (sql, cells), *_ = Story(first=sequence).tell("queue_updated").statements()
    return [(sql, [f"{prefix}-e{sequence}", *cells[1:]])]


def test_a_late_event_is_sorted_by_its_sequence(store: PrismStore, writer: Writer) -> None:
    statements = Story().start().turn(1, "a").statements()
    writer.write(*statements[:4], *statements[5:])
    with closing(opened(store)) as reader:
        reader.refresh()
        writer.write(statements[4])
        view = reader.refresh()
        with closing(opened(store)) as from_start:
            assert content(from_start.refresh()) == content(view)
        assert [one.payload["sequence"] for one in reader.events(1, 20)] == list(range(1, 9))


def test_events_deleted_by_retention_are_noticed(path: Path, writer: Writer) -> None:
    writer.write(*story())
    now = [0.0]
    source = ReaderPool(str(path), lambda: ms(1000))
    with closing(AgentRun(str(path), "r1", source.lease(), lambda: ms(1000),
                          monotonic=lambda: now[0])) as reader:  # fmt: skip
        assert reader.refresh().total_events == len(story())
        writer.write("DELETE FROM prism_agent_events WHERE sequence BETWEEN 5 AND 7")
        now[0] += COUNT_SECONDS
        assert reader.refresh().total_events == len(story()) - 3
        writer.write("DELETE FROM prism_agent_events WHERE sequence = 1")
        assert reader.refresh().total_events == len(story()) - 4


def test_long_runs_are_read_in_pages(
    store: PrismStore, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.query.prism.timeline.PAGE_ROWS", 7)
    writer.write(*story())
    with closing(opened(store)) as reader:
        view = reader.refresh()
        assert view.total_events == len(story())
        monkeypatch.setattr("inspector.query.prism.timeline.PAGE_BYTES", 0)
        with closing(opened(store)) as from_start:
            assert content(from_start.refresh()) == content(view)


def test_the_list_follows_writes(store: PrismStore, writer: Writer) -> None:
    assert [one.run_id for one in store.summarize()[1]] == ["r1"]
    assert not store.changed()
    before = store.summarize()
    assert store.summarize() is before
    writer.write(session("s2"), run("r2", "queued", "s2", started_at=at(1)))
    assert store.changed()
    assert [one.run_id for one in store.summarize()[1]] == ["r1", "r2"]
    writer.write(*Story().start().statements(), usage("u1", {"inputTokens": 5}, "run_total"))
    first, second = store.summarize()[1]
    assert first.last_activity_at == ms(10)
    assert first.tokens.input == 5
    assert second.status is Status.PENDING
    writer.write(
        entry("Hello there", run_id="r2", of="s2"),
        ("UPDATE prism_runs SET status = 'suspended' WHERE id = 'r1'", ()),
        checkpoint("prism.agent-run", "r1", {"status": "suspended"}),
        usage("u2", {"inputTokens": 7}),
    )
    first, second = store.summarize()[1]
    assert (first.status, second.title) == (Status.WAITING, "Hello there")
    # A turn was recorded: the total that counted until now is one no more.
    assert first.tokens.input == 7
    writer.write(
        ("UPDATE prism_checkpoints SET version = 2, value = ?", ('{"status": "denied"}',)),
        checkpoint("prism.workflow", "flow/w1", {"status": "running"}),
    )
    first, _, workflow = store.summarize()[1]
    assert (first.status, workflow.run_id) == (Status.FAILED, "w1")
    writer.write("DELETE FROM prism_checkpoints")
    assert len(store.summarize()[1]) == 2


def test_a_restored_database_is_read_again(store: PrismStore, writer: Writer) -> None:
    writer.write(*story(), usage("u1", {"inputTokens": 5}))
    assert store.summarize()[1][0].tokens.input == 5
    writer.write(
        "DELETE FROM prism_usage",
        "DELETE FROM prism_agent_events WHERE sequence > 3",
    )
    one = store.summarize()[1][0]
    assert one.tokens.input is None
    assert one.last_activity_at == ms(30)


def test_a_schema_change_is_noticed(store: PrismStore, writer: Writer) -> None:
    assert store.summarize()[0].verdict == "verified_current"
    writer.write("ALTER TABLE prism_runs ADD COLUMN custom TEXT")
    assert store.summarize()[0].verdict == "drifted"
    writer.write("UPDATE prism_migrations SET checksum = 'x' WHERE version = '2'")
    assert store.summarize()[0].verdict == "tampered"


def test_readers_share_one_private_copy(
    store: PrismStore, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    begin = ZeroTouchReader.__init__

    def counting(self: ZeroTouchReader, path: str, **more: Any) -> None:
        made.append(path)
        begin(self, path, **more)

    monkeypatch.setattr(ZeroTouchReader, "__init__", counting)
    writer.write(*story(), *(run(f"more{n}") for n in range(20)))
    for one in store.summarize()[1]:
        with closing(store.open(one)) as reader:
            reader.refresh()
    assert made == []


def test_a_change_read_by_one_lease_is_still_new_to_another(
    store: PrismStore, writer: Writer
) -> None:
    with closing(opened(store)) as first, closing(opened(store)) as second:
        first.refresh()
        second.refresh()
        writer.write(*Story().start().statements())
        assert first.refresh().total_events == 1
        assert second.changed()
        assert second.refresh().total_events == 1
        assert not second.changed()


def test_activity_of_a_node_is_activity_of_its_workflow(store: PrismStore, writer: Writer) -> None:
    value = {"status": "running", "nodes": {"a": {"status": "running"}}}
    writer.write(checkpoint("prism.workflow", "flow/w1", value))
    with closing(opened(store, "w1")) as reader:
        assert reader.refresh().describe(0).status is Status.RUNNING
        changed = '{"status": "succeeded", "nodes": {"a": {"status": "succeeded"}}}'
        writer.write(("UPDATE prism_checkpoints SET version = 2, value = ?", (changed,)))
        view = reader.refresh()
    assert view.describe(0).status is Status.COMPLETED
    assert view.run.status is Status.COMPLETED
    assert view.step_of_event == array("i")


def test_the_context_of_a_tool_call_has_its_own_rows(store: PrismStore, writer: Writer) -> None:
    told = Story().start().turn(1, "c1").tool("c1").turn(2, "c1").tool("c1")
    calls = [
        row(
            "prism_tool_calls", id=f"t{n}", session_id="s1", run_id="r1", tool_call_id="c1",
            name="read", arguments={"n": start}, status=status, started_at=at(start), redacted=1,
            result=None if status == "started" else {"value": "[REDACTED]"},
        )
        for n, (start, status) in enumerate(
            [(90, "started"), (90, "finished"), (180, "started"), (180, "finished")]
        )
    ]  # fmt: skip
    writer.write(*told.statements(), *calls)
    with closing(opened(store)) as reader:
        view = reader.refresh()
        calls_of = [n for n in range(len(view.steps)) if view.describe(n).kind == "tool_call"]
        contexts = [reader.context(n) for n in calls_of]
    arguments = [one.values.values[0].value for one in contexts]
    assert arguments == ['{"n": 90}', '{"n": 180}']
    assert [len(one.related["prism_tool_calls"]) for one in contexts] == [2, 2]
    assert [[event.kind for event in one.events] for one in contexts] == [
        ["tool_execution_started", "tool_execution_finished"]
    ] * 2
