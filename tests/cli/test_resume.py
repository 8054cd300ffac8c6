"""`inspector resume --plan`: the pre-flights of all cases are right; nothing is ever started."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.config.folders import state_dir
from tests.case_archives import Cases
from tests.query.grimoire.building import Book
from tests.resume.stand_ins import RUN_ID, crossing, grimoire, key_of, program

ARCHIVE = "openprose"
COMPARED: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how many positions were compared."""
    yield
    listed = ", ".join(f"{count} {name}" for name, count in sorted(COMPARED.items()))
    print(f"\nPre-flights compared: {listed}")


class Plans:
    """What the command says of the runs below a folder."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.capsys = root, capsys

    def ask(self, *words: str) -> tuple[int, Any]:
        code = main(["resume", *words, "--plan", "--json", "--reveal", "--in", str(self.root)])
        captured = self.capsys.readouterr()
        return code, json.loads(captured.out) if captured.out else captured.err


def expected_fields(expected: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Our position in the words of the answers."""
    read = {
        **ours,
        "in_loop": ours["loop_id"],
        "rerun": [*ours["rerun"], *ours["unconfirmed"]],
        "has_binding_without_event": ours["unconfirmed"],
    }
    found = {name: read[name] for name in expected if name != "note"}
    return {
        name: sorted(value) if isinstance(value, list) else value for name, value in found.items()
    }


def test_positions_of_all_cases(
    cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, runs in cases.expected(ARCHIVE).items():
        for expected in runs:
            if "resume" in expected:
                check_case(name, expected, cases, tmp_path, capsys)
    assert COMPARED["positions"] and COMPARED["nothing to resume"]


def check_case(
    name: str,
    expected: dict[str, Any],
    cases: Cases,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = cases.copy(ARCHIVE, name, tmp_path)
    folder = tmp_path / expected["run_dir"]
    code, plan = Plans(root, capsys).ask(str(folder))
    position = expected["resume"]
    if position is None:
        COMPARED["nothing to resume"] += 1
        assert (code, plan["resumable"], plan["position"]) == (1, False, None), name
        return
    COMPARED["positions"] += 1
    assert (code, plan["resumable"], plan["reason"]) == (0, True, None), name
    wanted = {key: value for key, value in position.items() if key != "note"}
    assert expected_fields(position, plan["position"]) == wanted, name
    COMPARED["fields"] += len(wanted)
    check_prompt(plan)


def check_prompt(plan: dict[str, Any]) -> None:
    words, _, block = plan["prompt"].partition("```json\n")
    data = json.loads(block.removesuffix("\n```\n"))
    assert plan["run"]["run_id"] in (data["run_id"], *words.split())
    assert data["state"] == plan["run"]["store"]
    assert data["position"]["kind"] == plan["position"]["kind"]
    for name in ("keep", "rerun", "unconfirmed"):
        assert data["position"].get(name, []) == plan["position"][name]


def test_every_other_case_has_an_answer_too(
    cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is in a database: an answer, or one sentence; never a traceback."""
    for name in ("21_malformed_json", "22_non_utf8_and_blobs", "23_null_everything",
                 "24_unicode_ansi_markup", "25_empty_0_byte", "25d_corrupt_pages",
                 "26b_hot_journal", "11_scope_edges", "34_filesystem_run_no_db"):  # fmt: skip
        root = cases.copy(ARCHIVE, name, tmp_path)
        for expected in cases.expected(ARCHIVE)[name]:
            code, plan = Plans(root, capsys).ask(str(tmp_path / expected["run_dir"]))
            assert code in (0, 1, 4), name
            assert isinstance(plan, dict) or plan.count("\n") == 1, name


@pytest.mark.parametrize(
    ("case", "resumable"),
    [("40_simple", False), ("43_loops_blocks_no_end", True), ("44_front_matter_and_prose", True),
     ("45_half_written_line", True), ("42_ended_partial_then_resumed", False)],
)  # fmt: skip
def test_runs_that_keep_a_log(
    case: str, resumable: bool, cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = cases.copy("openprose-logs", case, tmp_path)
    code, plan = Plans(root, capsys).ask("latest")
    assert (code, plan["resumable"]) == (0 if resumable else 1, resumable)
    if resumable:
        assert "state/filesystem.md" in plan["prompt"] and "append" not in plan["prompt"]


SITUATIONS = {
    "20261129T200101.948Z-jb4nbf": ("waiting, --watch is needed", None),
    "20261129T200105.253Z-c22m2q": ("settled", None),
    "20261129T200105.293Z-ytthi9": ("settled, the destination will fail", None),
    "20261129T200103.026Z-4tnl9w": ("failed handoff", None),
    "20261129T200103.077Z-8xf0vk": ("expired handoff", None),
    "20261129T200102.000Z-k49ey4": ("completed", "completed"),
    "20261129T200101.875Z-qmwc9f": ("simulated, completed", "completed"),
    "20261129T200101.934Z-629lsg": ("simulated, destination failed", "simulation"),
    "20261129T200105.189Z-28ipb2": ("source reverted", "source failed"),
    "20261129T200105.227Z-7bgkms": ("no handoff", "incomplete"),
}
"""What the real program did with these runs: see RESUME_TRANSCRIPTS.txt."""


def test_grimoire_runs_as_the_real_program_left_them(
    cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = cases.copy("grimoire", "cross_chain", tmp_path)
    database = root / "grimoire.db"
    move_spells(database, tmp_path / "spells")
    for run_id, (what, why) in SITUATIONS.items():
        spell = "XDest" if run_id.endswith("7bgkms") else "XSource"
        key = f"grimoire:{database.resolve()}#{spell}/{run_id}"
        code, plan = Plans(root, capsys).ask(key)
        COMPARED["situations of Grimoire"] += 1
        if why is not None:
            assert (code, plan["resumable"]) == (1, False), what
            assert why in plan["reason"], what
            continue
        assert (code, plan["resumable"]) == (0, True), (what, plan["reason"])
        argv = plan["command"]["argv"]
        assert ("--watch" in argv) == ("settled" not in what), what
        assert argv[:3] == ["grimoire", "resume", run_id]
        assert argv[-2:] == ["--state-dir", str(root.resolve())]
        codes = {caution["code"] for caution in plan["warnings"]}
        assert (plan["confirm"] == run_id) == ("money_moves" in codes), what


def move_spells(database: Path, spells: Path) -> None:
    """Has the manifests name files that are there; the writer is another process."""
    spells.mkdir()
    for name in ("xdest.spell", "xdest_fail.spell", "xsource.spell"):
        (spells / name).write_text("")
    statement = "UPDATE runs SET provenance = replace(provenance, '/srv/projects/play/spells', ?)"
    writer = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2],"
    writer += " (sys.argv[3],)); c.commit(); c.close()"
    command = [sys.executable, "-c", writer, str(database), statement, str(spells)]
    subprocess.run(command, check=True)


def test_a_grimoire_run_that_failed_once_is_blocked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seen: it would execute the destination again and only then fail to record it."""
    database = crossing(tmp_path / "project")
    Book().run("XDest", RUN_ID, success=0).save(database)
    code, plan = Plans(tmp_path / "project", capsys).ask(key_of(database))
    assert code == 1 and "XDest already has a row for this run" in plan["reason"]


def test_prism_runs_as_the_real_store_left_them(
    cases: Cases,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    set_now: Callable[[str], None],
) -> None:
    waiting = "run_66049841-4bbc-4590-bcc6-8903067298fe"
    suspended = Plans(cases.copy("prism", "suspended", tmp_path), capsys)
    for now, allowed in (("2026-11-29T20:06:00Z", True), ("2026-11-29T20:07:00Z", False)):
        set_now(now)
        code, plan = suspended.ask(waiting)
        assert (code, plan["resumable"], plan["launchable"]) == (0, True, False)
        assert plan["deadline"] == "2026-11-29T20:06:13.787Z"
        decisions = {one["word"]: one["why_not"] for one in plan["decisions"]}
        assert (decisions["approve"] is None) == allowed and decisions["deny"] is None
    code, plan = suspended.ask("run_1546fd8b-185c-40d2-b317-2556ec70e9d9")
    assert code == 1 and "denied" in plan["reason"]
    killed = Plans(cases.copy("prism", "killed_workflow", tmp_path), capsys)
    for now, held in (("2026-11-29T20:04:00Z", True), ("2026-11-29T20:05:00Z", False)):
        set_now(now)
        code, plan = killed.ask("wfr_killed")
        assert (code == 1) == held and plan["resumable"] is not held
        assert ("coord-dead" in (plan["reason"] or "")) == held
    code, plan = Plans(cases.copy("prism", "killed_tool", tmp_path), capsys).ask("latest")
    assert code == 1 and "kept only while it waits" in plan["reason"]
    COMPARED["situations of Prism"] += 6


@pytest.mark.parametrize("name", ["a b", "it's", "new\nline", "-dash", "$(id)", "ü"])
def test_odd_folders(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(grimoire(tmp_path / "bin").parent))
    project = tmp_path / name
    database = crossing(project)
    code, plan = Plans(project, capsys).ask(key_of(database))
    assert code == 0, plan
    assert plan["command"]["cwd"] == str(project.resolve())
    assert plan["command"]["argv"][-1] == str(database.parent.resolve())
    assert plan["launchable"] and not list(state_dir().iterdir())


def test_a_spell_whose_file_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = crossing(tmp_path / "project")
    (tmp_path / "project" / "spells" / "xdest.spell").unlink()
    code, plan = Plans(tmp_path / "project", capsys).ask(key_of(database))
    assert code == 1 and "xdest.spell' does not exist" in plan["reason"]


def test_several_runs_give_several_preflights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = [key_of(crossing(tmp_path / name)) for name in ("one", "two")]
    words = ["resume", *keys, "--in", str(tmp_path)]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [plan["run"]["key"] for plan in document["plans"]] == keys
    assert main([*words, "--jsonl"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main([*words, "--yes"]) == 0, "several are only told of"
    assert capsys.readouterr().out.count("Nothing has been started.") == 2


def test_plain_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = key_of(crossing(tmp_path / "it's"))
    assert main(["resume", key, "--plan", "--in", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    told = ("Resume XSource", "Nothing has been started.", "sends real transactions")
    for words in (*told, "KEY_ENV=NAME", "'\"'\"'", f"grimoire resume {RUN_ID}"):
        assert words in out


def test_a_launch_needs_a_terminal_or_the_full_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = crossing(tmp_path / "project")
    marker = program(tmp_path / "bin", "grimoire", "touch", str(tmp_path / "started"))
    monkeypatch.setenv("PATH", str(marker.parent))
    there = ["--in", str(tmp_path)]
    assert main(["resume", "latest", *there]) == 2
    assert "--yes" in capsys.readouterr().err
    for name in ("latest", RUN_ID, str(database)):
        assert main(["resume", name, "--yes", *there]) in (2, 3)
        assert capsys.readouterr().err
    assert main(["resume", key_of(database), "--yes", "--plan", *there]) == 0
    assert not (tmp_path / "started").exists() and not list(state_dir().iterdir())


def test_words_that_were_not_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crossing(tmp_path / "project")
    assert main(["resume"]) == 2
    assert main(["resume", "nothing-like-it", "--plan", "--in", str(tmp_path)]) == 3
    assert main(["resume", "latest", "--decision", "maybe"]) == 2
    assert main(["resume", "latest", "--host", "clyde", "--plan", "--in", str(tmp_path)]) == 2
    assert "Unknown host 'clyde'" in capsys.readouterr().err
    assert main(["resume", "--log"]) == 0
    assert "No launches yet." in capsys.readouterr().out
