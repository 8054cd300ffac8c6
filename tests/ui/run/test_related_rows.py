"""Rows that name a step: their cells are told as the record would write them."""

from __future__ import annotations

import pytest

from inspector.ui.labels import written
from tests.ui.run import pictured
from tests.ui.run.screens import on_screen, settle, shown


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("as it is", "as it is"),
        (False, "false"),
        (None, "null"),
        (7, "7"),
        (2**70, f'"{2**70}"'),
        ({"order": "A-1077", "open": True}, '{"order":"A-1077","open":true}'),
        ([1, None], "[1,null]"),
        (b"\xff", '{"base64":"/w=="}'),
    ],
)
def test_a_cell_is_written_as_json_unless_it_is_words(cell: object, text: str) -> None:
    assert written(cell) == text


async def test_the_detail_shows_no_other_notation() -> None:
    feed = pictured.research_feed()
    path = pictured.research().steps.path(pictured.FACT_CHECKER)
    row = {
        "arguments": {"order": "A-1077"},
        "redacted": False,
        "more": {"api_key": "hunter2hunter2"},
    }
    feed.reader.contexts[path] = {"related": {"x_calls": (row,)}}
    async with on_screen(feed, (160, 50)) as (pilot, screen):
        await settle(pilot)
        text = "\n".join(shown(screen))
    assert '{"order":"A-1077"}' in text
    assert "false" in text and "False" not in text
    assert "hunter2" not in text.replace(" ", "")
