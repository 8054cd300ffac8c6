"""What the screen and the command line say about OpenProse's runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from inspector.model.run import Run
from inspector.model.store import Store, WriteStyle
from inspector.query.openprose import NAME
from inspector.query.presentation import Column, Format, Presentation, RecordTable, Tone
from inspector.text.numbers import NOT_RECORDED


def _store_label(store: Store, full: bool) -> str:
    label = f"{NAME} {store.variant}" if store.variant else NAME
    return (
        f"{label}, {store.write_style}" if full and store.write_style != WriteStyle.NONE else label
    )


def _head_facts(run: Run) -> tuple[str, ...]:
    return () if run.mode is None else (f"state mode {run.mode}",)


Record = Mapping[str, Any]


def _agent_problem(record: Record) -> str | None:
    found = [str(record["unreadable"])] if record.get("unreadable") else []
    if record.get("orphan"):
        found.append("segments without an agent of this name")
    gap = record.get("gap")
    if gap:
        found.append(f"segments missing: {', '.join(map(str, gap))}")
    return "; ".join(found) or None


def _agent_body(record: Record) -> tuple[str, str] | None:
    """The agent's memory, then its segments in order, with the missing numbers between them."""
    if "memory" not in record:
        return None
    memory = record.get("memory")
    parts = ["no memory is recorded" if memory is None else str(memory)]
    missing = set(record.get("gap") or ())
    numbered = [(one.get("segment_number"), one) for one in record.get("segments") or ()]
    for number, one in numbered:
        before = sorted(gap for gap in missing if isinstance(number, int) and gap < number)
        missing -= set(before)
        parts += [f"segment {gap}: missing" for gap in before]
        facts = [str(one[key]) for key in ("timestamp", "prompt") if one.get(key)]
        head = "   ".join((f"segment {NOT_RECORDED if number is None else number}", *facts))
        parts.append(f"{head}\n{one.get('summary') or one.get('unreadable') or ''}".rstrip())
    return f"{record.get('name')}", "\n\n".join(parts)


def _source_today(record: Record) -> str | None:
    changed = record.get("changed_since")
    return None if changed is None else "changed since" if changed else "as it is today"


def _source_problem(record: Record) -> str | None:
    return None if record.get("text") is not None else str(record.get("verdict") or NOT_RECORDED)


AGENTS = RecordTable(
    (
        Column("scope", 8, "scope"),
        Column("name", 16, "name", tone=Tone.TEXT, grows=True),
        Column("segments", 8, "segments", right=True),
        Column("updated", 19, "updated_at", narrow=False),
    ),
    lambda record: f"{record.get('name')} in the scope of the {record.get('scope')}",
    problem=_agent_problem,
    body=_agent_body,
    empty="No agents recorded.",
)
SOURCE = RecordTable(
    (
        Column("file", 24, "path", tone=Tone.TEXT, grows=True),
        Column("size", 6, "size", Format.SIZE, right=True),
        Column("today", 14, _source_today, narrow=False),
    ),
    "path",
    problem=_source_problem,
    body=lambda record: (str(record.get("path") or NOT_RECORDED), record.get("text") or ""),
    numbered=True,
    empty="No source is kept with this run.",
)
IMPORTS = RecordTable((), "id", empty="This run imports nothing.")

PRESENTATION = Presentation(
    name=NAME,
    title="OpenProse",
    store_label=_store_label,
    head_facts=_head_facts,
    tables={"agents": AGENTS, "source": SOURCE, "imports": IMPORTS},
    present_only=("agents", "receipts"),
    value_note="self-reported, not verified",
    event_table="execution",
    protected_folder=os.path.dirname,
)
