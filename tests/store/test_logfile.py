"""Incremental reads of a log that another process appends to, without a trace."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.store import Health
from inspector.store import logfile
from inspector.store.logfile import WHOLE, LogFile, read_ends
from inspector.store.unavailable import StoreUnavailable

LONG_AGO = 1_700_000_000_123_456_789


class Reader:
    """A log and all that was handed out of it."""

    def __init__(self, path: Path, chunk: int = 1 << 20) -> None:
        self.file = LogFile(str(path), chunk=chunk)
        self.begun = 0
        self.parts: list[bytes] = []

    def read(self) -> bytes:
        """The content delivered so far."""
        self.file.advance(self.parts.append, self._begin)
        return b"".join(self.parts)

    def _begin(self) -> None:
        self.begun += 1
        self.parts.clear()


def settle(path: Path, at: int = LONG_AGO) -> None:
    """Gives a file a time of writing that is long past."""
    os.utime(path, ns=(at, at))


def write(path: Path, data: bytes, at: int = LONG_AGO) -> Path:
    path.write_bytes(data)
    settle(path, at)
    return path


def append(path: Path, data: bytes, at: int = LONG_AGO + 1) -> None:
    with path.open("ab") as file:
        file.write(data)
    settle(path, at)


@given(st.lists(st.binary(max_size=200), max_size=8), st.integers(1, 50))
def test_appended_bytes_are_read_once(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes],
                                    chunk: int) -> None:  # fmt: skip
    path = write(tmp_path_factory.mktemp("log") / "vm.log.md", b"")
    reader = Reader(path, chunk)
    for at, part in enumerate(parts, 1):
        append(path, part, LONG_AGO + at)
        assert reader.read() == path.read_bytes()
    assert reader.begun <= 1 and b"".join(reader.parts) == b"".join(parts)


@pytest.mark.parametrize("size", [100, WHOLE + 5000])
def test_growth_continues_the_log(tmp_path: Path, size: int) -> None:
    path = write(tmp_path / "vm.log.md", b"x" * size)
    reader = Reader(path)
    reader.read()
    handed_out = len(reader.parts)
    append(path, b"more")
    assert reader.read() == b"x" * size + b"more"
    assert reader.begun == 1 and reader.parts[handed_out:] == [b"more"]


@pytest.mark.parametrize("size", [100, WHOLE + 5000])
@pytest.mark.parametrize(
    "what", ["truncated", "other head", "other tail", "another file", "shorter"]
)
def test_a_rewritten_log_is_read_again(tmp_path: Path, size: int, what: str) -> None:
    before = b"x" * size
    after = {
        "truncated": b"",
        "other head": b"y" + b"x" * size,
        "other tail": b"x" * (size - 1) + b"y more",
        "another file": b"z" * (size + 10),
        "shorter": b"x" * (size // 2),
    }[what]
    path = write(tmp_path / "vm.log.md", before)
    reader = Reader(path)
    reader.read()
    if what == "another file":
        write(tmp_path / "new", after, LONG_AGO + 1).replace(path)
    else:
        write(path, after, LONG_AGO + 1)
    assert reader.file.changed()
    assert reader.read() == after
    assert reader.begun == 2


def test_a_short_log_changed_in_the_middle_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "vm.log.md", b"a" * 20_000 + b"status: running" + b"b" * 20_000)
    reader = Reader(path)
    reader.read()
    write(path, path.read_bytes().replace(b"running", b"stopped"), LONG_AGO + 1)
    assert b"stopped" in reader.read()


def test_an_editor_that_saves_a_new_file_with_the_same_beginning_only_adds(tmp_path: Path) -> None:
    path = write(tmp_path / "vm.log.md", b"one\n")
    reader = Reader(path)
    reader.read()
    write(tmp_path / "saved", b"one\ntwo\n", LONG_AGO + 1).replace(path)
    assert reader.read() == b"one\ntwo\n"
    assert reader.begun == 1


def test_an_incomplete_rewrite_is_busy(tmp_path: Path) -> None:
    path = write(tmp_path / "vm.log.md", b"1 one\n2 two\n")
    reader = Reader(path)
    reader.read()
    path.write_bytes(b"1 o")
    with pytest.raises(StoreUnavailable) as busy:
        reader.read()
    assert busy.value.health is Health.BUSY
    assert b"".join(reader.parts) == b"1 one\n2 two\n"
    settle(path)
    assert reader.read() == b"1 o"


def test_changed_is_quiet_while_nothing_is_written(tmp_path: Path) -> None:
    path = write(tmp_path / "vm.log.md", b"one\n")
    file = LogFile(str(path))
    assert file.changed()
    file.advance(lambda data: None, lambda: None)
    assert not file.changed()
    append(path, b"two\n")
    assert file.changed()
    path.unlink()
    assert file.changed()


def test_a_recently_written_file_counts_as_changed(tmp_path: Path) -> None:
    path = tmp_path / "vm.log.md"
    path.write_bytes(b"one\n")
    file = LogFile(str(path))
    file.advance(lambda data: None, lambda: None)
    # Another write of the same length could leave no trace in the times yet.
    assert file.changed()


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    path = write(tmp_path / "vm.log.md", b"one\n" * 1000)
    reader = Reader(path)
    before = path.stat()
    reader.read()
    reader.file.read_at(4, 4)
    read_ends(str(path), 10)
    after = path.stat()
    assert after.st_ctime_ns == before.st_ctime_ns
    if hasattr(os, "O_NOATIME"):
        assert after.st_atime_ns == before.st_atime_ns
    assert os.listdir(tmp_path) == [path.name]
    assert not any(str(path) in os.path.realpath(f"/proc/self/fd/{fd}") for fd in _open_files())


def _open_files() -> list[str]:
    return os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []


def test_parts_are_read_again_only_of_the_same_log(tmp_path: Path) -> None:
    path = write(tmp_path / "vm.log.md", b"0123456789")
    reader = Reader(path)
    reader.read()
    assert reader.file.read_at(2, 3) == b"234"
    write(path, b"01", LONG_AGO + 1)
    with pytest.raises(StoreUnavailable):
        reader.file.read_at(2, 3)


@pytest.mark.parametrize("what", ["missing", "fifo", "folder", "link"])
def test_only_regular_files_are_opened(tmp_path: Path, what: str) -> None:
    path = tmp_path / "vm.log.md"
    if what == "fifo":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(write(tmp_path / "secret", b"x"))
    for ask in (lambda: Reader(path).read(), lambda: read_ends(str(path), 10)):
        with pytest.raises(StoreUnavailable) as refused:
            ask()
        expected = Health.GONE if what == "missing" else Health.UNREADABLE
        assert refused.value.health is expected


def test_a_large_log_is_never_held(tmp_path: Path) -> None:
    path = tmp_path / "vm.log.md"
    with path.open("wb") as file:
        for _ in range(32):
            file.write(b"a line of prose that is no marker\n" * 30_000)
    settle(path)
    size = path.stat().st_size
    counted = 0

    def take(data: bytes) -> None:
        nonlocal counted
        counted += len(data)

    tracemalloc.start()
    try:
        LogFile(str(path)).advance(take, lambda: None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert counted == size
    assert peak < size / 8
    assert size / 8 >= logfile.CHUNK
