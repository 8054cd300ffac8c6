"""A module of our own in another process: nothing is interpreted, nothing outlives us."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.process.child import Child
from tests.process.gone import gone_within, is_gone
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
WAITS = "from inspector.process.child import Lifeline\nwhile not Lifeline().wait(60): pass\n"


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules a child can run."""
    folder = tmp_path / "modules"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def test_arguments_arrive_as_they_are(modules: Path) -> None:
    (modules / "tells.py").write_text(
        "import json, sys\nprint(json.dumps(sys.argv[1:]), file=sys.stderr)\n"
    )
    arguments = ["$(id)", "a b", "'; rm -rf /", "*", "--flag", "ü\n‮"]
    with Child("tells", arguments) as child:
        assert child.wait(10) == 0
        assert json.loads(child.errors()) == arguments


def test_it_has_a_session_of_its_own(modules: Path) -> None:
    (modules / "tells.py").write_text(
        "import os, sys\nprint(os.getsid(0), os.getpgid(0), file=sys.stderr)\n"
    )
    with Child("tells") as child:
        assert child.wait(10) == 0
        assert child.errors().split() == [str(child.pid)] * 2


def test_the_current_folder_is_not_imported(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (modules / "tells.py").write_text("import json\n")
    (tmp_path / "json.py").write_text("raise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    with Child("tells") as child:
        assert child.wait(10) == 0, child.errors()


def test_only_the_end_of_standard_error_is_returned(modules: Path) -> None:
    (modules / "tells.py").write_text("import sys\nsys.stderr.write('a' * 99999 + 'last')\n")
    with Child("tells") as child:
        child.wait(10)
        said = child.errors()
        assert child.errors() == said
    assert said.endswith("aalast") and len(said) < 10_000
    assert child.errors() == ""


def test_stop_waits_for_a_clean_exit(modules: Path) -> None:
    (modules / "waits.py").write_text(WAITS + "raise SystemExit(7)\n")
    child = Child("waits")
    assert child.running and child.exit_code is None
    assert child.wait(0.05) is None
    assert child.stop(10) == 7
    assert not child.running
    assert child.stop() == child.exit_code == 7


def test_stop_kills_an_unresponsive_child(modules: Path) -> None:
    (modules / "deaf.py").write_text(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('ready', file=sys.stderr, flush=True)\n"
        "time.sleep(60)\n"
    )
    child = Child("deaf")
    wait_until(lambda: "ready" in child.errors())
    assert child.stop(0.1) == -signal.SIGKILL
    assert is_gone(child.pid)


def test_a_missing_module_is_reported() -> None:
    with Child("inspector.no_such_module") as child:
        assert child.wait(10) == 1
        assert "no_such_module" in child.errors()


@pytest.mark.parametrize(
    "meanwhile",
    ["", "if os.fork() == 0: time.sleep(6); os._exit(0)"],
    ids=["alone", "beside a fork that holds the pipe too"],
)
def test_it_ends_when_the_process_that_started_it_is_killed(modules: Path, meanwhile: str) -> None:
    (modules / "waits.py").write_text(
        "import sys\nfrom inspector.process.child import Lifeline\n"
        "line = Lifeline()\nprint('ready', file=sys.stderr, flush=True)\n"
        "while not line.wait(60): pass\n"
    )
    program = (
        "import os, time\n"
        "from inspector.process.child import Child\n"
        "child = Child('waits')\n"
        "while 'ready' not in child.errors(): time.sleep(0.01)\n"
        f"{meanwhile}\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(modules)))}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not is_gone(pid)
        parent.kill()
        parent.wait()
        assert gone_within(pid, 2)
