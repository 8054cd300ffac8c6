"""Values outside of the screen: read in bounded parts, masked, and never written over anything."""

from __future__ import annotations

import asyncio
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.process.foreground import NotStarted
from inspector.query.view import ValueList
from inspector.ui import external_tools
from inspector.ui.external_tools import ExternalTools, why_no_page, why_no_picture, why_not_save_to
from inspector.ui.loaded_value import (
    HEX_PAGED,
    LoadedValue,
    Stopped,
    file_name,
    load_value,
    loaded_text,
    write_as_recorded,
    write_for_pager,
)
from tests.text.test_images import png
from tests.ui.run.fakes import run_of, store_of

KEY = "AKIAIOSFODNN7EXAMPLE"
OK = AttachmentVerdict.OK


class Contents:
    """A reader that gives contents and files in parts, and tells what it was asked."""

    def __init__(self, content: bytes = b"", verdict: AttachmentVerdict = OK) -> None:
        self._content = content
        self._verdict = verdict
        self.asked: list[tuple[str, int]] = []

    def content(self, row: int, most: int) -> tuple[bytes, int] | None:
        self.asked.append((f"row {row}", most))
        return (self._content[:most], len(self._content)) if row == 1 else None

    def attachment(self, path: str, most: int = 0) -> tuple[Attachment, bytes]:
        self.asked.append((path, most))
        return Attachment(path, self._verdict, len(self._content)), self._content[:most]

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        self.asked.append(("values", 0))
        return ValueList(frame, 0, ())


def value(row: int | None = 1, path: str | None = None, text: str | None = None) -> Value:
    attached = None if path is None else Attachment(path, OK, 3)
    return Value("v", "root", "let", "text", 3, text, "", row=row, attachment=attached)


def held_of(reader: Contents, one: Value, most: int = 100) -> LoadedValue | str:
    return load_value(reader, one, None, most)  # type: ignore[arg-type]


def paged(held: LoadedValue, *, raw: bool = False) -> str:
    file = io.BytesIO()
    write_for_pager(held, file, raw=raw, stop=lambda: False)
    return file.getvalue().decode()


def saved(held: LoadedValue) -> tuple[bytes, int]:
    file = io.BytesIO()
    count = write_as_recorded(held, file, stop=lambda: False)
    return file.getvalue(), count


class TestReading:
    """What a value holds."""

    def test_of_a_row_no_more_is_read_than_is_wanted(self) -> None:
        reader = Contents(b"x" * 1_000)
        held = held_of(reader, value())
        assert isinstance(held, LoadedValue)
        assert (len(held.data), held.size, held.cut) == (100, 1_000, True)
        assert reader.asked == [("row 1", 100)]

    def test_a_file_is_read_through_the_reader(self) -> None:
        reader = Contents(b"text")
        held = held_of(reader, value(path="attachments/a.md"))
        assert isinstance(held, LoadedValue)
        assert (held.text, held.file) == ("text", "attachments/a.md")
        assert reader.asked == [("attachments/a.md", 100)]

    def test_a_file_that_may_not_be_read_is_a_sentence(self) -> None:
        reader = Contents(b"", AttachmentVerdict.REFUSE_OUTSIDE)
        said = held_of(reader, value(path="../x"))
        assert said == ("There is no file to read: outside the run's folder, not opened.")

    def test_where_there_is_no_file_the_row_speaks_for_itself(self) -> None:
        reader = Contents(b"see attachment", AttachmentVerdict.MISSING)
        held = held_of(reader, value(path="gone.md", text="see attachment"))
        assert isinstance(held, LoadedValue)
        assert (held.text, held.file) == ("see attachment", "")

    def test_a_row_that_is_gone_is_a_sentence(self) -> None:
        assert "not recorded any more" in str(held_of(Contents(), value(row=2)))

    def test_what_is_known_already_needs_no_row(self) -> None:
        held = held_of(Contents(), value(row=None, text="known"))
        assert isinstance(held, LoadedValue)
        assert held.text == "known"

    def test_a_letter_that_was_cut_in_two_is_left_out(self) -> None:
        data = "aé".encode()
        assert LoadedValue("v", data[:2], 3).text == "a"
        assert LoadedValue("v", data[:2], 2).text is None


class TestPaging:
    """What a pager is given."""

    def test_controls_are_visible_and_secrets_are_masked(self) -> None:
        text = f"\x1b[2J\x1b]52;c;ZXZpbA==\x07\u202e\nkey {KEY}\n"
        shown = paged(loaded_text("v", text))
        assert "\x1b" not in shown and "\u202e" not in shown
        assert "\\x1b[2J" in shown
        assert KEY not in shown and "masked" in shown

    def test_what_is_named_as_a_secret_is_hidden(self) -> None:
        assert "plain" not in paged(loaded_text("api_key", "plain words"))

    def test_json_is_laid_out_unless_it_is_wanted_as_it_stands(self) -> None:
        held = loaded_text("v", '{"a":1}')
        assert paged(held) == '{\n  "a": 1\n}\n'
        assert paged(held, raw=True) == '{"a":1}\n'

    def test_bytes_are_in_hexadecimal_with_file_type(self) -> None:
        data = png(3, 4)
        shown = paged(LoadedValue("v", data, len(data), is_text=False))
        assert shown.startswith("PNG image, ")
        assert "3 × 4 pixels" in shown
        assert "00000000  89 50 4e 47" in shown

    def test_a_secret_among_bytes_is_not_shown(self) -> None:
        data = b"\x00\x01 key " + KEY.encode() + b"\x00"
        assert KEY[:8] not in paged(LoadedValue("v", data, len(data), is_text=False))
        assert KEY.encode() not in saved(LoadedValue("v", data, len(data), is_text=False))[0]

    def test_it_says_when_there_is_more(self) -> None:
        assert "the first 4 B of 2.0 GB" in paged(LoadedValue("v", b"text", 2_000_000_000))
        many = LoadedValue("v", bytes(HEX_PAGED + 16), HEX_PAGED + 16, is_text=False)
        assert "the first 2.0 MB of 2.0 MB" in paged(many)[-200:]

    def test_it_can_be_stopped(self) -> None:
        with pytest.raises(Stopped):
            write_for_pager(loaded_text("v", "x"), io.BytesIO(), raw=True, stop=lambda: True)


class TestSaving:
    """What a file is given, and where."""

    def test_what_holds_no_secret_is_saved_byte_by_byte(self) -> None:
        for data in (b"a\tb\r\n\x1b[0m\xe2\x80\xae", b"\xff\x00\x01", "Grüße".encode("latin-1")):
            assert saved(LoadedValue("v", data, len(data))) == (data, 0)

    def test_secrets_are_masked_and_counted(self) -> None:
        data, count = saved(loaded_text("v", f"a {KEY} b"))
        assert KEY.encode() not in data and count == 1

    @pytest.mark.parametrize(
        ("held", "name"),
        [
            (loaded_text("v", '{"a": 1}'), "v.json"),
            (loaded_text("v", "# T\n\nx"), "v.md"),
            (loaded_text("v", "words"), "v.txt"),
            (LoadedValue("v", b"\xff\x00", 2, is_text=False), "v.bin"),
            (LoadedValue("v", b"x", 1, file="attachments/deep/full report.md"), "full report.md"),
        ],
    )
    def test_a_name_is_proposed(self, held: LoadedValue, name: str) -> None:
        assert file_name(held, "v") == name

    def test_nothing_is_saved_in_the_folder_of_a_run(self, tmp_path: Path) -> None:
        run = run_of(store=store_at(tmp_path / "run"))
        (tmp_path / "run" / "below").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "run")
        for path in ("run/x", "run/below/x", "link/x"):
            assert "folder of the run" in str(why_not_save_to(tmp_path / path, run))
        assert why_not_save_to(tmp_path / "x", run) is None
        assert why_not_save_to(tmp_path / "run-of-another", run) is None
        assert why_not_save_to(tmp_path, run) == "Name a file, not a folder."

    def test_no_name_is_taken_that_belongs_to_the_database(self, tmp_path: Path) -> None:
        store = replace(store_at(tmp_path / "run"), runtime="prism")
        run = run_of(store=store)
        name = os.path.basename(store.path)
        (tmp_path / "link").symlink_to(tmp_path / "run")
        for path in (f"run/{name}-journal", f"link/{name}-wal", f"run/{name}-shm"):
            assert "database" in str(why_not_save_to(tmp_path / path, run))
        assert why_not_save_to(tmp_path / f"{name}-wal", run) is None
        assert why_not_save_to(tmp_path / "run" / "mine", run) is None

    async def test_what_exists_is_never_written_over(self, tmp_path: Path) -> None:
        said, run = [""], run_of(store=store_at(tmp_path / "run"))
        out = ExternalTools(App(), said.append)
        target = tmp_path / "mine.txt"
        await out.save(loaded_text("v", f"one {KEY}"), target, run)
        assert "saved in" in said[-1] and "1 secret masked" in said[-1]
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        before = target.read_bytes()
        (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
        for path in (target, tmp_path / "dangling"):
            await out.save(loaded_text("v", "two"), path, run)
            assert "exists already" in said[-1]
        assert target.read_bytes() == before
        assert not (tmp_path / "nowhere").exists()

    async def test_a_file_that_cannot_be_filled_is_not_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object, **__: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(external_tools, "write_as_recorded", full)
        said = [""]
        run = run_of(store=store_at(tmp_path / "run"))
        await ExternalTools(App(), said.append).save(loaded_text("v", "x"), tmp_path / "a", run)
        assert said[-1] == "It could not be saved: No space left on device."
        assert not (tmp_path / "a").exists()

    async def test_a_part_says_that_it_is_one(self, tmp_path: Path) -> None:
        said = [""]
        run = run_of(store=store_at(tmp_path / "run"))
        held = LoadedValue("v", b"text", 2_000_000_000)
        await ExternalTools(App(), said.append).save(held, tmp_path / "a", run)
        assert said[-1].startswith("The first 4 B of 2.0 GB was saved in")


def store_at(folder: Path) -> Any:
    folder.mkdir()
    store = store_of("openprose")
    return type(store)(
        str(folder / "state.db"), store.runtime, store.variant, store.write_style, store.health
    )


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked for a terminal gets one."""

    @contextmanager
    def suspended(app: object) -> Iterator[None]:
        with nullcontext():
            yield

    monkeypatch.setattr(external_tools, "suspended", suspended)
    monkeypatch.setenv("PAGER", "cat --number")


def paging(monkeypatch: pytest.MonkeyPatch, read: Callable[[str], int]) -> list[str]:
    """Pages a value with `read` as the pager; what was said."""
    said: list[str] = []
    monkeypatch.setattr(external_tools, "read_in", lambda pager, path, env: read(path))
    asyncio.run(ExternalTools(App(), said.append).page(loaded_text("v", f"text {KEY}"), raw=False))
    return said


@pytest.mark.usefixtures("terminal")
class TestPager:
    """From a value to the pager and back."""

    def test_the_pager_has_a_private_copy_that_is_gone_afterwards(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[str] = []

        def read(path: str) -> int:
            seen.append(path)
            assert "masked" in Path(path).read_text()
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
            assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
            return 0

        assert paging(monkeypatch, read) == [""]
        assert seen and not os.path.exists(os.path.dirname(seen[0]))

    @pytest.mark.parametrize(
        ("code", "sentence"),
        [(3, "cat ended with exit code 3."), (-9, "cat ended with signal 9.")],
    )
    def test_a_pager_that_fails_is_a_sentence(
        self, monkeypatch: pytest.MonkeyPatch, code: int, sentence: str
    ) -> None:
        assert paging(monkeypatch, lambda path: code) == [sentence]

    def test_a_pager_that_does_not_start_is_a_sentence(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def read(path: str) -> int:
            raise NotStarted("Could not be started: Exec format error.")

        assert paging(monkeypatch, read) == ["Could not be started: Exec format error."]

    def test_a_pager_that_is_not_there_is_a_sentence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PAGER", "no-such-pager -R")
        assert paging(monkeypatch, lambda path: 0) == [
            "$PAGER names no-such-pager, which was not found. Set $PAGER, or save."
        ]


def test_a_screen_without_a_terminal_says_so() -> None:
    assert "no terminal to hand over" in str(why_no_page(App()))


def test_only_images_of_a_fair_size_are_shown() -> None:
    assert "no image" in str(why_no_picture(loaded_text("v", "words")))
    assert "too large" in str(why_no_picture(LoadedValue("v", png(), 2_000_000_000, is_text=False)))
    bomb = png(60_000, 60_000)
    assert "too large" in str(why_no_picture(LoadedValue("v", bomb, len(bomb), is_text=False)))
    assert why_no_picture(LoadedValue("v", png(), len(png()), is_text=False)) is None
