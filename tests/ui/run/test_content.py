"""Contents laid out for a width: nothing is lost, nothing gets out, Markdown reads as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.escape import visible
from inspector.text.measure import cell_width
from inspector.ui.content import (
    SHOWN,
    bytes_content,
    content_of,
    foreign_content,
    is_markdown,
)
from inspector.ui.markdown import PiecedLine, Unfit, markdown_lines
from inspector.ui.widgets.content_view import Rows, rows_of
from tests.text.test_images import png

KEY = "AKIAIOSFODNN7EXAMPLE"
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=200)
MARKS = st.sampled_from(
    [
        *("# ", "- ", "1. ", "> ", "**", "*", "`", "```\n", "[a](b)", "![i](j)", "~~", "---\n"),
        *("|a|b|\n|-|-|\n|c|d|\n", "\n", "\n\n", "    ", "&#27;", "&lt;", "<b>", "\\"),
        *("潮", "e\u0301", "word "),
    ]
)


def told(lines: Iterable[PiecedLine]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def rows_told(rows: Rows) -> list[str]:
    return told(row.pieces for row in rows.rows)


def read(text: str, room: int = 60) -> list[str]:
    return told(markdown_lines(text, room))


class TestRows:
    """Lines of any length in any width."""

    @given(ANY_TEXT, st.integers(1, 120))
    def test_no_row_is_too_wide_and_no_letter_is_lost(self, text: str, room: int) -> None:
        content = content_of(None, text, "text")
        rows = rows_of(content, room, raw=True)
        inner = room - rows.digits - 2 if rows.digits else room
        for row in rows.rows:
            assert cell_width("".join(piece.text for piece in row.pieces)) <= max(inner, 2)
        letters = "".join("".join(rows_told(rows)).split())
        assert letters == "".join("".join(line.rest for line in content.lines).split())

    def test_a_long_line_is_broken_between_words_and_keeps_its_number(self) -> None:
        rows = rows_of(content_of(None, "one two three four\nnext", "text"), 10, raw=False)
        assert rows_told(rows) == ["one two", "three four", "next"]
        assert [row.number for row in rows.rows] == [1, 0, 2]
        assert rows.lines == 2

    def test_a_long_line_of_json_goes_on_below_its_own_beginning(self) -> None:
        text = '{"a": {"verdict": "supported, with one open question"}}'
        assert rows_told(rows_of(content_of(None, text, "text"), 30, raw=False)) == [
            "{",
            '  "a": {',
            '    "verdict": "supported,',
            '      with one open question"',
            "  }",
            "}",
        ]

    def test_json_has_another_form_as_it_stands(self) -> None:
        content = content_of(None, '{"b":  1,"a": 2}', "text")
        assert content.formats == ("formatted", "raw")
        assert rows_told(rows_of(content, 60, raw=True)) == ['  {"b":  1,"a": 2}'.strip()]
        assert len(rows_of(content, 60, raw=False).rows) == 4

    def test_a_name_that_comes_again_hides_nothing(self) -> None:
        rows = rows_told(
            rows_of(content_of(None, '{"a": 1, "a": {}, "a": 2}', "text"), 60, raw=False)
        )
        assert rows == ["{", '  "a": 1,', '  "a": {},', '  "a": 2', "}"]

    def test_json_is_laid_out_where_a_number_in_it_is_hidden(self) -> None:
        text = '{"resolved_params": {"n": 424242, "l": [1]}, "b": "x"}'
        content = content_of(None, text, "text")
        assert content.kind == "json"
        rows = rows_told(rows_of(content, 90, raw=False))
        assert rows[2] == '    "n": "‹masked: parameter, 6 chars›",'

    def test_a_cut_content_says_so(self) -> None:
        assert content_of(None, "x" * (SHOWN + 1), "text").cut
        assert not content_of(None, "x" * 100, "text").cut


class TestBytes:
    """Bytes as what they are."""

    def test_an_image_tells_its_facts_above_its_bytes(self) -> None:
        data = png(640, 480)
        content = bytes_content(data, len(data))
        rows = rows_told(rows_of(content, 80, raw=False))
        assert content.kind == "PNG image"
        assert content.is_image
        assert rows[:4] == [
            "format    PNG",
            "size      640 × 480 pixels",
            "depth     8-bit RGBA",
            "animated  no",
        ]
        assert rows[5].startswith("00000000  89 50 4e 47")

    @pytest.mark.parametrize(("room", "each"), [(80, 16), (60, 8), (36, 4)])
    def test_rows_have_as_many_bytes_as_fit(self, room: int, each: int) -> None:
        rows = rows_told(rows_of(bytes_content(b"\x00" * 32, 32), room, raw=False))
        assert len(rows) == 32 // each
        assert all(len(row) <= room for row in rows)

    def test_a_text_in_another_encoding_is_read_as_far_as_it_can_be(self) -> None:
        content = foreign_content(None, "Grüße".encode("latin-1"), 5)
        assert content.formats == ("text", "hex")
        assert rows_told(rows_of(content, 80, raw=False)) == ["Gr\ufffd\ufffde"]
        assert rows_told(rows_of(content, 80, raw=True))[0].startswith("00000000  47 72 fc df 65")


class TestMarkdown:
    """What it says, without its marks."""

    def test_headings_lists_quotes_and_code(self) -> None:
        text = "# Title\n\nSome *text*\nhere.\n\n- one\n  - two\n1. first\n\n> said\n"
        text += "\n```\ncode  x\n```"
        assert read(text) == [
            "Title", "", "Some text here.", "", "- one", "  - two", "", "1. first", "", "│ said",
            "", " code  x",
        ]  # fmt: skip

    def test_a_table_has_columns_and_numbers_at_the_right(self) -> None:
        lines = read("| a | n |\n|---|--:|\n| long name | 7 |\n| x | 1,000 |")
        assert lines == ["a               n", "─" * 17, "long name       7", "x           1,000"]

    def test_a_table_that_is_too_wide_is_folded(self) -> None:
        lines = read("| a | b |\n|---|---|\n| one two three | four five six |", 20)
        assert max(map(len, lines)) <= 20
        assert "".join(lines).count("three") == 1

    def test_a_link_shows_where_it_leads_and_html_is_text(self) -> None:
        assert read("[here](http://evil.example/x) <b>bold</b>") == [
            "here (http://evil.example/x) <b>bold</b>"
        ]
        assert read("![chart](a.png)") == ["[image chart] (a.png)"]

    def test_what_entities_stand_for_is_made_visible(self) -> None:
        assert read("&#27;[31m and &#x202e; and `&#27;`") == ["\ufffd[31m and \\u202e and &#27;"]

    def test_a_secret_that_marks_take_apart_is_not_put_together(self) -> None:
        for text in (f"key {KEY[:8]}**{KEY[8:]}**", f"key &#65;{KEY[1:]}", f"[x](http://h/{KEY})"):
            with pytest.raises(Unfit):
                markdown_lines(text, 60)

    def test_where_nothing_would_be_left_it_is_shown_as_it_stands(self) -> None:
        content = content_of(None, "[a]: http://b\n", "text", file="x.md")
        rows = rows_of(content, 60, raw=False)
        assert "http://b" in "".join(rows_told(rows))
        assert "plain text" in rows.note

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.one_of(MARKS, ANY_TEXT), max_size=12).map("".join), st.integers(1, 70))
    def test_any_text_fits_any_width_and_is_safe(self, text: str, room: int) -> None:
        try:
            lines = markdown_lines(text, room)
        except Unfit:
            return
        for line in lines:
            whole = "".join(piece.text for piece in line)
            assert visible(whole) == whole
            # Two columns and what is between them take so much in any width.
            assert cell_width(whole) <= max(room, 8)

    @pytest.mark.parametrize(
        ("text", "file", "expected"),
        [
            ("# Title\n\ntext", "", True),
            ("- one\n- two\n\nsee **this**", "", True),
            ("plain words - and a dash", "", False),
            ("#!/bin/sh\necho", "", False),
            ("anything", "attachments/report.MD", True),
            ("# a comment\n\nx = 1", "settings.yaml", False),
            ("# Title\n\ntext", "attachments/report", True),
        ],
    )
    def test_what_is_taken_for_markdown(self, text: str, file: str, expected: bool) -> None:
        assert is_markdown(text, file) is expected
