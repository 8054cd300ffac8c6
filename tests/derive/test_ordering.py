"""Incremental order of the list of runs, and its filter."""

from dataclasses import replace
from datetime import UTC, datetime

from inspector.derive.filters import Words
from inspector.derive.groups import Group, Ordering, Sort
from inspector.model.run import Finding, Run
from inspector.model.status import Status
from tests.ui.fakes import run

NOON = int(datetime(2026, 1, 16, 12, tzinfo=UTC).timestamp() * 1000)
HOUR, DAY = 3_600_000, 86_400_000

ALIVE = run("a", "1", Status.RUNNING, started=NOON - HOUR, written=NOON)
DONE = run("b", "2", started=NOON - 2 * HOUR, ended=NOON - HOUR, tokens=5)
BROKEN = run("c", "3", Status.FAILED, started=NOON - 3 * HOUR, ended=NOON - HOUR)


def ordering(*runs: Run, sort: Sort = Sort.STARTED) -> Ordering:
    found = Ordering()
    found.sort = sort
    assert found.update(runs, NOON, UTC).order
    found.order(NOON, UTC)
    return found


def test_equal_runs_change_nothing() -> None:
    news = ordering(ALIVE, DONE).update((ALIVE, DONE), NOON, UTC)
    assert not news.order
    assert not news.findings
    assert not news.changed


def test_progress_of_an_active_run_does_not_move_it() -> None:
    later = replace(ALIVE, last_activity_at=NOON + 5)
    news = ordering(ALIVE, DONE).update((later, DONE), NOON + 5, UTC)
    assert not news.order
    assert news.changed == [ALIVE.key]


def test_changes_that_move_a_run_outdate_the_order() -> None:
    ended = replace(ALIVE, status=Status.COMPLETED)
    assert ordering(ALIVE, DONE).update((ended, DONE), NOON, UTC).order
    assert ordering(ALIVE).update((ALIVE, DONE), NOON, UTC).order
    assert ordering(ALIVE, DONE).update((ALIVE,), NOON, UTC).order
    moved = replace(DONE, started_at=NOON)
    assert ordering(ALIVE, DONE).update((ALIVE, moved), NOON, UTC).order


def test_tokens_move_a_run_only_when_they_order_the_list() -> None:
    dearer = replace(DONE, tokens=replace(DONE.tokens, total=6))
    assert not ordering(ALIVE, DONE).update((ALIVE, dearer), NOON, UTC).order
    by_tokens = ordering(ALIVE, DONE, sort=Sort.TOKENS)
    assert by_tokens.update((ALIVE, dearer), NOON, UTC).order


def test_a_newer_run_of_its_title_releases_a_failure() -> None:
    found = ordering(BROKEN)
    assert list(found.shown().groups) == [Group.NEEDS_YOU]
    again = run("c", "4", started=NOON, ended=NOON)
    assert found.update((BROKEN, again), NOON, UTC).order
    found.order(NOON, UTC)
    assert list(found.shown().groups) == [Group.TODAY]


def test_findings_are_news_of_their_own() -> None:
    odd = replace(DONE, findings=(Finding("orphan", "there is no run row"),))
    news = ordering(ALIVE, DONE).update((ALIVE, odd), NOON, UTC)
    assert news.findings
    assert not news.order


def test_time_alone_can_outdate_the_order() -> None:
    found = ordering(ALIVE, DONE)
    assert not found.outdated(NOON + 59_999, UTC)
    assert found.outdated(NOON + 60_000, UTC)
    assert ordering(DONE).outdated(NOON + 12 * HOUR, UTC)


def test_filter_and_needs_me() -> None:
    found = ordering(ALIVE, DONE, BROKEN)
    found.words = Words.typed("b")
    assert found.shown().in_order() == [DONE.key]
    found.words = Words()
    found.needs_me = True
    assert found.shown().in_order() == [BROKEN.key]
    assert found.hides


def test_a_failure_followed_by_a_hidden_run_still_needs_no_one() -> None:
    again = run("c", "4", Status.RUNNING, started=NOON, written=NOON)
    found = ordering(BROKEN, again)
    found.words = Words.typed("failed")
    assert list(found.shown().groups) == [Group.TODAY]


def test_a_run_that_starts_to_match_outdates_the_order() -> None:
    found = ordering(ALIVE, DONE)
    found.words = Words.typed("still")
    renamed = replace(ALIVE, raw_status="still at it")
    assert found.update((renamed, DONE), NOON, UTC).order
    assert found.shown().in_order() == [ALIVE.key]


def test_of_two_running_runs_age_alone_does_not_change_the_order() -> None:
    found = ordering(ALIVE, DONE, sort=Sort.ELAPSED)
    later = replace(ALIVE, last_activity_at=NOON + 30_000)
    assert not found.update((later, DONE), NOON + 30_000, UTC).order
    longer = replace(DONE, ended_at=NOON)
    assert found.update((later, longer), NOON + 30_000, UTC).order


def test_a_title_moves_a_run_only_when_titles_order_the_list() -> None:
    renamed = replace(DONE, title="zz")
    assert ordering(ALIVE, DONE, sort=Sort.TITLE).update((ALIVE, renamed), NOON, UTC).order
    assert not ordering(ALIVE, DONE).update((ALIVE, renamed), NOON, UTC).order


def test_a_new_status_can_change_the_list_of_problems() -> None:
    ended = replace(ALIVE, status=Status.COMPLETED)
    assert ordering(ALIVE).update((ended,), NOON, UTC).findings
    quicker = replace(DONE, tokens=replace(DONE.tokens, total=6))
    assert not ordering(DONE).update((quicker,), NOON, UTC).findings


def test_a_run_that_became_quiet_outdates_the_order_only_once() -> None:
    found = ordering(ALIVE, DONE)
    assert not found.outdated(NOON + 59_999, UTC)
    assert found.outdated(NOON + 60_000, UTC)
    found.order(NOON + 60_000, UTC)
    assert not found.outdated(NOON + 60_000, UTC)


def test_runs_that_vanished_since_the_last_order_are_not_shown() -> None:
    found = ordering(ALIVE, DONE)
    found.update((DONE,), NOON, UTC)
    assert found.shown().in_order() == [DONE.key]
