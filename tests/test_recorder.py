"""The recorder tells facts, which must not change, from wording, which may."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recorder import Comparison, bounded, compare_rows


def row(document: object, code: int = 0) -> dict[str, Any]:
    text = document if isinstance(document, str) else json.dumps(document)
    return {"command": "show", "code": code, "out": text, "err": ""}


def compared(before: dict[str, Any], after: dict[str, Any], *, machine: bool = True) -> Comparison:
    result = Comparison()
    compare_rows("show", before, after, result, machine=machine)
    return result


@pytest.mark.parametrize(
    "after",
    [
        row({"run": {"status": "failed"}, "steps": [1]}),
        row({"run": {"status": "ok"}, "steps": [1, 2]}),
        row({"run": {"status": "ok"}, "steps": [True]}),
        row({"run": {}, "steps": [1]}),
        row({"run": {"status": "ok"}, "steps": [1]}, code=4),
    ],
)
def test_a_changed_value_or_exit_code_is_a_fact(after: dict[str, Any]) -> None:
    result = compared(row({"run": {"status": "ok"}, "steps": [1]}), after)
    assert len(result.facts) == 1 and not result.equal


def test_a_reworded_sentence_is_wording() -> None:
    before, after = ({"findings": [{"code": "quiet", "message": text}]} for text in ("a", "b"))
    result = compared(row(before), row(after))
    assert not result.facts and len(result.wording) == 1
    assert result.sentences == {("a", "b"): 1}


def test_the_order_of_keys_is_no_difference() -> None:
    assert compared(row('{"a": 1, "b": 2}'), row('{"b": 2, "a": 1}')).equal == 1


def test_text_is_wording_with_its_lines() -> None:
    result = compared(row("same\nold"), row("same\nnew"), machine=False)
    assert result.wording == ["show\n    -old\n    +new"]


def test_a_long_document_is_kept_as_a_hash_of_its_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.recorder.LONGEST_OUTPUT", 10)
    texts = [json.dumps({"n": n, "message": text}) for n, text in ((1, "a"), (1, "b\\"), (2, "a"))]
    first, reworded, changed = map(bounded, texts)
    assert first == reworded != changed


def test_recordings_of_another_archive_are_ignored(tmp_path: Path) -> None:
    from tests.recorder import Answer, Writer, compare

    for name, archive in (("before", "prism"), ("after", "grimoire")):
        writer = Writer(tmp_path / name, archive, "/home")
        writer.write("json", "runs", Answer(0, "{}", ""))
        writer.close()
    result = compare(tmp_path / "before", tmp_path / "after", ["json"])
    assert (result.equal, result.facts) == (0, [])
