"""`inspector usage [RUN]`: tokens and cost, nothing counted twice, no unknown price as zero."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.cli.errors import FINE, NOT_FOUND, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.query.selection import Ambiguous, NoMatch, select_run
from inspector.query.usage import document, usage_of

_HEAD = ("RUN", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "TOTAL", "COST", "FROM")


def run(options: argparse.Namespace) -> int:
    """Prints what every run used, or one run row by row."""
    with workspace(options.paths) as found:
        _, runs = stores_and_runs(found)
        only = None
        if options.run is not None:
            try:
                only = select_run(runs, options.run, found.cwd)
            except (NoMatch, Ambiguous) as error:
                raise UserError(str(error), NOT_FOUND) from None
        used = usage_of(found, runs if only is None else [only])
        content = document(used, only=only)
    if options.json:
        write_json("usage", content, reveal=options.reveal)
    elif options.jsonl:
        write_jsonl("usage", content["runs"], reveal=options.reveal)
    else:
        _print(content, options.reveal)
    return FINE


def _print(content: Mapping[str, Any], reveal: bool) -> None:
    if not content["runs"]:
        write_line("No use is recorded.")
        return
    rows: list[tuple[str, ...]] = [_HEAD]
    for one in content["runs"]:
        name = one["run_id"] or one["key"] or f"session {one['session']}"
        rows.append((shown(name, reveal=reveal), *_amounts(one), one["source"] or "not added"))
    rows.append(("total", *_amounts(content["total"]), ""))
    write_table(rows, right=range(1, 6))
    for way in ("model", "day"):
        listed = content["by"][way]
        if len(listed) > 1:
            write_line()
            head = (way.upper(), *_HEAD[1:-1])
            write_table([head, *_grouped(listed, way, reveal)], right=range(1, 6))
    write_line()
    for source, how in content["how"].items():
        write_line(f"{source}: {how}.")
    left_out = content["not_added"]
    if left_out:
        rows_are = "row is" if len(left_out) == 1 else "rows are"
        write_line(f"{len(left_out)} {rows_are} not added; --json says why.")


def _grouped(listed: Sequence[Mapping[str, Any]], way: str, reveal: bool) -> list[tuple[str, ...]]:
    return [(shown(one[way] or "-", reveal=reveal), *_amounts(one)) for one in listed]


def _amounts(one: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("input", "output", "cache_read", "cache_write", "total")
    counts = [one[f"{name}_tokens"] for name in names]
    return (*("-" if count is None else f"{count:,}" for count in counts), _cost(one))


def _cost(one: Mapping[str, Any]) -> str:
    """What it cost at the least, and how many rows bear no price."""
    parts = [f"{amount} {shown(currency)}" for currency, amount in one["cost"].items()]
    if one["unpriced"]:
        parts.append(f"{one['unpriced']} unpriced")
    return " + ".join(parts) or "-"
