"""What the words of a filter mean, and where they stand in a title."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.filters import Words
from inspector.model.status import Status
from tests.ui.fakes import run

AUDIT = run("Nightly Audit", "20260116-b1b1b1", Status.FAILED, runtime="prism")


def test_nothing_typed_means_everything() -> None:
    assert Words.typed("  ").match(AUDIT)
    assert not Words.typed("  ")


def test_each_word_must_be_somewhere() -> None:
    for text in ("audit", "NIGHTLY", "b1b1", "prism", "failed audit", "audit nightly"):
        assert Words.typed(text).match(AUDIT), text
    for text in ("audits", "audit openprose", "nightlyaudit"):
        assert not Words.typed(text).match(AUDIT), text


def test_words_do_not_run_from_one_field_into_the_next() -> None:
    assert not Words.typed("audit2026").match(AUDIT)


def test_spans_are_merged_and_ascending() -> None:
    assert Words.typed("aud dit").spans("audit-AUDIT") == [(0, 5), (6, 11)]
    assert Words.typed("a").spans("banana") == [(1, 2), (3, 4), (5, 6)]
    assert Words.typed("[/").spans("x [/ y") == [(2, 4)]


def test_text_whose_length_changes_without_case_is_not_marked() -> None:
    assert Words.typed("ss").match(run("straße"))
    assert Words.typed("ss").spans("straße") == []


@given(st.text(max_size=20), st.text(max_size=40))
def test_spans_lie_in_the_text_and_apart(typed: str, text: str) -> None:
    end = 0
    for start, stop in Words.typed(typed).spans(text):
        assert end <= start < stop <= len(text)
        end = stop
