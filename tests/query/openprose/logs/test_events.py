"""Bytes to markers: whatever the pieces, nothing is lost and nothing moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.query.openprose.logs.events import LONGEST_LINE, Found, Scanner
from inspector.query.openprose.logs.lines import read_line
from tests.query.openprose.logs.shapes import ELDER, LINES, LOGS


def scan(data: bytes, cuts: list[int]) -> tuple[list[Found], Scanner]:
    scanner, found, begun = Scanner(), [], 0
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        found += scanner.feed(data[begun:cut])
        begun = max(begun, cut)
    return found, scanner


@given(LOGS, st.lists(st.integers(0, 4000), max_size=8), st.booleans())
def test_pieces_make_no_difference(lines: list[str], cuts: list[int], ended: bool) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogatepass") + (b"\n" if ended else b"")
    whole, at_once = scan(data, [])
    parts, in_pieces = scan(data, cuts)
    assert parts == whole
    assert in_pieces.unfinished() == at_once.unfinished()
    assert (in_pieces.line, in_pieces.offset, in_pieces.end) == (
        at_once.line,
        at_once.offset,
        len(data),
    )


@given(LOGS)
def test_every_marker_is_found_where_it_stands(lines: list[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    raw = data.split(b"\n")[:-1]
    expected = [n for n, line in enumerate(raw, 1) if read_line(line.decode("utf-8", "replace"))]
    found, _ = scan(data, [])
    assert [one.line for one in found] == expected
    for one in found:
        assert data[: one.offset].count(b"\n") == one.line - 1
        assert one.offset == 0 or data[one.offset - 1 : one.offset] == b"\n"


@given(LINES, LINES)
def test_a_half_written_line_counts_as_soon_as_it_is_a_marker(before: str, last: str) -> None:
    data = f"{before}\n{last}".encode("utf-8", "surrogatepass")
    counted = False
    for end in range(len(before.encode("utf-8", "surrogatepass")) + 1, len(data) + 1):
        _, scanner = scan(data[:end], [])
        is_event = scanner.unfinished() is not None
        assert is_event or not counted
        counted = is_event
    assert counted == (
        read_line(last.encode("utf-8", "surrogatepass").decode("utf-8", "replace")) is not None
    )


def test_a_character_that_is_half_there_is_left_out() -> None:
    data = "3a→ x ✓".encode()
    for end in (len(data) - 1, len(data) - 2):
        _, scanner = scan(data[:end], [])
        found = scanner.unfinished()
        assert found is not None and found.marker.recorded is None and found.marker.name == "x"


def test_lines_without_end_are_not_held() -> None:
    scanner = Scanner()
    found = scanner.feed(b"1\xe2\x86\x92 a ")
    for _ in range(100):
        found += scanner.feed(b"x" * LONGEST_LINE)
        assert len(scanner.pending) <= LONGEST_LINE
    assert not found and scanner.unfinished() is not None
    (one,) = scanner.feed(b"\xe2\x9c\x93\n")
    assert one.line == 1 and one.offset == 0
    (after,) = scanner.feed("2→ b ✓\n".encode())
    assert (after.line, after.offset) == (2, 6 + 1 + 1 + 100 * LONGEST_LINE + 3)


def test_windows_line_ends_and_marks_at_the_beginning() -> None:
    found, _ = scan(("\ufeff" + ELDER.replace("\n", "\r\n")).encode(), [])
    plain, _ = scan(ELDER.encode(), [])
    assert [one.marker for one in found] == [one.marker for one in plain]
