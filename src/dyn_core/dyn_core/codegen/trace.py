"""Run an algorithm once on symbols and keep what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.algorithms.quantities import INPUTS, Quantity, joined_inputs
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.scalars.expr import Expr
from dyn_core.scalars.graph import Graph


@dataclass(frozen=True)
class Trace:
    """A straight-line program from named input vectors to named output arrays.

    ``inputs`` maps names to sizes; ``outputs`` maps Data fields to their scalars in C order, each
    an :class:`Expr` of ``graph`` or a float.
    """

    graph: Graph
    inputs: dict[str, int]
    outputs: dict[str, list[Scalar]]

    def live(self) -> list[int]:
        """Positions of the nodes that the outputs need, in order."""
        scalars = (x for output in self.outputs.values() for x in output)
        return self.graph.live(x.position for x in scalars if isinstance(x, Expr))


def trace(model: Model, quantities: Sequence[Quantity]) -> Trace:
    """Trace several quantities of ``model`` into one graph; what they share exists once."""
    graph = Graph()
    inputs = {name: INPUTS[name].size(model) for name in joined_inputs(quantities)}
    symbols = {
        name: [Expr.input(graph, name, k) for k in range(size)] for name, size in inputs.items()
    }
    outputs = {
        quantity.field: quantity.evaluate(model, *(symbols[name] for name in quantity.inputs))
        for quantity in quantities
    }
    return Trace(graph, inputs, outputs)
