"""What a value holds, read for taking it elsewhere: to a pager, into a file, into a picture.

Reading happens on a reader's thread, in bounded parts of the record or of a file in the run's
folder; nothing but our own copy is ever handed to another program.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, NamedTuple

from inspector.model.value import AttachmentVerdict, Value
from inspector.query.attached import problem_of
from inspector.query.run_reader import RunReader
from inspector.text.binary import file_type, hex_rows, mask_bytes
from inspector.text.escape import visible_lines
from inspector.text.mask import mask_parts
from inspector.text.numbers import size
from inspector.ui.content import (
    HEX_SHOWN,
    LAID_OUT,
    LOOKED_AT,
    SHOWN,
    Content,
    ContentLine,
    bytes_content,
    content_of,
    foreign_content,
    is_markdown,
)
from inspector.ui.labels import GOOD

PAGED_BYTES = 16_000_000
"""Bytes that a pager is given at most."""
SAVED_BYTES = 64_000_000
"""Bytes that a file is given at most."""
PICTURE_BYTES = 32_000_000
"""Bytes that a picture may have."""
HEX_PAGED = 2_000_000
"""Bytes that a pager is given in hexadecimal."""


class ValueKey(NamedTuple):
    """What tells a value from others while the list is read again and again."""

    name: str | None
    scope: str
    row: int | None


def key_of(value: Value) -> ValueKey:
    """The key of a value."""
    return ValueKey(value.name, value.scope, value.row)


class Stopped(Exception):
    """Whoever asked does not want it any more."""


@dataclass(frozen=True, slots=True)
class LoadedValue:
    """The first bytes of what a value holds, and how many bytes there are."""

    name: str | None
    data: bytes
    size: int
    is_text: bool = True
    """Whether it was recorded as text, or a file's bytes look like it."""
    file: str = ""
    """The recorded path of the file that holds it."""

    @property
    def cut(self) -> bool:
        """Whether there is more than was read."""
        return self.size > len(self.data)

    @property
    def text(self) -> str | None:
        """The text; None where the bytes are none, or not in UTF-8. The last letter of what was
        cut may be missing."""
        if not self.is_text:
            return None
        for missing in range(4 if self.cut else 1):
            try:
                return self.data[: len(self.data) - missing].decode("utf-8")
            except UnicodeDecodeError:
                continue
        return None

    def content(self, kind: str) -> Content:
        """How the screen shows it."""
        text = self.text
        if text is not None:
            whole = content_of(self.name, text, kind, file=self.file)
            return whole.beginning() if self.cut else whole
        if self.is_text:
            return foreign_content(self.name, mask_bytes(self.data[:SHOWN])[0], self.size)
        return bytes_content(mask_bytes(self.data[:HEX_SHOWN])[0], self.size)


def load_value(reader: RunReader, value: Value, scope: str | None, most: int) -> LoadedValue | str:
    """What a value holds, at most `most` bytes of it, or a sentence that says why there is none."""
    attached = value.attachment
    if attached is not None and attached.path:
        found = _loaded_file(reader, value.name, attached.path, most)
        # What the row says for itself is all there is where its file is not to be had.
        if isinstance(found, LoadedValue) or not value.value:
            return found
    is_text = value.type != "blob"
    if value.row is not None:
        content = reader.content(value.row, most)
        if content is not None:
            return LoadedValue(value.name, content[0], content[1], is_text)
    for one in chain([value], reader.values(scope, full=True).values):
        if key_of(one) == key_of(value) and one.value is not None:
            data = one.value.encode("utf-8", "surrogatepass")
            return LoadedValue(value.name, data[:most], len(data), is_text)
    return "It is not recorded any more, or it holds nothing."


def _loaded_file(reader: RunReader, name: str | None, path: str, most: int) -> LoadedValue | str:
    read = reader.attachment(path, most)
    if read is None:
        return "Files of this run are not read."
    found, data = read
    if found.verdict not in GOOD:
        return f"There is no file to read: {problem_of(found.verdict)}."
    is_text = found.verdict is not AttachmentVerdict.OK_BINARY
    return LoadedValue(name, data, found.size or len(data), is_text, path)


def loaded_text(name: str | None, text: str) -> LoadedValue:
    """A text that is on the screen already."""
    data = text.encode("utf-8", "replace")
    return LoadedValue(name, data, len(data))


def paged_bytes(value: LoadedValue) -> int:
    """How many of the bytes a pager is given."""
    return len(value.data) if value.is_text else min(len(value.data), HEX_PAGED)


def write_for_pager(
    value: LoadedValue, file: BinaryIO, *, raw: bool, stop: Callable[[], bool]
) -> None:
    """Writes what the screen shows: masked, controls visible, JSON laid out unless `raw`.

    Raises OSError and Stopped.
    """
    for part in _pages(value, raw):
        if stop():
            raise Stopped
        file.write(part.encode("utf-8", "replace"))


def write_as_recorded(value: LoadedValue, file: BinaryIO, *, stop: Callable[[], bool]) -> int:
    """Writes the recorded bytes with secrets masked, and gives their number.

    Raises OSError and Stopped.
    """
    text, count = value.text, 0
    if text is None:
        data, count = mask_bytes(value.data)
        file.write(data)
        return count
    for part in mask_parts(value.name, text):
        if stop():
            raise Stopped
        file.write(part.text.encode("utf-8", "surrogatepass"))
        count += part.count
    return count


def _pages(value: LoadedValue, raw: bool) -> Iterator[str]:
    text, read = value.text, paged_bytes(value)
    if text is None and value.is_text:
        text = value.data.decode("utf-8", "replace")
    if text is None:
        data = mask_bytes(value.data[:read])[0]
        yield f"{file_type(data)}, {size(value.size)}\n\n"
        for line in bytes_content(data, value.size).lines:
            yield _plain(line) + "\n"
        for row in hex_rows(data):
            yield row + "\n"
    elif not raw and len(text) <= LAID_OUT and text[:200].lstrip()[:1] in ("{", "["):
        for line in content_of(value.name, text, "text").lines:
            yield _plain(line) + "\n"
    else:
        for part in mask_parts(value.name, text):
            yield "\n".join(visible_lines(part.text))
        yield "\n"
    if value.size > read:
        yield f"\n(the first {size(read)} of {size(value.size)}; the rest was not read)\n"


def _plain(line: ContentLine) -> str:
    return line.lead + line.key + line.rest


def file_name(value: LoadedValue, what: str) -> str:
    """A name for a file that holds it."""
    if value.file:
        return os.path.basename(value.file.replace("\\", "/")) or "attachment"
    if not value.is_text:
        return f"{what}.bin"
    head = value.data[:LOOKED_AT].decode("utf-8", "replace")
    if head.lstrip()[:1] in ("{", "["):
        return f"{what}.json"
    return f"{what}.md" if is_markdown(head) else f"{what}.txt"
