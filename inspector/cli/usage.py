"""`inspector usage [RUN]`: tokens and cost of runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from inspector.cli.errors import FINE, NOT_FOUND, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import stores_and_runs, workspace
from inspector.derive.spending import Sum
from inspector.export import documents
from inspector.query.selection import Ambiguous, NoMatch, select_run
from inspector.query.usage import UsageReport, report_usage, usage_of

_HEADER = ("RUN", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "TOTAL", "COST", "SOURCE")
_NUMBERS = range(1, 6)
"""Columns that are aligned to the right."""


def run(options: argparse.Namespace) -> int:
    """Print the usage of every run, or of one run row by row."""
    with workspace(options.paths) as found:
        _, runs = stores_and_runs(found)
        only = None
        if options.run is not None:
            try:
                only = select_run(runs, options.run, found.cwd)
            except (NoMatch, Ambiguous) as error:
                raise UserError(str(error), NOT_FOUND) from None
        usage = usage_of(found, runs if only is None else [only])
    report = report_usage(usage, only=only)
    if options.json or options.jsonl:
        content = documents.usage(report, with_rows=only is not None)
        if options.json:
            write_json("usage", content, reveal=options.reveal)
        else:
            write_jsonl("usage", content["runs"], reveal=options.reveal)
    else:
        _print(report, options.reveal)
    return FINE


def _print(report: UsageReport, reveal: bool) -> None:
    if not report.runs:
        write_line("No usage recorded.")
        return
    rows: list[tuple[str, ...]] = [_HEADER]
    for one in report.runs:
        name = one.run_id or one.key or f"session {one.session}"
        rows.append((shown(name, reveal=reveal), *_amounts(one.total), one.source or "not counted"))
    rows.append(("total", *_amounts(report.total), ""))
    write_table(rows, right=_NUMBERS)
    for title, sums in (("MODEL", report.by_model), ("DAY", report.by_day)):
        if len(sums) > 1:
            write_line()
            write_table([(title, *_HEADER[1:-1]), *_grouped(sums, reveal)], right=_NUMBERS)
    write_line()
    for source, method in documents.usage_methods(report).items():
        write_line(f"{source}: {method}.")
    skipped = len(report.not_counted)
    if skipped:
        write_line(f"{skipped} {'row is' if skipped == 1 else 'rows are'} not counted; see --json.")


def _grouped(sums: Mapping[str | None, Sum], reveal: bool) -> Iterator[tuple[str, ...]]:
    for group, total in sums.items():
        yield (shown(group or "-", reveal=reveal), *_amounts(total))


def _amounts(total: Sum) -> tuple[str, ...]:
    counts = (total.input, total.output, total.cache_read, total.cache_write, total.total)
    return (*("-" if count is None else f"{count:,}" for count in counts), _cost(total))


def _cost(total: Sum) -> str:
    """Return the known cost by currency and the number of rows without a price."""
    parts = [f"{amount} {shown(currency)}" for currency, amount in total.amounts().items()]
    if total.unpriced:
        parts.append(f"{total.unpriced} unpriced")
    return " + ".join(parts) or "-"
