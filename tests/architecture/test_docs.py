"""The documentation names files that exist, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_and_links_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(
        r"(?<![\w./~-])((?:inspector|tests|docs|styles|benchmarks)/[\w./-]*\w)", text
    )
    links = [link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not link.startswith("http")]
    missing = [name for name in named if not (ROOT / name).exists()]
    missing += [link for link in links if not (page.parent / link).exists()]
    assert missing == []


def test_the_pages_are_found() -> None:
    """Otherwise the test above would check nothing."""
    assert {"ARCHITECTURE.md", "ADDING_A_RUNTIME.md", "API.md", "README.md"} <= {
        page.name for page in PAGES
    }
