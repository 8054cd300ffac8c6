"""The recordings: what they hold, their text form, and how the player makes them real."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.demo.player import Effects, Playback, Timeline, apply, begin, resume
from inspector.demo.recording import (
    PACKED,
    RUNTIMES,
    Cue,
    FileWrite,
    Library,
    Schedule,
    Statement,
    library,
    main,
    pack,
    schedules,
)
from tests.demo.made import NOW

CUES = [(schedule, cue) for schedule in schedules() for cue in (*schedule.planted, *schedule.cast)]


def schedule_of(lines: str) -> Schedule:
    """A schedule whose cast is the one recording `r`, with its header given."""
    head = (
        '{"recording": "r", "run": "${stamp}-${token}", "folder": "${run}", "database": "d.db"}\n'
    )
    return Schedule("test", Library(head + lines), (), (Cue("r"),))


def test_unpacked_text_packs_to_the_same_bytes(tmp_path: Path) -> None:
    assert main(["unpack", str(tmp_path / "text")]) == 0
    target = tmp_path / "packed"
    target.mkdir()
    pack(tmp_path / "text", target)
    for runtime in RUNTIMES:
        text = (tmp_path / "text" / f"{runtime}.jsonl").read_bytes()
        packed = (target / (runtime + PACKED)).read_bytes()
        assert gzip.decompress(packed) == text
        assert Library(text.decode()).names == library(runtime).names


@pytest.mark.parametrize("change", ['{"unknown": "t", "rows": {}}', '{"write": "x"}'])
def test_an_unknown_change_is_refused_before_anything_is_packed(
    tmp_path: Path, change: str
) -> None:
    main(["unpack", str(tmp_path)])
    with (tmp_path / "prism.jsonl").open("a") as file:
        file.write('{"recording": "bad", "run": "", "folder": "", "database": "d"}\n')
        file.write(f'{{"at": 0, "do": [{change}]}}\n')
    target = tmp_path / "packed"
    target.mkdir()
    with pytest.raises(ValueError, match="unknown change"):
        pack(tmp_path, target)
    assert not list(target.iterdir())


@pytest.mark.parametrize(("schedule", "cue"), CUES, ids=lambda value: getattr(value, "play", ""))
def test_commits_of_every_scheduled_recording_are_in_order(schedule: Schedule, cue: Cue) -> None:
    recording = schedule.library[cue.play]
    moments = [commit.at for commit in recording.commits]
    assert moments == sorted(moments)
    assert moments[0] >= 0
    assert 0 < recording.count(cue.until) <= len(moments)


def test_every_recording_is_scheduled() -> None:
    for schedule in schedules():
        cues = (*schedule.planted, *schedule.cast)
        assert set(schedule.library.names) == {cue.play for cue in cues}


def test_a_label_that_no_commit_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no commit labelled 'nowhere'"):
        library("openprose")["deep-research"].count("nowhere")


def test_a_played_instant_is_that_of_its_commit() -> None:
    row = '{"created": "${sql}", "first": "${iso:0}", "due": "${ms:61000}", "data": {"t": "${ms}"}}'
    schedule = schedule_of(
        f'{{"at": 0, "do": []}}\n{{"at": 1000, "do": [{{"insert": "t", "row": {row}}}]}}'
    )
    playback = begin(schedule, "/w", 0, NOW)
    playback.advance(NOW)
    # Played two hours late instead of one second after the start.
    late = NOW + 7_200_000
    (statement,) = playback.advance(late).changes
    assert isinstance(statement, Statement)
    assert statement.values == (
        "2026-01-16 16:32:07",
        "2026-01-16T14:32:07.000Z",
        str(late + 60_000),
        f'{{"t":{late}}}',
    )
    assert playback.folder.startswith("/w/20260116-143207-")


def test_moments_before_the_first_commit_count_back_from_it() -> None:
    timeline = Timeline()
    timeline.reach(9000, NOW)
    timeline.reach(9005, NOW + 50)
    assert [timeline.instant(moment) for moment in (0, 8999, 9000, 9004, 9005, 9010)] == [
        NOW - 9000, NOW - 1, NOW, NOW + 4, NOW + 50, NOW + 55,
    ]  # fmt: skip


@given(st.integers(0, 3), st.integers(0, 5))
def test_a_lap_counts_on(first: int, lap: int) -> None:
    change = f'{{"write": "n", "text": "${{lap:{first}:4}}"}}'
    schedule = schedule_of(f'{{"at": 0, "do": [{change}]}}')
    ((_, content),) = begin(schedule, "/w", lap, NOW).advance(NOW).files
    assert int(content) == first + 4 * lap


def test_an_unknown_mark_is_an_error() -> None:
    schedule = schedule_of('{"at": 0, "do": [{"write": "n", "text": "${nothing}"}]}')
    with pytest.raises(ValueError, match="unknown mark 'nothing' in recording r"):
        begin(schedule, "/w", 0, NOW).advance(NOW)


def played(playback: Playback) -> list[Effects]:
    effects = []
    while playback.pause is not None:
        effects.append(playback.advance(NOW + playback.position * 1000))
    return effects


@pytest.mark.parametrize("schedule", schedules(), ids=lambda schedule: schedule.runtime)
def test_no_mark_is_left_and_ids_are_new(schedule: Schedule) -> None:
    for number in range(len(schedule.cast)):
        first = played(begin(schedule, "/w", number, NOW))
        again = played(begin(schedule, "/w", number + len(schedule.cast), NOW))
        assert "${" not in repr(first)
        assert len(first) == len(again)
        assert first != again


def continued(runtime: str) -> Playback:
    """The planted run that the writer goes on with, where it was planted at NOW."""
    (schedule,) = (each for each in schedules() if each.runtime == runtime)
    (playback,) = resume(schedule, "/w", NOW)
    assert playback.position > 0
    return playback


def test_a_continued_run_stays_in_its_folder() -> None:
    rest = played(continued("openprose"))
    assert {each.database for each in rest} == {"/w/runs/20260116-142956-a7b3c9/state.db"}


def test_a_continued_run_keeps_the_instants_of_its_past() -> None:
    changes = [change for each in played(continued("prism")) for change in each.changes]
    (row,) = (
        change.values
        for change in changes
        if isinstance(change, Statement) and 'INTO "prism_runs"' in change.sql
    )
    assert row[0] == "r-7f2c"
    # It began 542 s before NOW.
    assert "2026-01-16T14:23:05.000Z" in row


def test_a_created_table_keeps_its_keys_and_defaults() -> None:
    schedule = schedule_of(
        '{"at": 0, "do": [{"sql": "CREATE TABLE e (id INTEGER PRIMARY KEY)"}, {"create": "g", '
        '"columns": {"id": "INTEGER", "e": "INTEGER", "status": "TEXT"}, "pk": "id", '
        '"foreign_keys": [["e", "e", "id"]], "defaults": {"status": "pending"}}, '
        '{"insert": "g", "row": {"id": 1}}]}'
    )
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        apply(database, begin(schedule, "/w", 0, NOW).advance(NOW).changes)
        assert database.in_transaction
        database.execute("COMMIT")
        assert database.execute("SELECT * FROM g").fetchall() == [(1, None, "pending")]
        (key,) = database.execute("PRAGMA foreign_key_list(g)").fetchall()
        assert key[2:5] == ("e", "e", "id")


def test_a_file_is_filled_to_its_size() -> None:
    for commit in library("openprose")["deep-research"].commits:
        for change in commit.changes:
            if isinstance(change, FileWrite) and change.repeat:
                assert change.size == 847_000
                return
    raise AssertionError("no large attachment")
