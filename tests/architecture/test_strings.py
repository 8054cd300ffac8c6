"""The words of the package: all visible strings in one file, and phrases that become rarer."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator

from tests.architecture.sources import Source, package_sources
from tests.architecture.strings import FILE, rendered, strings_of

MOST_PHRASES = 166
"""Occurrences of `PHRASES` today; lower it with every change that removes some. The aim is 0."""

PHRASES = {
    "what is": r"\bwhat (is|was|are|were)\b",
    "told, tells": r"\b(told|tells?|telling)\b",
    "nobody": r"\bnobody\b",
    "as far as": r"\bas far as\b",
    "as it stands": r"\bas (it|they) (stands?|reads?)\b|\bstands? (in|for|beside|there|on)\b",
    "so many": r"\bso many\b",
    "by the store": r"\bby the store\b",
    "of its time": r"\bof its time\b",
    "let go": r"\b(let|lets|letting) (it |them )?go\b",
    "moved since": r"\bmoved since\b",
    "goes on": r"\b(goes|go|going) on\b",
    "is other": r"\b(is|are) other\b",
    "takes apart": r"\b(takes?|taken|taking) (it |them )?apart\b",
    "lies": r"\b(lies|lie) (in|beside|there|on|at|under)\b",
    "come to, of it": r"\b(came of it|comes? of it|what of it)\b",
    "one that": r"\bone (that|which)\b",
    "under way": r"\bunder way\b",
}
"""Phrases that make a reader translate: name → pattern. Write the common noun or verb instead."""


def words(source: Source) -> Iterator[tuple[int, str]]:
    """All prose of a module: strings, docstrings and comments, each with its line."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_visible_strings_are_listed() -> None:
    listed, found = FILE.read_text(encoding="utf-8"), rendered()
    new = sorted(set(found.splitlines()) - set(listed.splitlines()))
    assert listed == found, f"run `make strings` and proof-read its diff: {new[:10]}"


def test_awkward_phrases_become_rarer() -> None:
    by_package, by_phrase = Counter[str](), Counter[str]()
    places: list[str] = []
    for source in package_sources():
        for line, text in words(source):
            for name, pattern in PHRASES.items():
                count = len(re.findall(pattern, text, re.IGNORECASE))
                if count:
                    by_package[source.package] += count
                    by_phrase[name] += count
                    places.append(f"{source.path}:{line}: {name}")
    print(f"{by_package.total()} phrases", dict(by_phrase.most_common()), sep="\n")
    print(*(f"{count:5} {package}" for package, count in by_package.most_common()), sep="\n")
    assert by_package.total() <= MOST_PHRASES, places[:40]


SAMPLE = '''
"""A docstring is not shown."""
TITLE = "Values"
CODE = "never_finished"
SQL = "SELECT name FROM run"
CSS = "Screen { color: red }"
PATTERN = re.compile("a b|c d")
FIELDS = {"Not Shown": f"{count} runs are quiet"}
def title(kind: "Some Type") -> str:
    """Nor is this."""
    if kind == "Saga Two":
        return "Nothing" " is recorded."
    return Column("size", help="bytes")
'''


def test_visible_strings_are_told_from_others() -> None:
    source = Source("inspector.sample", "inspector/sample.py", SAMPLE, ast.parse(SAMPLE))
    assert sorted(strings_of(source)) == [
        "Nothing is recorded.",
        "Values",
        "bytes",
        "size",
        "{} runs are quiet",
    ]
