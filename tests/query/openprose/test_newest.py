"""The end of a long run before the whole of it was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.model.clock import system_clock
from inspector.model.status import Status
from inspector.query import rows as query_rows
from inspector.query.openprose import newest
from inspector.query.openprose.run_reader import ProseRun
from inspector.query.progress import ReadCancelled
from inspector.query.workspace import Workspace
from tests.query.openprose.builders import done, executing, failed, rows
from tests.query.openprose.databases import OTHER_EXECUTIONS, Opened, labels, make
from tests.store.builders import untouched


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve events are a long run, and three its end."""
    monkeypatch.setattr(newest, "LONG", 12)
    monkeypatch.setattr(newest, "NEWEST", 3)


def long_run(folder: Path, *last: object) -> Path:
    """A block, a block in it, twenty statements, and what is given."""
    before = [executing(1, "do all"), executing(2, "do some", parent=1)]
    before += [done(number, f"early {number}") for number in range(3, 23)]
    return make(folder, rows(*before, *last))  # type: ignore[arg-type]


def test_the_end_stands_below_what_it_names_as_its_parents(tmp_path: Path, opened: Opened) -> None:
    path = long_run(
        tmp_path,
        done(3, "late one", parent=2),
        failed(4, "no answer", "late two", parent=2),
        executing(5, "late three"),
    )
    with untouched(path.parent):
        view = opened(path).newest()
    assert view is not None
    assert view.partial
    steps = view.steps
    assert labels(view) == ["do all", "do some", "late one", "late two", "late three"]
    assert list(steps.parent) == [-1, 0, 1, 1, -1]
    assert [steps.status_of(number) for number in (2, 3, 4)] == [
        Status.COMPLETED, Status.FAILED, Status.RUNNING,
    ]  # fmt: skip
    assert view.run.status is Status.RUNNING
    assert view.run.order_only
    assert view.run.steps.total is None


def test_nothing_in_it_has_a_number_that_the_whole_would_not_give(
    tmp_path: Path, opened: Opened
) -> None:
    path = long_run(tmp_path, executing(3, "tried"), failed(3, "no", "tried"), done(3, "tried"))
    view = opened(path).newest()
    assert view is not None
    step = view.describe(len(view.steps) - 1)
    assert step.label == "tried"
    assert (step.first_event, step.last_event) == (None, None)
    assert [one.last_event for one in step.attempts] == [None, None]


def test_a_run_that_is_read_in_a_moment_has_no_part(tmp_path: Path, opened: Opened) -> None:
    path = make(tmp_path, rows(*(done(number) for number in range(12))))
    assert opened(path).newest() is None


def test_what_was_read_whole_has_no_part(tmp_path: Path, opened: Opened) -> None:
    run = opened(long_run(tmp_path))
    run.refresh()
    assert run.newest() is None


@pytest.mark.parametrize("kind", sorted(OTHER_EXECUTIONS))
def test_tables_that_others_make_are_read_whole_or_by_their_end(
    kind: str, tmp_path: Path, opened: Opened
) -> None:
    described = rows(*(done(number, f"s{number}") for number in range(20)))
    path = make(tmp_path, described, execution=OTHER_EXECUTIONS[kind])
    run = opened(path)
    view = run.newest()
    whole = labels(run.refresh())
    assert view is None or labels(view) == whole[-3:]


def test_how_far_it_is_is_told_and_can_end_it(tmp_path: Path, opened: Opened) -> None:
    told: list[tuple[int, int]] = []
    run = opened(long_run(tmp_path))
    run.on_progress(lambda done, of: told.append((done, of)))
    run.refresh()
    assert told[-1] == (22, 22)

    def enough(done: int, of: int) -> None:
        raise ReadCancelled

    other = ProseRun(run._place, system_clock())
    other.on_progress(enough)
    with pytest.raises(ReadCancelled):
        other.refresh()
    other.close()


def test_the_list_leaves_a_long_run_to_whoever_follows_it(tmp_path: Path) -> None:
    long_run(tmp_path)
    workspace = Workspace([str(tmp_path)], system_clock(), str(tmp_path))
    workspace.discover()
    ((_, (run,)),) = workspace.summaries()
    assert workspace.read_whole(run, spare_long=True).steps.total is None
    assert workspace.read_whole(run, spare_long=True).complete
    assert workspace.read_whole(run).steps.total == 21, "steps that have none inside"
    workspace.close()


def test_it_can_be_ended_before_anything_was_folded(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_rows, "PART", 5)
    told: list[tuple[int, int]] = []
    run = opened(long_run(tmp_path))

    def after_three(done: int, of: int) -> None:
        told.append((done, of))
        if len(told) == 3:
            raise ReadCancelled

    run.on_progress(after_three)
    with pytest.raises(ReadCancelled):
        run.refresh()
    assert told == [(0, 1)] * 3, "fifteen of twenty-two rows were read"
