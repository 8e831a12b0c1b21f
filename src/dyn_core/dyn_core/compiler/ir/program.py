# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Straight-line programs: what a trace records, and passes and targets take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LANE, Graph
from dyn_core.dynamics.declare import Quantity
from dyn_core.spatial.scalars.functions import Scalar

Limb: TypeAlias = tuple[int, ...]
"""Joints, parents before children. In limbs of equal structure, joints correspond by index."""


@dataclass(frozen=True)
class Store:
    """A store of a node's value to adjacent entries of an output."""

    position: int
    output: str
    entry: int
    """The first entry."""
    entries: int
    """The number of entries; each takes one lane of the node."""
    lane: int
    """The first lane."""


@dataclass(frozen=True)
class Trace:
    """A straight-line program from named input arrays to named output arrays.

    ``inputs`` maps names to sizes; ``outputs`` maps names to the scalars of an array in C order,
    each an :class:`Expr` of ``graph`` or a float.
    """

    graph: Graph
    inputs: dict[str, int]
    outputs: dict[str, list[Scalar]]
    limbs: tuple[tuple[Limb, ...], ...] = ()
    """Groups of limbs of equal structure: their programs differ in the values of constants only."""
    seen: tuple[Quantity, ...] = ()
    """Traced quantities that have several definitions; a caller precedes what it calls."""

    def of_nodes(self, graph: Graph, moved: Mapping[int, int]) -> Trace:
        """The same program in another graph; ``moved`` maps positions of outputs to new ones."""

        def there(x: Scalar) -> Scalar:
            return Expr(graph, moved[x.position]) if isinstance(x, Expr) else x

        outputs = {name: [there(x) for x in scalars] for name, scalars in self.outputs.items()}
        return replace(self, graph=graph, outputs=outputs)

    def live(self) -> list[int]:
        """Positions of the nodes that the outputs need, in order."""
        scalars = (x for output in self.outputs.values() for x in output)
        return self.graph.live(x.position for x in scalars if isinstance(x, Expr))

    def computed(self) -> list[int]:
        """Positions of the nodes that :meth:`stores` need; a stored vector needs no single lane."""
        return self.graph.live(store.position for store in self.stores())

    def stores(self) -> list[Store]:
        """The stores of entries that depend on inputs; adjacent lanes share a store."""
        return [
            store
            for name, scalars in self.outputs.items()
            for store in _stores(self.graph, name, scalars)
        ]


def _stores(graph: Graph, name: str, scalars: Sequence[Scalar]) -> Iterator[Store]:
    k = 0
    while k < len(scalars):
        x, together = scalars[k], 1
        if isinstance(x, Expr):
            position, lane = x.position, 0
            node = graph.nodes[position]
            if node.kind is LANE:
                together = _lanes_in_order(graph, scalars[k:])
                if together > 1:
                    (position,), lane = node.operands, node.entry
            yield Store(position, name, k, together, lane)
        k += together


def _lanes_in_order(graph: Graph, scalars: Sequence[Scalar]) -> int:
    """The number of leading scalars that are consecutive lanes of one node."""
    first = graph.nodes[scalars[0].position]
    for k, x in enumerate(scalars):
        if not isinstance(x, Expr):
            return k
        node = graph.nodes[x.position]
        if (node.kind, node.operands, node.entry) != (LANE, first.operands, first.entry + k):
            return k
    return len(scalars)
