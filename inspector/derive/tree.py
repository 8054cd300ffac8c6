"""Which step stands in which row: a tree that is folded, unfolded and grown without lists of rows.

Every container that stands open knows how many rows it has inside, so that row ↔ step, folding
and growth take O(depth · log children), however long the run is.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import compress, groupby
from operator import itemgetter
from typing import NamedTuple

from inspector.derive.fenwick import FenwickTree
from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind

CHUNK = 32_768
"""Steps that are sorted in one go: some milliseconds."""

_first = itemgetter(0)


class ChildLists:
    """Steps sorted by parent, in runs of consecutive numbers; a million steps take 4 MB.

    Runs are merged like the digits of a counter, so that many small additions stay few runs.
    """

    __slots__ = ("_runs", "table")

    def __init__(self, table: StepTable, runs: list[tuple[int, array[int]]] | None = None) -> None:
        self.table = table
        self._runs = runs if runs is not None else []
        """First step of each run, and its steps by (parent, number)."""

    @property
    def size(self) -> int:
        """Steps that were taken in so far."""
        if not self._runs:
            return 0
        first, steps = self._runs[-1]
        return first + len(steps)

    def carried_to(self, table: StepTable) -> ChildLists:
        """The same lists for a table that begins with the same steps."""
        return ChildLists(table, list(self._runs))

    def grow(self, stop: int) -> None:
        """Takes in the steps below `stop`; call it in portions of at most CHUNK."""
        first = self.size
        while self._runs:
            begin, steps = self._runs[-1]
            if len(steps) >= CHUNK or len(steps) > stop - first:
                break
            self._runs.pop()
            first = begin
        for begin in range(first, stop, CHUNK):
            self._runs.append((begin, self._sorted(begin, min(begin + CHUNK, stop))))

    def cut(self, size: int) -> None:
        """Forgets the steps from `size` on."""
        while self.size > size:
            first, steps = self._runs.pop()
            if first < size:
                # What is left of a run is still sorted.
                kept = array("i", filter(size.__gt__, steps))
                self._runs.append((first, kept))

    def of(self, step: int) -> array[int]:
        """The children of a step, ascending; of the run itself for -1."""
        key = self.table.parent.__getitem__
        wanted = self.table.children_of[step] if step >= 0 else -1
        found = array("i")
        # A step comes after its parent unless it was moved later.
        skipped = bisect_right(self._runs, step, key=_first) - 1 if not self.table.reparented else 0
        for _, steps in self._runs[max(0, skipped) :]:
            if len(found) == wanted:
                break
            begin = bisect_left(steps, step, key=key)
            found += steps[begin : bisect_right(steps, step, lo=begin, key=key)]
        return found

    def _sorted(self, begin: int, stop: int) -> array[int]:
        return array("i", sorted(range(begin, stop), key=self.table.parent.__getitem__))


class Container:
    """A container whose inside was asked for. Folded ones stay, so that they unfold as before."""

    __slots__ = ("children", "inner", "open", "step", "sums")

    def __init__(self, step: int, inner: int, children: array[int]) -> None:
        self.step = step
        self.inner = inner
        self.children = children
        self.open = True
        self.sums: FenwickTree | None = None
        """Rows inside of each child; None while no child stands open."""

    @property
    def rows(self) -> int:
        """Rows inside."""
        return len(self.children) + (self.sums.total if self.sums else 0)

    def before(self, index: int) -> int:
        """Rows before a child."""
        return index + (self.sums.before(index) if self.sums else 0)

    def find(self, offset: int) -> tuple[int, int]:
        """Which child holds a row, and how far into it."""
        return self.sums.find(offset) if self.sums else (offset, 0)

    def stretch(self, index: int, change: int) -> None:
        """Rows appeared (or, below 0, went away) inside of a child."""
        if self.sums is None:
            self.sums = FenwickTree.zeros(len(self.children))
        self.sums.add(index, change)

    def append(self, steps: array[int]) -> None:
        """Takes in children at the end."""
        self.children += steps
        if self.sums is not None:
            for _ in steps:
                self.sums.append(0)

    def cut(self, size: int) -> None:
        """Forgets the children from step `size` on."""
        while self.children and self.children[-1] >= size:
            self.children.pop()
            if self.sums is not None:
                self.sums.pop()


_BRANCH = KIND_CODE[StepKind.BRANCH]
_ITERATION = KIND_CODE[StepKind.ITERATION]
_SHARING = frozenset((_BRANCH, _ITERATION))
_PARALLEL = KIND_CODE[StepKind.PARALLEL]
_STATEMENT = KIND_CODE[StepKind.STATEMENT]

_LOUDEST = (
    Status.FAILED,
    Status.INTERRUPTED,
    Status.WAITING,
    Status.RUNNING,
    Status.UNCONFIRMED,
    Status.UNKNOWN,
)
_LOUDNESS = {STATUS_CODE[status]: place for place, status in enumerate(_LOUDEST)}


def may_share(table: StepTable, step: int) -> bool:
    """Whether a step is of the kind that may share its row with what is inside: one step only."""
    kind = table.kind[step]
    return kind in _SHARING and table.children_of[step] == 1


def shares_row(table: StepTable, step: int, child: int) -> bool:
    """Whether the only step inside of one that may share its row really does."""
    kind = table.kind[child]
    if table.kind[step] == _ITERATION and kind == _PARALLEL:
        return True
    if kind != _STATEMENT or table.children_of[child]:
        return False
    if table.kind[step] == _ITERATION or not table.first[step]:
        return True
    return table.first[step] == table.first[child] and table.last[step] == table.last[child]


def speaker(table: StepTable, step: int, inner: int) -> int:
    """Which of two steps that share a row it speaks of: whose status it tells.

    The inner one where the outer has no row of its own, so that nothing is recorded of it. Else
    the one that a person must not miss: what failed before what goes on before what is over. Of
    two that are alike the one that can be looked into.
    """
    if inner == step:
        return step
    if not table.first[step] and table.first[inner]:
        return inner
    other = len(_LOUDEST)
    outer_loud = _LOUDNESS.get(table.status[step], other)
    inner_loud = _LOUDNESS.get(table.status[inner], other)
    if outer_loud != inner_loud:
        return step if outer_loud < inner_loud else inner
    return step if table.children_of[inner] else inner


WIDE = 50
"""Branches beyond which a parallel is one row until a person unfolds it."""

DEEP = 12
"""Levels beyond which a container stays folded."""

_FAILED = STATUS_CODE[Status.FAILED]


class Folding:
    """The rules for one step table, with the containers in which something failed."""

    __slots__ = ("_seen", "_troubled", "table")

    def __init__(self, table: StepTable) -> None:
        self.table = table
        self._troubled: set[int] = set()
        self._seen = (0, -1)

    def update(self, table: StepTable) -> None:
        """Looks again for failures when their number or the last of them changed."""
        self.table = table
        seen = (table.status.count(_FAILED), table.status.rfind(_FAILED))
        if seen != self._seen:
            self._seen = seen
            self._troubled = _around_failures(table)

    def opens(self, step: int, inner: int, depth: int, newest: bool) -> bool:
        """Whether a row stands open; `inner` shares its row, `newest` = no later sibling."""
        if depth >= DEEP:
            return False
        table = self.table
        if table.kind[step] == _ITERATION and not newest and step not in self._troubled:
            return False
        return table.kind[inner] != _PARALLEL or table.children_of[inner] <= WIDE


def _around_failures(table: StepTable) -> set[int]:
    troubled: set[int] = set()
    status, parent = table.status, table.parent
    at = status.find(_FAILED)
    while at >= 0:
        step = parent[at]
        while step >= 0 and step not in troubled:
            troubled.add(step)
            step = parent[step]
        at = status.find(_FAILED, at + 1)
    return troubled


OPEN_AT_FIRST = 1_000
"""Containers that are unfolded unasked; the newest, where there are more."""

LOOKED_AT = 20_000
"""Children of one container among which any are unfolded unasked; the newest, too."""

AT_ONCE = 2_048
"""Steps beyond which a change is taken in by portions."""

ROOT = -1
"""The run itself, as the container of its outermost steps."""


class Row(NamedTuple):
    """What stands in one row."""

    step: int
    depth: int
    inner: int
    """The step that the row speaks of as well (an iteration's only parallel), or `step`."""
    open: bool | None
    """Whether what is inside is shown; None when there is nothing inside."""


class TreeIndex:
    """The rows of a step table under the folds of one person."""

    def __init__(self, table: StepTable | None = None) -> None:
        self.table = StepTable()
        self.kept = ROOT
        """A step (the cursor's) that must not vanish because something folds by itself."""
        self._lists = ChildLists(self.table)
        self._folding = Folding(self.table)
        self._choices: dict[int, tuple[bool, str]] = {}
        self._inner: dict[int, int] = {}
        self._root = Container(ROOT, ROOT, array("i"))
        self._nodes: dict[int, Container] = {ROOT: self._root}
        if table is not None:
            self.update(table)

    @property
    def rows(self) -> int:
        """Rows under the folds as they are."""
        return self._root.rows

    def step_at(self, row: int) -> int:
        """The step in a row. Raises IndexError outside of 0 to `rows - 1`."""
        return next(self.walk(row)).step

    def walk(self, row: int) -> Iterator[Row]:
        """The rows from `row` on, in order."""
        if not 0 <= row < self.rows:
            raise IndexError(row)
        path: list[tuple[Container, int]] = []
        node = self._root
        while True:
            index, rest = node.find(row)
            path.append((node, index))
            if not rest:
                break
            node, row = self._nodes[node.children[index]], rest - 1
        while path:
            node, index = path[-1]
            if index == len(node.children):
                path.pop()
                continue
            path[-1] = (node, index + 1)
            step = node.children[index]
            inside = self._nodes.get(step)
            is_open = inside is not None and inside.open
            inner = self.inner(step)
            container = self.table.children_of[inner] > 0
            yield Row(step, len(path) - 1, inner, is_open if container else None)
            if is_open and inside is not None:
                path.append((inside, 0))

    def row_of(self, step: int) -> int | None:
        """The row of a step; None while something around it is folded."""
        step, row = self.canonical(step), -1
        while step != ROOT:
            owner = self.owner(step)
            node = self._nodes.get(owner)
            if node is None or not node.open:
                return None
            row += 1 + node.before(bisect_left(node.children, step))
            step = owner
        return row

    def shown(self, step: int) -> int:
        """The step whose row stands for this one: itself, or the folded container around it."""
        shown = step = self.canonical(step)
        while step != ROOT:
            step = self.owner(step)
            node = self._nodes.get(step)
            if node is None or not node.open:
                shown = step
        return shown

    def canonical(self, step: int) -> int:
        """The step whose row speaks of this one."""
        parent = self.table.parent[step]
        return parent if parent >= 0 and self.inner(parent) == step else step

    def owner(self, step: int) -> int:
        """The step in whose row this one's row is folded away; -1 = none."""
        parent = self.table.parent[step]
        return self.canonical(parent) if parent >= 0 else ROOT

    def around(self, step: int) -> list[int]:
        """The rows' steps around a step, outermost first."""
        steps: list[int] = []
        step = self.owner(self.canonical(step))
        while step != ROOT:
            steps.append(step)
            step = self.owner(step)
        return steps[::-1]

    def inner(self, step: int) -> int:
        """The only step inside that shares the row: a round's parallel, a branch's statement."""
        if not may_share(self.table, step):
            return step
        found = self._inner.get(step)
        if found is None:
            child = self._lists.of(step)[0]
            found = self._inner[step] = child if shares_row(self.table, step, child) else step
        return found

    def speaker(self, step: int) -> int:
        """The step whose status is told in this one's row: itself, or the one that shares it."""
        return speaker(self.table, step, self.inner(step))

    def children(self, step: int) -> array[int]:
        """What is directly inside of a step (-1: of the run), in order. Not to be changed."""
        node = self._nodes.get(step)
        if node is not None and node.inner == step:
            return node.children
        return self._lists.of(step)

    def is_open(self, step: int) -> bool:
        """Whether what is inside of a row's step is shown, were the row itself visible."""
        node = self._nodes.get(step)
        return node is not None and node.open

    def fold(self, step: int) -> None:
        """Hides what is inside of a row's step."""
        self._choose(step, False)
        self._close(step)

    def unfold(self, step: int) -> None:
        """Shows what is inside of a row's step; does nothing where nothing is."""
        if self.table.children_of[self.inner(step)]:
            self._choose(step, True)
            self._open(step)

    def reveal(self, step: int) -> int:
        """Unfolds whatever hides a step, and returns its row."""
        for around in self.around(step):
            if not self.is_open(around):
                self.unfold(around)
        row = self.row_of(step)
        assert row is not None
        return row

    def _choose(self, step: int, is_open: bool) -> None:
        self._choices[step] = (is_open, self.table.path(step))

    def _close(self, step: int) -> None:
        node = self._nodes.get(step)
        if node is not None and node.open:
            node.open = False
            self._stretch(step, -node.rows)

    def _open(self, step: int) -> None:
        node = self._nodes.get(step)
        if node is None:
            node = self._materialise(step, len(self.around(step)))
        elif node.open:
            return
        node.open = True
        self._stretch(step, node.rows)

    def _stretch(self, step: int, change: int) -> None:
        """Rows appeared inside of a step: whatever stands open around it grows as well."""
        while step != ROOT and change:
            owner = self._nodes.get(self.owner(step))
            if owner is None:
                return
            owner.stretch(bisect_left(owner.children, step), change)
            if not owner.open:
                return
            step = owner.step

    def _materialise(self, step: int, depth: int) -> Container:
        """Makes the node of a container, and of all in it that stand open unasked."""
        top = self._nodes[step] = self._node(step)
        made, waiting = [top], [(top, depth)]
        open_inside: dict[int, list[Container]] = {}
        while waiting and len(made) < OPEN_AT_FIRST:
            node, depth = waiting.pop()
            for child in self._opening(node, depth):
                inside = self._nodes.get(child)
                if inside is None:
                    inside = self._nodes[child] = self._node(child)
                    waiting.append((inside, depth + 1))
                    made.append(inside)
                open_inside.setdefault(node.step, []).append(inside)
                if len(made) >= OPEN_AT_FIRST:
                    break
        for node in reversed(made):
            _add_up(node, open_inside.get(node.step, ()))
        return top

    def _node(self, step: int) -> Container:
        inner = self.inner(step) if step != ROOT else ROOT
        return Container(step, inner, self._lists.of(inner))

    def _opening(self, node: Container, depth: int) -> Iterator[int]:
        """The children that stand open unless a person folded them, newest first."""
        counts = self.table.children_of.__getitem__
        newest = node.children[-LOOKED_AT:]
        containers = list(compress(newest, map(counts, newest)))
        for child in reversed(containers):
            known = self._nodes.get(child)
            if known.open if known is not None else self._opens(node, child, depth + 1):
                yield child

    def _opens(self, node: Container, child: int, depth: int) -> bool:
        inner = self.inner(child)
        if not self.table.children_of[inner]:
            return False
        chosen = self._choices.get(child)
        if chosen is not None:
            return chosen[0]
        return self._folding.opens(child, inner, depth, newest=child == node.children[-1])

    def update(self, table: StepTable) -> None:
        """Takes in a newer (or, while travelling, an older) view of the same run."""
        for _ in self.updating(table):
            pass

    def updating(self, table: StepTable) -> Iterator[None]:
        """Like `update`, in portions of some milliseconds; until it ends all stands as before."""
        common = min(len(self.table), len(table))
        same = self.table.reparented == table.reparented and _same(
            self.table.parent, table.parent, common
        )
        change = max(len(self.table), len(table)) - common
        if same and change <= AT_ONCE:
            self._adjust(table, common)
            return
        lists = self._lists.carried_to(table) if same else ChildLists(table)
        lists.cut(common)
        while lists.size < len(table):
            lists.grow(min(lists.size + CHUNK, len(table)))
            yield
        self._start(table, lists)

    def _start(self, table: StepTable, lists: ChildLists) -> None:
        self.table, self._lists = table, lists
        self._folding.update(table)
        self._inner = {}
        self._choices = {
            step: choice
            for step, choice in self._choices.items()
            if step < len(table) and table.path(step) == choice[1]
        }
        self._nodes = {}
        self._root = self._materialise(ROOT, -1)

    def _adjust(self, table: StepTable, common: int) -> None:
        """Forgets or takes in the steps from `common` on, where they show."""
        longer = max(self.table, table, key=len)
        parents = set(longer.parent[common:])
        touched = parents | {longer.parent[step] for step in parents if step >= 0}
        if not _same(self.table.first, table.first, common):
            # A branch that gets a row of its own may need a row on the screen, too.
            touched |= set(self._inner)
        for step in touched:
            self._inner.pop(step, None)
        self._lists.cut(common)
        self.table = self._lists.table = table
        self._lists.grow(len(table))
        self._folding.update(table)
        for step in range(len(table), len(longer)):
            self._nodes.pop(step, None)
            self._choices.pop(step, None)
        added = _by_parent(table, common)
        for step in sorted(step for step in touched if step < len(table)):
            self._renew(step, added)

    def _renew(self, step: int, added: dict[int, array[int]]) -> None:
        """Brings the inside of one row up to date with the table."""
        node = self._nodes.get(step)
        if node is None:
            self._open_by_itself(step)
            return
        inner = self.inner(step) if step != ROOT else ROOT
        if node.inner != inner:
            self._begin_anew(node, inner)
            return
        rows, newest = node.rows, node.children[-1] if node.children else ROOT
        node.cut(len(self.table))
        node.append(array("i", filter(newest.__lt__, added.get(inner, ()))))
        if node.open:
            self._stretch(step, node.rows - rows)
        self._fold_older(node, newest)

    def _open_by_itself(self, step: int) -> None:
        if self.canonical(step) == step:
            owner = self._nodes.get(self.owner(step))
            if owner is not None and self._opens(owner, step, len(self.around(step))):
                self._open(step)

    def _begin_anew(self, node: Container, inner: int) -> None:
        """A row that shared what is inside with another step does so no more, or the reverse."""
        was_open = node.open
        self._close(node.step)
        for step in {node.step, node.inner, inner}:
            self._nodes.pop(step, None)
        if was_open and self.table.children_of[inner]:
            self._open(node.step)

    def _fold_older(self, node: Container, newest: int) -> None:
        """A round that stood open because it was the newest makes room for the next."""
        if newest == ROOT or node.children[-1:] == array("i", [newest]):
            return
        older = self._nodes.get(newest)
        if older is None or not older.open or newest in self._choices:
            return
        around = self.around(newest)
        if not self._opens(node, newest, len(around)) and newest not in self._around_kept():
            self._close(newest)

    def _around_kept(self) -> list[int]:
        return self.around(self.kept) if 0 <= self.kept < len(self.table) else []


def _same(one: array[int], other: array[int], count: int) -> bool:
    """Whether two columns begin with the same `count` numbers."""
    if len(one) > count:
        one = one[:count]
    if len(other) > count:
        other = other[:count]
    return one == other


def _by_parent(table: StepTable, first: int) -> dict[int, array[int]]:
    key = table.parent.__getitem__
    steps = sorted(range(first, len(table)), key=key)
    return {parent: array("i", children) for parent, children in groupby(steps, key=key)}


def _add_up(node: Container, open_children: Sequence[Container]) -> None:
    if len(open_children) * 20 < len(node.children):
        for inside in open_children:
            node.stretch(bisect_left(node.children, inside.step), inside.rows)
        return
    lengths = array("q", bytes(8 * len(node.children)))
    for inside in open_children:
        lengths[bisect_left(node.children, inside.step)] = inside.rows
    node.sums = FenwickTree(lengths)
