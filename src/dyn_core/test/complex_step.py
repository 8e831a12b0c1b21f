# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives by a complex step: an oracle that shares nothing with dual numbers or graphs.

``f(x + i h)`` has the imaginary part ``h f'(x)`` up to ``h^2``, without cancellation (Squire and
Trapp 1998).
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dyn_core import Request
from dyn_core.model import Model
from dyn_core.spatial import Force
from dyn_core.spatial.scalars.operations import ARCTAN2

H = 1e-30


def _lifted(operation: Callable[[complex, complex], complex]) -> Callable[[Any, Any], Complex]:
    return lambda x, y: Complex(operation(Complex(x).z, Complex(y).z))


class Complex:
    """A complex number as a definition's number."""

    def __init__(self, z: Any) -> None:
        self.z = z.z if isinstance(z, Complex) else complex(z)

    def __neg__(self):
        return Complex(-self.z)

    __add__ = __radd__ = _lifted(lambda x, y: x + y)
    __sub__, __rsub__ = _lifted(lambda x, y: x - y), _lifted(lambda x, y: y - x)
    __mul__ = __rmul__ = _lifted(lambda x, y: x * y)
    __truediv__, __rtruediv__ = _lifted(lambda x, y: x / y), _lifted(lambda x, y: y / x)

    def __lt__(self, other):
        return self.z.real < Complex(other).z.real

    def __gt__(self, other):
        return self.z.real > Complex(other).z.real

    def apply(self, operation, *operands):
        if operation is ARCTAN2:
            y, x = (Complex(a).z for a in operands)
            angle = np.arctan2(y.real, x.real)
            slope = (y.imag * x.real - y.real * x.imag) / (x.real**2 + y.real**2)
            return Complex(complex(angle, slope))
        return Complex(getattr(cmath, operation.name)(self.z))


def complex_step(
    request: Request,
    model: Model,
    state: Mapping[str, np.ndarray],
    by: str,
    f_ext: Sequence[Force] | None = None,
) -> list[np.ndarray]:
    """The derivatives of all outputs by one array; by ``q`` along the manifold."""
    names = [name for name, x in request.parameters.items() if not x.optional]
    plain: dict[str, Any] = {name: state[name].tolist() for name in names}
    if f_ext is not None and "f_ext" in request.parameters:
        plain["f_ext"] = f_ext

    def moved(step: np.ndarray) -> Any:
        if by == "q":  # (+) takes a small step exactly: imaginary parts stay of first order
            return model.space.integrate(plain["q"], [Complex(1j * x) for x in step])
        return list(map(Complex, state[by] + 1j * step))

    columns = []
    count = model.nv if by == "q" else len(state[by])
    for step in H * np.eye(count):
        outputs = request.evaluate(model, {**plain, by: moved(step)})
        columns.append([[Complex(x).z.imag / H for x in output] for output in outputs])
    shapes = request.shapes(model)
    return [
        np.moveaxis(np.array([c[k] for c in columns]).reshape(-1, *shape), 0, -1)
        for k, shape in enumerate(shapes)
    ]
