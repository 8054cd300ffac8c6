"""What a run's own row says of it: how it was run, how it ended, and in which words it failed.

Source: Grimoire's store and CLI. A run succeeded if `success` is 1 and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from inspector.model.status import Status


class Mode(StrEnum):
    """How a spell was run."""

    SIMULATE = "simulate"
    DRY_RUN = "dry run"
    EXECUTE = "execute"


_MODES: Mapping[str, Mode] = {
    "simulate": Mode.SIMULATE,
    "cast_dry_run": Mode.DRY_RUN,
    "dry-run": Mode.DRY_RUN,
    "cast_execute": Mode.EXECUTE,
    "execute": Mode.EXECUTE,
}
_CODE = re.compile(r"\[([A-Z][A-Z0-9_]*)\]\s*")
_ACTION = re.compile(r"Action step '([^']*)' failed:?\s*")
_RUN_ID = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\.\d{3})?Z?-", re.ASCII)


def mode_of(provenance: Any) -> Mode | str | None:
    """How the run was run, from its provenance; another word stays as it is."""
    if not isinstance(provenance, dict):
        return None
    word = provenance.get("runtime_mode")
    if word is None and isinstance(provenance.get("cross_chain"), dict):
        word = provenance["cross_chain"].get("mode")
    if not isinstance(word, str):
        return None
    return _MODES.get(word, word)


def known_mode(mode: Mode | str | None) -> Mode | None:
    """The mode if it is one that is known."""
    return mode if isinstance(mode, Mode) else None


def succeeded(success: Any) -> bool:
    """Whether the row says that the run succeeded."""
    return isinstance(success, int | float) and success == 1


def status_of(success: Any) -> tuple[Status, str]:
    """The row's verdict, and the word for it as recorded."""
    status = Status.COMPLETED if succeeded(success) else Status.FAILED
    return status, f"success={success}"


def error_code(error: str | None) -> str | None:
    """The code in front of an error, such as `STEP_FAILED`."""
    match = _CODE.match(error or "")
    return match[1] if match else None


def error_text(error: str) -> str:
    """An error without its code."""
    match = _CODE.match(error)
    return error[match.end() :] if match else error


def failing_action(error: str | None) -> str | None:
    """The action that a failed commit's error names."""
    match = _ACTION.search(error or "")
    return match[1] if match else None


def action_error(error: str) -> str:
    """What a failed commit's error says about its action."""
    match = _ACTION.search(error)
    return error[match.end() :] if match else error_text(error)


def started_from_id(run_id: str) -> str | None:
    """The start that a run id spells, as an instant in words; to the second for most."""
    match = _RUN_ID.match(run_id)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = match.groups()
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}{fraction or ''}Z"
