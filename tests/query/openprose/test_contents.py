"""What one value holds, read without the others."""

from __future__ import annotations

from pathlib import Path

from inspector.model.value import AttachmentVerdict
from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import Opened, make

DATA = bytes(range(256)) * 400


def test_the_first_bytes_of_a_row_and_how_many_there_are(tmp_path: Path, opened: Opened) -> None:
    bindings = (("text", None, "let", "Grüße"), ("blob", None, "let", DATA), ("n", None, "let", 12))
    run = opened(make(tmp_path, rows(done(1, "x")), bindings=bindings))
    by_name = {one.name: one.row for one in run.values().values}
    text, blob, number = (by_name[name] or 0 for name in ("text", "blob", "n"))
    assert run.content(text, 100) == ("Grüße".encode(), 7)
    assert run.content(blob, 300) == (DATA[:300], len(DATA))
    assert run.content(number, 9) == (b"12", 2)
    assert run.content(999, 9) is None


def test_as_much_of_a_file_as_is_wanted(tmp_path: Path, opened: Opened) -> None:
    path = make(tmp_path, rows(done(1, "x")))
    (path.parent / "attachments").mkdir()
    (path.parent / "attachments" / "large.txt").write_bytes(b"x" * 3_000_000)
    run = opened(path)
    found, data = run.attachment("attachments/large.txt", 2_000_000)
    assert (found.size, len(data)) == (3_000_000, 2_000_000)
    assert found.verdict is AttachmentVerdict.OK_TRUNCATED_PREVIEW
    assert len(run.attachment("attachments/large.txt")[1]) == 65_536
