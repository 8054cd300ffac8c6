"""Hosts: presets, the user's own, and filling of templates."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.resume.command import (
    TEMPLATE_NAMES,
    Host,
    NoHost,
    host_words,
    hosts,
    pick,
    template_words,
)
from tests.resume.stand_ins import program

FILLS = {"run_id": "r-1", "session_id": "s", "expected_version": "3", "decision": "deny"}


def test_the_users_hosts_come_first_and_replace_presets() -> None:
    known = hosts({"mine": ["ask", "{prompt}"], "codex": ["my-codex", "{prompt}"]})
    assert [host.name for host in known] == ["mine", "codex", "claude"]
    assert known[1].words[0] == "my-codex"


def test_the_first_installed_host_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "codex", "true")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pick({}, None).name == "codex"
    monkeypatch.setenv("PATH", "/nowhere")
    assert pick({}, None).name == "claude"


def test_an_unknown_host_is_reported_with_the_known_ones() -> None:
    with pytest.raises(NoHost, match=r"claude, codex"):
        pick({}, "clyde")


@given(st.text())
def test_a_prompt_is_always_one_argument(prompt: str) -> None:
    assert host_words(Host("h", ("h", "-p", "{prompt}")), prompt) == ("h", "-p", prompt)
    assert host_words(Host("h", ("h", "--ask={prompt}")), prompt) == ("h", f"--ask={prompt}")


def test_a_host_without_a_place_for_the_prompt_is_refused() -> None:
    for words in (("h", "-p"), ("{prompt}",)):
        with pytest.raises(NoHost, match="prompt"):
            host_words(Host("h", words), "x")


def test_a_template_is_filled_word_by_word() -> None:
    words = ["npm", "run", "resume", "--", "--run={run_id}", "{decision}", "{expected_version}"]
    assert template_words(words, FILLS)[4:] == ("--run=r-1", "deny", "3")


@given(st.dictionaries(st.sampled_from(TEMPLATE_NAMES), st.text(min_size=1)))
def test_filled_text_stays_within_its_argument(fills: Mapping[str, str]) -> None:
    words = ["x", *(f"--{name}={{{name}}}" for name in fills)]
    assert template_words(words, fills) == ("x", *(f"--{k}={v}" for k, v in fills.items()))


def test_filled_text_is_not_expanded_again() -> None:
    assert template_words(["x", "{run_id}"], {"run_id": "{decision}"}) == ("x", "{decision}")


@pytest.mark.parametrize(
    ("word", "fills", "why"),
    [
        ("{run_id}", {"run_id": "--eval=1"}, "option"),
        ("{run}", {}, "it can have"),
        ("{decision}", {}, "approve or deny first"),
        ("{approval_id}", {}, "exactly one"),
        ("{session_id}", {"session_id": ""}, "does not have"),
    ],
)
def test_invalid_fillings_of_a_template(word: str, fills: Mapping[str, str], why: str) -> None:
    with pytest.raises(NoHost, match=why):
        template_words(["x", word], fills)


def test_a_dash_within_a_word_is_no_option() -> None:
    assert template_words(["x", "--run={run_id}"], {"run_id": "-1"}) == ("x", "--run=-1")
