"""Bytes that are no text: what they are by their first ones, and how they look in hexadecimal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from inspector.text.images import image_facts
from inspector.text.mask import mask

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


def what_they_are(head: bytes) -> str:
    """What bytes are that begin so, in a few words: `PNG image`, `gzip data`, `bytes`."""
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
    """`data` in rows of `each` bytes: where a row begins, its bytes, and its ASCII."""
    room = each * 3 - 1
    for at in range(0, len(data), each):
        part = data[at : at + each]
        letters = part.translate(_SHOWN).decode("ascii")
        yield f"{at:08x}  {part.hex(' '):<{room}}  {letters}"


def hex_text(data: bytes, *, most_rows: int) -> str:
    """At most so many rows, each on a line."""
    return "\n".join(islice(hex_rows(data), most_rows))


def mask_bytes(data: bytes) -> tuple[bytes, int]:
    """`data` with secrets in its readable stretches replaced by asterisks, and how many.

    Its length stays, and so does everything else.
    """
    hidden = bytearray(data)
    count = 0
    for found in _READABLE.finditer(data):
        masked = mask(found[0].decode("ascii"))
        if masked.count:
            hidden[found.start() : found.end()] = b"*" * (found.end() - found.start())
            count += masked.count
    return bytes(hidden) if count else data, count
