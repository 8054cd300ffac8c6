"""Values: which row counts, what a name means in a frame, and contents of any size and kind."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.export import documents
from inspector.model.value import Value
from inspector.query.openprose.values import PREVIEW_BYTES, WHOLE_BYTES
from inspector.text.escape import json_text
from tests.query.openprose.builders import cells, done, executing, rows
from tests.query.openprose.databases import OTHER_EXECUTIONS, Opened, make, reader
from tests.store.writers import Writer

CHAIN = rows(
    executing(1, "do a", block="a"),
    executing(1, "do a", block="a", parent=1),
    executing(1, "do a", block="a", parent=2),
)
"""Three frames inside each other, rows 1, 2 and 3."""


def by_name(found: Any) -> dict[str | None, Value]:
    return {one.name: one for one in found.values}


def resolved(opened: Opened, path: Path, frame: str) -> dict[str | None, str | None]:
    """Name → value in a frame."""
    return {name: one.value for name, one in by_name(opened(path).values(frame)).items()}


class TestScope:
    """What a name means: nearest frame first, the run itself last."""

    BINDINGS = (
        ("x", None, "let", "root"), ("x", 2, "let", "second"), ("y", 1, "let", "first"),
        ("z", 3, "let", "third"), ("n", 0, "let", "zero is the run"),
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("frame", "expected"),
        [
            ("root", {"x": "root", "n": "zero is the run"}),
            ("1", {"x": "root", "y": "first", "n": "zero is the run"}),
            ("2", {"x": "second", "y": "first", "n": "zero is the run"}),
            ("3", {"x": "second", "y": "first", "z": "third", "n": "zero is the run"}),
            ("99", {"x": "root", "n": "zero is the run"}),
        ],
    )
    def test_the_nearest_counts(
        self, tmp_path: Path, opened: Opened, frame: str, expected: dict[str, str]
    ) -> None:
        path = make(tmp_path, CHAIN, bindings=self.BINDINGS)
        assert resolved(opened, path, frame) == expected

    def test_a_circle_of_parents_is_walked_once(self, tmp_path: Path, opened: Opened) -> None:
        circle = rows(executing(1, parent=2), executing(2, parent=1))
        path = make(tmp_path, circle, bindings=[("x", 2, "let", "inside"), ("x", None, "let", "r")])
        assert resolved(opened, path, "1") == {"x": "inside"}

    def test_two_hundred_frames(self, tmp_path: Path, opened: Opened) -> None:
        deep = rows(*(executing(1, "do a", parent=n or None, block="a") for n in range(200)))
        path = make(tmp_path, deep, bindings=[("x", 1, "let", "far out")])
        assert resolved(opened, path, "200") == {"x": "far out"}

    def test_frames_with_names(self, tmp_path: Path, opened: Opened) -> None:
        described = [("outer", *executing(1)), ("inner", *executing(2, parent="outer"))]
        path = make(
            tmp_path,
            described,
            execution=OTHER_EXECUTIONS["text ids"],
            bindings=[("x", "outer", "let", "1"), ("y", "nobody", "let", "2")],
        )
        assert resolved(opened, path, "inner") == {"x": "1"}
        assert {one.scope for one in opened(path).values().values} == {"outer", "nobody"}


class TestDuplicates:
    """No database has the key that the document gives the table."""

    def test_the_newest_row_counts_and_says_how_many_it_hides(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        bindings = [("x", None, "let", str(n)) for n in range(3)] + [("x", 1, "let", "scoped")]
        found = opened(make(tmp_path, bindings=bindings)).values()
        assert found.rows == 4
        assert [(one.scope, one.value, one.superseded) for one in found.values] == [
            ("root", "2", 2), ("1", "scoped", 0),
        ]  # fmt: skip

    def test_names_differ_by_case(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, bindings=[("x", None, "let", "1"), ("X", None, "let", "2")])
        assert len(opened(path).values().values) == 2

    def test_a_value_without_a_name_is_there(self, tmp_path: Path, opened: Opened) -> None:
        (one,) = opened(make(tmp_path, bindings=[(None, None, None, "x")])).values().values
        assert (one.name, one.kind, one.value) == (None, None, "x")


class TestContents:
    """Everything that a cell may hold."""

    @pytest.mark.parametrize(
        ("value", "type_", "text"),
        [
            ("text", "text", "text"), ("", "text", ""), (None, "null", None),
            (12, "integer", "12"), (1.5, "real", "1.5"), (b"\x00\xff", "blob", None),
            ("a\x00b", "text", "a\x00b"), ("\u202e\x1b[2J", "text", "\u202e\x1b[2J"),
        ],
    )  # fmt: skip
    def test_of_every_type(
        self, tmp_path: Path, opened: Opened, value: object, type_: str, text: str | None
    ) -> None:
        path = make(
            tmp_path,
            also=[
                "DROP TABLE bindings",
                "CREATE TABLE bindings (name, execution_id, binding, value)",
            ],
            bindings=(),
        )
        with Writer(path) as writer:
            literal = (
                "NULL" if value is None
                else f"x'{value.hex()}'" if isinstance(value, bytes)
                else f"CAST(x'{value.encode().hex()}' AS TEXT)" if isinstance(value, str)
                else str(value)
            )  # fmt: skip
            writer.sql(f"INSERT INTO bindings VALUES ('x', NULL, 'let', {literal})")
            (one,) = opened(path).values().values
        assert (one.type, one.value) == (type_, text)

    def test_text_that_is_not_utf_8_is_shown_with_signs_for_what_it_was(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        path = make(tmp_path, also=[
            "INSERT INTO bindings (name, value) VALUES (CAST(x'ff41' AS TEXT),"
            " CAST(x'ff42' AS TEXT)), ('next', 'fine')"
        ])  # fmt: skip
        found = by_name(opened(path).values())
        assert found["\ufffdA"].value == "\ufffdB"
        assert found["next"].value == "fine"

    @pytest.mark.parametrize("size", [WHOLE_BYTES, WHOLE_BYTES + 1, 12_000_000])
    def test_large_ones_are_read_when_they_are_asked_for(
        self, tmp_path: Path, opened: Opened, size: int
    ) -> None:
        letters = f"substr(replace(hex(zeroblob({size // 2 + 1})), '00', 'ab'), 1, {size})"
        also = [f"INSERT INTO bindings (name, value) VALUES ('big', {letters})"]
        path = make(tmp_path, also=also)
        run = opened(path)
        (one,) = run.values().values
        assert one.size == size
        assert (one.value is None) == (size > WHOLE_BYTES)
        assert len(one.preview) == PREVIEW_BYTES
        (whole,) = run.values(full=True).values
        assert len(whole.value or "") == size

    def test_a_large_one_is_never_cut_inside_a_character(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        path = make(tmp_path, bindings=[("big", None, "let", "é" * WHOLE_BYTES)])
        (one,) = opened(path).values().values
        assert set(one.preview) <= {"é", "\ufffd"}


class TestMalformedRows:
    """One bad row never costs another."""

    BAD = (
        cells(1, "completed")._replace(metadata="{bad"),
        cells(2, "completed")._replace(metadata='{"cost": NaN}'),
        cells(3, b"completed", b"\xff\x41"),
        cells(4, "Completed "),
        cells(5, None),
        cells(6, "joined"),
        cells("seven", "completed", "x\x00y"),
        cells(8, "completed")._replace(metadata=b"\xff"),
        cells(9, "completed")._replace(metadata="[" * 100_000),
        cells(10, "completed")._replace(metadata='{"a":' * 900 + "1" + "}" * 900),
        cells(11, "completed", "y" * 200_000),
        done(12),
    )

    def test_all_are_there_and_can_be_written_down(self, tmp_path: Path, opened: Opened) -> None:
        run = opened(make(tmp_path, rows(*self.BAD)))
        view = run.refresh()
        assert view.events == len(self.BAD)
        events = run.events(1, 100)
        assert len(events) == len(self.BAD)
        for reveal in (True, False):
            shown = documents.document("show", documents.show(view), reveal=reveal)
            listed = documents.document("events", documents.events(events), reveal=reveal)
            assert len(json.loads(json_text(shown))["steps"]) == len(view.steps)
            assert len(json.loads(json_text(listed))["events"]) == len(events)

    def test_what_is_broken_is_said(self, tmp_path: Path, opened: Opened) -> None:
        view = opened(make(tmp_path, rows(*self.BAD))).refresh()
        broken = [one.ref for one in view.run.findings if one.code == "malformed_metadata"]
        assert broken == ["execution:1", "execution:8", "execution:9"]
        unknown = [one.ref for one in view.run.findings if one.code == "unknown_status"]
        assert unknown == ["execution:4", "execution:5"]


def test_nothing_is_read_of_a_table_without_columns_that_are_known(
    tmp_path: Path, opened: Opened
) -> None:
    path = make(tmp_path, also=["DROP TABLE bindings", "CREATE TABLE bindings (x)",
                                "INSERT INTO bindings VALUES (1)"])  # fmt: skip
    (one,) = opened(path).values().values
    assert (one.name, one.type, one.scope) == (None, "null", "root")


def test_a_column_called_rowid_hides_nothing(tmp_path: Path, opened: Opened) -> None:
    path = make(tmp_path, also=["DROP TABLE bindings",
                                "CREATE TABLE bindings (rowid TEXT, name TEXT, value TEXT)",
                                "INSERT INTO bindings VALUES ('b', 'x', 'old'), ('a', 'x', 'new')",
                                ])  # fmt: skip
    (one,) = opened(path).values().values
    assert (one.value, one.superseded) == ("new", 1)


def test_closing_is_enough(tmp_path: Path) -> None:
    with closing(reader(make(tmp_path))) as run:
        assert run.values().rows == 0
