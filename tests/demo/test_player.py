"""A script gives the same rows however it is cut: for time travel, for tests, for going on."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.demo.folder import play
from inspector.demo.language import Change, Record
from inspector.demo.player import Player, Statement
from inspector.demo.schema import Variant
from inspector.demo.scripts import SCRIPTS
from tests.demo.made import NOW, content, events_of

NAMES = st.sampled_from(sorted(set(SCRIPTS) - {"crawl-archive"}))
APPENDING = sorted(
    name
    for name, script in SCRIPTS.items()
    if not any(isinstance(step, Change) for step in script.steps)
)


def played(player: Player, end: int) -> list[Statement]:
    statements = []
    while player.position < end:
        statements += player.advance(NOW + player.position * 1000).statements
    return statements


@given(NAMES, st.data())
def test_a_run_can_be_taken_up_anywhere(name: str, data: st.DataObject) -> None:
    script = SCRIPTS[name]
    variant = Variant.V2 if name == "weekly-report" else Variant.V5
    whole = played(Player(script, "r", variant), len(script.steps))
    cut = data.draw(st.integers(0, script.events))
    first, second = Player(script, "r", variant), Player(script, "r", variant)
    head = played(first, first.after(cut))
    assert first.events == cut
    second.skip(cut)
    assert head + played(second, len(script.steps)) == whole
    assert second.ended


@given(NAMES, st.data())
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_part_of_a_run_is_its_first_rows(tmp_path: Path, name: str, data: st.DataObject) -> None:
    script = SCRIPTS[name]
    cut = data.draw(st.integers(1, script.events))
    place = tmp_path / f"{len(list(tmp_path.iterdir()))}"
    now: dict[str, Any] = {"started": NOW, "suffix": "abcdef"}
    part = Path(play(script, str(place / "part"), until_event=cut, **now))
    whole = Path(play(script, str(place / "whole"), **now))
    if name in APPENDING:
        assert events_of(part) == events_of(whole)[:cut]
    else:
        assert len(events_of(part)) == cut


def test_the_same_arguments_give_the_same_run(tmp_path: Path) -> None:
    script = SCRIPTS["ticket-triage"]
    roots = [str(tmp_path / name) for name in ("one", "two")]
    for root in roots:
        play(script, root, started=NOW, suffix="abcdef", lasted=60, until_event=9)
    assert content(roots[0]) == content(roots[1])


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_is_whole(name: str) -> None:
    script = SCRIPTS[name]
    assert script.name == name
    assert script.events == sum(isinstance(step, Record) for step in script.steps)
    assert all(step.after >= 0 for step in script.steps)
    assert f"name: {name}" in script.source or name.replace("-", " ") in script.source
