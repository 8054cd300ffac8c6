"""The tab of world models: versions, their integrity, and the changes between two."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.ui.panes.world_model_text import problem_of
from inspector.ui.panes.world_models import WorldModelsPane
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.run import pictured
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, settle, shown

SIZES = ((160, 50), (80, 24), (40, 15))


def version(letter: str, node: str = "monitor", integrity: str = "verified",
            files: Sequence[str] | None = ("a.md",), **more: Any) -> dict[str, Any]:  # fmt: skip
    return {
        "version": f"sha256:{letter * 64}",
        "address": f"sha256:{letter * 64}",
        "node": node,
        "size": 12,
        "published": letter == "c",
        "integrity": integrity,
        "files": None if files is None else [{"path": path, "size": 6} for path in files],
        "changes": [],
        "unreadable": None,
        "store": f"/project/state/world-model/{node}",
        "scope": "project",
        **more,
    }


def change(path: str, *lines: str) -> Mapping[str, Any]:
    return {"path": path, "change": "changed", "before_size": 1, "after_size": 2,
            "lines": list(lines)}  # fmt: skip


def part(first: str, second: str) -> str:
    older = f"sha256:{first * 64}" if first else ""
    return f"world_models:{older}..sha256:{second * 64}"


@asynccontextmanager
async def models_of(
    *records: Mapping[str, Any], size: tuple[int, int] = (120, 40), **answers: Any
) -> AsyncIterator[tuple[Pilot[None], RunScreen, WorldModelsPane]]:
    """The tab in front, over a reader with these records and answers."""
    reader = FakeReader(pictured.research)
    reader.records = {"world_models": records, **answers.pop("asked", {})}
    feed = RunFeed(pictured.research, reader)
    async with on_screen(feed, size) as (pilot, screen):
        screen.tabs.open_part("world_models")
        await settle(pilot)
        assert isinstance(screen.pane, WorldModelsPane)
        yield pilot, screen, screen.pane


def lines_with(screen: RunScreen, *words: str) -> list[str]:
    return [line for line in shown(screen) if all(word in line for word in words)]


THREE = (version("a"), version("b"), version("c"))
ASKED = {
    part("", "a"): [change("a.md", "+first")],
    part("b", "c"): [change("a.md", "-from b", "+to c")],
    part("a", "c"): [change("a.md", "-from a", "+to c")],
    f"world_models:sha256:{'c' * 64}": [{"path": "a.md", "size": 6, "text": "whole of c"}],
}


async def test_a_version_is_compared_with_the_one_before_and_with_any_older() -> None:
    async with models_of(*THREE, asked=ASKED) as (pilot, screen, _):
        await pilot.press("G")
        await settle(pilot)
        assert lines_with(screen, "-from b")
        assert lines_with(screen, "the previous version")
        await pilot.press("h")
        await settle(pilot)
        assert lines_with(screen, "-from a")
        assert lines_with(screen, "2 versions before")
        await pilot.press("h", "h", "l")
        await settle(pilot)
        assert lines_with(screen, "-from b")


async def test_enter_switches_between_changes_and_files() -> None:
    async with models_of(*THREE, asked=ASKED) as (pilot, screen, _):
        await pilot.press("G", "enter")
        await settle(pilot)
        assert lines_with(screen, "whole of c")
        await pilot.press("enter")
        await settle(pilot)
        assert lines_with(screen, "+to c")


async def test_the_first_version_is_all_added() -> None:
    async with models_of(*THREE, asked=ASKED) as (_, screen, _):
        assert lines_with(screen, "everything is new")
        assert lines_with(screen, "+first")


async def test_versions_of_another_node_are_never_compared_with() -> None:
    records = (version("a", "other"), version("b"))
    async with models_of(*records, asked={part("", "b"): [change("x")]}) as (pilot, screen, _):
        await pilot.press("G")
        await settle(pilot)
        assert lines_with(screen, "first stored version of this node")


async def test_tampered_and_unreadable_versions_are_explained() -> None:
    records = (
        version("a", integrity="tampered", files=None, unreadable="3 bytes follow its last file"),
        version("b", integrity="unreadable", files=None, unreadable="pipe is a link"),
        version("c", integrity="unverified"),
    )
    async with models_of(*records) as (pilot, screen, _):
        assert lines_with(screen, "changed after it was stored: 3 bytes follow its last file")
        await pilot.press("j")
        await settle(pilot)
        assert lines_with(screen, "not readable in full: pipe is a link")
        await pilot.press("j")
        await settle(pilot)
        assert lines_with(screen, "only an agent's stamp")
        assert not lines_with(screen, "✓", "verified")


@pytest.mark.parametrize("size", SIZES)
async def test_the_tab_fits_every_size(size: tuple[int, int]) -> None:
    async with models_of(*THREE, size=size, asked=ASKED) as (pilot, screen, _):
        await pilot.press("G")
        await settle(pilot)
        assert lines_with(screen, "monitor")
        assert all(len(line) <= size[0] for line in shown(screen))


async def test_an_empty_tab_says_so() -> None:
    async with models_of() as (_, screen, _):
        assert lines_with(screen, "No version is recorded.")


def test_only_tampered_or_unreadable_versions_are_problems() -> None:
    assert problem_of(version("a")) is None
    assert problem_of(version("a", integrity="unverified")) is None
    assert "changed" in str(problem_of(version("a", integrity="tampered")))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"order": "receipts", "receipt": 9, "version_before": f"sha256:{'b' * 64}"},
         "since …bbbbbbbb, the previous version"),
        ({"order": "receipts", "receipt": 9, "version_before": f"sha256:{'d' * 64}"},
         "its predecessor …dddddddd is not stored"),
        ({"order": "rows", "receipt": None}, "the previous row; no receipt records"),
        ({"order": "files", "receipt": None}, "the previous file by write time; no receipt"),
    ],
)  # fmt: skip
async def test_the_version_before_is_only_called_so_where_receipts_tell(
    more: Mapping[str, Any], said: str
) -> None:
    async with models_of(version("a"), version("b"), version("c", **more), asked=ASKED) as (
        pilot, screen, _,
    ):  # fmt: skip
        await pilot.press("G")
        await settle(pilot)
        assert lines_with(screen, said)
        assert (
            lines_with(screen, "receipt 9")
            if more["receipt"]
            else lines_with(screen, "named by no receipt")
        )
