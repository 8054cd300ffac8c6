"""The program that a run was started from: its snapshot in the run folder, and what it is today.

Source: OpenProse state document, "Run folder": `root.prose.md`, `program.prose`, `sources/`,
`compiled-intent.json` and its older forms. A source that has changed since is for information only.
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
"""Roots first, each generation's; then what they were compiled to."""
ROOTS = SNAPSHOTS[:3]
FOLDER = "sources"
FOLDERS = (FOLDER, "services")
"""Copies of what the root is made of; `services/` in runs of April 2026."""
MOST_FILES = 500
MOST_BYTES = 1 << 20
_READ = (
    AttachmentVerdict.OK,
    AttachmentVerdict.OK_REPLACEMENT_CHARS,
    AttachmentVerdict.OK_TRUNCATED_PREVIEW,
)


def source_files(folder: str, recorded_path: str | None) -> Sequence[Mapping[str, Any]]:
    """The snapshots of a run folder with their text, and whether the root's source differs now."""
    below = (path for top in FOLDERS for path, _ in safe_walk(folder, top, MOST_FILES)[0])
    names = [*SNAPSHOTS, *below]
    found = [one for name in names if (one := _snapshot(folder, name)) is not None]
    return [_compared(one, folder, recorded_path) for one in found]


CHANGED = "the source has changed"
"""What the detail of a step says of a source that is another one today."""
MOST_LINES = 100_000
LEAST_TEXT = 4
"""A statement shorter than this could stand anywhere."""


def with_source(step: Step, snapshots: Sequence[Mapping[str, Any]]) -> Step:
    """A step with the place in the source that it stands at, where snapshots hold it."""
    stands = line_of(snapshots, step.label)
    if stands is None:
        return step
    since = {"since": CHANGED} if has_changed(snapshots, stands) else {}
    return replace(step, ref={**step.ref, "source": stands, **since})


def line_of(files: Sequence[Mapping[str, Any]], statement: str) -> str | None:
    """Where a statement stands in the snapshots, as `file:line`; None when it is not found.

    The recorded text may be the statement with or without what follows on its line.
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


def has_changed(files: Sequence[Mapping[str, Any]], stands: str) -> bool:
    """Whether the snapshot in which a statement stands (`file:line`) is another one today."""
    path = stands.rpartition(":")[0]
    return any(file["path"] == path and file.get("changed_since") for file in files)


def source_of_node(files: Sequence[Mapping[str, Any]], node: str) -> str | None:
    """The snapshot that a node was compiled from, told by its name."""
    for file in files:
        folder, _, name = str(file["path"]).rpartition("/")
        if folder in FOLDERS and name.partition(".")[0] == node:
            return str(file["path"])
    return None


def changed_source(folder: str, recorded_path: str | None) -> str | None:
    """The root's snapshot, when its source in the project is another one today."""
    for name in ROOTS:
        snapshot = _snapshot(folder, name)
        if snapshot is not None and _compared(snapshot, folder, recorded_path)["changed_since"]:
            return name
    return None


def _snapshot(folder: str, name: str) -> dict[str, Any] | None:
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


def _compared(one: dict[str, Any], folder: str, recorded_path: str | None) -> dict[str, Any]:
    """`changed_since` is known for the root's snapshot where the source still lies in the tree."""
    if one["path"] not in ROOTS or not recorded_path or one["text"] is None:
        return one
    root = project_of(folder)
    attachment, data = inspect_attachment(root, recorded_path, preview_bytes=MOST_BYTES)
    if attachment.verdict in _READ:
        one["changed_since"] = data.decode("utf-8", "replace") != one["text"]
    return one


def project_of(folder: str) -> str:
    """The project that a run folder belongs to: what lies above `runs/`, `.prose/` and the like.

    A run that another one imports belongs to the project of that one.
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
