# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Jacobians of any quantity by the numbers of an input, for programs that know no manifolds.

::

    jacobian.request(rnea, by="payload[tool0]")
    jacobian.request(vector_jacobian_product.request(rnea, by="q"), by="v")  # of a Hessian

Where :mod:`dyn_core.dynamics.derivative` has a column for each coordinate of the velocity, this has
one for each number: a quaternion has four. By inputs other than a configuration the two are equal.
"""

from __future__ import annotations

from typing import Any

from dyn_core.dynamics.declare.quantity import Resolved, quantity
from dyn_core.dynamics.vector_jacobian_product import ByInputRequest, evaluated
from dyn_core.model.model import Model


@quantity(kind=ByInputRequest, joint_space=True, source="Griewank and Walther 2008, chapter 3")
def jacobian(model: Model, *arrays: Any, of: Resolved, by: str) -> Any:
    """Jacobians of all outputs of a quantity by the numbers of an input, exact to rounding."""
    from dyn_core.compiler.ir.gradients import jacobian as recorded

    outputs, inputs = evaluated(model, of, by, arrays)
    graph = inputs[0].graph
    rows = iter(recorded(graph, [x for output in outputs for x in output], inputs))
    results = tuple([x for _ in output for x in next(rows)] for output in outputs)
    return results if len(results) > 1 else results[0]
