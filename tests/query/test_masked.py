"""Masks over whole documents: what comes from data is looked at, what is ours is left alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.export import documents
from inspector.export.documents import document, row_document
from inspector.model.status import Status
from inspector.model.step import Event, Step, StepKind
from inspector.model.trust import Own
from inspector.model.value import Value
from inspector.query.masked import Masks
from inspector.text.escape import json_text

SECRET = "sk-ant-api03-" + "A1b2C3d4E5" * 8
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(),
              st.just(SECRET)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)  # fmt: skip


def masked(content: dict[str, Any]) -> dict[str, Any]:
    return Masks().content(content)


@pytest.mark.parametrize(
    "content",
    [
        {"label": SECRET},
        {"steps": [{"id": f"p1.{SECRET}", "parent": f"x/{SECRET}", "raw_status": SECRET}]},
        {"open": [{"id": SECRET, "step": SECRET}]},
        {"findings": [{"code": "x", "message": SECRET, "ref": SECRET}]},
        {"events": [{"at_raw": SECRET, "payload": {"key": SECRET, "path": SECRET, "id": SECRET}}]},
        {
            "records": [
                {"status": SECRET, "code": SECRET, "kind": [SECRET], "schema": {"a": SECRET}}
            ]
        },
        {"values": [{"name": "x", "attachment": {"path": f"https://u:{SECRET}@h/x"}}]},
        {"values": [{"name": "password", "value": "hunter2", "preview": "hunter2"}]},
        {"ref": {"condition": SECRET, "strategy": {"deep": [SECRET]}}},
    ],
)
def test_nothing_hides_a_secret(content: dict[str, Any]) -> None:
    shown = json_text(masked(content))
    assert SECRET not in shown
    assert "hunter2" not in shown


def test_names_by_which_a_run_is_asked_for_are_left_alone() -> None:
    """A digest in a path is no secret, and without it the run could not be named."""
    path = "/home/x/" + "0123456789abcdef" * 4
    content = {"key": f"openprose:{path}#r", "store": path, "path": path, "run_id": "r"}
    assert masked(content) == content


@pytest.mark.parametrize(
    "text", ["l1[2]/p1.b/l2[1]", "2026-01-16T20:00:00.000Z", "completed", "12", "3#2", "?", ""]
)
def test_usual_ids_and_words_stay(text: str) -> None:
    content = {"steps": [{"id": text, "raw_status": text, "at_raw": text}]}
    assert masked(content) == content


def test_a_preview_that_cuts_a_secret_in_two_is_taken_from_the_masked_value() -> None:
    text = "word " * 10 + SECRET
    cut = text[:65]
    found = masked({"values": [{"name": "x", "value": text, "preview": cut}]})
    assert "sk-ant" not in found["values"][0]["preview"]


def test_a_preview_of_something_else_is_masked_by_itself() -> None:
    found = masked({"values": [{"name": "x", "value": None, "preview": f"see {SECRET}"}]})
    assert SECRET not in found["values"][0]["preview"]


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_any_content_comes_through_without_the_secret(content: Any) -> None:
    shown = json_text(document("x", {"payload": content}, reveal=False))
    assert SECRET not in shown
    assert json.loads(shown)["schema"] == "inspector.x/1"


@given(st.integers(61, 3000))
@settings(max_examples=10, deadline=None)
def test_data_of_any_depth_is_masked(depth: int) -> None:
    content: Any = SECRET
    for level in range(depth):
        content = [content] if level % 2 else {"a": content}
    shown = json_text(masked({"payload": content}))
    assert SECRET not in shown
    assert "masked" in shown


def test_what_is_revealed_is_as_it_was() -> None:
    content = {"records": [{"a": SECRET}]}
    assert document("record", content, reveal=True) == {
        "schema": "inspector.record/1", **content, "masked": 0,
    }  # fmt: skip
    assert row_document("record", {"a": SECRET}, reveal=True) == {"a": SECRET}


@pytest.mark.parametrize("kind", ["record", "show", "events", "values", "runs"])
def test_a_row_is_masked_as_in_its_document(kind: str) -> None:
    field = {"record": "records", "show": "steps"}.get(kind, kind)
    row = {"status": SECRET, "id": SECRET, "key": "a", "payload": {"status": SECRET}}
    whole = document(kind, {field: [row]}, reveal=False)
    assert row_document(kind, row, reveal=False) == whole[field][0]


def test_masks_are_counted() -> None:
    assert document("x", {"a": SECRET, "b": ["no", SECRET]}, reveal=False)["masked"] == 2


@dataclass(frozen=True)
class Later:
    """A model as somebody may add one: `note` and `scope` declare nothing."""

    note: str
    scope: str
    password: str
    own: Own[str]
    parts: tuple[str, ...] = ()


def test_a_field_that_declares_nothing_is_masked() -> None:
    found = Masks().typed(Later(SECRET, f"in {SECRET}", "hunter2", SECRET, (SECRET, "plain")))
    assert found.own == SECRET
    assert SECRET not in f"{found.note} {found.scope} {found.parts}"
    assert "hunter2" not in found.password
    assert found.parts[1] == "plain"


def test_a_model_without_secrets_is_returned_as_it_is() -> None:
    model = Later("a note", "root", "", "own", ("x",))
    masks = Masks()
    assert masks.typed(model) is model and masks.count == 0


TEXTS = st.one_of(st.text(max_size=12), st.just(SECRET), st.just(f"token={SECRET} end"))


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS, st.dictionaries(st.sampled_from(["condition", "n"]), TEXTS))
def test_models_and_their_documents_are_masked_alike(
    name: str, label: str, error: str, ref: dict[str, str]
) -> None:
    step = Step(name, None, StepKind.STATEMENT, label, Status.FAILED, name, error=error, ref=ref)
    event = Event(1, name, "statement", name, None, name, label, ref)
    value = Value(name, "root", "let", "text", 1, f"{label}{error}", label)
    shown = [
        documents.step(Masks().typed(step)),
        documents.event(Masks().typed(event)),
        documents.value(Masks().typed(value)),
    ]
    expected = [
        *masked({"steps": [documents.step(step)]})["steps"],
        *masked({"events": [documents.event(event)]})["events"],
        *masked({"values": [documents.value(value)]})["values"],
    ]
    assert shown == expected


def test_a_reference_is_data_whatever_its_keys_are_called() -> None:
    step = Step("1", None, StepKind.STATEMENT, "x", Status.FAILED, None, ref={"key": SECRET})
    assert SECRET not in str(Masks().typed(step).ref)


@pytest.mark.parametrize("name", ["key", "path", "kind", "other"])
def test_what_a_step_refers_to_is_data_under_any_name(name: str) -> None:
    masks = Masks()
    token = "ghp_" + "a1B2c3D4e5" * 4
    (step,) = masks.content({"steps": [{"key": token, "ref": {name: token}}]})["steps"]
    assert token not in step["ref"][name] and masks.count == 1
    assert step["key"] == token, "a name of ours outside of `ref`"
