"""What a program writes to a terminal, as plain lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.process.supervisor import MAX_LINE_CHARS, PlainLines


def lines_of(*pieces: bytes) -> list[str]:
    plain = PlainLines()
    ended = [line for piece in pieces for line in plain.feed(piece)]
    return [*ended, plain.current] if plain.current else ended


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (b"one\r\ntwo\n", ["one", "two"]),
        (b"\x1b[31;1mred\x1b[0m\n", ["red"]),
        (b"\r\x1b[2K| spin\r\x1b[2K/ spin\r\x1b[2Kdone\n", ["done"]),
        (b"abcdef\rxy\x1b[K\n", ["xy"]),
        (b"50%\r100%\n", ["100%"]),
        (b"abc\b\bX\n", ["aXc"]),
        (b"a\tb\n", ["a       b"]),
        (b"\x1b]0;a title\x07text\n", ["text"]),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", ["link"]),
        (b"\x1bP+q544e\x1b\\after\n", ["after"]),
        (b"\x1b(B\x1b=\x1b>x\x1bc\n", ["x"]),
        ("‮evil\u200b\x07\x9b31m\n".encode(), ["evil31m"]),
        (b"\xff\xfe\n", ["��"]),
        ("✔ Ünïcode 漢字\n".encode(), ["✔ Ünïcode 漢字"]),
        (b"no end", ["no end"]),
    ],
)
def test_only_text_is_left(written: bytes, lines: list[str]) -> None:
    assert lines_of(written) == lines


@given(st.binary(max_size=400), st.integers(1, 7))
def test_where_it_is_cut_does_not_matter(written: bytes, size: int) -> None:
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    assert lines_of(*pieces) == lines_of(written)


@given(st.lists(st.sampled_from([
    b"\x1b", b"[", b"]", b"0;", b"31m", b"\x07", b"\\", b"a", b"\n", b"\r", b"P", b"(", b"B",
]), max_size=30))  # fmt: skip
def test_sequences_in_any_order_leave_no_control(pieces: list[bytes]) -> None:
    whole = lines_of(b"".join(pieces))
    assert lines_of(*pieces) == whole
    assert all(one.isprintable() for line in whole for one in line)


def test_a_line_and_a_sequence_without_an_end_are_bounded() -> None:
    plain = PlainLines()
    for _ in range(100):
        plain.feed(b"x" * 1000)
    assert len(plain.current) == MAX_LINE_CHARS
    plain = PlainLines()
    plain.feed(b"\x1b]0;" + b"y" * 20_000)
    assert plain.feed(b"\n") and plain.current == ""
