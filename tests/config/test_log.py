"""The log: private, masked, bounded, and absent until there is something to record."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.config import log
from inspector.config.folders import state_dir
from inspector.config.log import (
    BACKUPS,
    LOG_NAME,
    close_log,
    debug,
    enable_debug,
    internal_error,
    log_failure,
    log_path,
)

SECRET = "sk-ant-api03-" + "aB3" * 20
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def fresh_log() -> Iterator[None]:
    close_log()
    yield
    close_log()


def failed(message: str) -> Exception:
    try:
        raise RuntimeError(message)
    except RuntimeError as error:
        return error


def text() -> str:
    return log_path().read_text(encoding="utf-8")


def test_the_log_appears_with_the_first_record() -> None:
    debug("nothing asked for details")
    assert not log_path().exists()
    assert log_failure("reading", failed("oh")) == log_path()
    assert "ERROR reading\nTraceback" in text()
    assert "RuntimeError: oh" in text()


def test_only_its_owner_reads_it() -> None:
    log_failure("reading", failed("oh"))
    assert stat.S_IMODE(log_path().stat().st_mode) == 0o600
    assert stat.S_IMODE(state_dir().stat().st_mode) == 0o700


def test_secrets_are_masked_and_control_characters_escaped() -> None:
    log_failure(f"token={SECRET}", failed(f"bad key {SECRET} \x1b[2J\u202e"))
    assert SECRET not in text() and "‹masked:" in text()
    assert "\x1b" not in text() and "\\x1b[2J\\u202e" in text()


def test_one_failure_is_recorded_once() -> None:
    error = failed("oh")
    for _ in range(5):
        assert log_failure("reading", error) == log_path()
    assert text().count("Traceback") == 1
    log_failure("reading", failed("another"))
    assert text().count("Traceback") == 2


def test_distinct_failures_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MAX_FAILURES", 3)
    for number in range(10):
        log_failure("reading", failed(f"number {number}"))
    assert text().count("Traceback") == 3


def test_debug_messages_need_debug() -> None:
    debug("before %s", 1)
    enable_debug()
    debug("after %s", 2)
    assert "after 2" in text() and "before" not in text()


def test_a_wrong_debug_message_does_no_harm() -> None:
    enable_debug()
    debug("%d", "no number")
    debug("still here")
    assert "still here" in text()


def test_it_rotates_and_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 2000)
    enable_debug()
    for number in range(200):
        debug("%04d %s", number, "x" * 60)
    names = sorted(path.name for path in state_dir().iterdir())
    assert names == [LOG_NAME, *(f"{LOG_NAME}.{number}" for number in range(1, BACKUPS + 1))]
    assert all(path.stat().st_size <= 2000 for path in state_dir().iterdir())
    assert "0199" in text()


def test_a_log_that_cannot_be_written_hides_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    log_path().mkdir()
    assert log_failure("reading", failed("oh")) is None
    assert internal_error("reading", failed("oh")) == (
        "Internal error: RuntimeError: oh (log: not writable)"
    )
    assert capfd.readouterr() == ("", "")


def test_a_disk_that_fills_up_reaches_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    log_failure("reading", failed("first"))
    (handler,) = log._opened().handlers
    handler.close()
    monkeypatch.setattr(handler, "stream", open("/dev/full", "w"))  # noqa: SIM115
    assert log_failure("reading", failed("second")) is None
    assert capfd.readouterr() == ("", "")


def test_an_internal_error_names_the_log() -> None:
    assert internal_error("reading", failed("oh")) == (
        f"Internal error: RuntimeError: oh (log: {log_path()})"
    )


def test_importing_it_loads_no_logging() -> None:
    script = "import sys; import inspector.config.log; print('logging' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert answer.stdout == "False\n"
