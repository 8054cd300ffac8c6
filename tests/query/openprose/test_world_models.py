"""World models: the container, its address, and what changed between two versions."""

from __future__ import annotations

import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.openprose.world_models import (
    BadContainer,
    Integrity,
    ModelFile,
    decode,
    differences,
    integrity,
)


def container(files: dict[str, bytes]) -> bytes:
    parts = [b"OPWM1", struct.pack("<I", len(files))]
    for path, content in sorted((name.encode(), data) for name, data in files.items()):
        parts += [struct.pack("<I", len(path)), path, struct.pack("<I", len(content)), content]
    return b"".join(parts)


names = st.text("abc/é", min_size=1, max_size=6).filter(lambda name: not name.startswith("/"))


@given(st.dictionaries(names, st.binary(max_size=20), max_size=5))
def test_a_container_gives_back_its_files(files: dict[str, bytes]) -> None:
    assert {one.path: one.content for one in decode(container(files))} == files


@given(st.binary(max_size=60))
def test_no_bytes_break_the_decoder(data: bytes) -> None:
    for tried in (data, b"OPWM1" + data):
        try:
            decode(tried)
        except BadContainer as error:
            assert str(error)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../b", ""])
def test_a_path_that_leaves_its_folder_is_refused(path: str) -> None:
    with pytest.raises(BadContainer):
        decode(container({path: b"x"}))


def test_bytes_after_the_last_file_are_refused() -> None:
    with pytest.raises(BadContainer, match="follow"):
        decode(container({"a": b"x"}) + b"!")


def test_the_address_tells_whether_bytes_were_changed() -> None:
    data = container({"a": b"x"})
    version = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert integrity(version, data) is Integrity.VERIFIED
    assert integrity(version, data + b" ") is Integrity.TAMPERED
    assert integrity(version, None) is Integrity.UNREADABLE


def test_differences_are_told_by_path() -> None:
    before = (ModelFile("a", b"1"), ModelFile("b", b"2"))
    after = (ModelFile("b", b"3"), ModelFile("c", b"4"))
    found = {one.path: (one.before, one.after) for one in differences(before, after)}
    assert found == {"a": (b"1", None), "b": (b"2", b"3"), "c": (None, b"4")}
