"""From the fold's state and the rows to a RunView: run, steps, findings, tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inspector.derive.money import all_digits
from inspector.derive.steps import StepTable, step_counts
from inspector.model.run import Finding, Run, StepCounts
from inspector.model.status import Status
from inspector.model.step import OpenConstruct, Step, StepKind
from inspector.model.store import Store
from inspector.query.grimoire import cross_chain
from inspector.query.grimoire.accounting import split_of
from inspector.query.grimoire.fold import apply
from inspector.query.grimoire.records import Mode, known_mode, mode_of, parsed_columns, succeeded
from inspector.query.grimoire.rows import RunRows
from inspector.query.grimoire.run_head import RunSummary, head, run_key
from inspector.query.grimoire.session import net_by_asset
from inspector.query.grimoire.state import KEPT_REMARKS, Remark, State, described
from inspector.query.grimoire.timeline import Timeline
from inspector.query.pnl import Outcome
from inspector.query.view import RunView, Tab
from inspector.text.numbers import count

_SENTENCES: Mapping[str, str] = {
    "halted": "The spell halted at event {event}: {detail}",
    "guard_warned": "Guard warning: {detail}",
    "approval_required": "Approval required: {detail}",
    "circuit_breaker": "Circuit breaker triggered: {detail}",
    "drifted": "A value changed between preview and commit: {detail}",
    "never_confirmed": "Sent, but no confirmation is recorded: {detail}",
    "action_differs": "The action sent differs from the next planned one: {detail}",
    "action_unplanned": "An action was sent that the preview did not plan: {detail}",
    "transaction_unknown": "Event {event} refers to a transaction that is not recorded as sent:"
    " {detail}",
    "start_missing": "Event {event} refers to step {detail}, whose start is not recorded.",
    "rounds_differ": "The iterations of {step} do not match its recorded number.",
    "unknown_event": "Event {event} has an unknown type, {detail}; its raw fields are shown.",
    "malformed_entry": "Event {event} is malformed; the raw entry is shown.",
    "clock_skew": "Event {event} is earlier than the event before it.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The identity of a run."""

    path: str
    spell: str
    run_id: str | None

    def key_of(self, spell: str | None, rows: RunRows) -> str | None:
        """Return the key of another spell's run with the same id; None if there is none."""
        if spell is None or spell == self.spell or spell not in rows.siblings:
            return None
        return run_key(self.path, spell, self.run_id)


@dataclass(frozen=True, slots=True)
class Facts:
    """One consistent read of a run's rows, with its JSON columns parsed."""

    place: Place
    store: Store
    rows: RunRows
    known: RunSummary
    parsed: Mapping[str, object]
    broken: Mapping[str, str]


def facts_of(place: Place, store: Store, rows: RunRows, known: RunSummary) -> Facts:
    """Return the facts of a run with its JSON columns parsed."""
    parsed, broken = parsed_columns(rows.row) if rows.row is not None else ({}, {})
    return Facts(place, store, rows, known, parsed, broken)


def mode_of_run(facts: Facts, state: State) -> Mode | str | None:
    """Return the mode in the provenance; without one, `execute` if the ledger has a commit."""
    mode = mode_of(facts.parsed.get("provenance"))
    return Mode.EXECUTE if mode is None and "commit" in state.parts else mode


def show(facts: Facts, timeline: Timeline, state: State, now: int) -> RunView:
    """Return the view of the newest state, or of an earlier one; `now` in UTC ms.

    The tables of a cross-chain run have no history: they are laid over the newest state only.
    """
    newest = state is timeline.state
    steps = state.steps.copy()
    rows, place = facts.rows, facts.place
    if newest:
        cross_chain.overlay_tables(
            steps,
            state,
            place.spell,
            None if rows.row is None else rows.row.get("error"),
            rows.tracks,
            rows.handoffs,
            rows.step_results,
            lambda spell: place.key_of(spell, rows),
        )
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


def show_last(facts: Facts, last: Sequence[object], now: int) -> RunView:
    """Return a partial view of the last entries of a long ledger, numbered from 1."""
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
    """Return realised net amounts by asset in base units; None if nothing was confirmed."""
    state, row = timeline.state, facts.rows.row
    committed = state if "commit" in state.parts else None
    if committed is None or row is None:
        return None
    error = row.get("error")
    split = split_of(
        timeline.accounts,
        known_mode(mode),
        succeeded(row.get("success")),
        error if error is None else str(error),
        committed,
        facts.rows.handoffs,
    )
    realised = split.by_outcome.get(Outcome.REALISED)
    if realised is None or not len(realised):
        return None
    return {asset: all_digits(net) for asset, net in net_by_asset(realised).items()}


def _open(state: State, steps: StepTable) -> Iterator[OpenConstruct]:
    """Yield the steps without a recorded end."""
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
    """Return a few words to show after a step's name."""
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


# Findings of the fold.


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
    yield from findings_of_entries(state, steps)
    halted = None if state.halted < 0 else steps.label[state.halted]
    row = facts.rows.row
    if state is timeline.state:
        success = None if row is None else succeeded(row.get("success"))
        yield from findings_of_end(state, steps, success, halted)
        if mode is Mode.EXECUTE:
            yield from finding_of_nested(sum(_nested(steps)))
    part = steps.extra.get(state.parts.get("preview", -1))
    recorded = None if part is None else part.ref.get("run_id")
    yield from finding_of_run_id(recorded, facts.place.run_id)


def _nested(steps: StepTable) -> Iterator[bool]:
    return (extra.ref.get("nested") is True for extra in steps.extra.values())


def findings_of_entries(state: State, steps: StepTable) -> Iterator[Finding]:
    """Yield a finding for each remark of the fold, and the number of those that were not kept."""
    warned: set[str] = set()
    for remark in state.remarks:
        # Guards are checked before and after the steps; report the same warning once.
        if remark.code != "guard_warned" or remark.detail not in warned:
            yield Finding(remark.code, _sentence(remark, steps), steps.path(remark.step))
        if remark.code == "guard_warned":
            warned.add(remark.detail)
    for code, number in state.remark_counts.items():
        if number > KEPT_REMARKS:
            yield Finding(code, f"{number - KEPT_REMARKS} more of the same kind are not listed.")


def _sentence(remark: Remark, steps: StepTable) -> str:
    words = _SENTENCES[remark.code]
    return words.format(
        event=remark.event, detail=remark.detail, step=steps.label[remark.step] or "an iteration"
    )


def findings_of_end(
    state: State, steps: StepTable, success: bool | None, halted: str | None
) -> Iterator[Finding]:
    """Yield steps without an end, and a contradiction of row and ledger."""
    for step in state.unclosed:
        why = "" if halted is None else f": {halted} stopped the spell"
        yield Finding(
            "never_finished", f"{steps.label[step]} has no recorded end{why}.", steps.path(step)
        )
    part = state.parts.get("commit", state.parts.get("preview", -1))
    if part < 0 or success is None:
        return
    status = steps.status_of(part)
    if success and status is Status.FAILED:
        words = f"The row says that the run succeeded, but its {steps.label[part]} failed."
        yield Finding("contradiction", words, steps.path(part))
    elif not success and status is Status.COMPLETED:
        words = f"The row says that the run failed, but its {steps.label[part]} succeeded."
        yield Finding("contradiction", words, steps.path(part))


def finding_of_nested(number: int) -> Iterator[Finding]:
    """Yield that nested actions of an executed run were only simulated."""
    if number:
        yield Finding(
            "never_committed",
            f"{number} actions inside loops, branches or tries were only simulated: Grimoire"
            " sends only top-level actions.",
        )


def finding_of_run_id(recorded: object, run_id: str | None) -> Iterator[Finding]:
    """Yield that the ledger has another run id than the row, after an error of the preview."""
    if isinstance(recorded, str) and recorded != run_id:
        yield Finding("run_id_differs", f"The ledger has another run id: {recorded}.", "ledger")
