"""No write inside a read leads to a torn, uncommitted or old answer."""

import random
from pathlib import Path

import pytest

from inspector.store import fingerprint
from inspector.store.fingerprint import FileState, WalGeneration
from inspector.store.read import ZeroTouchReader
from tests.store.interleavings import IN_PLACE, Case, rollback_cases, run, wal_cases


def sample(cases: list[Case], size: int) -> list[Case]:
    """Some of the cases, the same ones every time; `python -m` the module to play them all."""
    return random.Random(20260116).sample(cases, size)


class NoSecondLook(ZeroTouchReader):
    """Wrong on purpose: it never asks whether something moved while it read."""

    def _unchanged(self, seen: FileState) -> bool:
        self.trace("look-b")
        return True

    def _generation_holds(self, generation: WalGeneration) -> bool:
        self.trace("look-b")
        return True


def test_with_a_log(tmp_path: Path) -> None:
    tally = run(sample(wal_cases(), 160), ZeroTouchReader, tmp_path)
    assert not tally.wrong and not tally.stale and not tally.errors
    assert tally.reads == 320, "a writer that acts once does not keep a reader busy"
    assert tally.inside > 45


@pytest.mark.parametrize("every_write_shows", [True, False], ids=["fine clock", "coarse clock"])
def test_with_a_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every_write_shows: bool
) -> None:
    """On a coarse clock a young file is read twice."""
    if not every_write_shows:
        monkeypatch.setattr(fingerprint, "every_write_shows", lambda dev: False)
    tally = run(sample(rollback_cases(), 64), ZeroTouchReader, tmp_path)
    assert not tally.wrong and not tally.stale and not tally.errors
    assert tally.reads > 80
    assert tally.inside > 25


def test_a_reader_without_the_second_state_is_caught(tmp_path: Path) -> None:
    parts = [case for case in wal_cases() if case.point in ("base-part", "log-part")]
    assert run(sample(parts, 80), NoSecondLook, tmp_path).bad > 3
    inside = [case for case in rollback_cases() if case.point == "inside the query"]
    assert run(sample(inside, 25), NoSecondLook, tmp_path, IN_PLACE).bad > 3
