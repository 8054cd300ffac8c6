"""What is asked between two looks at a run hides nothing that was written meanwhile."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.runs import LIVE
from benchmarks.writers import OneRowPerCall, make_run, row_sql
from inspector.model.clock import system_clock
from inspector.query.run_reader import RunReader
from inspector.query.workspace import Workspace

QUESTIONS: dict[str, Callable[[RunReader], object]] = {
    "events": lambda reader: reader.events(1, 10),
    "values": lambda reader: reader.values(),
    "context": lambda reader: reader.context(0),
    "record": lambda reader: reader.record("run"),
}


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_commit_before_a_question_is_still_news(
    tmp_path: Path, journal: str, question: Callable[[RunReader], object]
) -> None:
    database = make_run(tmp_path / LIVE, journal, 3)
    workspace = Workspace([str(tmp_path)], system_clock(), str(tmp_path))
    ((_, runs),) = workspace.summaries()
    reader = workspace.open(runs[0])
    try:
        assert reader.refresh().total_events == 3
        assert not OneRowPerCall().run(database, row_sql(4)).trouble
        question(reader)
        assert reader.changed()
        assert reader.refresh().total_events == 4
        question(reader)
        assert not reader.changed(), "nothing was written since"
    finally:
        reader.close()
        workspace.close()
