"""A settings file never stops the program; each problem has one sentence."""

import dataclasses
import os
import subprocess
import sys
from datetime import UTC
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.config.settings import Asset, Price, Settings, load_settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def loaded(file: Path, text: str) -> tuple[Settings, list[str]]:
    file.write_text(text, encoding="utf-8")
    found, problems = load_settings(file)
    assert all(problem.startswith(f"{file}") for problem in problems)
    return found, [problem.removeprefix(f"{file}: ") for problem in problems]


def test_everything_can_be_chosen(file: Path) -> None:
    found, problems = loaded(
        file,
        """
        theme = "cb-light"
        ascii = "always"
        time_zone = "Asia/Kolkata"
        refresh = "slow"
        mouse = false
        [keys]
        run.open = "o"
        quit = ["q", "ctrl+q"]
        "runs.filter" = ""
        export = []
        [prices."gpt-4.1"]
        input = "2.00"
        output = 8
        cache_read = 0.50
        currency = "EUR"
        [assets."0xA0b8"]
        decimals = 6
        symbol = "USDC"
        [hosts]
        claude = ["claude", "-p", "{prompt}"]
        [prism]
        resume = ["npm", "run", "resume", "--", "{run_id}"]
        """,
    )
    assert problems == []
    assert found.theme == "cb-light"
    assert (found.ascii, found.refresh, found.mouse) == ("always", "slow", False)
    assert str(found.zone()) == "Asia/Kolkata"
    assert found.keys == {
        "run.open": ("o",),
        "quit": ("q", "ctrl+q"),
        "runs.filter": (),
        "export": (),
    }
    price = Price(Decimal("2.00"), Decimal(8), Decimal("0.50"), None, "EUR")
    assert found.prices == {"gpt-4.1": price}
    assert found.assets == {"0xA0b8": Asset(6, "USDC")}
    assert found.hosts == {"claude": ("claude", "-p", "{prompt}")}
    assert found.resume_commands["prism"] == ("npm", "run", "resume", "--", "{run_id}")


def test_zones() -> None:
    assert Settings().zone() is None
    assert Settings(time_zone="utc").zone() is UTC


THEMES = "it can be auto, dark, light, cb-dark, cb-light, terminal."
ZONES = "it can be local, utc or a name such as Europe/London."
WORDS = 'must be a list of strings, such as ["npm", "run", "resume"].'
AMOUNT = 'it must be an amount such as "3.00".'
KEYS = 'must be a key such as "ctrl+r", a list of keys, or "" for none.'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('themee = "dark"', "themee is unknown; did you mean theme?"),
        ("xyzzy = 1", "xyzzy is unknown; ignored."),
        ('theme = "blue"', f"theme is 'blue'; {THEMES}"),
        ("theme = 3", f"theme is 3; {THEMES}"),
        ('mouse = "yes"', "mouse is 'yes'; it can be true or false."),
        ('time_zone = "Mars/Base"', f"time_zone is 'Mars/Base'; {ZONES}"),
        ('time_zone = "../../etc/passwd"', f"time_zone is '../../etc/passwd'; {ZONES}"),
        ("time_zone = 2", f"time_zone is 2; {ZONES}"),
        ("keys = 1", "keys must be a table, such as [keys]."),
        ("[keys]\nq = 1", f"keys.q {KEYS}"),
        ('[keys]\nq = "a b"', "keys.q names the key 'a b'; write space, tab or enter as words."),
        ('[prices.m]\ninput = "-1"', "prices.m.input is '-1'; it must not be negative."),
        ('[prices.m]\ninput = "x"', f"prices.m.input is 'x'; {AMOUNT}"),
        ("[prices.m]\ninput = nan", f"prices.m.input is nan; {AMOUNT}"),
        ("[prices.m]\ninput = true", f"prices.m.input is True; {AMOUNT}"),
        ("[prices.m]\ninptu = 1", "prices.m.inptu is unknown; did you mean input?"),
        (
            "[prices.gpt-4.1]\ninput = 1",
            'prices.gpt-4.1 is a table; if the name has a dot, quote it: [prices."gpt-4.1"].',
        ),
        (
            "[assets.A]\ndecimals = 999",
            "assets.A.decimals is 999; it must be a whole number, 0 to 255.",
        ),
        (
            '[assets.A]\nsymbol = "A"',
            "assets.A has no decimals, so its amounts stay in base units.",
        ),
        ('[hosts]\nc = "claude -p"', f"hosts.c {WORDS}"),
        ("[hosts]\nc = []", f"hosts.c {WORDS}"),
        ("[prism]\nresume = [1]", f"prism.resume {WORDS}"),
        ("[prism]\nresum = []", "prism is unknown; did you mean prices?"),
    ],
)
def test_each_mistake_has_one_sentence_and_costs_nothing_else(
    file: Path, text: str, problem: str
) -> None:
    found, problems = loaded(file, f'refresh = "fast"\n{text}\n')
    assert problem in problems
    assert found.refresh == "fast"
    assert dataclasses.replace(found, refresh="auto", prices={}) == Settings(prices={})


def test_a_good_entry_survives_a_bad_neighbour(file: Path) -> None:
    found, problems = loaded(file, '[keys]\na = "x"\nb = 2\n[prices.m]\ninput = 1\noutput = "?"\n')
    assert found.keys == {"a": ("x",)}
    assert found.prices == {"m": Price(input=Decimal(1))}
    assert len(problems) == 2


def test_a_file_that_is_not_there_is_a_problem_only_if_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.config.settings.config_file", lambda: tmp_path / "own.toml")
    monkeypatch.delenv("INSPECTOR_CONFIG", raising=False)
    assert load_settings() == (Settings(), ())
    absent = tmp_path / "absent.toml"
    expected = f"{absent} does not exist; the defaults are used."
    assert load_settings(absent)[1] == (expected,)
    monkeypatch.setenv("INSPECTOR_CONFIG", str(absent))
    assert load_settings()[1] == (expected,)
    absent.write_text("mouse = false")
    assert load_settings()[0].mouse is False


@pytest.mark.parametrize(
    "content",
    [b"= 1", b"\xff\xfe", b"a = [" * 3000, b"a = 1\x00", b"x" * 2_000_000],
    ids=["grammar", "not UTF-8", "too deep", "NUL", "too large"],
)
def test_an_unreadable_file_means_defaults_and_one_sentence(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    found, problems = load_settings(file)
    assert found == Settings()
    assert len(problems) == 1
    assert problems[0].startswith(f"{file} cannot be read, the defaults are used: ")
    assert "\n" not in problems[0]


def test_a_folder_or_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        found, problems = load_settings(path)
        assert found == Settings()
        assert "not a regular file" in problems[0]


TOML_VALUES = st.sampled_from(
    [
        *("1", "-1", "1.5", "nan", "inf", "1e999999", "99999999999999999999", "true", "2026-01-16"),
        *(
            '""',
            '"dark"',
            '"a\\u0000b"',
            "[]",
            '[""]',
            '["x", 1]',
            "{}",
            "{a = 1}",
            "{a = {b = 1}}",
        ),
    ]
)
TOML_KEYS = st.sampled_from(
    [
        *(field.name for field in dataclasses.fields(Settings)),
        *("prism", "prism.resume", "x", "keys.a", "prices.m", "prices.m.input", "hosts.c", '""'),
        *("assets.m", "assets.m.decimals"),
    ]
)


@given(st.dictionaries(TOML_KEYS, TOML_VALUES, max_size=5))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_file_raises(file: Path, entries: dict[str, str]) -> None:
    file.write_text("".join(f"{key} = {value}\n" for key, value in entries.items()))
    found, problems = load_settings(file)
    assert isinstance(found, Settings)
    assert all(problem.isprintable() for problem in problems)


def test_settings_cannot_be_changed(file: Path) -> None:
    found, _ = loaded(file, '[keys]\na = "x"')
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.theme = "dark"  # type: ignore[misc]
    with pytest.raises(TypeError):
        found.keys["b"] = ()  # type: ignore[index]


def test_imports_of_settings_are_lazy() -> None:
    code = (
        "import sys, inspector.config.settings, inspector.config.folders\n"
        "print({'tomllib', 'platformdirs', 'difflib', 'zoneinfo'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_example_of_the_documentation_is_valid(file: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/SETTINGS.md").read_text(encoding="utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]
    found, problems = loaded(file, example)
    assert not problems
    assert found.assets and found.prices and found.hosts and found.resume_commands
