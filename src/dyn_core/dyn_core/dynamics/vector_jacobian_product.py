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

from collections.abc import Hashable
from math import prod
from typing import Any

from dyn_core.dynamics.declare.arrays import Array, Output, sizes
from dyn_core.dynamics.declare.definition import Parameter, scalars_in
from dyn_core.dynamics.declare.optional_inputs import FRAME_INPUTS, ROBOT_INPUTS
from dyn_core.dynamics.declare.quantity import Quantity, Request, Resolved, quantity
from dyn_core.dynamics.derivative import DerivativeRequest, requested
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.column_lanes import one_by_one

VECTOR = "w"
"""The beginning of the names of the arrays that are multiplied, one for each output."""


class VectorJacobianProduct(Quantity):
    """A quantity whose arrays are those of another, and vectors as large as the other's outputs."""

    def request(self, *values: Hashable, **options: Hashable) -> Request:
        """Of which quantity or request, and by which of its inputs.

        An optional input (``"gravity"``, ``"inertial_parameters"``, ``"f_ext"``,
        ``"payload[tool0]"``) must be an input of the kernel.

        Raises:
            TypeError: not a quantity, or an option that it does not have or that is missing.
            ValueError: there is no such input.
        """
        of, by = requested(super().request(*values, **options))
        if by not in of.parameters and _optional(by) is None:
            raise ValueError(
                f"vector_jacobian_product: {of} has no input {by!r}; choose by from "
                f"{', '.join([*of.parameters, *ROBOT_INPUTS])}, and, with the name of a frame, "
                f"{', '.join(f'{kind}[frame]' for kind in FRAME_INPUTS)}"
            )
        return ProductRequest(self, (("of", of), ("by", by)))


class ProductRequest(DerivativeRequest):
    """A product: what it takes and gives follows from what is differentiated."""

    @property
    def array(self) -> Array:
        """What it is differentiated by."""
        name = str(self.options[1][1])
        known = self.of.parameters.get(name)
        found = known.array if known else _optional(name)
        assert found is not None  # request() has refused other names
        return found

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The arrays of the quantity, and one more for each of its outputs."""
        of = self.of
        last = {f"{VECTOR}_{x.field}": x for x in of.outputs}
        vectors = {
            name: Parameter(name, Array(f"factor of {x.meaning}", "", x.shape or (1,)), False)
            for name, x in last.items()
        }
        return {**of.parameters, **vectors}

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The gradient by the input, of its shape."""
        name, array = str(self.options[1][1]), self.array
        factors = " ".join(f"{VECTOR}_{x.field}" for x in self.of.outputs)
        return (
            Output(
                f"gradient_{name}",
                f"{factors} times the derivative of {self.of!r} by {name}",
                f"1 per ({array.unit})",
                array.shape,
            ),
        )

    def shapes(self, model: Model) -> tuple[tuple[int, ...], ...]:
        """The shape of what it is differentiated by."""
        return (sizes(model, self.array.shape),)


def _optional(name: str) -> Array | None:
    """An optional input by its name in a kernel."""
    if name in ROBOT_INPUTS:
        return ROBOT_INPUTS[name].array
    kind, bracket, rest = name.partition("[")
    return FRAME_INPUTS[kind].array if kind in FRAME_INPUTS and bracket and rest else None


@quantity(kind=VectorJacobianProduct, source="Griewank and Walther 2008, section 3.2")
def vector_jacobian_product(model: Model, *arrays: Any, of: Resolved, by: str) -> list[Scalar]:
    """The gradient, by an input, of the sum of all outputs of a quantity times given factors."""
    from dyn_core.compiler.ir.expr import Expr  # works on the compiler's graph
    from dyn_core.compiler.ir.gradients import gradients
    from dyn_core.compiler.ir.graph import INPUT

    count = len(of.request.parameters)
    vectors = [x for w in arrays[count:] for x in scalars_in(w)]
    if not vectors or not all(isinstance(x, Expr) for x in vectors):
        raise TypeError("vector_jacobian_product differentiates recorded programs: compile it")
    graph = vectors[0].graph
    if not any(node.name == by and node.kind is INPUT for node in graph.nodes):
        raise ValueError(
            f"vector_jacobian_product: {by!r} is no input here: pass it, or name it in "
            "compile(..., inputs=[...])"
        )
    given = dict(zip(of.request.parameters, arrays, strict=False))
    with one_by_one(vectors):
        outputs = of.evaluate(model, given)
    total: Scalar = 0.0
    for x, w in zip((x for output in outputs for x in output), vectors, strict=True):
        total = total + w * x
    array = ProductRequest(vector_jacobian_product, (("of", of.request), ("by", by))).array
    inputs = [Expr.input(graph, by, k) for k in range(prod(sizes(model, array.shape)))]
    (gradient,) = gradients(graph, [total], inputs)
    return gradient
