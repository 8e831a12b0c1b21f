"""A long program as a walk over tables: what the steps of a recursion have in common exists once.

The trace of a long chain holds the same program once per joint. Its nodes are divided where the
definitions walked on to the next joint, and steps whose nodes are the same, up to the values of
constants and to where operands come from, become one :class:`Pattern` with a row of a table for
each of them, or for four side by side (:mod:`dyn_core.codegen.rows`). Definitions know nothing of
it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dyn_core.codegen.rows import Row, Shape, Step, in_rows
from dyn_core.codegen.trace import Store, Trace
from dyn_core.scalars import Expr, Scalar
from dyn_core.scalars.graph import COMMUTATIVE, LEAVES, Graph

LONG = 9000
"""Nodes from which on straight code takes longer: a chain of 45 joints has as many in its inverse
dynamics, one of 18 in its forward dynamics."""
ALIKE = 4
"""How many times a node has to be used on average."""
COLUMNS = 150_000
"""Nodes up to which columns of a matrix side by side stay straight code, which takes two thirds of
the time of loops, and ten seconds to compile."""
MOST = 600
"""Nodes of a step; what is longer is divided."""
UNKEPT = "less"
"""Conditions are no numbers: each step finds its own from their operands."""
WAVES = frozenset({"sin", "cos"})
FRAME, ROW, KEPT = "frame", "row", "kept"
"""Arrays of a pattern's program: what other steps have left and the numbers of its row; what it
leaves for others."""
RESULT = "result {}"
"""What goes into the entries of an output that lie side by side."""
CONSTANTS, CONSTANT = -1, 0
"""What an operand is that is a constant, or several side by side. A step's own results are even
numbers beyond them, what others have left are odd ones."""


@dataclass
class Pattern:
    """A program that several steps have in common."""

    steps: list[Step]
    kept: list[int]
    """Which of a step's nodes are left for other steps."""
    starts: list[int]
    """Which of the numbers that a step leaves are those nodes, which have one in each lane; and how
    many numbers there are."""
    results: list[int]
    """Which of a step's nodes are entries of outputs."""
    program: Trace
    """From ``FRAME`` and ``ROW`` to ``KEPT`` and a ``RESULT`` for each store into an output."""
    constants: dict[int, tuple[float, ...]]
    """For each step, by its number, those that are not the same in every step."""


class Steps:
    """The steps of a trace and their patterns."""

    @classmethod
    def found(cls, trace: Trace) -> Steps | None:
        """Those of a long program, or None where straight code is better.

        A matrix whose columns are lanes already stays straight unless that takes long to compile.
        """
        graph = trace.graph
        if len(graph.nodes) < LONG or _in_lanes(trace) < LONG or few_columns(trace):
            return None
        steps = cls(trace)
        return steps if steps.length * ALIKE < len(steps.live) else None

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.graph = trace.graph
        self.live = trace.computed()
        self.angles = self._angles()
        """Whose sines and cosines are computed together, before all steps that use them."""
        self.waves = self._waves()
        self.results: dict[int, list[Store]] = {}
        """Nodes that are entries of outputs."""
        for store in trace.stores():
            self.results.setdefault(store.position, []).append(store)
        self.before, self.after = self._divided()
        """What the angles need, and all else."""
        alike = self._alike()
        self.rows = [*map(_alone, self.before), *in_rows(self.after)]
        """All steps in the order in which they are done."""
        for number, row in enumerate(self.rows):
            row.number = number
        self.last_use = self._uses()
        """For each node that is used in other steps the last row of them."""
        self.patterns = [self._pattern(steps) for steps in alike]

    @property
    def every(self) -> list[Step]:
        """All steps in the order of the trace."""
        return [*self.before, *self.after]

    @property
    def length(self) -> int:
        """Nodes that are printed."""
        return sum(len(pattern.steps[0].nodes) for pattern in self.patterns)

    def _angles(self) -> list[int]:
        """Arguments of sines and cosines that no sine or cosine is needed for."""
        late: set[int] = set()
        angles: dict[int, None] = {}
        nodes, operands = self.graph.nodes, self.graph.operands
        for x in self.live:
            wave = nodes[x][0] in WAVES and nodes[operands(x)[0]][0] != "constant"
            if wave and operands(x)[0] not in late:
                angles[operands(x)[0]] = None
            if wave or not late.isdisjoint(operands(x)):
                late.add(x)
        return list(angles)

    def _waves(self) -> dict[int, tuple[str, int]]:
        """Sines and cosines that are computed together: which, and of which of the angles."""
        place = {x: k for k, x in enumerate(self.angles)}
        found = {}
        for x in self.live:
            kind, *rest = self.graph.nodes[x]
            if kind in WAVES and rest[0] in place:
                found[x] = str(kind), place[int(rest[0])]
        return found

    def _divided(self) -> tuple[list[Step], list[Step]]:
        """The nodes in steps: those that angles need, then all else."""
        nodes = self.graph.nodes
        first = [x for x in self.graph.live(self.angles) if nodes[x][0] not in LEAVES]
        done = {*first, *self.waves}
        rest = (x for x in self.live if nodes[x][0] not in LEAVES and x not in done)
        starts = sorted(set(self.graph.steps))
        parts: dict[int, list[int]] = {}
        for x in rest:
            parts.setdefault(bisect_right(starts, x), []).append(x)
        return self._steps([first]), self._joined(self._steps(parts.values()))

    def _steps(self, parts: Iterable[list[int]]) -> list[Step]:
        """Steps of these nodes, none of them too long."""
        found = []
        for part in parts:
            for k in range(0, len(part), MOST):
                found.append(self._described(part[k : k + MOST]))
        return found

    def _joined(self, steps: Sequence[Step]) -> list[Step]:
        """Steps that are like no other, with their neighbours of that kind."""
        count: dict[Shape, int] = {}
        for step in steps:
            count[step.shape] = count.get(step.shape, 0) + 1
        found: list[Step] = []
        alone = False
        for step in steps:
            single = count[step.shape] == 1
            if single and alone and len(found[-1].nodes) + len(step.nodes) <= MOST:
                found[-1] = self._described(found[-1].nodes + step.nodes)
            else:
                found.append(step)
            alone = single
        return found

    def _described(self, part: list[int]) -> Step:
        """The step of some nodes."""
        nodes, operands, widths = self.graph.nodes, self.graph.operands, self.graph.widths
        own: dict[int, int] = {}
        kept: list[int] = []
        for x in part:
            for y in operands(x):
                if nodes[y][0] == UNKEPT and y not in own:
                    own[y] = len(kept)
                    kept.append(y)
            if x not in own:
                own[x] = len(kept)
                kept.append(x)
        step = Step(kept)
        outside: dict[int, int] = {}
        shape: list[object] = []
        for x in kept:
            shape += nodes[x][:1] + nodes[x][1 + len(operands(x)) :]
            for what, y in self._operands(x, own, outside):
                if what == CONSTANT:
                    step.constants.append(nodes[y][1])  # type: ignore[arg-type]
                shape.append(what)
                if widths[y] > 1:
                    step.wide = True
                    shape.append(nodes[y] if what == CONSTANTS else widths[y])
            step.wide |= widths[x] > 1
            if x in self.results:
                shape += [(to.output, to.entries, to.lane) for to in self.results[x]]
        step.outside, step.shape = list(outside), tuple(shape)
        return step

    def _operands(
        self, x: int, own: dict[int, int], outside: dict[int, int]
    ) -> list[tuple[int, int]]:
        """Of each operand of a node what it is in its step, and its position.

        Operands that may be exchanged come in an order that does not depend on positions.
        """
        nodes = self.graph.nodes
        found = []
        for y in self.graph.operands(x):
            if y in own:
                found.append((2 * own[y] + 2, y))
            elif nodes[y][0] == "constant":
                found.append((CONSTANT, y))
            elif nodes[y][0] == "constants":
                found.append((CONSTANTS, y))
            else:
                found.append((2 * outside.setdefault(y, len(outside)) + 1, y))
        if nodes[x][0] in COMMUTATIVE and found[0][0] > found[1][0]:
            found.reverse()
        return found

    def _uses(self) -> dict[int, int]:
        last: dict[int, int] = {}
        for row in self.rows:
            for step in row.steps:
                last.update(dict.fromkeys(step.outside, row.number))
        for x in self.angles:  # their sines and cosines come after the steps that they need
            last[x] = max(last.get(x, 0), len(self.before))
        return last

    def _alike(self) -> list[list[Step]]:
        """The steps that are alike together."""
        alike: dict[Shape, list[Step]] = {}
        for number, step in enumerate(self.every):
            step.number = number
            alike.setdefault(step.shape, []).append(step)
        for number, steps in enumerate(alike.values()):
            for step in steps:
                step.pattern = number
        return list(alike.values())

    def _pattern(self, steps: list[Step]) -> Pattern:
        kept = {
            k for step in steps for k, x in enumerate(step.nodes) if x in self.last_use
        }  # a step's own uses are not outside of it
        results = [k for k, x in enumerate(steps[0].nodes) if x in self.results]
        widths = (self.graph.widths[steps[0].nodes[k]] for k in sorted(kept))
        starts = list(accumulate(widths, initial=0))
        numbers = list(zip(*(step.constants for step in steps), strict=True))
        columns = {x: None for x in numbers if len(set(x)) > 1}
        column = {x: k for k, x in enumerate(columns)}
        places = [column.get(x) for x in numbers]
        program = self._program(steps[0], sorted(kept), results, places)
        own = {step.number: tuple(x[k] for x in columns) for k, step in enumerate(steps)}
        return Pattern(steps, sorted(kept), starts, results, program, own)

    def _program(
        self,
        step: Step,
        kept: Sequence[int],
        results: Sequence[int],
        places: Sequence[int | None],
    ) -> Trace:
        """The program of a step, with its operands as inputs."""
        graph, nodes = Graph(), self.graph.nodes
        own: dict[int, int] = {}
        outside: dict[int, int] = {}
        rest = iter(places)
        made: list[int] = []
        for x in step.nodes:
            operands = []
            for what, y in self._operands(x, own, outside):
                width = self.graph.widths[y]
                if what == CONSTANTS:
                    operands.append(graph.add(*nodes[y]))
                elif what % 2:
                    lanes = (width,) if width > 1 else ()
                    operands.append(graph.add("input", FRAME, what // 2, *lanes))
                elif what != CONSTANT:
                    operands.append(made[what // 2 - 1])
                elif (place := next(rest)) is None:
                    operands.append(graph.add("constant", nodes[y][1]))
                else:
                    operands.append(graph.add("input", ROW, place))
            own[x] = len(made)
            made.append(graph.add(nodes[x][0], *operands, *nodes[x][1 + len(operands) :]))
        outputs: dict[str, list[Scalar]] = {KEPT: []}
        for k in kept:
            outputs[KEPT] += _lanes(graph, made[k], 0, graph.widths[made[k]])
        stores = ((k, store) for k in results for store in self.results[step.nodes[k]])
        for number, (k, store) in enumerate(stores):
            numbers = _lanes(graph, made[k], store.lane, store.entries)
            outputs[RESULT.format(number)] = numbers
        columns = [x for x in places if x is not None]
        sizes = {FRAME: len(outside), ROW: max(columns, default=-1) + 1}
        return Trace(graph, sizes, outputs)


def few_columns(trace: Trace) -> bool:
    """Whether columns of matrices are lanes, and not too many for straight code."""
    return bool(trace.graph.matrices) and len(trace.computed()) < COLUMNS


def _lanes(graph: Graph, position: int, first: int, count: int) -> list[Scalar]:
    """Numbers of a node, from a lane on."""
    if graph.widths[position] == 1:
        return [Expr(graph, position)]
    return [Expr(graph, graph.add("lane", position, first + k)) for k in range(count)]


def _alone(step: Step) -> Row:
    return Row((step,))


def _in_lanes(trace: Trace) -> float:
    """About how many nodes a trace has once limbs that look alike are lanes."""
    joints = 1 + max((max(limb) for limbs in trace.limbs for limb in limbs), default=0)
    spared = sum(len(limbs[0]) * (len(limbs) - 1) for limbs in trace.limbs)
    return len(trace.live()) * (1.0 - spared / joints)
