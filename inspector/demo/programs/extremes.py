"""Runs that are large, fast or strange."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.demo.language import Bind, Commit, End, Record, Script, Step
from inspector.demo.shapes import Loop, Parallel, done, failed, retry

ARCHIVE_SOURCE = """---
name: crawl-archive
kind: function
---

# Crawl the archive

### Execution

```prose
input shelf
loop until **the shelf is empty** (max: 1000):
  parallel:
    scan = session: scanner
    index = session: indexer
    check = session: checker
  session "file the box"
output catalogue
```
"""

BOX = Parallel(3, "p1", "scan", "index", "check")
SHELF = Loop(
    2, "l1", "loop until **the shelf is empty** (max: 1000)", 1000, "**the shelf is empty**"
)
BOXES = 713
AFTERWARDS = (
    "sort the boxes",
    "merge the index",
    "drop duplicates",
    "print labels",
    "count the pages",
    "output catalogue",
)


def crawl_archive() -> Iterator[Step]:
    """Five thousand rows."""
    yield done(1, "input shelf")
    yield Bind("shelf", "B 14", kind="input", source="input shelf")
    yield SHELF.starts()
    for number in range(1, BOXES + 1):
        yield BOX.starts(after=0.1)
        for branch in BOX.branches:
            yield BOX.ends(branch, after=0.4)
        yield BOX.joins(after=0.1)
        yield done(4, 'session "file the box"', after=0.2)
        yield SHELF.round(number, after=0.1)
        if number % 100 == 0:
            yield Bind("box", f"box {number}: 48 pages")
            yield Commit("catalogue", fresh=5200, reused=2100, cause="external")
    yield SHELF.exits(BOXES, "the shelf is empty")
    for index, text in enumerate(AFTERWARDS, start=5):
        yield done(index, text)
    yield Bind("catalogue", "713 boxes, 34,224 pages", kind="output")
    yield End("completed")


CATALOG_SOURCE = """---
name: sync-catalog
kind: function
---

# Synchronise the catalogue

### Execution

```prose
loop until **no page is left** (max: 60):
  session "fetch the page"
  session "store the page"
output count
```
"""

PAGES = Loop(1, "l1", "loop until **no page is left** (max: 60)", 60, "**no page is left**")
PAGE_COUNT = 40


def sync_catalog() -> Iterator[Step]:
    """Several rows a second for half a minute."""
    yield PAGES.starts()
    for number in range(1, PAGE_COUNT + 1):
        yield Record(2, 'session "fetch the page"', "executing", after=0.15)
        if number % 13 == 0:
            yield failed(2, 'session "fetch the page"', "HTTP 502", after=0.2)
            yield retry(2, 'session "fetch the page"', 2, 3, after=0.3)
        yield done(2, 'session "fetch the page"', after=0.2)
        yield Bind("page", f"page {number}: 50 items")
        yield done(3, 'session "store the page"', after=0.15)
        yield Commit("catalogue", fresh=40, reused=20, cause="external")
        yield PAGES.round(number, after=0.1)
    yield PAGES.exits(PAGE_COUNT, "no page is left")
    yield Bind("count", f"{PAGE_COUNT * 50} items", kind="output")
    yield done(4, "output count")
    yield End("completed")


STRANGE_SOURCE = """---
name: strange-words
kind: function
---

# Strange words [bold red]not red[/bold red]

### Execution

```prose
session "\\u202edesrever\\u202c"
```
"""

STRANGE = {
    "markup": "[bold red]not red[/bold red] [@click=app.quit]not a link[/] [/unbalanced]",
    "ansi": "\x1b[31mnot red\x1b[0m \x1b[2Jnot cleared \x1b]0;not the title\x07",
    "bidi": "\u202enot reversed\u202c \u2066isolate\u2069 \u200fmark",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308 "
    "1\ufe0f\u20e3",
    "wide": "\u5e45\u306e\u5e83\u3044\u6587\u5b57 \uff21\uff22\uff23 \ud55c\uad6d\uc5b4",
    "combining": "z\u0351\u036b\u0343a\u0310l\u0335g\u0322o\u0328 \u0e01\u0e33 \u0e27\u0e31\u0e19",
    "invisible": "zero\u200bwidth\ufeff joiner\u200d soft\u00adhyphen \u00a0nbsp",
    "controls": "tab\there\rcarriage\nline\x0bvertical\x0cfeed\x7fdelete\x85next",
    "markup language": "<script>alert('no')</script> <b>not bold</b> &amp; ]]>",
    "sql": "'; DROP TABLE run; --",
    "shell": "$(not run) `nor this` ; nor > this",
    "long": "w" * 3000,
    "json": '{"a": {"b": [1, 2.5, null, "\\ud83d\\ude00"]}, "a": "again"}',
    "secret": "Authorization: Bearer " + "0demo1" * 8,
    "empty": "",
}


def strange_words() -> Iterator[Step]:
    """Text that must come out as text, whatever it looks like."""
    both = Parallel(2, "[b]p[/b]", *(f"\u202e{name}" for name in ("a", "b")))
    yield done(1, 'session "[reverse]\u202edesrever\u202c[/reverse]"')
    for number, (name, text) in enumerate(STRANGE.items(), start=10):
        yield Bind(name, text, source=text[:80], after=0.5)
        yield done(number, f"let {name} = session: {text[:60]}", after=0.5)
    yield both.starts()
    for branch in both.branches:
        yield both.ends(branch)
    yield both.joins()
    yield failed(3, "session \x1b[1mnot bold\x1b[0m", "\x1b[31m[red]not red[/red]\u202e rorre")
    yield Bind("[dim]name[/dim]", "the name is the strange part", after=1)
    yield End("failed")


CRAWL_ARCHIVE = Script("crawl-archive", ARCHIVE_SOURCE, crawl_archive)
SYNC_CATALOG = Script("sync-catalog", CATALOG_SOURCE, sync_catalog)
STRANGE_WORDS = Script("strange-words", STRANGE_SOURCE, strange_words)
