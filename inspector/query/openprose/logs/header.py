"""What stands in a log before its first marker: front matter, the heading, fields.

Source: OpenProse filesystem state document, `# run:{id} {name}`, `upstream:`, `root:`; elder logs
have `program:`, wilder ones YAML front matter. Only what is known is read as a field; the rest is
prose and is kept as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.model.status import Status
from inspector.text.parse_time import parse_instant

MOST_BYTES = 64 << 10
"""Bytes of a preamble that are looked through for fields."""

_HEADING = re.compile(r"#{1,3}[ \t]*run:[ \t]*(\S+)[ \t]*(.*)")
_FIELD = re.compile(r"[-*]?[ \t]*([A-Za-z][A-Za-z_ -]{0,30}?)[ \t]*:(?:[ \t]+(.*))?")
_COMMENT = re.compile(r"\s{2,}#.*|\s+# .*")
_FIELDS = {
    "upstream", "root", "program", "run_id", "system", "name", "title", "status", "error",
    "started_at", "started", "ended_at", "ended", "completed_at", "finished_at", "state_mode",
}  # fmt: skip
_ENDINGS = (".prose.md", ".prose", ".run.md", ".md")

SAID = {
    "running": Status.RUNNING,
    "in_progress": Status.RUNNING,
    "completed": Status.COMPLETED,
    "complete": Status.COMPLETED,
    "success": Status.COMPLETED,
    "succeeded": Status.COMPLETED,
    "done": Status.COMPLETED,
    "failed": Status.FAILED,
    "error": Status.FAILED,
    "interrupted": Status.INTERRUPTED,
}
"""Words that a head is written with, lower case → what they claim."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the head of a log says of its run; None and empty where it says nothing."""

    run_id: str | None = None
    name: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    """Known fields of the preamble."""
    front: Mapping[str, str] = field(default_factory=dict)
    """Every pair of the front matter, whatever its name."""
    front_lines: int = 0
    """Lines of the front matter, its two fences included."""

    def get(self, *names: str) -> str | None:
        """The first of these that is given, in the front matter or below the heading."""
        for name in names:
            value = self.front.get(name) or self.fields.get(name)
            if value:
                return value
        return None

    @property
    def title(self) -> str | None:
        """What the run calls itself, else its program's file name without the ending."""
        named = self.name or self.get("system", "title", "name")
        return named or program_name(self.get("root", "program"))

    @property
    def upstream(self) -> tuple[str, ...]:
        """Ids of the runs that it takes as inputs."""
        return tuple(part for part in re.split(r"[\[\],\s]+", self.get("upstream") or "") if part)

    @property
    def started_at(self) -> int | None:
        """UTC ms."""
        return parse_instant(self.get("started_at", "started"))

    @property
    def ended_at(self) -> int | None:
        """UTC ms."""
        return parse_instant(self.get("ended_at", "ended", "completed_at", "finished_at"))

    @property
    def raw_status(self) -> str | None:
        """The word that the front matter gives."""
        return self.front.get("status") or None

    @property
    def claimed(self) -> Status | None:
        """What that word claims; None where it is not one that is known."""
        return SAID.get((self.raw_status or "").strip().lower().replace("-", "_"))


def read_header(text: str) -> Header:
    """Reads the preamble: everything before the first marker."""
    lines = text.lstrip("\ufeff").split("\n")
    front, taken = _front_matter(lines)
    run_id = name = None
    fields: dict[str, str] = {}
    for line in lines[taken:]:
        heading = _HEADING.match(line.strip())
        if heading is not None and run_id is None:
            run_id, name = heading[1], _uncommented(heading[2])
            continue
        pair = _pair(line)
        if pair is not None and pair[0] in _FIELDS:
            fields.setdefault(*pair)
    run_id = run_id or front.get("run_id") or fields.get("run_id") or None
    return Header(run_id, name or None, fields, front, taken)


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """The pairs between two fences at the very beginning, and how many lines they take."""
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is None or lines[first].strip() != "---":
        return {}, 0
    found: dict[str, str] = {}
    for at in range(first + 1, len(lines)):
        if lines[at].strip() in ("---", "..."):
            return found, at + 1
        pair = _pair(lines[at])
        if pair is not None:
            found.setdefault(*pair)
    return found, len(lines)


def _pair(line: str) -> tuple[str, str] | None:
    found = _FIELD.fullmatch(line.strip()[:2000])
    if found is None:
        return None
    name = re.sub(r"[ -]", "_", found[1].strip().lower())
    return name, _uncommented(found[2] or "").strip().strip("\"'")


def _uncommented(text: str) -> str:
    return _COMMENT.sub("", text).strip()


def program_name(path: str | None) -> str | None:
    """A program's file name without its ending."""
    name = (path or "").split(" ")[0].replace("\\", "/").rstrip("/").rpartition("/")[2]
    for ending in _ENDINGS:
        if name.endswith(ending) and len(name) > len(ending):
            return name.removesuffix(ending)
    return name or None
