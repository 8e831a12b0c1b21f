# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Products of a row vector and the Jacobian of any quantity, in reverse mode: gradients.

::

    vector_jacobian_product.request(rnea, by="q")  # takes q, v, a and the vector: (dtau/dq)' w

It takes a few times the operations of the quantity, however long ``by`` is; products by several
inputs, compiled together, share theirs. Unlike :mod:`dyn_core.dynamics.derivative` it is by the
numbers of a configuration, of which a quaternion has four: what automatic differentiation of other
programs multiplies with theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dyn_core.dynamics.declare.arrays import Array, Output, Shape
from dyn_core.dynamics.declare.definition import Parameter, scalars_in
from dyn_core.dynamics.declare.optional_inputs import FRAME_INPUTS, ROBOT_INPUTS
from dyn_core.dynamics.declare.quantity import Resolved, quantity
from dyn_core.dynamics.derivative import DerivativeRequest
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar, dot
from dyn_core.spatial.scalars.column_lanes import one_by_one
from dyn_core.spatial.scalars.dual_numbers import Dual

if TYPE_CHECKING:
    from dyn_core.compiler.ir.expr import Expr

VECTOR = "w"
"""The beginning of the names of the arrays that are multiplied, one for each output."""


class ByInputRequest(DerivativeRequest):
    """A derivative by the numbers of any input; of a configuration too, of which a space has nq."""

    @property
    def array(self) -> Array:
        """What it is differentiated by."""
        known = self.of.parameters.get(self.name)
        found = known.array if known else _optional(self.name)
        assert found is not None  # other names are refused
        return found

    @property
    def axis(self) -> Shape:
        """The sizes of the array."""
        return self.array.shape

    def objection(self) -> str:
        """Why nothing can be differentiated by this input, which optional ones may be."""
        if self.name in self.of.parameters or _optional(self.name):
            return ""
        return (
            f"has no input {self.name!r}; choose by from "
            f"{', '.join([*self.of.parameters, *ROBOT_INPUTS])}, and, with the name of a frame, "
            f"{', '.join(f'{kind}[frame]' for kind in FRAME_INPUTS)}"
        )


def evaluated(
    model: Model, of: Resolved, by: str, arrays: Sequence[Any]
) -> tuple[list[list[Scalar]], list[Expr]]:
    """The outputs of a quantity as a recorded program, and the symbols of one of its inputs.

    Raises:
        TypeError: no program is recorded, or something else is differentiated at the same time.
        ValueError: the program has no such input.
    """
    from dyn_core.compiler.ir.expr import Expr  # works on the compiler's graph
    from dyn_core.compiler.ir.graph import INPUT

    numbers = list(scalars_in(arrays))
    symbols = [x for x in numbers if isinstance(x, Expr)]
    if not symbols:
        raise TypeError("a product with a Jacobian has to be compiled")
    if any(isinstance(x, Dual) for x in numbers):  # the graph does not know their slopes
        raise TypeError(
            f"{of.request!r} is already differentiated by {by!r}: to differentiate the result "
            "again, use jacobian.request(...) instead of derivative.request(...)"
        )
    if by in of.request.inputs:
        own = scalars_in(arrays[list(of.request.parameters).index(by)])
        if not all(isinstance(x, Expr) and x.is_input for x in own):
            raise TypeError(f"{of.request!r} is differentiated by {by!r}, which is no input here")
    graph = symbols[0].graph
    size = sum(node.name == by and node.kind is INPUT for node in graph.nodes)
    if not size:
        raise ValueError(
            f"{of.request!r} is differentiated by {by!r}, which is no input here: pass it, or name "
            "it in compile(..., inputs=[...])"
        )
    with one_by_one(symbols):
        outputs = of.evaluate(model, dict(zip(of.request.parameters, arrays, strict=False)))
    return outputs, [Expr.input(graph, by, k) for k in range(size)]


class ProductRequest(ByInputRequest):
    """A product: what it takes and gives follows from what is differentiated."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The arrays of the quantity, and one more for each of its outputs."""
        vectors = {
            name: Parameter(name, Array(f"factor of {x.meaning}", "", x.shape or (1,)), False)
            for x in self.of.outputs
            if (name := f"{VECTOR}_{x.field}")
        }
        return {**self.of.parameters, **vectors}

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The gradient by the input, of its shape; that of a gradient is named by both inputs."""
        whose = self.of.outputs[0].field if isinstance(self.of, ProductRequest) else "gradient"
        factors = list(self.parameters)[len(self.of.parameters) :]
        meaning = f"{' '.join(factors)} times the derivative of {self.of!r} by {self.name}"
        return (Output(f"{whose}_{self.name}", meaning, f"1 per ({self.array.unit})", self.axis),)


def _optional(name: str) -> Array | None:
    """An optional input by its name in a kernel."""
    if name in ROBOT_INPUTS:
        return ROBOT_INPUTS[name].array
    kind, bracket, rest = name.partition("[")
    return FRAME_INPUTS[kind].array if kind in FRAME_INPUTS and bracket and rest else None


@quantity(kind=ProductRequest, joint_space=True, source="Griewank and Walther 2008, section 3.2")
def vector_jacobian_product(model: Model, *arrays: Any, of: Resolved, by: str) -> list[Scalar]:
    """The gradient, by an input, of the sum of all outputs of a quantity times given factors."""
    from dyn_core.compiler.ir.gradients import gradients

    outputs, inputs = evaluated(model, of, by, arrays)
    factors = list(scalars_in(arrays[len(of.request.parameters) :]))
    total = dot(factors, [x for output in outputs for x in output])
    (gradient,) = gradients(inputs[0].graph, [total], inputs)
    return gradient
