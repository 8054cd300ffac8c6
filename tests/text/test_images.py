"""What an image says of itself in its first bytes, and that no bytes do any harm."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.text.binary import ImageFacts, file_type, hex_rows, hex_text, image_facts


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int = 640, height: int = 480, colour: int = 6, *, moves: bool = False) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0))
    announced = chunk(b"acTL", struct.pack(">II", 2, 0)) if moves else b""
    return b"\x89PNG\r\n\x1a\n" + header + announced + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def jpeg(channels: int = 3) -> bytes:
    app = b"\xff\xe0" + struct.pack(">H", 16) + bytes(14)
    frame = struct.pack(">BHHB", 8, 480, 640, channels) + bytes(3 * channels)
    return b"\xff\xd8" + app + b"\xff\xc2" + struct.pack(">H", 2 + len(frame)) + frame


def gif(pictures: int, *, end: bool = True) -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", 32, 16, 0x80 | 2, 0, 0) + bytes(3 * 8)
    control = b"\x21\xf9\x04" + bytes(4) + b"\x00"
    one = control + b"\x2c" + bytes(8) + b"\x00" + b"\x02\x01\x4c\x00"
    return head + one * pictures + (b"\x3b" if end else b"")


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 12 + len(body)) + b"WEBP" + kind + bytes(4) + body


def bmp(height: int) -> bytes:
    head = b"BM" + struct.pack("<IHHI", 54, 0, 0, 54)
    return head + struct.pack("<IiiHHIIiiII", 40, 7, height, 1, 24, 0, 0, 0, 0, 0, 0)


EXTENDED = bytes([0x12, 0, 0, 0]) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
LOSSLESS = b"\x2f" + (639 | 479 << 14 | 1 << 28).to_bytes(4, "little") + bytes(8)
LOSSY = bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 640 | 0x4000, 480)


@pytest.mark.parametrize(
    ("head", "facts"),
    [
        (png(), ImageFacts("PNG", 640, 480, "8-bit RGBA", False)),
        (png(1, 2, 3, moves=True), ImageFacts("PNG", 1, 2, "8-bit palette", True)),
        (jpeg(), ImageFacts("JPEG", 640, 480, "8-bit colour", False)),
        (jpeg(1), ImageFacts("JPEG", 640, 480, "8-bit grey", False)),
        (gif(1), ImageFacts("GIF", 32, 16, "3-bit palette", False)),
        (gif(2), ImageFacts("GIF", 32, 16, "3-bit palette", True)),
        (gif(1, end=False), ImageFacts("GIF", 32, 16, "3-bit palette", None)),
        (webp(b"VP8X", EXTENDED), ImageFacts("WebP", 640, 480, "8-bit RGBA", True)),
        (webp(b"VP8L", LOSSLESS), ImageFacts("WebP", 640, 480, "8-bit RGBA", False)),
        (webp(b"VP8 ", LOSSY), ImageFacts("WebP", 640, 480, "8-bit colour", False)),
        (bmp(-5), ImageFacts("BMP", 7, 5, "24-bit", False)),
        (bmp(5), ImageFacts("BMP", 7, 5, "24-bit", False)),
    ],
)
def test_each_format_has_its_facts(head: bytes, facts: ImageFacts) -> None:
    assert image_facts(head) == facts
    assert file_type(head) == f"{facts.format} image"


@pytest.mark.parametrize("head", [png(), jpeg(), gif(2), webp(b"VP8X", EXTENDED), bmp(3)])
def test_an_image_that_ends_too_early_is_still_that_image(head: bytes) -> None:
    whole = image_facts(head)
    assert whole is not None
    for length in range(18, len(head)):
        facts = image_facts(head[:length])
        assert facts is not None
        assert facts.format == whole.format
        assert facts.width in (None, whole.width)
        assert facts.height in (None, whole.height)


@pytest.mark.parametrize("text", [b"", b"BMX is a sport with bicycles, and so on", b"GIF", b"RIFF"])
def test_other_data_has_no_image_facts(text: bytes) -> None:
    assert image_facts(text) is None


BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"BM", b"")


@given(st.sampled_from(BEGINNINGS), st.binary(max_size=400))
def test_no_bytes_do_any_harm(beginning: bytes, rest: bytes) -> None:
    facts = image_facts(beginning + rest)
    if facts is not None:
        assert facts.format in ("PNG", "JPEG", "GIF", "WebP", "BMP")
        assert facts.pixels is None or facts.pixels >= 0
    assert file_type(beginning + rest).isascii()


@given(st.sampled_from(["png", "jpeg", "gif"]), st.data())
def test_a_broken_byte_does_no_harm(kind: str, data: st.DataObject) -> None:
    head = bytearray({"png": png(moves=True), "jpeg": jpeg(), "gif": gif(3)}[kind])
    at = data.draw(st.integers(8, len(head) - 1))
    head[at] = data.draw(st.integers(0, 255))
    image_facts(bytes(head))


def test_bytes_are_named_by_how_they_begin() -> None:
    assert file_type(b"\x1f\x8b\x08") == "gzip data"
    assert file_type(b"SQLite format 3\x00") == "SQLite database"
    assert file_type(b"\xff\xfea\x00") == "text in UTF-16"
    assert file_type("Gru\u00dfe".encode("latin-1")) == "text, not in UTF-8"
    assert file_type(b"\x00\x01\x02") == "bytes"
    assert file_type(b"") == "bytes"


@given(st.binary(max_size=200), st.integers(1, 20))
def test_rows_of_bytes_are_plain_and_give_the_bytes_again(data: bytes, each: int) -> None:
    rows = list(hex_rows(data, each))
    again = b"".join(bytes.fromhex(row[10 : 10 + each * 3 - 1].strip()) for row in rows)
    assert again == data
    assert all(row.isascii() and row.isprintable() for row in rows)
    assert len({len(row) for row in rows[:-1]}) <= 1


def test_hex_text_is_limited() -> None:
    assert hex_text(bytes(160), most_rows=3).count("\n") == 2
