# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of any quantity, a user's too, by any of its arrays: exact to rounding.

::

    by_q = derivative.request(rnea, by="q")
    derivative.request(frame_jacobian.request("tool0"), by="q")  # of a request
    derivative.request(by_q, by="v")  # of a derivative

By a configuration it is the derivative along the manifold: entry k of the result belongs to the
velocity coordinate k. What is differentiated is the definition itself: by dual numbers, or, of a
single number such as an energy, in reverse mode on what was recorded. Operations of the derivative
by q and of the value together:

=====================  ============  ==============  =============
forward / reverse      ur5           panda           hyq
=====================  ============  ==============  =============
kinetic energy (1)     726 / 434     2375 / 993      2411 / 1999
inverse dynamics (nv)  2474 / 3279   7191 / 10060    9150 / 21170
forward dynamics (nv)  6105 / 13257  14700 / 31526   27422 / 138475
=====================  ============  ==============  =============
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from dyn_core.dynamics.declare.arrays import Array, Output, Shape, sizes
from dyn_core.dynamics.declare.definition import Parameter, scalars_in
from dyn_core.dynamics.declare.quantity import Quantity, Request, Resolved, quantity
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Scalar, dot
from dyn_core.spatial.scalars.column_lanes import one_by_one
from dyn_core.spatial.scalars.dual_numbers import Dual, derivative_along


@dataclass(frozen=True, eq=False, repr=False)
class DerivativeRequest(Request):
    """A derivative: what it takes and fills follows from what is differentiated."""

    def settled(self) -> Request:
        """Of which request, and by which of its arrays.

        Raises:
            TypeError: not a quantity.
            ValueError: it has no such array, or nothing can be differentiated by it.
        """
        of, by = (value for _, value in self.options)
        if isinstance(of, Quantity):
            of = of.request()
        if not isinstance(of, Request):
            raise TypeError(f"{self.quantity.__name__}: {of!r} is no quantity and no request")
        found = replace(self, options=(("of", of), ("by", str(by))))
        if objection := found.objection():
            raise ValueError(f"{self.quantity.__name__}: {of} {objection}")
        return found

    def objection(self) -> str:
        """Why nothing can be differentiated by this input; empty if it can."""
        possible = [name for name, x in self.of.parameters.items() if _differentiable(x)]
        if self.name in possible:
            return ""
        return f"cannot be differentiated by {self.name!r}; choose by from {', '.join(possible)}"

    @property
    def of(self) -> Request:
        """The quantity that is differentiated."""
        of: Any = self.options[0][1]
        return cast(Request, of)

    @property
    def name(self) -> str:
        """The name of what it is differentiated by."""
        return str(self.options[1][1])

    @property
    def array(self) -> Array:
        """What it is differentiated by."""
        return self.of.parameters[self.name].array

    @property
    def axis(self) -> Shape:
        """The sizes of the axes that a derivative adds."""
        return self.array.tangent or self.array.shape

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The arrays that it takes."""
        return self.of.parameters

    @property
    def outputs(self) -> tuple[Output, ...]:
        """For each output of what is differentiated its derivative, with one more axis."""
        return tuple(
            Output(
                f"d{output.field}_d{self.name}",
                f"derivative of {output.meaning} by {self.name}",
                f"({output.unit}) per ({self.array.unit})",
                (*output.shape, *self.axis),
                output.frame,
            )
            for output in self.of.outputs
        )

    def check(self, model: Model) -> None:
        """Refuse a robot that does not have what is differentiated."""
        self.of.check(model)

    def sized(self, model: Model, shape: Shape) -> tuple[int, ...]:
        """A shape in numbers: by the options of what is differentiated."""
        return self.of.sized(model, shape)


def _differentiable(parameter: Parameter) -> bool:
    """Whether it is passed always, as a vector of numbers."""
    array = parameter.array
    return not parameter.optional and array.each is None and len(array.shape) == 1


@quantity(kind=DerivativeRequest, joint_space=True, source="Griewank and Walther 2008, chapter 3")
def derivative(
    model: Model, *arrays: Any, of: Resolved, by: str
) -> tuple[list[Scalar], ...] | list[Scalar]:
    """Derivatives of all outputs of a quantity by one of its arrays, exact to rounding.

    The result has the shape of the output with one more axis: the entries of ``by``, or, of a
    configuration, the coordinates of the velocity (nv).
    """
    given = dict(zip(of.request.parameters, arrays, strict=True))
    array, x = of.request.parameters[by].array, given[by]
    with one_by_one(x):
        outputs = of.evaluate(model, given)

    def numbers(x: Sequence[Scalar]) -> list[Scalar]:
        return [y for output in of.evaluate(model, {**given, by: x}) for y in output]

    directions = _directions(model, array, x)
    (first, *more), *others = outputs
    if not more and not others and _independent(x, [v for k, v in given.items() if k != by]):
        from dyn_core.compiler.ir.gradients import gradients  # works on the compiler's graph

        (gradient,) = gradients(x[0].graph, [first], x)
        return [dot(gradient, direction) for direction in directions]
    columns = [derivative_along(numbers, x, direction) for direction in directions]
    rows = iter(zip(*columns, strict=True))
    results = tuple([entry for _ in output for entry in next(rows)] for output in outputs)
    return results if len(results) > 1 else results[0]


def _directions(model: Model, array: Array, x: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    """How the numbers of an array change along each of its directions."""
    (count,) = sizes(model, array.tangent or array.shape)
    unit = identity(count)
    return [model.space.rate(x, e) for e in unit] if array.tangent else list(unit)


def _independent(x: Sequence[Scalar], others: Sequence[Any]) -> bool:
    """Whether these numbers are inputs of a graph, and no other number depends on them."""
    from dyn_core.compiler.ir.expr import Expr  # of the compiler, which stands above

    if not x or not all(isinstance(y, Expr) and y.is_input for y in x):
        return False
    numbers = list(scalars_in(others))
    if any(isinstance(y, Dual) for y in numbers):  # the graph does not know their slopes
        return False
    positions = [y.position for y in numbers if isinstance(y, Expr)]
    return not {y.position for y in x}.intersection(x[0].graph.live(positions))
