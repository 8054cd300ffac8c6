"""Glyphs take one cell each, and become ASCII where a terminal would garble or widen them."""

from dataclasses import fields

import pytest

from inspector.model.status import Status
from inspector.text.measure import cell_width
from inspector.ui.glyphs import ASCII, ASCII_ONLY, FULL, MEANINGS, Glyphs, glyphs_for_terminal

NAMES = [item.name for item in fields(Glyphs) if isinstance(getattr(FULL, item.name), str)]
UTF8 = {"LANG": "en_GB.UTF-8", "TERM": "xterm-256color"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("glyphs", [FULL, ASCII, ASCII_ONLY])
def test_a_sign_is_one_cell(glyphs: Glyphs, name: str) -> None:
    assert cell_width(getattr(glyphs, name)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_ascii_signs_are_ascii(name: str) -> None:
    assert getattr(ASCII, name).isascii()


@pytest.mark.parametrize("glyphs", [FULL, ASCII])
def test_no_two_statuses_share_a_sign(glyphs: Glyphs) -> None:
    assert len({glyphs.of(status) for status in Status}) == len(Status)


def test_every_status_has_words() -> None:
    assert {status.value for status in Status} <= set(MEANINGS)


@pytest.mark.parametrize(
    ("setting", "environ", "expected"),
    [
        ("auto", UTF8, FULL),
        ("auto", {}, FULL),
        ("auto", {"LC_CTYPE": "UTF-8"}, FULL),
        ("auto", {"LANG": "C"}, ASCII_ONLY),
        ("auto", {"LANG": "de_DE.ISO-8859-1"}, ASCII_ONLY),
        ("auto", {"LANG": "en_GB.UTF-8", "LC_ALL": "POSIX"}, ASCII_ONLY),
        ("auto", {**UTF8, "TERM": "dumb"}, ASCII_ONLY),
        ("auto", {"LANG": "ja_JP.UTF-8"}, ASCII),
        ("auto", {"LANG": "zh_CN.UTF-8"}, ASCII),
        ("auto", {"LANG": "ko_KR.UTF-8"}, ASCII),
        ("always", UTF8, ASCII),
        ("never", {"LANG": "ja_JP.UTF-8"}, FULL),
    ],
)
def test_the_set_follows_setting_and_terminal(
    setting: str, environ: dict[str, str], expected: Glyphs
) -> None:
    assert glyphs_for_terminal(setting, environ) == expected


def test_letters_stay_where_only_signs_would_be_wide() -> None:
    assert ASCII.safe("要約 → ‹b› …") == "要約 > <b> ~"
    assert ASCII_ONLY.safe("要約 → x") == "\\u8981\\u7d04 > x"


def test_shown_text_is_masked_visible_and_bounded() -> None:
    assert FULL.safe("a\x1b[2Jb") == "a\\x1b[2Jb"
    secret = "sk-ant-api03-" + "Ab1" * 30
    assert secret not in FULL.safe(f"key {secret}")
    assert len(FULL.safe("x" * 1_000_000)) < 3_000
