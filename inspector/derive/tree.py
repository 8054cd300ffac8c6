"""Maps rows of the timeline to steps and back while the tree expands, collapses and grows.

Each expanded container counts the rows inside it, so row ↔ step, expanding, collapsing and growth
take O(depth · log children), whatever the length of the run.
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

ROOT = -1
"""The run itself, as the container of the outermost steps."""
WIDE = 50
"""Branches above which a parallel starts collapsed."""
DEEP = 12
"""Depth from which a container starts collapsed."""
MAX_EXPANDED = 1_000
"""Containers expanded by default; the newest, if there are more."""
MAX_SCANNED = 20_000
"""Children of one container considered for expansion by default; the newest."""
MAX_IN_PLACE = 2_048
"""Steps up to which a change is applied in place; a larger one rebuilds the index in chunks."""
CHUNK = 32_768
"""Steps sorted at once, which takes some milliseconds."""

_FAILED = STATUS_CODE[Status.FAILED]
_BRANCH = KIND_CODE[StepKind.BRANCH]
_ITERATION = KIND_CODE[StepKind.ITERATION]
_PARALLEL = KIND_CODE[StepKind.PARALLEL]
_STATEMENT = KIND_CODE[StepKind.STATEMENT]
_MERGEABLE = frozenset((_BRANCH, _ITERATION))
_BY_SEVERITY = (
    Status.FAILED,
    Status.INTERRUPTED,
    Status.WAITING,
    Status.RUNNING,
    Status.UNCONFIRMED,
    Status.UNKNOWN,
)
_SEVERITY = {STATUS_CODE[status]: rank for rank, status in enumerate(_BY_SEVERITY)}

_first = itemgetter(0)


class ChildLists:
    """Children of every step: steps sorted by parent, in blocks of consecutive numbers.

    Blocks are merged like the digits of a binary counter, which keeps their number small.
    A million steps take 4 MB.
    """

    __slots__ = ("_blocks", "table")

    def __init__(
        self, table: StepTable, blocks: list[tuple[int, array[int]]] | None = None
    ) -> None:
        self.table = table
        self._blocks = blocks if blocks is not None else []
        """First step of each block, and its steps by (parent, number)."""

    @property
    def size(self) -> int:
        """Number of steps indexed so far."""
        if not self._blocks:
            return 0
        first, steps = self._blocks[-1]
        return first + len(steps)

    def carried_to(self, table: StepTable) -> ChildLists:
        """Returns the same index for a table that starts with the same steps."""
        return ChildLists(table, list(self._blocks))

    def grow(self, stop: int) -> None:
        """Indexes the steps below `stop`; call it with at most CHUNK new steps."""
        first = self.size
        while self._blocks:
            begin, steps = self._blocks[-1]
            if len(steps) >= CHUNK or len(steps) > stop - first:
                break
            self._blocks.pop()
            first = begin
        for begin in range(first, stop, CHUNK):
            self._blocks.append((begin, self._sorted(begin, min(begin + CHUNK, stop))))

    def cut(self, size: int) -> None:
        """Removes the steps from `size` on."""
        while self.size > size:
            first, steps = self._blocks.pop()
            if first < size:
                # The rest of a block is still sorted.
                kept = array("i", filter(size.__gt__, steps))
                self._blocks.append((first, kept))

    def of(self, step: int) -> array[int]:
        """Returns the children of a step in ascending order; ROOT gives the outermost steps."""
        key = self.table.parent.__getitem__
        wanted = self.table.children_of[step] if step >= 0 else -1
        found = array("i")
        # A step follows its parent, unless it was reparented.
        skipped = (
            bisect_right(self._blocks, step, key=_first) - 1 if not self.table.reparented else 0
        )
        for _, steps in self._blocks[max(0, skipped) :]:
            if len(found) == wanted:
                break
            begin = bisect_left(steps, step, key=key)
            found += steps[begin : bisect_right(steps, step, lo=begin, key=key)]
        return found

    def _sorted(self, begin: int, stop: int) -> array[int]:
        return array("i", sorted(range(begin, stop), key=self.table.parent.__getitem__))


class Container:
    """A container that was expanded once; kept when collapsed, with the state of its content."""

    __slots__ = ("children", "inner", "open", "step", "sums")

    def __init__(self, step: int, inner: int, children: array[int]) -> None:
        self.step = step
        self.inner = inner
        self.children = children
        self.open = True
        self.sums: FenwickTree | None = None
        """Rows inside each child; None while no child is expanded."""

    @property
    def rows(self) -> int:
        """Number of rows inside."""
        return len(self.children) + (self.sums.total if self.sums else 0)

    def before(self, index: int) -> int:
        """Returns the number of rows before the child at `index`."""
        return index + (self.sums.before(index) if self.sums else 0)

    def find(self, offset: int) -> tuple[int, int]:
        """Returns the index of the child that contains a row, and the offset in it."""
        return self.sums.find(offset) if self.sums else (offset, 0)

    def add_rows(self, index: int, change: int) -> None:
        """Adds `change` rows (negative: removes them) inside the child at `index`."""
        if self.sums is None:
            self.sums = FenwickTree.zeros(len(self.children))
        self.sums.add(index, change)

    def append(self, steps: array[int]) -> None:
        """Appends children."""
        self.children += steps
        if self.sums is not None:
            for _ in steps:
                self.sums.append(0)

    def cut(self, size: int) -> None:
        """Removes the children from step `size` on."""
        while self.children and self.children[-1] >= size:
            self.children.pop()
            if self.sums is not None:
                self.sums.pop()


def may_merge(table: StepTable, step: int) -> bool:
    """True for a branch or an iteration with exactly one child: the two may share a row.

    Two rows would say the same thing twice: an iteration often contains only a parallel, a branch
    only a statement. A merged row has one status.
    """
    kind = table.kind[step]
    return kind in _MERGEABLE and table.children_of[step] == 1


def merges_with(table: StepTable, step: int, child: int) -> bool:
    """True if a step for which `may_merge` holds shares its row with its only child.

    An iteration merges with a parallel or a leaf statement; a branch with a leaf statement, if the
    branch has no row of its own or both have the same first and last event.
    """
    kind = table.kind[child]
    if table.kind[step] == _ITERATION and kind == _PARALLEL:
        return True
    if kind != _STATEMENT or table.children_of[child]:
        return False
    if table.kind[step] == _ITERATION or not table.first[step]:
        return True
    return table.first[step] == table.first[child] and table.last[step] == table.last[child]


def status_source(table: StepTable, step: int, inner: int) -> int:
    """Returns the one of two merged steps whose status the row shows.

    The inner step if only that has recorded rows; else the more severe status (failed before
    unfinished before finished); of equal ones the outer step if there is something to expand.
    """
    if inner == step:
        return step
    if not table.first[step] and table.first[inner]:
        return inner
    least = len(_BY_SEVERITY)
    outer_rank = _SEVERITY.get(table.status[step], least)
    inner_rank = _SEVERITY.get(table.status[inner], least)
    if outer_rank != inner_rank:
        return step if outer_rank < inner_rank else inner
    return step if table.children_of[inner] else inner


class DefaultExpansion:
    """Decides which containers start expanded: the newest and those with failures."""

    __slots__ = ("_failures", "_with_failures", "table")

    def __init__(self, table: StepTable) -> None:
        self.table = table
        self._with_failures: set[int] = set()
        self._failures = (0, -1)
        """Number of failed steps and the last of them."""

    def update(self, table: StepTable) -> None:
        """Finds the containers with failures again if the failures changed."""
        self.table = table
        failures = (table.status.count(_FAILED), table.status.rfind(_FAILED))
        if failures != self._failures:
            self._failures = failures
            self._with_failures = _ancestors_of_failures(table)

    def expands(self, step: int, inner: int, depth: int, newest: bool) -> bool:
        """True if a container starts expanded; `inner` is the step merged into its row.

        Collapsed are: anything at depth DEEP or below, iterations that neither are the `newest`
        child nor contain a failure, and parallels of more than WIDE branches.
        """
        if depth >= DEEP:
            return False
        table = self.table
        if table.kind[step] == _ITERATION and not newest and step not in self._with_failures:
            return False
        return table.kind[inner] != _PARALLEL or table.children_of[inner] <= WIDE


def _ancestors_of_failures(table: StepTable) -> set[int]:
    found: set[int] = set()
    status, parent = table.status, table.parent
    at = status.find(_FAILED)
    while at >= 0:
        step = parent[at]
        while step >= 0 and step not in found:
            found.add(step)
            step = parent[step]
        at = status.find(_FAILED, at + 1)
    return found


class Row(NamedTuple):
    """One row of the tree."""

    step: int
    depth: int
    inner: int
    """The step merged into this row, else `step`."""
    open: bool | None
    """True if expanded, False if collapsed, None for a leaf."""


class TreeIndex:
    """The rows of a step table, with the containers that one person expanded or collapsed."""

    def __init__(self, table: StepTable | None = None) -> None:
        self.table = StepTable()
        self.kept = ROOT
        """The cursor's step: nothing around it collapses by itself."""
        self._lists = ChildLists(self.table)
        self._defaults = DefaultExpansion(self.table)
        self._choices: dict[int, tuple[bool, str]] = {}
        self._inner: dict[int, int] = {}
        self._root = Container(ROOT, ROOT, array("i"))
        self._nodes: dict[int, Container] = {ROOT: self._root}
        if table is not None:
            self.update(table)

    @property
    def rows(self) -> int:
        """Number of visible rows."""
        return self._root.rows

    def step_at(self, row: int) -> int:
        """Returns the step in a row. Raises IndexError unless 0 <= row < `rows`."""
        return next(self.walk(row)).step

    def walk(self, row: int) -> Iterator[Row]:
        """Yields the rows from `row` on. Raises IndexError unless 0 <= row < `rows`."""
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
        """Returns the row of a step; None while an ancestor is collapsed."""
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
        """Returns the visible step for this one: itself, or the outermost collapsed ancestor."""
        shown = step = self.canonical(step)
        while step != ROOT:
            step = self.owner(step)
            node = self._nodes.get(step)
            if node is None or not node.open:
                shown = step
        return shown

    def canonical(self, step: int) -> int:
        """Returns the step whose row this step is in: its parent if the two are merged."""
        parent = self.table.parent[step]
        return parent if parent >= 0 and self.inner(parent) == step else step

    def owner(self, step: int) -> int:
        """Returns the nearest ancestor with a row of its own; ROOT if none."""
        parent = self.table.parent[step]
        return self.canonical(parent) if parent >= 0 else ROOT

    def around(self, step: int) -> list[int]:
        """Returns the ancestors that have rows, outermost first."""
        steps: list[int] = []
        step = self.owner(self.canonical(step))
        while step != ROOT:
            steps.append(step)
            step = self.owner(step)
        return steps[::-1]

    def inner(self, step: int) -> int:
        """Returns the child merged into the row of a step, else the step itself."""
        if not may_merge(self.table, step):
            return step
        found = self._inner.get(step)
        if found is None:
            child = self._lists.of(step)[0]
            found = self._inner[step] = child if merges_with(self.table, step, child) else step
        return found

    def status_source(self, step: int) -> int:
        """Returns the step whose status this row shows: itself or the step merged into it."""
        return status_source(self.table, step, self.inner(step))

    def children(self, step: int) -> array[int]:
        """Returns the direct children of a step or ROOT, in order. Do not modify the array."""
        node = self._nodes.get(step)
        if node is not None and node.inner == step:
            return node.children
        return self._lists.of(step)

    def is_open(self, step: int) -> bool:
        """True if a step is expanded, whether or not its row is visible."""
        node = self._nodes.get(step)
        return node is not None and node.open

    def fold(self, step: int) -> None:
        """Collapses a step."""
        self._choose(step, False)
        self._close(step)

    def unfold(self, step: int) -> None:
        """Expands a step; does nothing for a leaf."""
        if self.table.children_of[self.inner(step)]:
            self._choose(step, True)
            self._open(step)

    def reveal(self, step: int) -> int:
        """Expands all ancestors of a step and returns its row."""
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
            self._add_rows(step, -node.rows)

    def _open(self, step: int) -> None:
        node = self._nodes.get(step)
        if node is None:
            node = self._materialise(step, len(self.around(step)))
        elif node.open:
            return
        node.open = True
        self._add_rows(step, node.rows)

    def _add_rows(self, step: int, change: int) -> None:
        """Adds `change` rows inside a step to the counts of the expanded containers around it."""
        while step != ROOT and change:
            owner = self._nodes.get(self.owner(step))
            if owner is None:
                return
            owner.add_rows(bisect_left(owner.children, step), change)
            if not owner.open:
                return
            step = owner.step

    def _materialise(self, step: int, depth: int) -> Container:
        """Creates the node of a container and of the containers in it that start expanded."""
        top = self._nodes[step] = self._node(step)
        made, waiting = [top], [(top, depth)]
        open_inside: dict[int, list[Container]] = {}
        while waiting and len(made) < MAX_EXPANDED:
            node, depth = waiting.pop()
            for child in self._expanded_children(node, depth):
                inside = self._nodes.get(child)
                if inside is None:
                    inside = self._nodes[child] = self._node(child)
                    waiting.append((inside, depth + 1))
                    made.append(inside)
                open_inside.setdefault(node.step, []).append(inside)
                if len(made) >= MAX_EXPANDED:
                    break
        for node in reversed(made):
            _count_rows(node, open_inside.get(node.step, ()))
        return top

    def _node(self, step: int) -> Container:
        inner = self.inner(step) if step != ROOT else ROOT
        return Container(step, inner, self._lists.of(inner))

    def _expanded_children(self, node: Container, depth: int) -> Iterator[int]:
        """Yields the expanded children, newest first."""
        counts = self.table.children_of.__getitem__
        newest = node.children[-MAX_SCANNED:]
        containers = list(compress(newest, map(counts, newest)))
        for child in reversed(containers):
            known = self._nodes.get(child)
            if known.open if known is not None else self._starts_expanded(node, child, depth + 1):
                yield child

    def _starts_expanded(self, node: Container, child: int, depth: int) -> bool:
        inner = self.inner(child)
        if not self.table.children_of[inner]:
            return False
        chosen = self._choices.get(child)
        if chosen is not None:
            return chosen[0]
        return self._defaults.expands(child, inner, depth, newest=child == node.children[-1])

    def update(self, table: StepTable) -> None:
        """Switches to a newer (or, in the past, an older) table of the same run."""
        for _ in self.updating(table):
            pass

    def updating(self, table: StepTable) -> Iterator[None]:
        """Like `update`, yielding every few milliseconds; nothing changes before the last step."""
        common = min(len(self.table), len(table))
        same = self.table.reparented == table.reparented and _same(
            self.table.parent, table.parent, common
        )
        change = max(len(self.table), len(table)) - common
        if same and change <= MAX_IN_PLACE:
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
        self._defaults.update(table)
        self._inner = {}
        self._choices = {
            step: choice
            for step, choice in self._choices.items()
            if step < len(table) and table.path(step) == choice[1]
        }
        self._nodes = {}
        self._root = self._materialise(ROOT, -1)

    def _adjust(self, table: StepTable, common: int) -> None:
        """Adds or removes the steps from `common` on in place."""
        longer = max(self.table, table, key=len)
        parents = set(longer.parent[common:])
        touched = parents | {longer.parent[step] for step in parents if step >= 0}
        if not _same(self.table.first, table.first, common):
            # A branch that got a row of its own may no longer be merged with its statement.
            touched |= set(self._inner)
        for step in touched:
            self._inner.pop(step, None)
        self._lists.cut(common)
        self.table = self._lists.table = table
        self._lists.grow(len(table))
        self._defaults.update(table)
        for step in range(len(table), len(longer)):
            self._nodes.pop(step, None)
            self._choices.pop(step, None)
        added = _by_parent(table, common)
        for step in sorted(step for step in touched if step < len(table)):
            self._renew(step, added)

    def _renew(self, step: int, added: dict[int, array[int]]) -> None:
        """Updates the children of one container."""
        node = self._nodes.get(step)
        if node is None:
            self._expand_by_default(step)
            return
        inner = self.inner(step) if step != ROOT else ROOT
        if node.inner != inner:
            self._rebuild(node, inner)
            return
        rows, newest = node.rows, node.children[-1] if node.children else ROOT
        node.cut(len(self.table))
        node.append(array("i", filter(newest.__lt__, added.get(inner, ()))))
        if node.open:
            self._add_rows(step, node.rows - rows)
        self._collapse_older(node, newest)

    def _expand_by_default(self, step: int) -> None:
        if self.canonical(step) == step:
            owner = self._nodes.get(self.owner(step))
            if owner is not None and self._starts_expanded(owner, step, len(self.around(step))):
                self._open(step)

    def _rebuild(self, node: Container, inner: int) -> None:
        """Rebuilds a container whose merged step changed."""
        was_open = node.open
        self._close(node.step)
        for step in {node.step, node.inner, inner}:
            self._nodes.pop(step, None)
        if was_open and self.table.children_of[inner]:
            self._open(node.step)

    def _collapse_older(self, node: Container, newest: int) -> None:
        """Collapses the iteration that was expanded only because it was the newest."""
        if newest == ROOT or node.children[-1:] == array("i", [newest]):
            return
        older = self._nodes.get(newest)
        if older is None or not older.open or newest in self._choices:
            return
        around = self.around(newest)
        if (
            not self._starts_expanded(node, newest, len(around))
            and newest not in self._cursor_ancestors()
        ):
            self._close(newest)

    def _cursor_ancestors(self) -> list[int]:
        return self.around(self.kept) if 0 <= self.kept < len(self.table) else []


def _same(one: array[int], other: array[int], count: int) -> bool:
    """True if two columns start with the same `count` numbers."""
    if len(one) > count:
        one = one[:count]
    if len(other) > count:
        other = other[:count]
    return one == other


def _by_parent(table: StepTable, first: int) -> dict[int, array[int]]:
    key = table.parent.__getitem__
    steps = sorted(range(first, len(table)), key=key)
    return {parent: array("i", children) for parent, children in groupby(steps, key=key)}


def _count_rows(node: Container, open_children: Sequence[Container]) -> None:
    if len(open_children) * 20 < len(node.children):
        for inside in open_children:
            node.add_rows(bisect_left(node.children, inside.step), inside.rows)
        return
    lengths = array("q", bytes(8 * len(node.children)))
    for inside in open_children:
        lengths[bisect_left(node.children, inside.step)] = inside.rows
    node.sums = FenwickTree(lengths)
