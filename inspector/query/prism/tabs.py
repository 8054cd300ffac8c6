"""What a run can be asked about, with how much there is of each."""

from __future__ import annotations

from inspector.query.prism.load import Loaded
from inspector.query.tables import Tables
from inspector.query.view import Tab

_COUNTED = (
    ("entries", "Transcript", "prism_session_entries"),
    ("calls", "Tools", "prism_tool_calls"),
    ("usage", "Usage", "prism_usage"),
    ("feedback", "Feedback", "prism_run_feedback"),
)


def agent_tabs(loaded: Loaded) -> tuple[Tab, ...]:
    """Of an agent run."""
    shown = [Tab("timeline", "Timeline"), Tab("values", "Values")]
    for part, title, table in _COUNTED:
        if table not in loaded.counts:
            continue
        count = loaded.counts[table]
        if count != 0 or part != "feedback":
            # Rows of tools are transitions, of which a call has several.
            shown.append(Tab(part, title, None if part == "calls" else count))
    if loaded.checkpoint is not None:
        version = loaded.checkpoint.version
        mark = None if version is None else f"v{version}"
        shown.append(Tab("checkpoints", "Checkpoint", 1, mark))
    return (*shown, *_last(loaded.layout.tables))


def _last(tables: Tables) -> tuple[Tab, Tab]:
    return Tab("raw", "Raw"), Tab("tables", "Tables", len(tables.by_name))


def workflow_tabs(tables: Tables, leased: bool, tools: int) -> tuple[Tab, ...]:
    """Of a workflow run."""
    shown = [
        Tab("timeline", "Nodes", None, "last state"),
        Tab("values", "Values"),
        Tab("checkpoints", "Checkpoint", 1),
    ]
    if tools:
        shown.append(Tab("calls", "Tools", tools))
    if leased:
        shown.append(Tab("leases", "Lease", 1))
    return (*shown, *_last(tables))
