"""`inspector resume` launching programs that behave as the real ones were seen to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from inspector.cli.main import main
from tests.process.gone import gone_within
from tests.query.grimoire.building import Book
from tests.resume.stand_ins import RUN_ID, crossing, grimoire, key_of
from tests.resume.terminal import ROOT, Terminal
from tests.waiting import wait_until


class Ran(NamedTuple):
    """What a command said and gave."""

    code: int
    out: str
    err: str


class Scene:
    """A project with a run that waits, and a `grimoire` that behaves as it is told."""

    def __init__(
        self,
        root: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
        **given: Any,
    ) -> None:
        self.project = root / "a project's"
        self.database = crossing(self.project, **given)
        self.state = self.database.parent
        self.key = key_of(self.database, given.get("run_id", RUN_ID))
        self._patch, self._capfd = monkeypatch, capfd
        path = grimoire(root / "bin").parent
        monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("TERM", "xterm-256color")

    def words(self, *words: str) -> list[str]:
        return ["resume", *words, "--in", str(self.project)]

    def run(self, stands_in: str, *words: str) -> Ran:
        """Runs it without a terminal, named by its full key, in this process."""
        self._patch.setenv("STAND_IN", stands_in)
        self._capfd.readouterr()
        code = main(self.words(self.key, "--yes", *words))
        return Ran(code, *self._capfd.readouterr())

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "inspector", *self.words(*words)]

    def start(self, stands_in: str, *words: str) -> subprocess.Popen[str]:
        """Runs it likewise in a process of its own."""
        return subprocess.Popen(
            self.command(self.key, "--yes", *words),
            env={**os.environ, "STAND_IN": stands_in},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
        )

    def terminal(self, stands_in: str, *words: str, size: tuple[int, int] = (50, 160)) -> Terminal:
        env = {**os.environ, "STAND_IN": stands_in}
        return Terminal(self.command(*(words or ["latest"])), env, cwd=ROOT, size=size)

    def log(self) -> list[dict[str, Any]]:
        self._capfd.readouterr()
        assert main(["resume", "--log", "--json"]) == 0
        found: list[dict[str, Any]] = json.loads(self._capfd.readouterr().out)["records"]
        return found

    def starts(self) -> int:
        """How often the program that tells was started."""
        return len(list(self.state.glob("told-*.json")))


@pytest.fixture
def scene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Scene:
    return Scene(tmp_path, monkeypatch, capfd)


def test_anything_else_starts_nothing(scene: Scene) -> None:
    with scene.terminal("success") as terminal:
        terminal.until("to launch:")
        terminal.press("yes\r")
        assert terminal.wait() == 1
        assert "Nothing was started." in terminal.text()
    assert scene.log() == []


def test_the_id_is_typed_where_money_moves_and_the_password_for_the_program(scene: Scene) -> None:
    with scene.terminal("password") as terminal:
        text = terminal.until(f"Type {RUN_ID} to launch:")
        assert "sends real transactions" in text
        terminal.press(f"{RUN_ID}\r")
        terminal.until("Keystore password:")
        hidden = terminal.modes()
        terminal.press("opensesame\r")
        assert terminal.wait() == 0, terminal.text()
        assert "opensesame" not in terminal.text()
        assert terminal.modes() != hidden, "what is typed is seen again"
        assert "Completed; the program ended with exit code 0." in terminal.text()
        assert "track destination: waiting → completed" in terminal.text()
    (launch,) = scene.log()
    assert (launch["verdict"], launch["exit_code"], launch["where"]) == ("completed", 0, "terminal")
    assert launch["run"] == scene.key and launch["cwd"] == str(scene.project.resolve())


@pytest.mark.parametrize(
    ("stands_in", "code", "exit_code", "verdict"),
    [
        ("success", 0, 1, "completed"),
        ("waiting", 1, 0, "waiting"),
        ("no key", 1, 1, "waiting"),
        ("unknown", 1, 1, "waiting"),
        ("destination fails", 1, 1, "failed"),
        ("time out", 1, 1, "failed"),
        ("killed", 1, -9, "waiting"),
        ("password", 1, 1, "waiting"),
    ],
)
def test_the_store_is_believed_not_the_exit_code(
    scene: Scene, stands_in: str, code: int, exit_code: int, verdict: str
) -> None:
    ran = scene.run(stands_in, "--json")
    assert ran.code == code, ran.err
    document = json.loads(ran.out)
    assert document["schema"] == "inspector.resume/1"
    assert document["launch"]["verdict"] == verdict
    assert document["launch"]["exit_code"] == exit_code
    (launch,) = scene.log()
    assert (launch["verdict"], launch["exit_code"]) == (verdict, exit_code)


def test_a_spinner_in_a_terminal_without_a_width_ends(scene: Scene) -> None:
    with scene.terminal("spinner", scene.key, "--yes", size=(0, 0)) as terminal:
        assert terminal.wait() == 0, terminal.text()


@pytest.mark.parametrize("stands_in", ["success", "spinner"])
def test_in_the_background_it_has_a_terminal_of_its_own(scene: Scene, stands_in: str) -> None:
    ran = scene.run(stands_in, "--background")
    assert ran.code == 0, ran.err
    assert "Completed; the program ended with exit code 0." in ran.out
    assert "✔ Cross-chain run resumed successfully." in ran.err
    assert "\x1b" not in ran.err and "\r" not in ran.err
    (launch,) = scene.log()
    assert (launch["where"], launch["verdict"]) == ("background", "completed")


def test_what_nobody_can_answer_is_no_success(scene: Scene) -> None:
    ran = scene.run("no key", "--background")
    assert ran.code == 1
    assert "✖ Resume requires a wallet key." in ran.err
    assert "till waiting; not resumed" in ran.out


def test_it_is_given_words_folder_and_three_descriptors_and_the_lock(scene: Scene) -> None:
    assert scene.run("tell").code == 0
    (file,) = scene.state.glob("told-*.json")
    told = json.loads(file.read_text())
    assert told["argv"] == ["resume", RUN_ID, "--state-dir", str(scene.state.resolve())]
    assert told["cwd"] == str(scene.project.resolve())
    assert told["ignored"] == [] and told["path"] == os.environ.get("PYTHONPATH")
    if told["descriptors"]:
        assert told["descriptors"][:3] == [0, 1, 2] and len(told["descriptors"]) == 4


def test_of_two_inspectors_one_launches(scene: Scene) -> None:
    racing = [scene.start("tell"), scene.start("tell", "--background")]
    said = [process.communicate(timeout=60)[0] for process in racing]
    assert scene.starts() == 1, said
    assert sorted(process.returncode for process in racing) == [0, 1], said
    reasons = ("Already running", "somebody else", "moved since", "completed", "any more")
    for process, text in zip(racing, said, strict=True):
        assert process.returncode == 0 or any(reason in text for reason in reasons), text


def holding(scene: Scene, *words: str) -> subprocess.Popen[str]:
    """An inspector whose program holds on until it may go on."""
    process = scene.start("hang", *words)
    assert process.stdout is not None
    for line in process.stdout:
        if "holding" in line:
            return process
    raise AssertionError("it never began")


def test_a_launch_whose_inspector_was_killed_is_still_held(scene: Scene) -> None:
    process = holding(scene)
    process.send_signal(signal.SIGKILL)
    process.wait()
    ran = scene.run("success")
    assert ran.code == 1 and "Already running" in ran.out
    assert scene.log()[0]["state"] == "running"
    (scene.state / "go-on").touch()
    # It has our end of its output until it is over.
    process.communicate(timeout=20)
    ran = scene.run("success")
    assert "its destination is completed" in ran.out.lower()
    assert scene.log()[0]["state"] == "unknown", "the lock is an orphan"


def test_a_program_in_the_background_goes_on_without_us(scene: Scene) -> None:
    process = holding(scene, "--background")
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=20)[0]
    assert process.returncode == 1 and "Still running in the background as process" in said
    pid = int(said.partition("as process ")[2].partition(".")[0])
    assert "Already running" in scene.run("success").out
    (scene.state / "go-on").touch()
    assert gone_within(pid, 10)
    wait_until(lambda: scene.log()[0]["state"] == "ended")
    (launch,) = scene.log()
    assert (launch["state"], launch["exit_code"], launch["verdict"]) == ("ended", 0, None)


@pytest.mark.parametrize("run_id", ["$(touch pwned)", "a b'c\"d", "`id`;x", "a\nb", "x\x1b[31m"])
def test_a_hostile_id_is_one_word(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    run_id: str,
) -> None:
    scene = Scene(tmp_path, monkeypatch, capfd, run_id=run_id)
    ran = scene.run("tell")
    assert ran.code == 0, ran.err
    (file,) = scene.state.glob("told-*.json")
    assert json.loads(file.read_text())["argv"][1] == run_id
    assert "\x1b" not in ran.out and not list(scene.project.rglob("pwned"))


@pytest.mark.parametrize("run_id", ["--help", "-x"])
def test_an_id_that_would_be_an_option_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    run_id: str,
) -> None:
    ran = Scene(tmp_path, monkeypatch, capfd, run_id=run_id).run("tell")
    assert ran.code == 1 and "parsed as an option" in ran.out


def test_a_run_that_moved_between_two_looks_is_not_launched(scene: Scene) -> None:
    with scene.terminal("tell") as terminal:
        terminal.until("to launch:")
        Book().run("XDest", RUN_ID).save(scene.database)
        terminal.press(f"{RUN_ID}\r")
        assert terminal.wait() == 1
        assert "No longer resumable" in terminal.text().replace("\n", " ")
    assert scene.starts() == 0 and scene.log() == []
