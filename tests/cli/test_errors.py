"""What cannot be had is said in one sentence, with the exit code that says which kind it is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from inspector.cli import main as door
from inspector.cli.main import main
from inspector.config.log import close_log, log_path
from tests.cli.asking import Inspector, begin, one_sentence
from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import RUN_ID, make
from tests.store.writers import Writer

READERS = (("show",), ("events",), ("values",), ("record",), ("receipts",), ("usage",))


@pytest.mark.parametrize(
    "words",
    [
        ("runs", "--limit", "few"),
        ("runs", "--limit", "-1"),
        ("runs", "--status", "happy"),
        ("runs", "--runtime", "cobol"),
        ("runs", "--since", "yesterday"),
        ("runs", "--json", "--jsonl"),
        ("runs", "surplus"),
        ("runs", "--no-such-option"),
        ("show",),
        ("show", "latest", "--at", "soon"),
        ("show", "latest", "--at", "99"),
        ("show", "latest", "--depth", "1.5"),
        ("show", "latest", "--depth", "٣"),
        ("values", "latest", "--frame", "nowhere"),
        ("values", "latest", "--frame", "²"),
        ("record", "latest", "no_such_part"),
        ("--no-such-option",),
    ],
)
def test_bad_usage_is_2(inspector: Inspector, tmp_path: Path, words: tuple[str, ...]) -> None:
    make(tmp_path, rows(done(1)))
    answer = inspector(*words, here=words[0] != "--no-such-option")
    assert answer.code == 2
    assert one_sentence(answer.err), answer.err
    assert answer.out == ""


@pytest.mark.parametrize("now", ["soon", "²", "2026-13-45", "1e9", "-", "99999-01-01", "9" * 5000])
def test_a_clock_that_is_none_is_2(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch, now: str
) -> None:
    monkeypatch.setenv("INSPECTOR_NOW", now)
    answer = inspector("runs")
    assert answer.code == 2
    assert one_sentence(answer.err), answer.err


@pytest.mark.parametrize("now", ["0", "-1", "99999999999999999", "0001-01-01", "9999-12-31"])
def test_a_clock_may_stand_anywhere(
    inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: str
) -> None:
    make(tmp_path, rows(done(1, started="2026-01-16 20:00:00")))
    monkeypatch.setenv("INSPECTOR_NOW", now)
    for words in (("runs",), ("runs", "--json"), ("show", "latest"), ("show", "latest", "--json")):
        assert inspector(*words).code == 0


@pytest.mark.parametrize("command", ["runs", "doctor", "show", "watch"])
def test_a_missing_path_is_3(inspector: Inspector, tmp_path: Path, command: str) -> None:
    words = (command, "latest") if command == "show" else (command,)
    answer = inspector(*words, "--in", str(tmp_path / "nowhere"), here=False)
    assert answer.code == 3
    assert one_sentence(answer.err)
    assert "nowhere" in answer.err


@pytest.mark.parametrize("words", READERS)
def test_a_run_that_is_not_there_is_3(inspector: Inspector, words: tuple[str, ...]) -> None:
    answer = inspector(*words, "no-such-run")
    assert answer.code == 3
    assert one_sentence(answer.err)


@pytest.mark.parametrize("text", ["latest", "", "20260116"])
def test_no_run_at_all_is_3(inspector: Inspector, text: str) -> None:
    answer = inspector("show", text)
    assert answer.code == 3
    assert one_sentence(answer.err)


def test_an_ambiguous_run_is_3_and_lists_the_candidates(
    inspector: Inspector, tmp_path: Path
) -> None:
    for name in ("20260116-000000-a", "20260116-000000-b"):
        make(tmp_path, name=name, run_id=name)
    answer = inspector("show", "20260116")
    assert answer.code == 3
    assert answer.err.count("openprose:") == 2
    assert "2 runs" in answer.err


def test_of_very_many_candidates_some_are_listed(inspector: Inspector, tmp_path: Path) -> None:
    for number in range(13):
        make(tmp_path, name=f"20260116-{number:06}", run_id=f"20260116-{number:06}")
    answer = inspector("show", "20260116")
    assert answer.err.count("openprose:") == 10
    assert "3 more" in answer.err


@pytest.mark.parametrize("words", [("show",), ("events",), ("values",), ("record",)])
def test_a_store_that_cannot_be_read_now_is_4(
    inspector: Inspector, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = make(tmp_path, rows(*(done(n, "x" * 900) for n in range(1, 200))))
    with Writer(path) as writer:
        writer.sql(
            "PRAGMA journal_mode=MEMORY",
            "PRAGMA cache_size=1",
            "BEGIN EXCLUSIVE",
            "UPDATE execution SET statement_text = replace(statement_text, 'x', 'y')",
        )
        answer = inspector(*words, RUN_ID)
    assert answer.code == 4
    assert one_sentence(answer.err)
    assert str(path) in answer.err


@pytest.mark.parametrize("content", [b"", b"hello\n" * 500, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_file_that_is_no_database_is_4(
    inspector: Inspector, tmp_path: Path, content: bytes
) -> None:
    folder = tmp_path / "runs" / RUN_ID
    folder.mkdir(parents=True)
    (folder / "state.db").write_bytes(content)
    answer = inspector("show", RUN_ID)
    assert answer.code == 4
    assert one_sentence(answer.err)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_4(inspector: Inspector, tmp_path: Path) -> None:
    make(tmp_path, rows(done(1))).chmod(0)
    assert inspector("show", RUN_ID).code == 4


def test_a_current_folder_that_is_gone_is_3(
    inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    shutil.rmtree(folder)
    answer = inspector("runs", here=False)
    assert answer.code == 3
    assert one_sentence(answer.err)
    monkeypatch.chdir(tmp_path)


class TestWhateverHappens:
    """No traceback, and nothing raw on the terminal."""

    def raising(self, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
        def fail(words: object) -> int:
            raise error

        monkeypatch.setattr(door, "_dispatch", fail)

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (RuntimeError("oh"), 70),
            (RecursionError("too deep"), 70),
            (MemoryError(), 70),
            (OSError(28, "No space left on device", "/x"), 4),
            (PermissionError(13, "Permission denied", "/x"), 4),
            (KeyboardInterrupt(), 130),
        ],
    )
    def test_faults_are_sentences(
        self, inspector: Inspector, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
    ) -> None:
        self.raising(monkeypatch, error)
        answer = inspector("runs", here=False)
        assert answer.code == code
        assert code == 130 or one_sentence(answer.err)

    def test_an_internal_error_names_the_log_with_the_traceback(
        self, inspector: Inspector, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        close_log()
        self.raising(monkeypatch, RuntimeError("oh"))
        answer = inspector("runs", here=False)
        assert answer.code == 70
        assert answer.err == f"inspector: Internal error: RuntimeError: oh (log: {log_path()}).\n"
        assert "Traceback (most recent call last)" in log_path().read_text(encoding="utf-8")
        close_log()

    def test_debug_writes_to_the_log_only(self, inspector: Inspector, tmp_path: Path) -> None:
        close_log()
        make(tmp_path, name="a", run_id="one")
        plain = inspector("runs", "--json")
        assert not log_path().exists()
        assert inspector("runs", "--json", "--debug").out == plain.out
        assert " DEBUG inspector " in log_path().read_text(encoding="utf-8")
        close_log()

    def test_names_from_data_do_not_reach_the_terminal_raw(
        self, inspector: Inspector, tmp_path: Path
    ) -> None:
        evil = "x\x1b]52;c;ZXZpbA==\x07\u202e"
        for name in ("a", "b"):
            make(tmp_path, name=name, run_id=f"{evil}{name}")
        answer = inspector("show", "x")
        assert answer.code == 3
        assert "\x1b" not in answer.err and "\u202e" not in answer.err
        assert "\\x1b" in answer.err and "\\u202e" in answer.err

    def test_a_path_with_controls_in_it(self, inspector: Inspector, tmp_path: Path) -> None:
        answer = inspector("runs", "--in", f"{tmp_path}/a\x1b[2Jb\nc", here=False)
        assert answer.code == 3
        assert "\x1b" not in answer.err

    def test_a_reader_that_goes_away(self, tmp_path: Path) -> None:
        make(tmp_path, rows(*(done(n, "x" * 500) for n in range(1, 2000))))
        program = begin("events", "latest", "--in", str(tmp_path))
        assert program.stdout is not None and program.stderr is not None
        program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == ""
        assert program.wait(30) == 0
        program.stderr.close()


def test_help_and_version_are_0(inspector: Inspector) -> None:
    for words in (("--help",), ("--version",), ("show", "--help"), ("runs", "--help")):
        answer = inspector(*words, here=False)
        assert answer.code == 0
        assert answer.out


def test_main_is_what_the_program_calls() -> None:
    assert main(["runs", "--status", "no"]) == 2
