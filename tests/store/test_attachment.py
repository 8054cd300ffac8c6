"""A recorded path is followed only inside the run folder, and costs no more than its preview."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.model.value import Attachment, AttachmentVerdict
from inspector.store.attachment import PREVIEW_BYTES, WHOLE_BYTES, inspect_attachment
from tests.case_archives import Cases
from tests.store.trees import file

V = AttachmentVerdict
SECRET = b"from outside"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = tmp_path / "runs/20260317-143052-a7b3c9"
    file(tmp_path / "outside.md", SECRET)
    file(run / "attachments/report.md", b"# Report\n")
    return run


def verdict(folder: Path, recorded: str | None) -> AttachmentVerdict:
    return inspect_attachment(str(folder), recorded)[0].verdict


def test_the_case_with_every_kind_of_path(cases: Cases, tmp_path: Path) -> None:
    expected = cases.expected("openprose")["12_attachments"]
    case = cases.copy("openprose", "12_attachments", tmp_path)
    checked = 0
    for run in expected:
        folder = case / "runs" / run["run_id"]
        for name, recorded in run["attachments"].items():
            assert (name, verdict(folder, recorded["path"])) == (name, recorded["verdict"])
            checked += 1
    assert checked


def test_a_text_is_given_with_its_size(folder: Path) -> None:
    attachment, data = inspect_attachment(str(folder), "attachments/report.md")
    assert attachment == Attachment("attachments/report.md", V.OK, 9)
    assert data == b"# Report\n"


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (None, V.NONE),
        ("", V.NONE),
        ("./attachments//report.md", V.OK),
        ("attachments/../attachments/report.md", V.OK),
        ("../20260317-143052-a7b3c9/attachments/report.md", V.OK),
        ("attachments/none.md", V.MISSING),
        ("none/none.md", V.MISSING),
        ("attachments/report.md/", V.MISSING),
        ("attachments/report.md/more", V.MISSING),
        ("attachments\\report.md", V.MISSING),
        ("a\0b", V.MISSING),
        ("\ud800", V.MISSING),
        pytest.param("x" * 5000, V.MISSING, id="long name"),
        pytest.param("x/" * 5000 + "x", V.MISSING, id="long path"),
        (".", V.NOT_A_FILE),
        ("attachments", V.NOT_A_FILE),
        ("attachments/..", V.NOT_A_FILE),
        ("..", V.REFUSE_OUTSIDE),
        ("../../outside.md", V.REFUSE_OUTSIDE),
        ("../../none.md", V.REFUSE_OUTSIDE),
        ("none/../../../outside.md", V.REFUSE_OUTSIDE),
        ("attachments/report.md/../../../../outside.md", V.REFUSE_OUTSIDE),
        ("/etc/passwd", V.REFUSE_OUTSIDE),
        ("/", V.REFUSE_OUTSIDE),
        ("//etc/passwd", V.REFUSE_OUTSIDE),
        ("/dev/zero", V.REFUSE_OUTSIDE),
        ("<openprose-root>/runs/x/report.md", V.MISSING_OR_EXPAND),
        ("~/report.md", V.MISSING_OR_EXPAND),
        ("$HOME/report.md", V.MISSING_OR_EXPAND),
        ("${RUN}/report.md", V.MISSING_OR_EXPAND),
        ("%TEMP%/report.md", V.MISSING_OR_EXPAND),
        ("$HOME/../../../outside.md", V.REFUSE_OUTSIDE),
    ],
)
def test_paths_without_links(folder: Path, recorded: str, expected: AttachmentVerdict) -> None:
    attachment, data = inspect_attachment(str(folder), recorded)
    assert attachment.verdict is expected
    assert attachment.path == (recorded or "")
    assert (data != b"") == (expected is V.OK)


def test_an_absolute_path_into_the_run_folder_is_fine(folder: Path) -> None:
    assert verdict(folder, str(folder / "attachments/report.md")) is V.OK
    assert verdict(folder, str(folder / "attachments/none.md")) is V.MISSING


def test_a_name_that_only_looks_like_a_placeholder_is_a_name(folder: Path) -> None:
    for name in ("~draft.md", "<final>.md", "$1.md"):
        file(folder / name)
        assert verdict(folder, name) is V.OK


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("report.md", V.OK),
        ("../attachments/report.md", V.OK),
        ("{run}/attachments/report.md", V.OK),
        ("nowhere.md", V.BROKEN_LINK),
        ("link.md", V.BROKEN_LINK),
        ("{run}/attachments/link.md", V.BROKEN_LINK),
        ("..", V.NOT_A_FILE),
        ("../../../outside.md", V.REFUSE_OUTSIDE),
        ("../../../nowhere.md", V.REFUSE_OUTSIDE),
        ("{outside}", V.REFUSE_OUTSIDE),
        ("/dev/zero", V.REFUSE_OUTSIDE),
    ],
)
def test_links(folder: Path, tmp_path: Path, target: str, expected: AttachmentVerdict) -> None:
    link = folder / "attachments/link.md"
    link.symlink_to(target.format(run=folder, outside=tmp_path / "outside.md"))
    assert verdict(folder, "attachments/link.md") is expected


def test_linked_folders(folder: Path, tmp_path: Path) -> None:
    (folder / "in").symlink_to("attachments")
    (folder / "out").symlink_to(tmp_path)
    assert verdict(folder, "in/report.md") is V.OK
    assert verdict(folder, "in/none.md") is V.MISSING
    assert verdict(folder, "out/outside.md") is V.REFUSE_OUTSIDE
    assert verdict(folder, "in/../../../outside.md") is V.REFUSE_OUTSIDE


def test_a_long_chain_of_links_ends(folder: Path) -> None:
    (folder / "0").symlink_to("attachments/report.md")
    for number in range(1, 50):
        (folder / str(number)).symlink_to(str(number - 1))
    assert verdict(folder, "10") is V.OK
    assert verdict(folder, "49") is V.BROKEN_LINK


def test_a_linked_run_folder_is_where_it_leads(folder: Path, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(folder)
    assert verdict(alias, "attachments/report.md") is V.OK
    assert verdict(alias, str(alias / "attachments/report.md")) is V.OK
    assert verdict(alias, "../outside.md") is V.REFUSE_OUTSIDE


def test_a_run_folder_that_has_gone(tmp_path: Path) -> None:
    assert verdict(tmp_path / "gone", "a.md") is V.MISSING


def test_only_regular_files_are_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "pipe")
    opened: list[str] = []
    real = os.open

    def recorder(path: Any, *rest: Any, **named: Any) -> int:
        opened.append(os.path.basename(path))
        return real(path, *rest, **named)

    monkeypatch.setattr(os, "open", recorder)
    assert verdict(folder, "pipe") is V.NOT_A_FILE
    assert opened == [folder.name]


CONTENTS = {
    "empty": (b"", V.OK),
    "text": ("grüße ‹›\n".encode(), V.OK),
    "colours": (b"\x1b[31mred\x1b[0m\r\n", V.OK),
    "latin-1": (b"na\xefve \x80\n", V.OK_REPLACEMENT_CHARS),
    "nul": (b"text\0more", V.OK_BINARY),
    "controls": (bytes(range(1, 32)) * 9, V.OK_BINARY),
    "utf-16": ("text".encode("utf-16"), V.OK_BINARY),
    "largest": (b"a" * WHOLE_BYTES, V.OK),
    "late latin-1": (b"a" * (WHOLE_BYTES - 1) + b"\xe9", V.OK_REPLACEMENT_CHARS),
    "too large": (b"a" * (WHOLE_BYTES + 1), V.OK_TRUNCATED_PREVIEW),
    "cut in a character": ("€".encode() * WHOLE_BYTES, V.OK_TRUNCATED_PREVIEW),
    "large binary": (bytes(WHOLE_BYTES + 1), V.OK_BINARY),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_the_preview_is_the_start_of_the_file(folder: Path, name: str) -> None:
    content, expected = CONTENTS[name]
    file(folder / "a", content)
    attachment, data = inspect_attachment(str(folder), "a")
    assert attachment == Attachment("a", expected, len(content))
    assert data == content[:PREVIEW_BYTES]


def test_a_larger_preview_returns_the_whole_file(folder: Path) -> None:
    content = b"a" * (WHOLE_BYTES + 10)
    file(folder / "a", content)
    attachment, data = inspect_attachment(str(folder), "a", preview_bytes=2 * WHOLE_BYTES)
    assert (attachment.verdict, data) == (V.OK, content)
    attachment, data = inspect_attachment(str(folder), "a", preview_bytes=0)
    assert (attachment.verdict, data) == (V.OK_TRUNCATED_PREVIEW, b"")


def test_a_huge_file_costs_as_much_as_its_preview(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(folder / "big.md", b"a" * PREVIEW_BYTES)
    os.truncate(path, 2 << 30)
    taken = 0
    real = os.read

    def counting(descriptor: int, length: int) -> bytes:
        nonlocal taken
        data = real(descriptor, length)
        taken += len(data)
        return data

    monkeypatch.setattr(os, "read", counting)
    attachment, data = inspect_attachment(str(folder), "big.md")
    assert attachment == Attachment("big.md", V.OK_TRUNCATED_PREVIEW, 2 << 30)
    assert taken == len(data) == PREVIEW_BYTES


def swapping(monkeypatch: pytest.MonkeyPatch, name: str, swap: Callable[[], None]) -> None:
    """Calls `swap` just before a path of this name is opened for the first time."""
    real = os.open
    swapped: list[bool] = []

    def hostile(path: Any, *rest: Any, **named: Any) -> int:
        if path == name and not swapped:
            swapped.append(True)
            swap()
        return real(path, *rest, **named)

    monkeypatch.setattr(os, "open", hostile)


@pytest.mark.parametrize("kind", ["link", "pipe", "other", "gone"])
def test_a_file_that_is_swapped_meanwhile(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = folder / "attachments/report.md"

    def swap() -> None:
        path.rename(folder / "old.md")
        if kind == "link":
            path.symlink_to(tmp_path / "outside.md")
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "other":
            os.link(tmp_path / "outside.md", path)

    swapping(monkeypatch, "report.md", swap)
    attachment, data = inspect_attachment(str(folder), "attachments/report.md")
    assert attachment.verdict is (V.MISSING if kind == "gone" else V.UNREADABLE)
    assert data == b""


def test_a_folder_that_is_swapped_meanwhile(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(tmp_path / "elsewhere/report.md", SECRET)

    def swap() -> None:
        (folder / "attachments").rename(folder / "old")
        (folder / "attachments").symlink_to(tmp_path / "elsewhere")

    swapping(monkeypatch, "attachments", swap)
    attachment, data = inspect_attachment(str(folder), "attachments/report.md")
    assert attachment.verdict in (V.UNREADABLE, V.MISSING)
    assert data == b""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders(folder: Path) -> None:
    (folder / "attachments/report.md").chmod(0)
    assert verdict(folder, "attachments/report.md") is V.UNREADABLE
    (folder / "attachments").chmod(0)
    assert verdict(folder, "attachments/report.md") is V.UNREADABLE
    (folder / "attachments").chmod(0o700)


def test_reading_leaves_no_trace(folder: Path) -> None:
    path = folder / "attachments/report.md"
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    before = len(os.listdir("/dev/fd"))
    for recorded in ("attachments/report.md", "attachments", "none/x", "../x", "attachments/no"):
        inspect_attachment(str(folder), recorded)
    assert len(os.listdir("/dev/fd")) == before
    if hasattr(os, "O_NOATIME"):
        assert path.stat().st_atime_ns == 1_000_000_000


NAMES = ("..", ".", "a", "b", "file", "in", "out", "up", "here", "none")


@pytest.fixture(scope="module")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("maze")
    run = top / "run"
    for place in (run, run / "a", run / "a/b", top, top / "a", top / "a/b"):
        file(place / "file", b"inside" if str(place).startswith(str(run)) else SECRET)
    for place in (run, run / "a", run / "a/b"):
        (place / "in").symlink_to("b")
        (place / "out").symlink_to(top / "a")
        (place / "up").symlink_to("..")
        (place / "here").symlink_to(run / "a")
    return run


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8))
def test_it_agrees_with_the_real_path_and_never_leaves(maze: Path, names: list[str]) -> None:
    recorded = "/".join(names)
    attachment, data = inspect_attachment(str(maze), recorded)
    assert data in (b"", b"inside")
    # As text: pathlib would take `file/.` for `file`, which the file system does not.
    path = f"{maze}/{recorded}"
    inside = f"{os.path.realpath(path)}/".startswith(f"{maze}/")
    if os.path.isfile(path):
        assert attachment.verdict is (V.OK if inside else V.REFUSE_OUTSIDE)
    elif os.path.exists(path):
        assert attachment.verdict is (V.NOT_A_FILE if inside else V.REFUSE_OUTSIDE)
    else:
        assert attachment.verdict in (V.MISSING, V.BROKEN_LINK, V.REFUSE_OUTSIDE)
