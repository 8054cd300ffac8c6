"""The dialog about resuming a run: what it says, what it offers, and that it asks twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.config.folders import state_dir
from inspector.config.settings import Settings
from inspector.model.preflight import Caution, Decision, PreFlight, refused
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.resume.launch import launches
from inspector.ui.app import InspectorApp
from inspector.ui.screens.resume.screen import ResumeScreen
from inspector.ui.screens.resume.widgets import ChoiceList
from tests.resume.stand_ins import program
from tests.ui import pictured
from tests.ui.fakes import FakeFeed
from tests.ui.resume.fakes import ResumeReader, audit_flight, feed_with
from tests.ui.screens import shown
from tests.ui.waiting import settle, wait_for

ON_THE_AUDIT = ("j", "j", "j", "j")
WIDE = (120, 36)


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host that only notes that it was started."""
    program(
        tmp_path / "bin", "claude", "sh", "-c", f'echo "$2" >> {tmp_path}/started; echo hi', "sh"
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    return tmp_path


class Shown:
    """The dialog on the screen."""

    def __init__(self, pilot: Pilot[None], feed: FakeFeed) -> None:
        self.pilot, self.feed = pilot, feed

    @property
    def lines(self) -> list[str]:
        return shown(self.pilot.app)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def dialog(self) -> ResumeScreen:
        screen = self.pilot.app.screen
        assert isinstance(screen, ResumeScreen)
        return screen

    @property
    def choice(self) -> str:
        choice = self.dialog.query_one(ChoiceList).choice
        return "" if choice is None else choice.label

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await settle(self.pilot)

    async def until(self, words: str) -> None:
        await wait_for(self.pilot, lambda: words in self.text)


@asynccontextmanager
async def dialog(
    *flights: PreFlight,
    run: Run = pictured.AUDIT,
    size: tuple[int, int] = WIDE,
    settings: Settings | None = None,
    opened: bool = True,
) -> AsyncIterator[Shown]:
    feed = feed_with(run, *flights)
    app = InspectorApp(feed, settings or Settings("dark"), lambda: pictured.NOW, pictured.SCOPE)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        found = Shown(pilot, feed)
        await found.press(*ON_THE_AUDIT, *(["r"] if opened else []))
        yield found


async def test_the_dialog_shows_the_plan(installed: Path) -> None:
    async with dialog(audit_flight(str(installed))) as found:
        for words in (
            "Resume nightly-audit", "nothing has been started",
            "stopped at     ∥ parallel p1, statement 2",
            "running?       unknown   nothing written for 11 h",
            "✓ keep         branches a, b",
            "≈ unconfirmed  branch c: its value exists, its end was never recorded;",
            "· will run     branch d, then the join, then the rest of the program",
            "▲ What branch c does outside is not recorded: if it ran, it may run twice.",
            'claude -p "Resume (do not restart) OpenProse run 20260116-030000-b1b1b1"',
            "exact command; the prompt has 14 lines",
            "read-only until you launch",
        ):  # fmt: skip
            assert words in found.text, words
        assert found.choice == "Cancel"


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 15)])
async def test_the_dialog_fits_every_terminal(installed: Path, size: tuple[int, int]) -> None:
    async with dialog(audit_flight(str(installed)), size=size) as found:
        text = found.text
        assert "Resume nightly-aud" in text and "Cancel" in text and "parallel p1" in text
        assert max(map(len, found.lines)) <= size[0]
        cut = "pgdn more" in text
        assert cut == (size[1] < 24)
        if cut:
            await found.press(*["pagedown"] * 4)
            assert "exact command" in found.text.replace("\n", " ") or "prompt" in found.text
        await found.press(*["down"] * 8)
        assert found.choice == "Launch in the background"


async def test_escape_and_enter_close_without_a_launch(installed: Path) -> None:
    async with dialog(audit_flight(str(installed))) as found:
        await found.press("escape")
        assert not isinstance(found.pilot.app.screen, ResumeScreen)
        await found.press("r", "enter")
        assert not isinstance(found.pilot.app.screen, ResumeScreen)
    assert not (installed / "started").exists() and launches(state_dir()) == []


async def test_a_run_that_is_not_resumable_shows_the_reason(installed: Path) -> None:
    why = "its destination is completed: there is nothing to resume"
    async with dialog(refused(pictured.AUDIT.key, why)) as found:
        assert f"✗ Not resumable: {why}." in found.text
        await found.press("L")
        assert "Its destination is completed" in found.lines[-1]
        await found.press("B", "y")
        assert "Launch now" not in found.text
    assert launches(state_dir()) == []


async def test_a_completed_run_has_no_dialog(installed: Path) -> None:
    done = replace(pictured.AUDIT, status=Status.COMPLETED)
    feed = FakeFeed(replace(pictured.overview(0), runs=(done,)))
    app = InspectorApp(feed, Settings("dark"), lambda: pictured.NOW, pictured.SCOPE)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert "The run is completed; nothing to resume." in shown(app)[-1]


async def test_an_unreadable_run_shows_the_reason() -> None:
    async with dialog(opened=False) as found:
        found.feed.readers.clear()
        await found.press("r")
        assert "The run cannot be read now: There is no such run..".replace("..", ".") in found.text


async def test_a_missing_folder_disables_the_launch(installed: Path) -> None:
    async with dialog(audit_flight(str(installed / "gone"))) as found:
        assert "The folder to start it in is gone." in found.text
        await found.press("B")
        assert "is gone" in found.lines[-1] and "Launch in the background?" not in found.text


async def test_without_a_terminal_only_background_launches_are_possible(installed: Path) -> None:
    async with dialog(audit_flight(str(installed))) as found:
        await found.press("L")
        assert "no terminal to hand over" in found.lines[-1]


async def test_a_launch_asks_for_confirmation_with_cancel_selected(installed: Path) -> None:
    flight = audit_flight(str(installed))
    async with dialog(flight) as found:
        await found.press("B")
        assert "Launch in the background?" in found.text
        assert "Liveness: unknown, nothing written for 11 h." in found.text
        assert "Prompts of the program cannot be answered in the background." in found.text
        assert found.choice == "Cancel"
        await found.press("enter")
        assert "stopped at" in found.text and found.choice == "Cancel"
        await found.press("B", "B")
        assert not (installed / "started").exists()
        await found.press("escape", "escape")
    assert not (installed / "started").exists()


async def test_a_background_launch_is_judged_by_the_record(installed: Path) -> None:
    flight = audit_flight(str(installed))
    after = replace(flight, record={"run": "completed", "events": "41"}, outcome=Status.COMPLETED)
    async with dialog(flight, flight, after) as found:
        await found.press("B", "down", "enter")
        await found.until("Completed.")
        for words in (
            "The program ended with exit code 0.",
            "running → completed",
            "38 → 41",
            "hi",
        ):
            assert words in found.text, words
        await found.press("enter")
        assert not isinstance(found.pilot.app.screen, ResumeScreen)
    assert (installed / "started").read_text().startswith("Resume (do not restart)")
    (launch,) = launches(state_dir())
    assert (launch["verdict"], launch["where"]) == ("completed", "background")


async def test_a_launch_that_recorded_nothing_is_not_resumed(installed: Path) -> None:
    flight = audit_flight(str(installed))
    async with dialog(flight) as found:
        await found.press("B", "down", "enter")
        await found.until("Not resumed: nothing new was recorded.")


async def test_closing_the_dialog_does_not_end_the_program(installed: Path) -> None:
    gate = f"while ! test -e {installed}/go; do sleep 0.05; done"
    program(installed / "bin", "claude", "sh", "-c", gate, "sh")
    flight = audit_flight(str(installed))
    after = replace(flight, record={"run": "completed"}, outcome=Status.COMPLETED)
    async with dialog(flight, flight, after) as found:
        await found.press("B", "down", "enter")
        await found.until("Keeps running after you close this.")
        await found.press("escape")
        (installed / "go").touch()
        await found.until("nightly-audit: completed.")
    assert launches(state_dir())[0]["verdict"] == "completed"


async def test_a_run_that_changed_meanwhile_is_not_launched(installed: Path) -> None:
    flight = audit_flight(str(installed))
    moved = replace(flight, record={"run": "running", "events": "39"})
    async with dialog(flight, moved) as found:
        await found.press("B", "down", "enter")
        await found.until("The run changed meanwhile (events 38 → 39)")
        assert "stopped at" in found.text
    assert not (installed / "started").exists() and launches(state_dir()) == []


async def test_a_second_launch_is_refused_while_the_first_runs(installed: Path) -> None:
    gate = f"while ! test -e {installed}/go; do sleep 0.05; done"
    program(installed / "bin", "claude", "sh", "-c", gate, "sh")
    flight = audit_flight(str(installed))
    async with dialog(flight) as found:
        await found.press("B", "down", "enter")
        await found.until("Keeps running after you close this.")
        await found.press("escape", "r")
        await found.until("Already running: this run was launched as process")
        await found.press("B")
        assert (
            "Already running" in found.lines[-1] and "Launch in the background?" not in found.text
        )
        (installed / "go").touch()
        await found.press("escape")
        await found.until("nightly-audit: not resumed")


async def test_a_run_that_may_be_running_needs_its_id_typed(installed: Path) -> None:
    flight = replace(
        audit_flight(str(installed)),
        confirm="20260116-030000-b1b1b1",
        liveness="written 2 m ago and says running: somebody may be running it now",
    )
    async with dialog(flight) as found:
        await found.press("B")
        assert "Type 20260116-030000-b1b1b1 to launch." in found.text
        assert "Launch now" not in found.text and "somebody may be running it" in found.text
        await found.press(*"yes", "enter")
        assert "Text does not match. Nothing was started." in found.lines[-1]
        await found.press(*["backspace"] * 3, *"20260116-030000-b1b1b1", "enter")
        await found.until("exit code")
    assert (installed / "started").exists()


async def test_switching_the_host(installed: Path) -> None:
    settings = Settings("dark", hosts={"mine": ("claude", "--mine", "{prompt}")})
    async with dialog(audit_flight(str(installed)), settings=settings) as found:
        assert (
            "Resume with: mine   or claude, codex" in found.text and "claude --mine" in found.text
        )
        await found.press("h")
        assert "Resume with: claude" in found.text and "claude -p" in found.text


async def test_copying_command_and_prompt(installed: Path) -> None:
    async with dialog(audit_flight(str(installed))) as found:
        await found.press("y")
        copied = found.pilot.app.clipboard
        assert copied.startswith(f"cd {installed} && claude -p 'Resume (do not restart)")
        assert copied.rstrip("'").endswith("line 14")
        await found.press("p")
        assert found.pilot.app.clipboard.startswith("Resume (do not restart)")
        assert "Copied the prompt" in found.lines[-1]


async def test_the_plan_is_saved_as_markdown(installed: Path) -> None:
    async with dialog(audit_flight(str(installed))) as found:
        await found.press("e")
        assert "Saved to" in found.lines[-1]
    (file,) = (state_dir() / "plans").iterdir()
    assert file.suffix == ".md" and "# Resume nightly" in file.read_text()


def waiting_flight(folder: str, deadline: int) -> PreFlight:
    late = "the deadline has passed; approving fails the run permanently"
    return PreFlight(
        pictured.AUDIT.key, True, None, None,
        stands="a decision on write w1, checkpoint version 3",
        fills={"run_id": "r-1", "expected_version": "3"},
        folder=folder,
        liveness="unknown, nothing written for 1 m",
        decisions=(
            Decision("approve", late if deadline <= pictured.NOW else None, "POST {base}/approve"),
            Decision("deny", None, "POST {base}/deny"),
        ),
        deadline=deadline,
        warnings=(Caution("arguments", "Look at the arguments."),),
        record={"checkpoint": "suspended, version 3"},
        outcome=Status.WAITING,
    )  # fmt: skip


async def test_a_decision_is_chosen_with_the_time_left_shown(installed: Path) -> None:
    settings = Settings("dark", resume_commands={"openprose": ("claude", "{run_id}", "{decision}")})
    flight = waiting_flight(str(installed), pictured.NOW + 75_000)
    async with dialog(flight, settings=settings) as found:
        assert "time left      1m 15s" in found.text
        assert "Decision: none yet   approve or deny" in found.text
        await found.press("B")
        assert "Choose approve or deny first." in found.lines[-1]
        await found.press("d")
        assert "Decision: approve" in found.text and "claude r-1 approve" in found.text
        await found.press("d", "p")
        assert found.pilot.app.clipboard == "POST {base}/deny"


async def test_after_the_deadline_only_deny_is_possible(installed: Path) -> None:
    settings = Settings("dark", resume_commands={"openprose": ("claude", "{run_id}", "{decision}")})
    flight = waiting_flight(str(installed), pictured.NOW - 1)
    async with dialog(flight, settings=settings) as found:
        assert "none, the deadline has passed" in found.text
        await found.press("d", "B")
        assert (
            "The deadline has passed" in found.lines[-1]
            and "Launch in the background?" not in found.text
        )
        await found.press("d", "B")
        assert "Launch in the background?" in found.text


async def test_without_a_configured_command_the_request_is_shown(installed: Path) -> None:
    async with dialog(waiting_flight(str(installed), pictured.NOW + 75_000)) as found:
        await found.press("d")
        assert "POST {base}/approve" in found.text and "[openprose]" in found.text
        await found.press("L")
        assert "No command resumes openprose runs" in found.lines[-1]


async def test_hostile_text_is_escaped(installed: Path) -> None:
    hostile = "\x1b[31m[b]x[/b]\u202e\n" + "y" * 400
    flight = replace(
        audit_flight(str(installed)), stands=hostile, done=(hostile,), will_run=(hostile,),
        liveness=hostile, warnings=(Caution("x", hostile),),
    )  # fmt: skip
    run = replace(pictured.AUDIT, title=hostile)
    for width in (120, 40):
        async with dialog(flight, run=run, size=(width, 30)) as found:
            assert "\x1b" not in found.text and "\u202e" not in found.text
            assert "\\x1b[31m[b]x" in found.text
            assert max(map(len, found.lines)) <= width


async def test_the_run_is_read_each_time_the_dialog_opens(installed: Path) -> None:
    flight = audit_flight(str(installed))
    async with dialog(flight) as found:
        reader = found.feed.readers[pictured.AUDIT.key]
        assert isinstance(reader, ResumeReader) and reader.looks == 1
        await found.press("escape", "r")
        assert reader.looks == 2


async def test_help_lists_the_commands_of_the_dialog(installed: Path) -> None:
    async with dialog(audit_flight(str(installed))) as found:
        await found.press("question_mark")
        assert "Launch in the background" in found.text and "Copy the command" in found.text
        await found.press("escape")
        assert isinstance(found.pilot.app.screen, ResumeScreen)
