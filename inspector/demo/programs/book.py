"""Programs about texts: blocks that call themselves, a loop that was cut off, a race of branches,
receipts that someone has edited."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.demo.language import Bind, Commit, End, Import, Remember, Script, Step
from inspector.demo.shapes import Loop, Parallel, block_ends, block_starts, done

OUTLINE_SOURCE = """---
name: outline-book
kind: function
---

# Outline a book

### Execution

```prose
use "github.com/demo/titles" as titles

block outline(part, depth):
  let title = titles.find(part)
  if depth > 1:
    do outline(left, depth - 1)
    do outline(right, depth - 1)

input topic
do outline(topic, 4)
output toc
```
"""

DEPTH = 4


def outline_book() -> Iterator[Step]:
    """A block that calls itself twice, four calls deep, with names in every frame."""
    yield Import("titles", "github.com/demo/titles@0f1e2d3")
    yield done(1, "input topic")
    yield Bind("topic", "estuaries", kind="input", source="input topic")
    yield Bind("title", "Where rivers end", after=2)
    yield from _outline("topic", DEPTH, None)
    yield Bind("toc", "15 parts", kind="output", after=2)
    yield done(4, "output toc")
    yield End("completed")


def _outline(part: str, depth: int, under: str | None) -> Iterator[Step]:
    call, level = f"do outline({part}, {depth})", DEPTH - depth + 1
    label = part
    yield block_starts(2, call, "outline", level, label, under=under, after=0.5)
    yield Bind("title", f"Part {part}", frame=label, after=1.5)
    yield Commit(f"outline.{level}", fresh=300, reused=60, cause="external")
    yield done(3, "let title = titles.find(part)", under=label, after=0.5)
    if depth > 1:
        for side in ("left", "right"):
            yield from _outline(f"{part}.{side}", depth - 1, label)
    yield block_ends(2, call, "outline", level, under=label, after=0.5)


TITLES_SOURCE = """---
name: titles
kind: function
---

# Titles

### Execution

```prose
input part
output title
```
"""


def titles() -> Iterator[Step]:
    """What outline-book imports: a run inside a run."""
    yield done(1, "input part")
    yield Bind("part", "topic", kind="input", source="input part")
    yield done(2, "output title", after=2)
    yield Bind("title", "Where rivers end", kind="output")
    yield End("completed")


GLOSSARY_SOURCE = """---
name: migrate-glossary
kind: function
---

# Migrate the glossary

### Execution

```prose
input glossary
loop until **every letter is done** (max: 12):
  parallel:
    t1 = session: terminologist
    t2 = session: terminologist
    t3 = session: terminologist
    t4 = session: terminologist
    t5 = session: terminologist
    t6 = session: terminologist
  session "link the entries"
  session "check the links"
  session "write the letter"
```
"""

TERMS = Parallel(3, "p1", "t1", "t2", "t3", "t4", "t5", "t6")
LETTERS = Loop(
    2, "l1", "loop until **every letter is done** (max: 12)", 12, "**every letter is done**"
)


def migrate_glossary() -> Iterator[Step]:
    """Three letters, half of a fourth; then someone stopped it."""
    yield done(1, "input glossary")
    yield Bind("glossary", "1,318 entries", kind="input", source="input glossary")
    yield LETTERS.starts()
    for number in (1, 2, 3):
        yield TERMS.starts()
        for branch in TERMS.branches:
            yield from _term(branch, number)
        yield TERMS.joins()
        for index, text in enumerate(("link the entries", "check the links"), start=4):
            yield done(index, f'session "{text}"', after=12)
        yield Bind("letter", f"letter {number}: 104 entries", after=8)
        yield done(6, 'session "write the letter"')
        yield LETTERS.round(number)
    yield TERMS.starts()
    for branch in TERMS.branches[:3]:
        yield from _term(branch, 4)
    yield End("interrupted")


def _term(branch: str, number: int) -> Iterator[Step]:
    yield Bind(branch, f"round {number}: 17 terms", after=9)
    yield Commit(f"terms.{branch}", fresh=3900, reused=310, cause="external")
    yield TERMS.ends(branch)


TRANSLATE_SOURCE = """---
name: translate-docs
kind: function
---

# Translate the documentation

The first good translation wins.

### Execution

```prose
input page
parallel ("first"):
  quick = session: translator
  careful = session: translator
  literal = session: translator
output translated
```
"""

RACE = Parallel(2, "p1", "quick", "careful", "literal")


def translate_docs() -> Iterator[Step]:
    """A parallel that joins with its first branch: the others are not needed."""
    yield done(1, "input page")
    yield Bind("page", "docs/start.md", kind="input", source="input page")
    yield RACE.starts(strategy="first")
    yield Bind("quick", "Erste Schritte …", after=9)
    yield RACE.ends("quick")
    yield RACE.joins()
    yield Remember("translator", "- formal address", "docs/start.md", "kept the tone")
    yield Bind("translated", "Erste Schritte …", kind="output", after=1)
    yield done(3, "output translated")
    yield End("completed")


PRICES_SOURCE = """---
name: price-watch
kind: responsibility
---

# Watch prices

### Maintains

- `prices`: the newest price of every part

### Execution

```prose
loop until **the market closes** (max: 6):
  session: collector
  session: comparer
```
"""

MARKET = Loop(1, "l1", "loop until **the market closes** (max: 6)", 6, "**the market closes**")


def price_watch() -> Iterator[Step]:
    """Two nodes that wake each other; most rounds find nothing and cost little."""
    yield MARKET.starts()
    for number in range(1, 7):
        truth = {"prices.json": f'{{"copper": {8100 + 15 * (number // 3)}}}'}
        yield Commit("prices", fresh=420, reused=180, cause="external", truth=truth, after=5)
        yield done(2, "session: collector")
        moved = number % 3 == 0
        status = "rendered" if moved else "skipped"
        fresh = 610 if moved else 0
        yield Commit("comparison", ("prices",), fresh, 90, status=status, after=2)
        yield done(3, "session: comparer")
        yield MARKET.round(number)
    yield MARKET.exits(6, "the market closes")
    yield End("completed")


EDIT = (
    "UPDATE receipt SET cost = replace(cost, '420', '4') "
    "WHERE id = (SELECT id FROM receipt WHERE node = 'prices' LIMIT 1 OFFSET 2)"
)
"""What someone did to the receipts of price-watch afterwards, to make a round look cheaper."""

OUTLINE_BOOK = Script("outline-book", OUTLINE_SOURCE, outline_book)
TITLES = Script("titles", TITLES_SOURCE, titles)
MIGRATE_GLOSSARY = Script("migrate-glossary", GLOSSARY_SOURCE, migrate_glossary)
TRANSLATE_DOCS = Script("translate-docs", TRANSLATE_SOURCE, translate_docs)
PRICE_WATCH = Script("price-watch", PRICES_SOURCE, price_watch)
