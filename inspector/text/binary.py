"""Describes binary data: file types by signature, image facts, hex rows, masking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.text.mask import mask

_MAX_PARTS = 4_096
"""Maximum chunks, segments or blocks to parse."""

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_COLOURS = {0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGBA"}
_JPEG_COLOURS = {1: "grey", 3: "colour", 4: "CMYK"}
_JPEG_WITHOUT_LENGTH = frozenset((0x01, *range(0xD0, 0xD9)))
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BMP_HEADERS = frozenset((12, 40, 52, 56, 64, 108, 124))


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """Facts from an image's header; None or empty = not in the given bytes."""

    format: str
    """`PNG`, `JPEG`, `GIF`, `WebP` or `BMP`."""
    width: int | None = None
    height: int | None = None
    depth: str = ""
    """Such as `8-bit RGBA` or `24-bit`."""
    moves: bool | None = None
    """True for an animation."""

    @property
    def pixels(self) -> int | None:
        """Width × height."""
        return None if self.width is None or self.height is None else self.width * self.height


def image_facts(head: bytes) -> ImageFacts | None:
    """Returns the facts of an image from its first bytes; None if it is not an image."""
    for begins, read in _FORMATS:
        if begins(head):
            return read(head)
    return None


def _big(data: bytes, at: int, count: int) -> int | None:
    return int.from_bytes(data[at : at + count], "big") if len(data) >= at + count else None


def _little(data: bytes, at: int, count: int) -> int | None:
    return int.from_bytes(data[at : at + count], "little") if len(data) >= at + count else None


def _png(data: bytes) -> ImageFacts:
    if data[12:16] != b"IHDR" or len(data) < 26:
        return ImageFacts("PNG")
    colour = _PNG_COLOURS.get(data[25], "")
    depth = f"{data[24]}-bit {colour}".rstrip()
    return ImageFacts("PNG", _big(data, 16, 4), _big(data, 20, 4), depth, _png_moves(data))


def _png_moves(data: bytes) -> bool | None:
    """The animation chunk precedes the first image data."""
    at = 8
    for _ in range(_MAX_PARTS):
        length, kind = _big(data, at, 4), data[at + 4 : at + 8]
        if length is None or len(kind) < 4:
            return None
        if kind == b"acTL":
            return True
        if kind in (b"IDAT", b"IEND"):
            return False
        at += 12 + length
    return None


def _jpeg(data: bytes) -> ImageFacts:
    at = 2
    for _ in range(_MAX_PARTS):
        if at + 1 >= len(data) or data[at] != 0xFF:
            break
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
            continue
        if kind in _JPEG_WITHOUT_LENGTH:
            at += 2
            continue
        if kind in _JPEG_FRAMES:
            return _jpeg_frame(data, at)
        length = _big(data, at + 2, 2)
        if kind in (0xD9, 0xDA) or length is None or length < 2:
            break
        at += 2 + length
    return ImageFacts("JPEG", moves=False)


def _jpeg_frame(data: bytes, at: int) -> ImageFacts:
    if len(data) < at + 10:
        return ImageFacts("JPEG", moves=False)
    colour = _JPEG_COLOURS.get(data[at + 9], f"{data[at + 9]} channels")
    height = _big(data, at + 5, 2) or None
    return ImageFacts("JPEG", _big(data, at + 7, 2), height, f"{data[at + 4]}-bit {colour}", False)


def _gif(data: bytes) -> ImageFacts:
    width, height = _little(data, 6, 2), _little(data, 8, 2)
    if len(data) < 13:
        return ImageFacts("GIF", width, height)
    flags = data[10]
    at = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
    return ImageFacts("GIF", width, height, f"{(flags & 7) + 1}-bit palette", _gif_moves(data, at))


def _gif_moves(data: bytes, at: int) -> bool | None:
    """True if there is a second frame."""
    pictures = 0
    for _ in range(_MAX_PARTS):
        kind = data[at : at + 1]
        if kind == b"\x3b":
            return False
        if kind == b"\x2c":
            pictures += 1
            if pictures > 1:
                return True
            if len(data) < at + 10:
                return None
            flags = data[at + 9]
            at += 11 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
        elif kind == b"\x21":
            at += 2
        else:
            return None
        for _ in range(_MAX_PARTS):
            length = data[at] if at < len(data) else 0
            at += 1 + length
            if not length:
                break
    return None


def _webp(data: bytes) -> ImageFacts:
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        wide, high = _little(data, 24, 3), _little(data, 27, 3)
        assert wide is not None and high is not None
        depth = "8-bit RGBA" if data[20] & 0x10 else "8-bit RGB"
        return ImageFacts("WebP", wide + 1, high + 1, depth, bool(data[20] & 0x02))
    if kind == b"VP8L" and len(data) >= 25 and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        depth = "8-bit RGBA" if bits >> 28 & 1 else "8-bit RGB"
        return ImageFacts("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, depth, False)
    if kind == b"VP8 " and len(data) >= 30 and data[23:26] == b"\x9d\x01\x2a":
        wide, high = _little(data, 26, 2), _little(data, 28, 2)
        assert wide is not None and high is not None
        return ImageFacts("WebP", wide & 0x3FFF, high & 0x3FFF, "8-bit colour", False)
    return ImageFacts("WebP")


def _is_bmp(data: bytes) -> bool:
    """Checks more than `BM`: text may start with it."""
    return data[:2] == b"BM" and data[6:10] == bytes(4) and _little(data, 14, 4) in _BMP_HEADERS


def _bmp(data: bytes) -> ImageFacts:
    if _little(data, 14, 4) == 12:
        width, height, bits = _little(data, 18, 2), _little(data, 20, 2), _little(data, 24, 2)
    else:
        width, height, bits = _little(data, 18, 4), _little(data, 22, 4), _little(data, 28, 2)
        if height is not None and height >= 1 << 31:
            # A negative height means top-down rows.
            height = (1 << 32) - height
    return ImageFacts("BMP", width, height, "" if bits is None else f"{bits}-bit", False)


_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], ImageFacts]], ...] = (
    (lambda data: data.startswith(_PNG), _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    (lambda data: data[:6] in (b"GIF87a", b"GIF89a"), _gif),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", _webp),
    (_is_bmp, _bmp),
)


_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"PK\x05\x06", "ZIP archive"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\x00", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (257, b"ustar", "tar archive"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"PAR1", "Parquet table"),
    (0, b"ARROW1", "Arrow table"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"\x7fELF", "ELF program"),
    (0, b"MZ", "Windows program"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (0, b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (0, b"\x00asm", "WebAssembly module"),
    (0, b"II*\x00", "TIFF image"),
    (0, b"MM\x00*", "TIFF image"),
    (0, b"\x00\x00\x01\x00", "icon"),
    (4, b"ftypavif", "AVIF image"),
    (4, b"ftypheic", "HEIC image"),
    (4, b"ftyp", "MP4 media"),
    (8, b"WAVE", "WAV sound"),
    (8, b"AVI ", "AVI video"),
    (0, b"OggS", "Ogg media"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"ID3", "MP3 sound"),
    (0, b"\x1aE\xdf\xa3", "Matroska media"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
)
_ENCODED = (
    (b"\xff\xfe\x00\x00", "text in UTF-32"),
    (b"\x00\x00\xfe\xff", "text in UTF-32"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)
_CONTROLS = bytes((*range(9), *range(14, 27), *range(28, 32), 127))
_READABLE = re.compile(rb"[ -~]{12,65536}")
_SHOWN = bytes(byte if 0x20 <= byte < 0x7F else ord(".") for byte in range(256))


def file_type(head: bytes) -> str:
    """Returns the type of a file from its first bytes: `PNG image`, `gzip data`, `bytes`."""
    facts = image_facts(head)
    if facts is not None:
        return f"{facts.format} image"
    for at, signature, words in _SIGNATURES:
        if head.startswith(signature, at):
            return words
    for mark, words in _ENCODED:
        if head.startswith(mark):
            return words
    if head and len(head.translate(None, _CONTROLS)) == len(head):
        return "text, not in UTF-8"
    return "bytes"


def hex_rows(data: bytes, each: int = 16) -> Iterator[str]:
    """Yields hex rows: offset, `each` bytes, ASCII."""
    room = each * 3 - 1
    for at in range(0, len(data), each):
        part = data[at : at + each]
        letters = part.translate(_SHOWN).decode("ascii")
        yield f"{at:08x}  {part.hex(' '):<{room}}  {letters}"


def hex_text(data: bytes, *, most_rows: int) -> str:
    """Formats at most `most_rows` hex rows."""
    return "\n".join(islice(hex_rows(data), most_rows))


def mask_bytes(data: bytes) -> tuple[bytes, int]:
    """Replaces secrets in readable parts of `data` with asterisks; returns it and their number.

    Keeps the length.
    """
    hidden = bytearray(data)
    count = 0
    for found in _READABLE.finditer(data):
        masked = mask(found[0].decode("ascii"))
        if masked.count:
            hidden[found.start() : found.end()] = b"*" * (found.end() - found.start())
            count += masked.count
    return bytes(hidden) if count else data, count
