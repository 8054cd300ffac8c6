"""Record the output of every command and screen over all cases, and compare two recordings.

    python -m tests.recorder record DIR [--only commands|screens] [--archive NAME …]
    python -m tests.recorder compare BEFORE AFTER [--diff FILE] [--json-only]

`record` unpacks the case archives once into a scratch folder (`--scratch`, by default
`cases-unpacked` among the system's temporary files; the path is part of the output, so recordings
that are to be compared need the same one) and runs `inspector` in this process with a fixed clock,
zone, width and home.
Archives come from INSPECTOR_CASES, else from tests/cases. Each recording has three parts:

    DIR/json/ARCHIVE.jsonl.gz      commands with --json or --jsonl
    DIR/text/ARCHIVE.jsonl.gz      the same commands for people
    DIR/screens/ARCHIVE.jsonl.gz   the text of each tab of a sample of runs, at three sizes

`compare` reports two kinds of differences. Facts (exit codes, and every JSON field except the
sentences named in `SENTENCES`) must be equal; if one differs, the exit code is 1. Wording (those
sentences, text, screens) may change and is listed, each changed sentence once.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.case_archives import archive_folders, find_archive, unpack

ARCHIVES = ("openprose", "openprose-logs", "grimoire", "prism", "faults")
NOW = "2026-12-01T12:00:00.000Z"
SCRATCH = Path(tempfile.gettempdir()) / "cases-unpacked"

LONGEST_OUTPUT = 2_000_000
"""Characters; of longer output only a hash is kept, without its sentences."""
LARGE_STORE = 8_000_000
"""Bytes; of larger stores only a few commands are recorded."""
RUNS_IN_FULL = 6
"""Runs of one store for which every command is recorded; of the others only JSON."""
SIZES = ((40, 15), (80, 24), (120, 36))
MOST_TABS = 9

SENTENCES = frozenset(
    {
        *("about", "advice", "hint", "how", "liveness", "means", "message", "needs", "note"),
        *("notes", "problem", "prompt", "reason", "sentence", "verdict_note", "why"),
    }
)
"""JSON fields whose text is written for people and may be reworded."""
SENTENCE = re.compile(rf'"({"|".join(sorted(SENTENCES))})": *"(?:[^"\\]|\\.)*"')

PARTS = {
    "openprose": ("run", "agents", "world_models", "imports", "tables", "source"),
    "grimoire": ("run", "state", "tracks", "handoffs", "steps", "provenance", "store"),
    "prism": (
        *("run", "session", "entries", "branches", "tool_calls", "usage"),
        *("checkpoints", "leases", "feedback", "migrations", "store"),
    ),
}
SUBJECT_PARTS = {
    "openprose": (),
    "grimoire": ("state",),
    "prism": ("session", "entries", "branches", "tool_calls", "usage", "feedback"),
}
STORE_PARTS = {"openprose": (), "grimoire": ("store",), "prism": ("store", "migrations", "leases")}
JSON_FORMS = (("--json", "--reveal"), ("--json",))
ALL_FORMS = (*JSON_FORMS, ("--jsonl", "--reveal"), (), ("--reveal",))


# Recording


class CapturedText(io.TextIOWrapper):
    """A text stream over memory that claims to be a terminal only when asked to."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        self.flush()
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed."""

    code: int
    out: str
    err: str


def call(arguments: Sequence[str]) -> Answer:
    """Runs one command in this process."""
    from inspector.cli.main import main

    out, err = CapturedText(), CapturedText()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 2
    return Answer(code, out.text(), err.text())


class Writer:
    """Writes one line for each command or screen, with private paths replaced."""

    def __init__(self, folder: Path, archive: str, private: str) -> None:
        self._folder = folder
        self._archive = archive
        self._private = private
        self._open = ExitStack()
        self._files: dict[str, io.TextIOWrapper] = {}

    def write(self, kind: str, command: str, answer: Answer) -> None:
        if kind not in self._files:
            (self._folder / kind).mkdir(parents=True, exist_ok=True)
            file = self._folder / kind / f"{self._archive}.jsonl.gz"
            stream = gzip.open(file, "wt", encoding="utf-8", compresslevel=3)  # noqa: SIM115
            self._files[kind] = self._open.enter_context(stream)
        row = {
            "command": command,
            "code": answer.code,
            "out": bounded(answer.out.replace(self._private, "<home>")),
            "err": bounded(answer.err.replace(self._private, "<home>")),
        }
        self._files[kind].write(json.dumps(row) + "\n")

    def close(self) -> None:
        self._open.close()


def bounded(text: str) -> str:
    """The text, or its length and hash when it is long."""
    if len(text) <= LONGEST_OUTPUT:
        return text
    facts = SENTENCE.sub(r'"\1"', text)
    return f"<{len(facts)} characters, sha256 {hashlib.sha256(facts.encode()).hexdigest()}>"


def record_archive(name: str, folder: Path, scratch: Path, only: str | None) -> int:
    """Records all stores of an archive; returns the number of commands and screens."""
    archive = find_archive(name, archive_folders())
    if archive is None:
        print(f"{name}: no archive", file=sys.stderr)
        return 0
    unpacked = unpack(archive, scratch)
    os.chdir(unpacked)
    count = 0
    writer = Writer(folder, name, os.environ["HOME"])
    try:
        overview = json.loads(call(["runs", "--json", "--reveal", "--in", str(unpacked)]).out)
        if only != "screens":
            for arguments in commands(unpacked, overview):
                machine = "--json" in arguments or "--jsonl" in arguments
                writer.write("json" if machine else "text", " ".join(arguments), call(arguments))
                count += 1
        if only != "commands":
            for run in sampled(overview["runs"]):
                for view, text in screens(run):
                    writer.write("screens", f"{run['key']} {view}", Answer(0, text, ""))
                    count += 1
    finally:
        writer.close()
    return count


def commands(folder: Path, overview: dict[str, Any]) -> Iterator[list[str]]:
    """Every command to record for an archive."""
    inside = ["--in", str(folder)]
    for form in ALL_FORMS:
        yield ["runs", *inside, *form]
        yield ["usage", *inside, *form]
        if "--jsonl" not in form:
            yield ["doctor", *inside, *form]
    by_store: dict[str, list[dict[str, Any]]] = {}
    for run in overview["runs"]:
        by_store.setdefault(run["store"], []).append(run)
    for store in overview["stores"]:
        for part in STORE_PARTS[store["runtime"]]:
            yield ["record", store["path"], part, "--in", store["path"], "--json", "--reveal"]
    for path, runs in sorted(by_store.items()):
        large = sum(file.stat().st_size for file in Path(path).parent.glob("*.db*")) > LARGE_STORE
        chosen = spread(runs, 2 if large else RUNS_IN_FULL)
        for run in chosen:
            yield from commands_of_run(run, large=large)
        if not large:
            for run in runs:
                if run not in chosen:
                    yield from facts_of_run(run)
        yield from commands_of_subjects(path, runs)


def spread(items: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most `most` items, evenly distributed, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[index * (len(items) - 1) // (most - 1)] for index in range(most)]


def facts_of_run(run: dict[str, Any]) -> Iterator[list[str]]:
    inside = ["--in", run["store"], "--json", "--reveal"]
    for command in (["show"], ["events"], ["values"], ["resume", "--plan"]):
        yield [*command, run["key"], *inside]


def commands_of_run(run: dict[str, Any], *, large: bool) -> Iterator[list[str]]:
    """Every command with this run; for a large store only those with short answers."""
    key, inside = run["key"], ["--in", run["store"]]
    if large:
        yield ["show", key, *inside, "--json", "--reveal"]
        yield ["show", key, "--depth", "1", *inside]
        for command in (["values"], ["receipts"], ["resume", "--plan"], ["usage"]):
            yield [*command, key, *inside, "--json", "--reveal"]
        return
    for command in (
        ["show"],
        *(["show", "--at", str(number)] for number in (1, 3)),
        ["show", "--depth", "1"],
        ["events"],
        ["values"],
        ["values", "--full"],
        ["values", "--at", "2"],
        ["values", "--frame", "root"],
        ["receipts"],
        ["usage"],
        ["resume", "--plan"],
    ):
        for form in ALL_FORMS if len(command) == 1 or "--plan" in command else (JSON_FORMS[0], ()):
            yield [command[0], key, *command[1:], *inside, *form]
    for part in PARTS[run["runtime"]]:
        for form in ALL_FORMS:
            yield ["record", key, part, *inside, *form]


def commands_of_subjects(path: str, runs: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """The spells or sessions of a store."""
    runtime = runs[0]["runtime"]
    names = sorted({run["session"] for run in runs if run["session"]})
    subjects = spread([{"name": name} for name in names], 12)
    for name in (subject["name"] for subject in subjects):
        if runtime == "grimoire":
            for form in (*JSON_FORMS, ()):
                yield ["pnl", name, "--in", path, *form]
            yield ["pnl", name, "--limit", "3", "--in", path, "--json", "--reveal"]
        for part in SUBJECT_PARTS[runtime]:
            for form in (*JSON_FORMS, ()) if len(names) < 12 else JSON_FORMS[:1]:
                yield ["record", name, part, "--in", path, *form]


# Screens


def sampled(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One run of each small store, at most ten of an archive."""
    first = {run["store"]: run for run in reversed(runs)}
    small = [run for path, run in sorted(first.items()) if Path(path).stat().st_size < LARGE_STORE]
    return spread(small, 10)


def screens(run: dict[str, Any]) -> list[tuple[str, str]]:
    """The text of the list and of each tab of a run, at each size.

    The application is opened by `inspector PATH`, as a person opens it, but headless: nothing
    here depends on names inside it.
    """
    found: list[tuple[str, str]] = []

    def run_headless(app: Any, **_options: object) -> None:
        asyncio.run(visit(app, found))

    where = str(Path(run["store"]).parent if run["runtime"] == "openprose" else run["store"])
    with (
        patch("textual.app.App.run", run_headless),
        patch.object(CapturedText, "isatty", lambda _self: True),
        patch("sys.stdin", CapturedText()),
    ):
        answer = call([where])
    if answer.code:
        found.append(("failed", f"{answer.code} {answer.err}"))
    return found


async def visit(app: Any, found: list[tuple[str, str]]) -> None:
    """Opens the first run of the list and visits its tabs."""
    async with app.run_test(size=SIZES[-1]) as pilot:
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            found.append((f"{width}x{height} runs", await stable_text(app, pilot)))
        await pilot.press("enter")
        await stable_text(app, pilot)
        seen: set[str] = set()
        for tab in range(1, MOST_TABS + 1):
            await pilot.press(str(tab))
            text = await stable_text(app, pilot)
            # A tab that does not exist leaves the screen as it was, but for a notice.
            if text in seen or (tab > 1 and "There is no tab" in text):
                break
            seen.add(text)
            for width, height in SIZES:
                await pilot.resize_terminal(width, height)
                found.append((f"{width}x{height} tab {tab}", await stable_text(app, pilot)))


async def stable_text(app: Any, pilot: Any, deadline: float = 4.0) -> str:
    """The text on the screen once it has not changed for a quarter of a second."""
    end = time.monotonic() + deadline
    last, since = "", time.monotonic()
    while time.monotonic() < end:
        await pilot.pause(0.03)
        strips = app.screen._compositor.render_strips()
        text = "\n".join(strip.text.rstrip() for strip in strips)
        if text != last:
            last, since = text, time.monotonic()
        elif time.monotonic() - since > 0.25:
            break
    return last


# Comparing


@dataclass(slots=True)
class Comparison:
    """Differences found so far."""

    equal: int = 0
    facts: list[str] = field(default_factory=list)
    """Commands whose exit code or JSON differs, with the first differences."""
    wording: list[str] = field(default_factory=list)
    """Commands where only sentences differ, with a diff."""
    sentences: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Sentence before and after, with the number of times."""


def rows_of(folder: Path, kind: str) -> dict[str, dict[str, Any]]:
    rows = {}
    for file in sorted((folder / kind).glob("*.jsonl.gz")):
        # The last lines are missing while a recording is being made.
        with gzip.open(file, "rt", encoding="utf-8") as lines, suppress(EOFError):
            for line in lines:
                row = json.loads(line)
                rows[f"{file.name.partition('.')[0]}: {row['command']}"] = row
    return rows


def compare(before: Path, after: Path, kinds: Iterable[str]) -> Comparison:
    """Compares two recordings; commands that only one of them has are ignored."""
    result = Comparison()
    for kind in kinds:
        old, new = rows_of(before, kind), rows_of(after, kind)
        for command in old.keys() & new.keys():
            compare_rows(command, old[command], new[command], result, machine=kind == "json")
    result.facts.sort()
    result.wording.sort()
    return result


def compare_rows(
    command: str, old: dict[str, Any], new: dict[str, Any], result: Comparison, *, machine: bool
) -> None:
    if old == new:
        result.equal += 1
        return
    facts: list[str] = []
    sentences = result.sentences.total()
    if old["code"] != new["code"]:
        facts.append(f"exit code {old['code']} became {new['code']}: {new['err'].strip()}")
    if machine and old["out"] != new["out"]:
        facts += fact_differences(documents(old["out"]), documents(new["out"]), "", result)
    if facts:
        result.facts.append("\n    ".join([command, *facts[:8]]))
        return
    reworded = result.sentences.total() - sentences
    diff = changed_lines(old["err"], new["err"])
    if machine:
        diff += [f"{reworded} sentences"] if reworded else []
    else:
        diff += changed_lines(old["out"], new["out"])
    if diff:
        result.wording.append("\n    ".join([command, *diff[:80]]))
    else:
        result.equal += 1


def changed_lines(old: str, new: str) -> list[str]:
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return [line for line in diff if not line.startswith(("---", "+++", "@@"))]


def documents(text: str) -> Any:
    """Parsed JSON or JSON lines; the text itself where it is neither."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return text


def fact_differences(old: Any, new: Any, path: str, result: Comparison) -> Iterator[str]:
    """Paths at which two documents differ in more than a sentence."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() | new.keys():
            if key not in old or key not in new:
                yield f"{path}.{key}: only {'after' if key in new else 'before'}"
            else:
                yield from fact_differences(old[key], new[key], f"{path}.{key}", result)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from fact_differences(one, other, f"{path}[{index}]", result)
    elif old != new or type(old) is not type(new):
        is_text = isinstance(old, str) and isinstance(new, str)
        if is_text and SENTENCES.intersection(re.split(r"[.\[\]]+", path)):
            result.sentences[old, new] += 1
        else:
            yield f"{path}: {shortened(old)} became {shortened(new)}"


def shortened(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def report(result: Comparison, file: Path) -> None:
    """Writes all differences to a file and the counts to standard output."""
    lines = ["FACTS", *result.facts, "", "SENTENCES IN JSON"]
    for (old, new), count in result.sentences.most_common():
        lines += [f"{count} ×", f"    - {old}", f"    + {new}"]
    lines += ["", "TEXT AND SCREENS", *result.wording]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    differ = len(result.facts) + len(result.wording)
    print(
        f"{result.equal} equal, {differ} differ"
        f" ({len(result.facts)} in facts, {len(result.wording)} in wording): {file}"
    )
    for text in result.facts[:10]:
        print(text)


# Command line


def record(options: argparse.Namespace) -> int:
    from multiprocessing import get_context

    started = time.monotonic()
    folder = options.folder.resolve()
    tasks = [(name, folder, options.scratch, options.only) for name in options.archive]
    # A process for each archive: caches of one do not shorten the answers of another.
    with (
        tempfile.TemporaryDirectory(prefix="recorder-") as homes,
        get_context("spawn").Pool(options.jobs, prepare, (homes,), maxtasksperchild=1) as pool,
    ):
        counts = pool.starmap(record_archive, tasks, chunksize=1)
    print(f"{sum(counts)} recorded in {time.monotonic() - started:.0f} s: {folder}")
    return 0


def prepare(homes: str) -> None:
    """Makes this process hermetic: its own home in `homes`, a fixed clock, zone and width."""
    home = tempfile.mkdtemp(dir=homes)
    for name in [name for name in os.environ if name.startswith(("INSPECTOR_", "XDG_"))]:
        if name != "INSPECTOR_CASES":
            del os.environ[name]
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLORTERM", "SSH_CONNECTION", "SSH_TTY"):
        os.environ.pop(name, None)
    os.environ.update(HOME=home, INSPECTOR_NOW=NOW, TZ="UTC", COLUMNS="100", LINES="40")
    time.tzset()


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.recorder",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    modes = parser.add_subparsers(required=True)
    recording = modes.add_parser("record", help="record this checkout")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--scratch", type=Path, default=SCRATCH)
    recording.add_argument("--only", choices=("commands", "screens"))
    recording.add_argument("--archive", nargs="+", default=ARCHIVES, choices=ARCHIVES)
    recording.add_argument("--jobs", type=int, default=2)
    recording.set_defaults(run=record)
    comparing = modes.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--diff", type=Path, default=None, help="default: AFTER/diff.txt")
    comparing.add_argument("--json-only", action="store_true")
    comparing.set_defaults(run=compare_folders)
    return parser.parse_args(words)


def compare_folders(options: argparse.Namespace) -> int:
    kinds = ("json",) if options.json_only else ("json", "text", "screens")
    result = compare(options.before, options.after, kinds)
    report(result, options.diff or options.after / "diff.txt")
    return 1 if result.facts else 0


if __name__ == "__main__":
    options = arguments()
    run: Callable[[argparse.Namespace], int] = options.run
    sys.exit(run(options))
