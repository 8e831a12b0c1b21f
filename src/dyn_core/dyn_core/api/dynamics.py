"""The functions of the package, named and called as in Pinocchio: ``f(model, data, q, v, ...)``.

All take C-contiguous float64 arrays, fill a field of ``data`` and return that very array. The
first call compiles (or loads) the function for the robot; later calls take well under a
microsecond for an arm. Frames, units and layout are those of the design: SI, spatial vectors
linear first, free-flyer velocity in the body frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dyn_core.execution import compile
from dyn_core.execution.data import Data
from dyn_core.model.model import FloatArray, Model


def rnea(model: Model, data: Data, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Inverse dynamics ``M(q) a + C(q, v) v + g(q)`` by the recursive Newton-Euler algorithm.

    Args:
        model: the robot.
        data: results of this model.
        q: configuration (nq).
        v: velocity (nv), rad/s or m/s.
        a: acceleration (nv), rad/s^2 or m/s^2.

    Returns:
        ``data.tau`` (nv), N m or N. Featherstone 2008, table 5.1.

    Raises:
        TypeError, ValueError: an argument has the wrong type or size.
    """
    return _kernel(model, data, "inverse_dynamics")(q, v, a)  # type: ignore[no-any-return]


def generalized_gravity(model: Model, data: Data, q: FloatArray) -> FloatArray:
    """Gravity ``g(q)`` alone: the efforts that hold the robot at rest; no Coriolis terms.

    Returns:
        ``data.g`` (nv), N m or N. Arguments and errors as for :func:`rnea`.
    """
    return _kernel(model, data, "gravity")(q)  # type: ignore[no-any-return]


def nonlinear_effects(model: Model, data: Data, q: FloatArray, v: FloatArray) -> FloatArray:
    """``C(q, v) v + g(q)``: Coriolis, centrifugal and gravity efforts.

    Returns:
        ``data.nle`` (nv), N m or N. Arguments and errors as for :func:`rnea`.
    """
    return _kernel(model, data, "nonlinear_effects")(q, v)  # type: ignore[no-any-return]


def crba(model: Model, data: Data, q: FloatArray) -> FloatArray:
    """Mass matrix ``M(q)`` by the composite-rigid-body algorithm.

    Returns:
        ``data.M`` (nv, nv), both triangles filled; kg m^2, kg m, kg. Featherstone 2008, table 6.2.
        Arguments and errors as for :func:`rnea`.
    """
    return _kernel(model, data, "mass_matrix")(q)  # type: ignore[no-any-return]


def aba(model: Model, data: Data, q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
    """Forward dynamics ``M(q)^-1 (tau - C(q, v) v - g(q))`` by the articulated-body algorithm.

    Args:
        model: the robot.
        data: results of this model.
        q: configuration (nq).
        v: velocity (nv), rad/s or m/s.
        tau: effort (nv), N m or N.

    Returns:
        ``data.ddq`` (nv), rad/s^2 or m/s^2. Featherstone 2008, table 7.1. Errors as for
        :func:`rnea`.
    """
    return _kernel(model, data, "forward_dynamics")(q, v, tau)  # type: ignore[no-any-return]


def forward_kinematics(model: Model, data: Data, q: FloatArray) -> FloatArray:
    """Placement of every joint frame in the world, as homogeneous matrices.

    Returns:
        ``data.oMi`` (njoints, 4, 4), m; index 0 is the universe. Arguments and errors as for
        :func:`rnea`.
    """
    return _kernel(model, data, "placements")(q)  # type: ignore[no-any-return]


def _kernel(model: Model, data: Data, quantity: str) -> Callable[..., Any]:
    """The compiled function bound to ``data``."""
    if data.model is not model:
        raise ValueError(f"data is of {data.model!r}; make one with model.create_data()")
    try:
        return data.kernels[quantity]
    except KeyError:
        bound = data.kernels[quantity] = compile(model, [quantity]).bind(data)
        return bound
