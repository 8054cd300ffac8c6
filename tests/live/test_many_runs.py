"""A long list is read without waiting for those who are told of it."""

import threading
import time
from pathlib import Path

import pytest

from benchmarks.runs import many
from inspector.live import watched
from inspector.live.feed import Message, Overview
from inspector.live.watched import WatchedWorkspace
from inspector.model.clock import system_clock
from inspector.query.workspace import Workspace

RUNS = 200
LISTENING = 0.01
"""Seconds."""


def test_slices_of_a_long_list_do_not_wait_to_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, scratch = tmp_path / "root", tmp_path / "scratch"
    many(root, RUNS, scratch)
    # Slices so short that there are many.
    monkeypatch.setattr(watched, "SLICE_SECONDS", 0.002)
    told: list[Overview] = []
    whole = threading.Event()

    def deliver(message: Message) -> None:
        if isinstance(message, Overview):
            told.append(message)
            if message.runs and not message.loading:
                whole.set()

    feed = WatchedWorkspace(Workspace([str(root)], system_clock(), str(root)), interval=1.0)
    began = time.monotonic()
    feed.start(deliver)
    try:
        assert whole.wait(30)
    finally:
        feed.stop()
    assert len(told[-1].runs) == RUNS
    assert told[0].loading, "the first rows are told before all are read"
    assert len(told) <= 3 + (time.monotonic() - began), "at most one a second"


def test_a_store_at_rest_is_not_read_again(tmp_path: Path) -> None:
    root = tmp_path / "root"
    many(root, 3, tmp_path / "scratch")
    workspace = Workspace([str(root)], system_clock(), str(root))
    try:
        first, again = list(workspace.summaries()), list(workspace.summaries())
    finally:
        workspace.close()
    assert len(first) == 3
    assert all(before is after for before, after in zip(first, again, strict=True))


def test_those_who_take_long_to_listen_are_told_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    many(root, RUNS, tmp_path / "scratch")
    monkeypatch.setattr(watched, "SLICE_SECONDS", 0.002)
    began = time.monotonic()
    told: list[float] = []
    whole = threading.Event()

    def deliver(message: Message) -> None:
        if isinstance(message, Overview):
            told.append(time.monotonic())
            time.sleep(LISTENING)
            if message.runs and not message.loading:
                whole.set()

    feed = WatchedWorkspace(Workspace([str(root)], system_clock(), str(root)), interval=0.0)
    feed.start(deliver)
    try:
        assert whole.wait(30)
    finally:
        feed.stop()
    first_and_last = 2
    assert len(told) <= first_and_last + (told[-1] - began) / (watched.PUBLISH_SHARE * LISTENING)
