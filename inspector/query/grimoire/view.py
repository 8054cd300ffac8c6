"""From the fold's state and the rows to what is handed out: Run, steps, findings, tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.derive.money import all_digits
from inspector.derive.steps import StepTable, step_counts
from inspector.model.run import Finding, Run, StepCounts
from inspector.model.step import OpenConstruct, Step, StepKind
from inspector.model.store import Store
from inspector.query.grimoire import findings, lanes
from inspector.query.grimoire.fold import apply
from inspector.query.grimoire.heads import Known, head, run_key
from inspector.query.grimoire.outcomes import Outcome, split_of
from inspector.query.grimoire.records import parsed_columns
from inspector.query.grimoire.rows import RunRows
from inspector.query.grimoire.session_document import nets
from inspector.query.grimoire.state import State, described
from inspector.query.grimoire.timeline import Timeline
from inspector.query.grimoire.verdicts import Mode, known_mode, mode_of, succeeded
from inspector.query.view import RunView, Tab
from inspector.text.numbers import count


@dataclass(frozen=True, slots=True)
class Place:
    """Which run this is."""

    path: str
    spell: str
    run_id: str | None

    def key_of(self, spell: str | None, rows: RunRows) -> str | None:
        """The key of another spell's run under the same id; None when there is none."""
        if spell is None or spell == self.spell or spell not in rows.siblings:
            return None
        return run_key(self.path, spell, self.run_id)


@dataclass(frozen=True, slots=True)
class Facts:
    """One accepted read of what a run's head needs, beside its ledger."""

    place: Place
    store: Store
    rows: RunRows
    known: Known
    parsed: Mapping[str, Any]
    broken: Mapping[str, str]


def facts_of(place: Place, store: Store, rows: RunRows, known: Known) -> Facts:
    """The rows with their JSON columns read."""
    parsed, broken = parsed_columns(rows.row) if rows.row is not None else ({}, {})
    return Facts(place, store, rows, known, parsed, broken)


def mode_of_run(facts: Facts, state: State) -> Mode | str | None:
    """How the run was run: as its provenance says, or executed where its ledger has a commit."""
    mode = mode_of(facts.parsed.get("provenance"))
    return Mode.EXECUTE if mode is None and "commit" in state.parts else mode


def show(facts: Facts, timeline: Timeline, state: State, now: int) -> RunView:
    """The run as it stands, or after fewer events than there are."""
    newest = state is timeline.state
    steps = state.steps.copy()
    rows, place = facts.rows, facts.place
    if newest:
        lanes.lay_over(steps, state, rows, place.spell, lambda spell: place.key_of(spell, rows))
    mode = mode_of_run(facts, state)
    run = _run(facts, timeline, state, steps, mode, now)
    return RunView(
        run=run,
        events=state.events,
        total_events=len(timeline),
        steps=steps,
        step_of_event=state.event_step[:],
        failures=state.failures[:],
        open=tuple(_open(state, steps)),
        describe=_describer(steps, state, mode),
        as_of=now,
        tabs=_tabs(facts, timeline),
    )


def show_last(facts: Facts, last: Sequence[Any], now: int) -> RunView:
    """What the last entries of a long ledger tell by themselves, numbered from 1."""
    state = State()
    for entry in last:
        apply(state, entry)
    mode = mode_of_run(facts, state)
    return RunView(
        run=head(facts.store, replace(facts.known, mode=mode), now),
        events=state.events,
        total_events=state.events,
        steps=state.steps,
        step_of_event=state.event_step,
        failures=state.failures,
        open=tuple(_open(state, state.steps)),
        describe=_describer(state.steps, state, mode),
        as_of=now,
        partial=True,
    )


def _run(
    facts: Facts,
    timeline: Timeline,
    state: State,
    steps: StepTable,
    mode: Mode | str | None,
    now: int,
) -> Run:
    base = head(facts.store, replace(facts.known, mode=mode), now)
    newest = state is timeline.state
    return replace(
        base,
        findings=(*base.findings, *_findings(facts, timeline, state, steps, mode)),
        order_only=not state.instants,
        steps=step_counts(steps.leaf_counts) if timeline.state.events else StepCounts(),
        net=_net(facts, timeline, mode) if newest else None,
        complete=newest,
    )


def _net(facts: Facts, timeline: Timeline, mode: Mode | str | None) -> Mapping[str, str] | None:
    """Realised net amounts by asset; None where no chain confirmed anything."""
    state, row = timeline.state, facts.rows.row
    committed = state if "commit" in state.parts else None
    if committed is None or row is None:
        return None
    error = row.get("error")
    split = split_of(
        timeline.money,
        known_mode(mode),
        succeeded(row.get("success")),
        error if error is None else str(error),
        committed,
        facts.rows.handoffs,
    )
    real = split.by_outcome.get(Outcome.REALISED)
    return nets(real) if real is not None and len(real) else None


def _findings(
    facts: Facts, timeline: Timeline, state: State, steps: StepTable, mode: Mode | str | None
) -> Iterator[Finding]:
    for column, why in facts.broken.items():
        yield Finding("unreadable", f"The run's {column} cannot be read: {why}.", "run")
    if timeline.damage is not None:
        words = f"The ledger could be read up to event {len(timeline)}: {timeline.damage}."
        yield Finding("damaged", words, "ledger")
    for damage in facts.rows.damage:
        yield Finding("damaged", f"{damage.sentence}.", damage.table)
    yield from findings.of_entries(state, steps)
    halted = None if state.halted < 0 else steps.label[state.halted]
    row = facts.rows.row
    if state is timeline.state:
        success = None if row is None else succeeded(row.get("success"))
        yield from findings.of_ending(state, steps, success, halted)
        if mode is Mode.EXECUTE:
            yield from findings.never_committed(sum(_nested(steps)))
    part = steps.extra.get(state.parts.get("preview", -1))
    recorded = None if part is None else part.ref.get("run_id")
    yield from findings.other_id(recorded, facts.place.run_id)


def _nested(steps: StepTable) -> Iterator[bool]:
    return (extra.ref.get("nested") is True for extra in steps.extra.values())


def _open(state: State, steps: StepTable) -> Iterator[OpenConstruct]:
    """What has started and has no recorded end."""
    open_steps = [*state.unclosed, *(frame.step for frame in state.frames)]
    for step in open_steps:
        yield OpenConstruct(steps.kind_of(step), state.id_of(step), None, None, steps.path(step))


def _describer(steps: StepTable, state: State, mode: Mode | str | None) -> Callable[[int], Step]:
    words, kinds = state.words[:], list(state.kinds)

    def describe(number: int) -> Step:
        step = described(steps, words, kinds, number)
        note = _note(step, mode)
        return step if note is None else replace(step, ref={**step.ref, "note": note})

    return describe


def _note(step: Step, mode: Mode | str | None) -> str | None:
    """A few words that follow a step's name."""
    ref = step.ref
    if step.kind is StepKind.ACTION:
        if ref.get("nested") is True and mode is Mode.EXECUTE:
            return "never committed"
        if "gas_used" in ref:
            return f"gas {count(ref['gas_used'])}"
        if ref.get("tx_hash") is not None and "preview" in ref:
            return str(ref["tx_hash"])
    return "halt" if ref.get("halted") is True else None


def _tabs(facts: Facts, timeline: Timeline) -> tuple[Tab, ...]:
    rows = facts.rows
    shown = [Tab("timeline", "Timeline"), Tab("values", "Values"), Tab("pnl", "P&L")]
    for part, title, listed in (
        ("tracks", "Tracks", rows.tracks),
        ("handoffs", "Handoffs", rows.handoffs),
        ("steps", "Results", rows.step_results),
    ):
        if listed:
            shown.append(Tab(part, title, len(listed)))
    if facts.parsed.get("provenance") is not None:
        shown.append(Tab("provenance", "Provenance", None, _sources(facts)))
    tables = Tab("tables", "Tables", len(rows.tables.by_name))
    return (*shown, Tab("state", "State"), Tab("raw", "Raw", len(timeline)), tables)


def _sources(facts: Facts) -> str | None:
    stale = facts.parsed["provenance"]
    stale = stale.get("stale_source_count") if isinstance(stale, dict) else None
    return f"{all_digits(stale)} stale" if isinstance(stale, int) and stale > 0 else None
