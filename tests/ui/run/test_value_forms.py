"""Values on the screen: their forms, alone, in any size of terminal, and the way to a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.model.value import Attachment, AttachmentVerdict, Value
from inspector.ui.widgets.content_view import AT_ONCE
from tests.text.test_images import png
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, settle, shown


class Parts(FakeReader):
    """A reader that gives contents and files in parts."""

    data = b""

    def content(self, row: int, most: int) -> tuple[bytes, int] | None:
        self.asked.append(f"content {row} {most}")
        return self.data[:most], len(self.data)

    def attachment(self, path: str, most: int = 65_536) -> tuple[Attachment, bytes]:
        self.asked.append(f"attachment {path} {most}")
        verdict = AttachmentVerdict.OK_BINARY if b"\0" in self.data else AttachmentVerdict.OK
        return Attachment(path, verdict, len(self.data)), self.data[:most]


def feed_of(*values: Value, data: bytes = b"") -> RunFeed:
    feed = pictured.research_feed()
    feed.reader = Parts(feed.of)
    feed.readers[feed.key] = feed.reader
    feed.reader.data = data
    feed.reader.values_by_scope = {None: values}
    feed.reader.whole = values
    return feed


def value(text: str | None, *, type: str = "text", path: str | None = None, size: int = 0) -> Value:
    attached = None if path is None else Attachment(path, AttachmentVerdict.OK, size)
    length = len(text or "") or size
    return Value(
        "report", "root", "let", type, length, text, text or "", row=1, attachment=attached
    )


def has(screen: object, *words: str) -> bool:
    lines = "\n".join(shown(screen))  # type: ignore[arg-type]
    return all(word in lines for word in words)


async def test_markdown_reads_as_markdown_and_as_it_stands_on_a_key() -> None:
    feed = feed_of(value("# Tides\n\nSome **bold** words."))
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        assert has(screen, "markdown", "Some bold words.")
        await pilot.press("m")
        await settle(pilot)
        assert has(screen, "1  # Tides", "3  Some **bold** words.", "raw")
        await pilot.press("m")
        await settle(pilot)
        assert has(screen, "Some bold words.") and not has(screen, "3  Some **bold**")


async def test_what_has_one_form_says_so() -> None:
    async with on_screen(feed_of(value("words"))) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        await pilot.press("m")
        await settle(pilot)
        assert has(screen, "No other format.")


async def test_a_file_is_read_when_it_is_asked_for() -> None:
    feed = feed_of(value("", path="attachments/a.png", size=80), data=png())
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        assert has(screen, "attachments/a.png   ok   enter shows it")
        assert not any("attachment" in asked for asked in feed.reader.asked)
        await pilot.press("enter")
        await settle(pilot)
        assert has(screen, "PNG image", "640 × 480 pixels", "89 50 4e 47")


async def test_of_a_large_value_only_its_own_beginning_is_read() -> None:
    feed = feed_of(value(None, size=12_000_000), data=b"line\n" * 2_400_000)
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "enter")
        for _ in range(100):
            await settle(pilot)
            if has(screen, "    1  line"):
                break
        assert has(screen, "    1  line")
        assert [asked for asked in feed.reader.asked if "content" in asked] == ["content 1 2000000"]
        assert "values None full" not in feed.reader.asked
        await pilot.press("tab", "G")
        await settle(pilot)
        assert has(screen, "Preview ends here · p opens more, S saves the whole value")


async def test_long_contents_are_laid_out_on_a_thread_for_each_width() -> None:
    feed = feed_of(value("word " * (AT_ONCE // 2)))
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        for width in (120, 80, 100):
            await pilot.resize_terminal(width, 36)
            for _ in range(50):
                await settle(pilot)
                if has(screen, "word word"):
                    break
            rows = [line for line in shown(screen) if "word word" in line]
            assert rows
            assert all(len(line) <= width for line in rows)


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (160, 50)])
async def test_a_value_can_stand_alone_in_any_size(size: tuple[int, int]) -> None:
    feed = feed_of(value("the only words"), data=b"the only words")
    async with on_screen(feed, size) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        await pilot.press("enter" if size == (40, 15) else "z")
        await settle(pilot)
        assert has(screen, "the only words")
        assert not any(line.lstrip().startswith("name") for line in shown(screen))
        await pilot.press("escape")
        await settle(pilot)
        assert any(line.lstrip().startswith("name") for line in shown(screen))


async def test_a_value_is_saved_under_the_name_that_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    feed = feed_of(value("a value\n"), data=b"a value\n")
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        await pilot.press("S")
        await settle(pilot)
        assert has(screen, " as report.txt") and has(screen, "save in …")
        await pilot.press("enter")
        for _ in range(20):
            await settle(pilot)
            if has(screen, "saved in"):
                break
        assert (tmp_path / "report.txt").read_bytes() == b"a value\n"
        await pilot.press("S")
        await settle(pilot)
        await pilot.press("enter")
        for _ in range(20):
            await settle(pilot)
            if has(screen, "exists already"):
                break
        assert has(screen, "exists already")
        assert has(screen, "as report.txt")
        await pilot.press("2", "enter")
        for _ in range(20):
            await settle(pilot)
            if (tmp_path / "report.txt2").exists():
                break
        assert (tmp_path / "report.txt2").read_bytes() == b"a value\n"
        await pilot.press("S")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert not has(screen, "as report.txt")
        assert len(list(tmp_path.iterdir())) == 2


async def test_without_a_terminal_a_pager_is_refused_in_a_sentence() -> None:
    async with on_screen(feed_of(value("words"))) as (pilot, screen):
        await pilot.press("2", "p")
        await settle(pilot)
        assert has(screen, "A pager needs the terminal: this screen has no terminal to hand over.")
        await pilot.press("P")
        await settle(pilot)
        assert has(screen, "A picture needs the terminal")


async def test_a_busy_store_is_a_sentence_for_who_wants_the_whole() -> None:
    feed = feed_of(value(None, size=12_000_000))
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        feed.busy = True
        await pilot.press("enter")
        await settle(pilot)
        assert has(screen, "The store is locked by its writer.")
        await pilot.press("S")
        await settle(pilot)
        assert has(screen, "The store is locked by its writer.")


async def test_a_copy_says_whether_it_is_the_file_or_what_stands_for_it() -> None:
    feed = feed_of(
        value("stands for it", path="a/report.txt", size=20), data=b"what the file holds\n"
    )
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        before = screen.pane.value_to_copy()
        assert before is not None and before.text == "stands for it"
        assert before.what == "the recorded preview of report (enter reads the file)"
        await pilot.press("enter")
        await settle(pilot)
        await settle(pilot)
        after = screen.pane.value_to_copy()
        assert after is not None and "what the file holds" in after.text
        assert after.what == "report"
