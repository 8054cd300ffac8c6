"""Files beside runs, and what the command line says of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main

Ask = Callable[..., Any]


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes files below a folder."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def asking(capsys: pytest.CaptureFixture[str]) -> Ask:
    """`ask(PATH, command, …)` gives the document; without a PATH, from where we are."""

    def ask(path: Path | None, *words: str, code: int = 0) -> Any:
        where = [] if path is None else ["--in", str(path)]
        assert main([*words, "--json", "--reveal", *where]) == code
        return json.loads(capsys.readouterr().out)

    return ask
