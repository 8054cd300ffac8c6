"""Block invocations: `N→ block:name#ID arg`, `N→ #ID child ✓`, `N→ #ID done WORD`.

Source: OpenProse filesystem state document. The id is that of the frame in which scoped values are
kept (`bindings/{name}__{id}.md`).
"""

from __future__ import annotations

from inspector.model.status import FINISHED, Status
from inspector.model.step import StepKind
from inspector.query.openprose.logs.lines import Marker
from inspector.query.openprose.logs.loops import end_all
from inspector.query.openprose.logs.state import LogState, Said
from inspector.query.openprose.logs.statements import record


def invoke(state: LogState, container: int, marker: Marker, said: Said) -> int:
    """Takes in the beginning of a block and returns it."""
    scope = marker.scope
    before = None if scope is None else state.blocks.get(scope)
    if before is not None and state.is_open(before):
        if not state.steps.first[before]:
            # What happened in it came first.
            record(state, before, said)
            return _describe(state, before, marker, said)
        state.steps.set_status(before, Status.INTERRUPTED, state.steps.raw[before])
        state.remark("superseded", state.lines[-1], step=before)
    segment = marker.name if scope is None else f"b{scope}"
    step = state.add(container, StepKind.BLOCK, marker.body, segment, marker.statement, said)
    if scope is not None:
        state.blocks[scope] = step
    return _describe(state, step, marker, said)


def _describe(state: LogState, step: int, marker: Marker, said: Said) -> int:
    state.steps.label[step] = marker.body
    extra = state.steps.more(step)
    extra.error = said.error
    extra.ref.update(
        block=marker.name,
        block_id=marker.scope,
        argument=marker.note,
        closed=said.status in FINISHED,
    )
    return step


def done(state: LogState, marker: Marker, said: Said) -> int:
    """Takes in `#ID done WORD` and returns the block."""
    step = state.block(marker.scope or "", marker.statement)
    end_all(state, step)
    record(state, step, said)
    state.steps.more(step).ref.update(closed=True, result=marker.name or None)
    return step
