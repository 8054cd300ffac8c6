"""The bytes of a value, loaded for the pager, a file or an image viewer.

Read on a reader's thread, in bounded parts, from the record or from a file in the run's folder.
Other programs receive only our own copy.
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
"""Maximum bytes for the pager."""
SAVED_BYTES = 64_000_000
"""Maximum bytes of a saved file."""
PICTURE_BYTES = 32_000_000
"""Maximum bytes of an image."""
HEX_PAGED = 2_000_000
"""Maximum bytes of a hex dump for the pager."""


class ValueKey(NamedTuple):
    """Identifies a value across reloads of the list."""

    name: str | None
    scope: str
    row: int | None


def key_of(value: Value) -> ValueKey:
    """Returns the key of a value."""
    return ValueKey(value.name, value.scope, value.row)


class Stopped(Exception):
    """The user cancelled."""


@dataclass(frozen=True, slots=True)
class LoadedValue:
    """The first bytes of a value, and its total size."""

    name: str | None
    data: bytes
    size: int
    is_text: bool = True
    """True if it was recorded as text, or a file's bytes look like text."""
    file: str = ""
    """Recorded path of the file that holds it."""

    @property
    def cut(self) -> bool:
        """True if only a part was read."""
        return self.size > len(self.data)

    @property
    def text(self) -> str | None:
        """The text; None if the bytes are binary or not UTF-8.

        The last character of truncated text may be missing.
        """
        if not self.is_text:
            return None
        for missing in range(4 if self.cut else 1):
            try:
                return self.data[: len(self.data) - missing].decode("utf-8")
            except UnicodeDecodeError:
                continue
        return None

    def content(self, kind: str) -> Content:
        """The content for display."""
        text = self.text
        if text is not None:
            whole = content_of(self.name, text, kind, file=self.file)
            return whole.beginning() if self.cut else whole
        if self.is_text:
            return foreign_content(self.name, mask_bytes(self.data[:SHOWN])[0], self.size)
        return bytes_content(mask_bytes(self.data[:HEX_SHOWN])[0], self.size)


def load_value(reader: RunReader, value: Value, scope: str | None, most: int) -> LoadedValue | str:
    """Loads at most `most` bytes of a value, or returns a sentence on why there are none."""
    attached = value.attachment
    if attached is not None and attached.path:
        found = _loaded_file(reader, value.name, attached.path, most)
        # The file is unavailable, so the text in the row is all there is.
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
    """Wraps a text that is on the screen already."""
    data = text.encode("utf-8", "replace")
    return LoadedValue(name, data, len(data))


def paged_bytes(value: LoadedValue) -> int:
    """The number of bytes that the pager gets."""
    return len(value.data) if value.is_text else min(len(value.data), HEX_PAGED)


def write_for_pager(
    value: LoadedValue, file: BinaryIO, *, raw: bool, stop: Callable[[], bool]
) -> None:
    """Writes what the screen shows: masked, escaped, JSON formatted unless `raw`.

    Raises OSError and Stopped.
    """
    for part in _pages(value, raw):
        if stop():
            raise Stopped
        file.write(part.encode("utf-8", "replace"))


def write_as_recorded(value: LoadedValue, file: BinaryIO, *, stop: Callable[[], bool]) -> int:
    """Writes the recorded bytes with secrets masked; returns their number.

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
    """Returns a file name for a value."""
    if value.file:
        return os.path.basename(value.file.replace("\\", "/")) or "attachment"
    if not value.is_text:
        return f"{what}.bin"
    head = value.data[:LOOKED_AT].decode("utf-8", "replace")
    if head.lstrip()[:1] in ("{", "["):
        return f"{what}.json"
    return f"{what}.md" if is_markdown(head) else f"{what}.txt"
