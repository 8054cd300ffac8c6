"""The program of a run: its snapshot in the run folder, compared with the source today.

Source: OpenProse state document, "Run folder": `root.prose.md`, `program.prose`, `sources/`,
`compiled-intent.json` and its older forms. A changed source is information only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.model.step import Step
from inspector.model.value import AttachmentVerdict
from inspector.query.openprose.discovery import IMPORTS, RUNS
from inspector.store.attachment import inspect_attachment
from inspector.store.files import safe_walk

SNAPSHOTS = (
    "root.prose.md",
    "program.prose",
    "program.md",
    "compiled-intent.json",
    "forme.manifest.json",
    "manifest.run.md",
    "manifest.md",
)
"""Roots first, one per generation; then what they were compiled to."""
ROOTS = SNAPSHOTS[:3]
FOLDER = "sources"
FOLDERS = (FOLDER, "services")
"""Copies of the files that the root uses; `services/` in runs of April 2026."""
MOST_FILES = 500
MOST_BYTES = 1 << 20
_READ = (
    AttachmentVerdict.OK,
    AttachmentVerdict.OK_REPLACEMENT_CHARS,
    AttachmentVerdict.OK_TRUNCATED_PREVIEW,
)


def source_files(folder: str, recorded_path: str | None) -> Sequence[Mapping[str, object]]:
    """Return the snapshots with their text, and whether the root's source differs today."""
    below = (path for top in FOLDERS for path, _ in safe_walk(folder, top, MOST_FILES)[0])
    names = [*SNAPSHOTS, *below]
    found = [one for name in names if (one := _snapshot(folder, name)) is not None]
    return [_compared(one, folder, recorded_path) for one in found]


CHANGED = "the source has changed"
"""Shown beside a statement whose source has changed."""
MOST_LINES = 100_000
LEAST_TEXT = 4
"""A shorter statement could match anywhere."""


def with_source(step: Step, snapshots: Sequence[Mapping[str, object]]) -> Step:
    """Return a step with its place in the source, if a snapshot contains it."""
    stands = line_of(snapshots, step.label)
    if stands is None:
        return step
    since = {"since": CHANGED} if has_changed(snapshots, stands) else {}
    return replace(step, ref={**step.ref, "source": stands, **since})


def line_of(files: Sequence[Mapping[str, Any]], statement: str) -> str | None:
    """Return the place of a statement in the snapshots as `file:line`; None if not found.

    The recorded text may include or omit the rest of the line.
    """
    wanted = " ".join(statement.split())
    if len(wanted) < LEAST_TEXT:
        return None
    for file in files:
        lines = (file.get("text") or "").splitlines()[:MOST_LINES]
        for number, line in enumerate(lines, 1):
            if wanted in " ".join(line.split()):
                return f"{file['path']}:{number}"
    return None


def has_changed(files: Sequence[Mapping[str, object]], stands: str) -> bool:
    """Return whether the snapshot of a place (`file:line`) differs from the source today."""
    path = stands.rpartition(":")[0]
    return any(file["path"] == path and file.get("changed_since") for file in files)


def source_of_node(files: Sequence[Mapping[str, object]], node: str) -> str | None:
    """Return the snapshot that a node was compiled from, by its name."""
    for file in files:
        folder, _, name = str(file["path"]).rpartition("/")
        if folder in FOLDERS and name.partition(".")[0] == node:
            return str(file["path"])
    return None


def changed_source(folder: str, recorded_path: str | None) -> str | None:
    """Return the root's snapshot if its source in the project has changed."""
    for name in ROOTS:
        snapshot = _snapshot(folder, name)
        if snapshot is not None and _compared(snapshot, folder, recorded_path)["changed_since"]:
            return name
    return None


def _snapshot(folder: str, name: str) -> dict[str, object] | None:
    attachment, data = inspect_attachment(folder, name, preview_bytes=MOST_BYTES)
    if attachment.verdict in (AttachmentVerdict.MISSING, AttachmentVerdict.NONE):
        return None
    readable = attachment.verdict in _READ
    return {
        "path": name,
        "verdict": attachment.verdict.value,
        "size": attachment.size,
        "text": data.decode("utf-8", "replace") if readable else None,
        "changed_since": None,
    }


def _compared(one: dict[str, object], folder: str, recorded_path: str | None) -> dict[str, object]:
    """Set `changed_since` of the root's snapshot if its source is still in the project."""
    if one["path"] not in ROOTS or not recorded_path or one["text"] is None:
        return one
    root = project_of(folder)
    attachment, data = inspect_attachment(root, recorded_path, preview_bytes=MOST_BYTES)
    if attachment.verdict in _READ:
        one["changed_since"] = data.decode("utf-8", "replace") != one["text"]
    return one


def project_of(folder: str) -> str:
    """Return the project of a run folder: the folder above `runs/`, `.prose/` and the like.

    An imported run belongs to the project of the run that imports it.
    """
    while os.path.basename(os.path.dirname(folder)) == IMPORTS:
        folder = os.path.dirname(os.path.dirname(folder))
    root = os.path.dirname(folder)
    if os.path.basename(root) == RUNS:
        root = os.path.dirname(root)
    for hidden in (".prose", "prose", ".agents"):
        if os.path.basename(root) == hidden:
            root = os.path.dirname(root)
    return root
