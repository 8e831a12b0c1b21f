# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A pass on the graph: operations of limbs of equal structure become vector operations.

The trace of a robot with four equal legs holds the same program four times. Starting from
corresponding outputs (the efforts of the four hips), this pass walks the four programs in step,
operand by operand, and makes corresponding nodes the lanes of one node. At the body that carries
the limbs, the sum of four terms becomes the sum over the lanes of one vector. Nodes correspond only
if their *shapes* are equal: the same operations on operands of equal shape, up to the values of
constants. So no lane of a vector depends on another lane of the same vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, INPUT, Graph
from dyn_core.compiler.ir.program import Limb, Trace
from dyn_core.model.model import Model
from dyn_core.spatial.scalars.operations import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB

JOINABLE = frozenset({ADD, SUB, MUL, DIV, NEG, SQRT, SIN, COS})
"""Operations that nodes of several lanes may have."""
Lanes: TypeAlias = tuple[int, ...]
"""Positions of corresponding nodes, one per limb."""
Term: TypeAlias = tuple[int, int]
"""Sign and position."""


class Places:
    """The limbs' entries of configurations, velocities and arrays of bodies."""

    def __init__(self, model: Model, groups: Sequence[Sequence[Limb]]) -> None:
        self.groups = groups
        self.nv = model.nv
        self.in_v = self._table(model.idx_v, [joint.nv for joint in model.joints])
        self._tables = {
            6 * model.njoints: self._table(range(0, 6 * model.njoints, 6), [6] * model.njoints),
            model.nv: self.in_v,
            model.nq: self._table(model.idx_q, [joint.nq for joint in model.joints]),
        }

    def of(self, size: int) -> dict[int, tuple[int, int, int]]:
        """Group, lane and index in the limb of the entries of an array of this size."""
        return self._tables.get(size, {})

    def _table(
        self, starts: Sequence[int], sizes: Sequence[int]
    ) -> dict[int, tuple[int, int, int]]:
        table = {}
        for g, limbs in enumerate(self.groups):
            for lane, limb in enumerate(limbs):
                own = [starts[i] + k for i in limb for k in range(sizes[i])]
                table.update({entry: (g, lane, place) for place, entry in enumerate(own)})
        return table


def in_lanes(trace: Trace, model: Model) -> Trace:
    """The program with limbs as lanes; the trace itself if the program is not shorter."""
    if not trace.limbs:
        return trace
    packed = _Packing(trace, Places(model, trace.limbs)).run()
    return packed if len(packed.live()) < len(trace.live()) else trace


class _Packing:
    def __init__(self, trace: Trace, places: Places) -> None:
        self.trace, self.graph, self.places = trace, trace.graph, places
        self.nodes, self.live = trace.graph.nodes, trace.live()
        self.uses = Counter(x for p in self.live for x in self.nodes[p].operands)
        self.outputs = {
            x.position for xs in trace.outputs.values() for x in xs if isinstance(x, Expr)
        }
        self.shape: dict[int, int] = {}
        self.limb: dict[int, frozenset[tuple[int, int]]] = {}
        self._describe()
        self.home: dict[int, tuple[Lanes, int]] = {}
        self._operands: dict[Lanes, Sequence[Lanes]] = {}
        self.sums: dict[int, tuple[list[Term], list[tuple[int, Lanes]]]] = {}

    def run(self) -> Trace:
        for lanes in self._seeds():
            self._join(lanes)
        inner: set[int] = set()
        for position in reversed(self.live):
            done = position in inner or position in self.home
            if len(self.limb[position]) > 1 and not done and self.nodes[position].width == 1:
                inner |= self._meeting(position)
        return _Rebuilt(self).trace()

    def _describe(self) -> None:
        """Number the shapes of nodes, and find the limbs that each node depends on."""
        ids: dict[tuple[object, ...], int] = {}
        tables = {name: self.places.of(size) for name, size in self.trace.inputs.items()}
        for p in self.live:
            node = self.nodes[p]
            key: tuple[object, ...] = (node.kind, node.name, node.numbers[1:])
            self.limb[p] = frozenset()
            if node.kind is INPUT:
                where = tables[node.name].get(node.entry)
                key = (INPUT, node.name, node.entry)
                if where:
                    key = (INPUT, node.name, where[0], "at", where[2])
                    self.limb[p] = frozenset([where[:2]])
            elif node.operands:
                shapes = [self.shape[x] for x in node.operands]
                key = (node.kind, *(sorted(shapes) if node.kind.commutative else shapes))
                self.limb[p] = self._limbs(node.operands)
            self.shape[p] = ids.setdefault(key, len(ids))

    def _limbs(self, operands: Sequence[int]) -> frozenset[tuple[int, int]]:
        """The union of the nodes' limbs; usually the sets are the same object."""
        found = self.limb[operands[0]]
        for x in operands[1:]:
            other = self.limb[x]
            if other is not found and not other <= found:
                found = found | other
        return found

    def _seeds(self) -> Iterable[Lanes]:
        """Corresponding entries of outputs, and of matrices whose columns are lanes.

        Outputs of other shapes than (nv) and (nv, nv) are no seeds.
        """
        nv = self.places.nv
        outputs = [
            [x.position if isinstance(x, Expr) else None for x in scalars]
            for scalars in self.trace.outputs.values()
        ]
        for positions in (*outputs, *self.graph.matrices):
            rows = nv if len(positions) == nv * nv else 1
            if len(positions) == nv * rows:
                for k in range(len(positions)):
                    found = [positions[j] for j in self._corresponding(*divmod(k, nv), rows)]
                    lanes = tuple(x for x in found if x is not None and x in self.shape)
                    if lanes and len(lanes) == len(found):
                        yield lanes

    def _corresponding(self, row: int, column: int, rows: int) -> list[int]:
        """The entries that correspond to an entry of the first limb, one per limb."""
        table, nv = self.places.in_v, self.places.nv
        marks = {table[x][:2] for x in ((row, column) if rows > 1 else (column,)) if x in table}
        if len(marks) != 1 or next(iter(marks))[1] != 0:
            return []
        ((group, _),) = marks
        at = {table[x][1:]: x for x in table if table[x][0] == group}
        limbs = range(len(self.places.groups[group]))

        def moved(x: int, lane: int) -> int:
            return at[lane, table[x][2]] if x in table else x

        return [(moved(row, k) if rows > 1 else 0) * nv + moved(column, k) for k in limbs]

    def _join(self, lanes: Lanes) -> None:
        """Make corresponding nodes lanes of one node; the same for their operands."""
        pending = [lanes]
        while pending:
            lanes = pending.pop()
            if not self._joinable(lanes):
                continue
            for lane, position in enumerate(lanes):
                self.home.setdefault(position, (lanes, lane))
            pending.extend(self.operands(lanes))

    def _joinable(self, lanes: Lanes) -> bool:
        nodes, shape, home = self.nodes, self.shape, self.home
        if nodes[lanes[0]].kind not in JOINABLE or len(set(lanes)) == 1:
            return False
        alike = shape[lanes[0]]
        return all(shape[x] == alike and x not in home and nodes[x].width == 1 for x in lanes)

    def operands(self, lanes: Lanes) -> Sequence[Lanes]:
        """The operands of corresponding nodes; each operand has a lane per limb."""
        found = self._operands.get(lanes)
        if found is None:
            found = self._operands[lanes] = self._in_step(lanes)
        return found

    def _in_step(self, lanes: Lanes) -> Sequence[Lanes]:
        first = self.nodes[lanes[0]].operands
        rows = [first]
        for position in lanes[1:]:
            own = self.nodes[position].operands
            if self.nodes[position].kind.commutative and self._turned(own, first):
                own = own[::-1]
            rows.append(own)
        return list(zip(*rows, strict=True))

    def _turned(self, own: Sequence[int], first: Sequence[int]) -> bool:
        """Whether operands correspond to those of the first lane better in reverse order."""
        (a, b), (c, d), shape = own, first, self.shape
        as_they_are = (shape[a] == shape[c]) + (shape[b] == shape[d])
        turned = (shape[b] == shape[c]) + (shape[a] == shape[d])
        if turned != as_they_are:
            return turned > as_they_are
        return (b == c) + (a == d) > (a == c) + (b == d)

    def _meeting(self, root: int) -> set[int]:
        """Join the limbs' terms of the sum ``root``; return the inner sums that disappear."""
        terms, inner = self._terms(root)
        by_limb: dict[tuple[int, int], list[int]] = {}
        for k, (_, p) in enumerate(terms):
            if len(self.limb[p]) == 1:
                by_limb.setdefault(next(iter(self.limb[p])), []).append(k)
        met: list[tuple[int, Lanes]] = []
        gone: set[int] = set()  # indices of terms: one node may be several terms
        for g, limbs in enumerate(self.places.groups):
            own = [by_limb.get((g, lane), []) for lane in range(len(limbs))]
            if len({len(x) for x in own}) != 1:
                continue
            for column in zip(*own, strict=True):
                lanes = tuple(terms[k][1] for k in column)
                signs = {terms[k][0] for k in column}
                if len(signs) == 1 and len({self.shape[p] for p in lanes}) == 1:
                    self._join(lanes)
                    if self.home.get(lanes[0]) == (lanes, 0):
                        met.append((terms[column[0]][0], lanes))
                        gone.update(column)
        if not met:
            return set()
        self.sums[root] = ([term for k, term in enumerate(terms) if k not in gone], met)
        return inner

    def _terms(self, root: int) -> tuple[list[Term], set[int]]:
        """The terms of the sum ``root``, and the sums that were taken apart to find them.

        A sum of several limbs is taken apart until each term belongs to one limb or none.
        """
        terms: list[Term] = []
        inner: set[int] = set()
        pending: list[Term] = [(1, root)]
        while pending:
            sign, p = pending.pop()
            kind, operands = self.nodes[p].kind, self.nodes[p].operands
            vanishes = p == root or (self.uses[p] == 1 and p not in self.outputs)
            mixed = len(self.limb[p]) > 1 or any(self.limb[x] != self.limb[p] for x in operands)
            if kind in (ADD, SUB) and mixed and vanishes and p not in self.home:
                a, b = operands
                pending += [(sign if kind is ADD else -sign, b), (sign, a)]
                inner.add(p)
            else:
                terms.append((sign, p))
        return terms, inner - {root}


class _Rebuilt:
    """The graph with lanes: built from the outputs, then sorted into the order of the trace."""

    def __init__(self, packing: _Packing) -> None:
        self.old, self.packing = packing.trace, packing
        self.new = Graph()
        self.at: dict[int | Lanes, int] = {}
        self.time: dict[int, float] = {}

    def trace(self) -> Trace:
        """The program."""
        roots = sorted(self.packing.outputs)
        for root in roots:
            self._build(root)
        order = sorted(range(len(self.new.nodes)), key=lambda p: (self.time[p], p))
        graph, moved = self.new.rebuilt(order)
        return self.old.of_nodes(graph, {root: moved[self.at[root]] for root in roots})

    def _build(self, root: int) -> None:
        """Add the nodes that ``root`` needs: depth first, without recursion."""
        at = self.at
        pending: list[int | Lanes] = [root]
        begun: dict[int | Lanes, Callable[[], int]] = {}
        while pending:
            thing = pending[-1]
            if thing in at:
                pending.pop()
            elif thing in begun:  # what it needs is there now
                at[thing] = begun.pop(thing)()
            else:
                parts, begun[thing] = self._recipe(thing)
                pending += [x for x in parts if x not in at]

    def _recipe(self, thing: int | Lanes) -> tuple[Sequence[int | Lanes], Callable[[], int]]:
        """The old nodes and lanes that a new node needs, and the function that adds this node."""
        packing, new, at, timed = self.packing, self.new, self.at, self._timed
        if isinstance(thing, tuple):
            return self._recipe_of_lanes(thing)
        if thing in packing.home:
            lanes, lane = packing.home[thing]
            return [lanes], lambda: timed(0.0, new.lane(at[lanes], lane))
        if thing in packing.sums:
            terms, met = packing.sums[thing]
            parts: list[int | Lanes] = [*(p for _, p in terms), *(lanes for _, lanes in met)]
            return parts, lambda: self._sum(thing)
        node = packing.nodes[thing]
        return node.operands, lambda: timed(
            float(thing), new.again(node, [at[x] for x in node.operands])
        )

    def _recipe_of_lanes(self, lanes: Lanes) -> tuple[Sequence[int | Lanes], Callable[[], int]]:
        new, at, timed = self.new, self.at, self._timed
        nodes = [self.packing.nodes[x] for x in lanes]
        if len(set(lanes)) == 1:
            return lanes[:1], lambda: at[lanes[0]]
        if self.packing.home.get(lanes[0]) == (lanes, 0):
            when, operands = float(lanes[0]), self.packing.operands(lanes)
            return operands, lambda: timed(when, new.add(nodes[0].kind, *(at[x] for x in operands)))
        if all(node.kind is CONSTANT for node in nodes):
            return (), lambda: timed(0.0, new.constants([node.numbers[0] for node in nodes]))
        return lanes, lambda: timed(0.0, new.pack([at[x] for x in lanes]))

    def _sum(self, root: int) -> int:
        """The sum of scalar terms and of totals over lanes.

        Vectors with the same number of lanes are added before the one total over their lanes.
        """
        terms, met = self.packing.sums[root]
        together: dict[int, list[Term]] = {}
        for sign, lanes in met:
            together.setdefault(len(lanes), []).append((sign, self.at[lanes]))
        found = [(sign, self.at[p]) for sign, p in terms]
        for vectors in together.values():
            sign, vector = self._chain(0.0, vectors)
            found.append((sign, self._timed(0.0, self.new.total(vector))))
        sign, value = self._chain(float(root), found)
        return value if sign > 0 else self._timed(float(root), self.new.add(NEG, value))

    def _chain(self, when: float, terms: list[Term]) -> Term:
        """The sum of the terms and its sign, which is negative if all terms are."""
        (first, value), *rest = sorted(terms, key=lambda term: -term[0])
        for sign, p in rest:
            kind = ADD if sign == first else SUB
            value = self._timed(when, self.new.add(kind, value, p))
        return first, value

    def _timed(self, when: float, position: int) -> int:
        """Set a node's time: its position in the trace, or later if an operand is later."""
        if position not in self.time:
            operands = self.new.nodes[position].operands
            self.time[position] = max([when, *(self.time[x] for x in operands)])
        return position
