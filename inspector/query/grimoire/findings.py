"""What a careful reader of a Grimoire run would point out once its ledger is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.derive.steps import StepTable
from inspector.model.run import Finding
from inspector.model.status import Status
from inspector.query.grimoire.state import KEPT_REMARKS, Remark, State


def of_entries(state: State, steps: StepTable) -> Iterator[Finding]:
    """What the fold met, one by one; the rest of a kind by its number."""
    warned: set[str] = set()
    for remark in state.remarks:
        # A guard is judged twice; what it warns of is said once.
        if remark.code != "guard_warned" or remark.detail not in warned:
            yield Finding(remark.code, _sentence(remark, steps), steps.path(remark.step))
        if remark.code == "guard_warned":
            warned.add(remark.detail)
    for code, count in state.remark_counts.items():
        if count > KEPT_REMARKS:
            yield Finding(code, f"{count - KEPT_REMARKS} more of the same kind are not listed.")


def _sentence(remark: Remark, steps: StepTable) -> str:
    words = _SENTENCES[remark.code]
    return words.format(
        event=remark.event, detail=remark.detail, step=steps.label[remark.step] or "a round"
    )


_SENTENCES: Mapping[str, str] = {
    "halted": "The spell halted at event {event}: {detail}",
    "guard_warned": "A guard warned: {detail}",
    "approval_required": "An approval was required: {detail}",
    "circuit_breaker": "A circuit breaker acted: {detail}",
    "drifted": "The chain had moved on since the preview: {detail}",
    "never_confirmed": "Sent, but no confirmation is recorded: {detail}",
    "action_differs": "What was sent is not what the preview planned next: {detail}",
    "action_unplanned": "Something was sent that the preview did not plan: {detail}",
    "transaction_unknown": "Event {event} tells of a transaction that is not recorded as sent:"
    " {detail}",
    "start_missing": "Event {event} tells of {detail}, whose start is not recorded.",
    "rounds_differ": "The rounds of {step} could not be told apart as it counts them.",
    "unknown_event": "Event {event} is of a type that is not known, {detail}; it is shown as it"
    " stands.",
    "malformed_entry": "Event {event} has no event in it; it is shown as it stands.",
    "clock_skew": "Event {event} bears an earlier instant than the one before it.",
}


def of_ending(
    state: State, steps: StepTable, success: bool | None, halted: str | None
) -> Iterator[Finding]:
    """Steps without an end, and where the row and the ledger do not say the same."""
    for step in state.unclosed:
        why = "" if halted is None else f": {halted} stopped the spell"
        yield Finding(
            "never_finished", f"{steps.label[step]} has no recorded end{why}.", steps.path(step)
        )
    part = state.parts.get("commit", state.parts.get("preview", -1))
    if part < 0 or success is None:
        return
    told = steps.status_of(part)
    if success and told is Status.FAILED:
        words = f"The row says that the run succeeded, its {steps.label[part]} that it failed."
        yield Finding("contradiction", words, steps.path(part))
    elif not success and told is Status.COMPLETED:
        words = f"The row says that the run failed, its {steps.label[part]} that it succeeded."
        yield Finding("contradiction", words, steps.path(part))


def never_committed(count: int) -> Iterator[Finding]:
    """Actions inside of anything are simulated, and nothing more."""
    if count:
        yield Finding(
            "never_committed",
            f"{count} actions inside of loops, branches or tries were only simulated: Grimoire"
            " sends top-level actions alone.",
        )


def other_id(recorded: object, run_id: str | None) -> Iterator[Finding]:
    """A run whose row was given another id than its entries (an internal error of the preview)."""
    if isinstance(recorded, str) and recorded != run_id:
        yield Finding("run_id_differs", f"Its entries call this run {recorded}.", "ledger")
