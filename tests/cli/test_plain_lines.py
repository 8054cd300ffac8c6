"""`values` and `record` as plain lines: sizes, records in records, nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.cli.record import _print
from tests.cli.asking import Inspector
from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import RUN_ID, make
from tests.store.writers import Writer

DESCRIBED = (done(1), done(2))


def test_an_attachment_has_the_size_of_its_file(inspector: Inspector, tmp_path: Path) -> None:
    at = make(tmp_path, rows(*DESCRIBED), bindings=[("report", None, "output", "stands in")])
    folder = at if at.is_dir() else at.parent
    (folder / "attachments").mkdir(exist_ok=True)
    (folder / "attachments" / "report.md").write_bytes(b"x" * 2_000)
    database = next(folder.glob("*.db"))
    with Writer(str(database)) as writer:
        writer.sql("UPDATE bindings SET attachment_path = 'attachments/report.md'")
    inspector.root = tmp_path
    (value,) = inspector("values", RUN_ID, "--json").json["values"]
    assert value["attachment"]["size"] == 2_000
    assert " 2.0 KB  " in inspector("values", RUN_ID).out


def test_where_there_is_nothing_a_sentence_says_so(inspector: Inspector, tmp_path: Path) -> None:
    make(tmp_path, rows(*DESCRIBED))
    inspector.root = tmp_path
    assert inspector("values", RUN_ID).out == "No values recorded.\n"
    assert inspector("record", RUN_ID, "agents").out == "No records.\n"


def test_records_within_a_record_have_lines_of_their_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _print({"name": "critic", "segments": [{"n": 1, "summary": "a"}, {"n": 2}]}, reveal=False)
    assert capsys.readouterr().out.splitlines() == [
        "name: critic", "segments:", "  - n: 1", "    summary: a", "  - n: 2", "",
    ]  # fmt: skip
