"""Tables that are not those of the state document: made otherwise, missing, or damaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.model.status import Status
from inspector.model.store import Health, WriteStyle
from inspector.query.openprose.store_reader import ProseStore
from tests.query.openprose.builders import done, executing, loop, numbered, rows
from tests.query.openprose.databases import NOW, OTHER_EXECUTIONS, Opened, labels, make, words
from tests.store.writers import Writer


class TestTablesOfOtherKinds:
    """Writers who do not follow the document's table."""

    DESCRIBED = (executing(1, "do b", block="b"), done(2, parent=1), loop("l1", 2, parent=1),
                 done(3, parent=3), *(done(n) for n in range(10, 20)))  # fmt: skip

    def described(self, kind: str) -> list[tuple[object, ...]]:
        if not kind.startswith("text ids"):
            return [*rows(*self.DESCRIBED)]
        return [
            (f"step-{n:02d}" if "without" in kind else f"step-{n}",
             *one._replace(parent=None if one.parent is None
                           else f"step-{one.parent:02d}" if "without" in kind
                           else f"step-{one.parent}"))
            for n, one in enumerate(self.DESCRIBED, 1)
        ]  # fmt: skip

    @pytest.mark.parametrize("kind", OTHER_EXECUTIONS)
    def test_the_tree_and_the_events_are_the_same(
        self, tmp_path: Path, opened: Opened, kind: str
    ) -> None:
        usual = opened(make(tmp_path / "usual", rows(*self.DESCRIBED))).refresh()
        path = make(tmp_path, self.described(kind), execution=OTHER_EXECUTIONS[kind])  # type: ignore[arg-type]
        run = opened(path)
        view = run.refresh()
        assert words(view) == words(usual)
        events = run.events(1, 100)
        assert [event.n for event in events] == list(range(1, 15))
        assert [event.text for event in events] == [str(one.text) for one in self.DESCRIBED]
        assert [event.text for event in run.events(3, 2)] == ["loop", "session 3"]

    @pytest.mark.parametrize("kind", OTHER_EXECUTIONS)
    def test_it_can_be_followed(
        self, tmp_path: Path, opened: Opened, kind: str, length: str
    ) -> None:
        path = make(tmp_path, self.described(kind), execution=OTHER_EXECUTIONS[kind])  # type: ignore[arg-type]
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            name = "'step-98'" if kind.startswith("text") else "98"
            writer.sql(
                "INSERT INTO execution (id, statement_index, statement_text, status)"
                f" VALUES ({name}, 90, 'later', 'completed')"
            )
            assert labels(run.refresh())[-1] == "later"
            writer.sql("UPDATE execution SET status = 'failed' WHERE statement_text = 'later'")
            assert words(run.refresh())["90"] == "failed"

    def test_rows_with_the_same_number_all_count(self, tmp_path: Path, opened: Opened) -> None:
        described = [(7, *done(1)), (7, *done(2)), (None, *done(3))]
        run = opened(make(tmp_path, described, execution=OTHER_EXECUTIONS["no key"]))
        assert list(words(run.refresh())) == ["1", "2", "3"]

    def test_a_detail_has_the_rows_of_its_step_whatever_their_ids(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        described = [("a", *executing(1)), ("b", *done(2)), ("c", *done(1))]
        run = opened(make(tmp_path, described, execution=OTHER_EXECUTIONS["text ids"]))
        run.refresh()
        assert [event.id for event in run.context(0).events] == ["a", "c"]

    def test_a_view_named_like_the_table(self, tmp_path: Path, opened: Opened) -> None:
        facts = OTHER_EXECUTIONS["no key"].replace("execution", "x_facts")
        path = make(
            tmp_path,
            execution=facts,
            also=[
                "INSERT INTO x_facts (id, statement_index, statement_text, status)"
                " VALUES (2, 2, 'second', 'completed'), (1, 1, 'first', 'completed')",
                "CREATE VIEW execution AS SELECT * FROM x_facts",
            ],
        )
        run = opened(path)
        assert labels(run.refresh()) == ["first", "second"]
        assert [event.text for event in run.events(2, 1)] == ["second"]

    @pytest.mark.parametrize("broken", ["execution", "bindings", "run", "agents", "receipt"])
    def test_a_view_that_cannot_be_read_costs_nothing_else(
        self, tmp_path: Path, opened: Opened, broken: str
    ) -> None:
        path = make(
            tmp_path,
            rows(done(1)) if broken != "execution" else (),
            also=[f"DROP TABLE {broken}", f"CREATE VIEW {broken} AS SELECT * FROM nowhere"],
        )
        view = opened(path).refresh()
        assert view.run.status is (Status.UNKNOWN if broken == "run" else Status.RUNNING)
        assert view.events == (0 if broken == "execution" else 1)

    def test_without_the_table_there_are_no_events(self, tmp_path: Path, opened: Opened) -> None:
        run = opened(make(tmp_path, also=["DROP TABLE execution"]))
        assert run.refresh().events == 0
        assert run.events(1, 10) == []

    def test_few_columns(self, tmp_path: Path, opened: Opened) -> None:
        path = make(
            tmp_path,
            also=[
                "DROP TABLE execution",
                "CREATE TABLE execution (statement_index, status)",
                "INSERT INTO execution VALUES (1, 'completed'), (2, 'failed')",
            ],
        )
        run = opened(path)
        assert words(run.refresh()) == {"1": "completed", "2": "failed"}
        assert [event.raw_status for event in run.events(1, 5)] == ["completed", "failed"]


def test_a_summary_uses_what_a_reader_of_the_run_learned_from_the_rows(tmp_path: Path) -> None:
    path = make(tmp_path, rows(loop("l1"), done(1)), variant="v2")
    store = ProseStore(str(path), lambda: NOW)
    try:
        before, (run,) = store.summarize()
        assert (before.variant, before.write_style) == ("v2", WriteStyle.NONE)
        opened = store.open(run)
        opened.refresh()
        opened.close()
        after, (run,) = store.summarize()
        assert (after.variant, after.write_style) == ("v3", WriteStyle.APPEND)
        assert run.store == after
    finally:
        store.close()


@pytest.mark.parametrize("variant", ["v1", "v2", "v4", "v5"])
def test_every_version_of_the_schema(tmp_path: Path, opened: Opened, variant: str) -> None:
    run = opened(make(tmp_path, rows(done(1)), variant=variant))
    view = run.refresh()
    assert view.run.store.variant == ("v3" if variant == "v2" else variant)
    assert run.values().rows == 0


@pytest.mark.parametrize("missing", ["bindings", "agents", "imports", "run"])
def test_a_missing_table_is_said_and_costs_nothing(
    tmp_path: Path, opened: Opened, missing: str
) -> None:
    view = opened(make(tmp_path, rows(done(1)), also=[f"DROP TABLE {missing}"])).refresh()
    assert view.run.store.variant == "v5-partial"
    assert view.events == 1


def test_text_that_is_not_utf_8_costs_no_other_row(tmp_path: Path, opened: Opened) -> None:
    path = make(
        tmp_path,
        rows(done(1), done(2, "é"), done(3)),
        also=["UPDATE execution SET statement_text = CAST(x'ff41' AS TEXT) WHERE id = 3",
              "UPDATE run SET root_path = CAST(x'ff' AS TEXT)"],
    )  # fmt: skip
    run = opened(path)
    assert labels(run.refresh()) == ["session 1", "é", "\ufffdA"]
    assert [event.text for event in run.events(1, 3)] == ["session 1", "é", "\ufffdA"]
    assert run.refresh().run.title == "\ufffd"


def test_rows_after_the_damage_are_said_to_be_missing(tmp_path: Path, opened: Opened) -> None:
    path = make(tmp_path, numbered([done(n, "x" * 900) for n in range(1, 400)]))
    with closing(sqlite3.connect(path)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((pages // 2) * size)
        file.write(b"\xff" * size)
    view = opened(path).refresh()
    assert 0 < view.events < 399
    assert view.run.store.health is Health.PARTIAL
    assert "could be read up to row" in (view.run.store.reason or "")
    assert any(finding.code == "damaged" for finding in view.run.findings)
