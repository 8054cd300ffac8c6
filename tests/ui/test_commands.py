"""Keys follow from declarations and from what a person chose."""

from pathlib import Path

import pytest

from inspector.ui.commands import EVERYWHERE, LISTS, Command, Keys, markdown_table, shown_key
from inspector.ui.keymap import COMMANDS, all_keys

KEYS = Path(__file__).parents[2] / "docs/KEYS.md"
BEGIN, END = "<!-- keys -->", "<!-- /keys -->"


def command(name: str, keys: str, *places: str) -> Command:
    return Command(name, name, tuple(keys.split()), places)


THREE = (
    command("one", "a b", "runs"),
    command("two", "c", "runs"),
    command("other", "a", "run"),
    command("all", "q", EVERYWHERE),
)


def test_no_two_commands_that_meet_share_a_key() -> None:
    places = {place for item in COMMANDS for place in item.places} - {EVERYWHERE, LISTS}
    keys = all_keys()
    for place in places:
        owners: dict[str, str] = {}
        for item in keys.of(place, LISTS, EVERYWHERE):
            for key in keys.keys(item.id):
                assert owners.setdefault(key, item.id) == item.id, (place, key)


def test_every_id_is_declared_once() -> None:
    ids = [item.id for item in COMMANDS]
    assert len(ids) == len(set(ids))


def test_a_chosen_key_replaces_all_defaults() -> None:
    keys = Keys(THREE, {"one": ["x"]})
    assert keys.keys("one") == ("x",)
    assert keys.keys("two") == ("c",)


def test_a_chosen_key_is_taken_from_whoever_it_meets() -> None:
    keys = Keys(THREE, {"two": ["a"]})
    assert keys.keys("one") == ("b",)
    assert keys.keys("other") == ("a",)
    assert Keys(THREE, {"two": ["q"]}).keys("all") == ()
    assert Keys(THREE, {"all": ["a"]}).keys("other") == ()


def test_an_empty_choice_takes_the_key_away() -> None:
    keys = Keys(THREE, {"one": []})
    assert keys.keys("one") == ()
    assert "a" not in keys.bindings("runs").key_to_bindings


def test_what_cannot_be_honoured_is_said() -> None:
    keys = Keys(THREE, {"nonsense": ["x"], "one": ["x"], "two": ["x", "y"]})
    assert len(keys.notices) == 2
    assert keys.keys("one") == ("x",)
    assert keys.keys("two") == ("y",)


def test_swapped_keys_are_both_honoured() -> None:
    keys = Keys(THREE, {"one": ["c"], "two": ["a"]})
    assert keys.keys("one") == ("c",)
    assert keys.keys("two") == ("a",)
    assert not keys.notices


@pytest.mark.parametrize(
    ("key", "expected"),
    [("question_mark", "?"), ("slash", "/"), ("enter", "enter"), ("escape", "esc"), ("G", "G")],
)
def test_keys_are_shown_as_people_read_them(key: str, expected: str) -> None:
    assert shown_key(key) == expected


def test_bindings_carry_the_ids() -> None:
    bindings = Keys(THREE).bindings("runs").key_to_bindings
    assert [binding.id for binding in bindings["b"]] == ["one"]


def test_the_page_of_keys_is_complete() -> None:
    text = KEYS.read_text(encoding="utf-8")
    assert text.count(BEGIN) == 1, f"put the table of keys between {BEGIN} and {END}"
    between = text.partition(BEGIN)[2].partition(END)[0]
    assert between.strip() == markdown_table(all_keys()).strip()
