"""Cell texts of a row of the list of runs, and its exact width."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import Asset
from inspector.derive.filters import Words
from inspector.derive.groups import Group
from inspector.model.run import Progress, Run, StepCounts
from inspector.model.status import Status
from inspector.text.measure import cell_width
from inspector.ui.glyphs import ASCII, FULL, Glyphs
from inspector.ui.palette import DARK, Ground, Role, ThemeStyles
from inspector.ui.screens.runs.list import (
    RowContext,
    columns_for,
    done_text,
    elapsed_text,
    net_text,
    now_text,
    paint_run,
    short_id,
    started_text,
)
from tests.ui.fakes import run
from tests.ui.pictured import AUDIT, DEEP_RESEARCH, FAILED, NOW, TRIAGE, WAITING, at

ROLES = ThemeStyles(DARK)


def text(of: Run, width: int = 120, glyphs: Glyphs = FULL, words: str = "") -> str:
    context = RowContext(ROLES, glyphs, None, NOW, Words.typed(words))
    strip = paint_run(of, Group.TODAY, columns_for(width), context, Ground.BG, False)
    assert strip.cell_length == width
    assert cell_width(strip.text) == width
    return strip.text


def test_elapsed_of_running_quiet_and_ended_runs() -> None:
    assert elapsed_text(DEEP_RESEARCH, NOW) == "2m 11s"
    assert elapsed_text(AUDIT, NOW) == "?"
    assert elapsed_text(WAITING, NOW) == "–"
    assert elapsed_text(FAILED, NOW) == "1m 40s"
    assert elapsed_text(run(status=Status.RUNNING, written=NOW), NOW) == "–"


def test_started_omits_the_day_under_yesterday() -> None:
    yesterday = run(started=at("18:00", 1))
    assert started_text(yesterday, Group.YESTERDAY, NOW, None) == "18:00"
    assert started_text(yesterday, Group.NEEDS_YOU, NOW, None) == "Thu 18:00"
    assert started_text(run(), Group.YESTERDAY, NOW, None) == "–"


def test_ids_are_shortened_to_their_end() -> None:
    assert short_id(DEEP_RESEARCH, FULL) == "…a7b3c9"
    assert short_id(DEEP_RESEARCH, ASCII) == "~a7b3c9"
    assert short_id(TRIAGE, FULL) == "r-7f2c"
    assert short_id(replace(TRIAGE, run_id=None), FULL) == "–"


def test_progress_in_glyphs() -> None:
    assert now_text(DEEP_RESEARCH, FULL) == ("∥ 2/3  ↻ 3/5", False)
    assert now_text(AUDIT, ASCII) == ("| 2/4  ~ 1", False)
    assert now_text(TRIAGE, ASCII) == ("turn 6  f 2", False)
    assert now_text(FAILED, FULL) == ("1 ✗", True)
    stopped = run(status=Status.INTERRUPTED, progress=Progress(loop_now=4))
    assert now_text(stopped, FULL) == ("↻ 4", False)


def test_a_completed_run_has_no_progress() -> None:
    assert now_text(run(progress=Progress(loop_now=4, note="turn 3")), FULL) == ("", False)


def test_a_running_run_shows_failed_steps() -> None:
    going_on = run(status=Status.RUNNING, failed=2)
    assert now_text(going_on, FULL) == ("2 ✗", True)
    assert now_text(run(failed=2), FULL) == ("", False)


@pytest.mark.parametrize(
    ("net", "expected"),
    [
        (None, "–"),
        ({}, "–"),
        ({"USDC": "41200000"}, "+41.20 USDC"),
        ({"USDC": "-850000"}, "-0.85 USDC"),
        ({"USDC": "41000000"}, "+41 USDC"),
        ({"USDC": "1"}, "1 asset"),
        ({"OWN": "-850000"}, "1 asset"),
        ({"OWN": "-8500"}, "-8,500 OWN"),
        ({"OWN": "0x1f"}, "0x1f OWN"),
        ({"ETH": "0"}, "0 ETH"),
        ({"USDC": "1", "ETH": "2"}, "2 assets"),
        ({"WEI": "19876543210987654321"}, "1 asset"),
    ],
)
def test_net_is_an_amount_only_if_it_fits(net: dict[str, str] | None, expected: str) -> None:
    assert net_text(run(net=net), FULL, {"USDC": Asset(6)}) == expected


@given(st.one_of(st.none(), st.integers(0, 10**12)))
def test_done_fits_its_column(done: int | None) -> None:
    assert len(done_text(done)) <= 4
    assert (done_text(done) == "") == (done is None)


def test_rows_of_the_design() -> None:
    assert text(DEEP_RESEARCH).rstrip() == (
        "  ● running       deep-research         openprose  …a7b3c9      14:30   2m 11s    12"
        "   ∥ 2/3  ↻ 3/5  48.1k           –"
    )
    assert text(AUDIT, 40).rstrip() == " ● ▲ nightly-audit                    ?"


NAMES = st.text(max_size=60) | st.sampled_from(
    [
        "日本語の要約" * 5,
        "👩‍🔬 lab ❄️",
        "e\u0301" * 30,
        "\u202eevil",
        "\x1b]52;c;ZXZpbA==\x07",
        "\t\n",
    ]
)


@given(
    NAMES,
    NAMES,
    NAMES,
    st.sampled_from(list(Status)),
    st.integers(24, 200),
    st.sampled_from([FULL, ASCII]),
    st.text(max_size=3),
)
def test_every_row_has_the_exact_width(
    title: str,
    run_id: str,
    note: str,
    status: Status,
    width: int,
    glyphs: Glyphs,
    words: str,
) -> None:
    odd = run(
        title,
        run_id,
        status,
        started=at("03:00", 4),
        ended=at("03:00", 3),
        net={note: "12"},
        tokens=10**15,
        progress=Progress(note=note),
        findings=(note,),
    )
    odd = replace(odd, steps=StepCounts(completed=10**9, failed=10**9))
    line = text(odd, width, glyphs, words)
    assert line.isprintable() or not line.isascii()
    assert not set(line) & {"\x1b", "\x07", "\n", "\t", "\u202e"}


def test_a_long_date_shortens_only_the_title() -> None:
    old = run("x" * 40, started=at("09:02", 4), ended=at("09:03", 4))
    line = text(old, 80)
    assert line[37:46] == "Mon 09:02"
    assert line[18:37].rstrip() == "x" * 16 + "…" or line[18:36].endswith("…")
    assert line[48:55] == " 1m 00s"


def test_matches_are_highlighted_in_the_title() -> None:
    context = RowContext(ROLES, FULL, None, NOW, Words.typed("audit"))
    strip = paint_run(AUDIT, Group.QUIET, columns_for(120), context, Ground.BG, False)
    marked = [segment for segment in strip if segment.style and segment.style.underline]
    assert [segment.text for segment in marked] == ["audit"]
    assert marked[0].style and marked[0].style.color == ROLES.style(Role.ACCENT).color
