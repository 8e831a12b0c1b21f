# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion on the configuration space, the product of the joints' own, and its Jacobians.

Tangent vectors are velocities times time, in the frame of the body that moves.
"""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration, Displacement, Output
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Rows, Scalar

UNIT = "rad, m, 1"
SQUARE = ("nv", "nv")


@quantity(
    "q_next",
    "integrated configuration",
    unit=UNIT,
    shape=("nq",),
    pinocchio="integrate",
    source="Sola, Deray and Atchuthan 2018, equation 25",
)
def integrate(model: Model, q: Configuration, dv: Displacement) -> list[Scalar]:
    """``q (+) dv``: the configuration that ``dv`` reaches from ``q`` in unit time.

    For a velocity v and a time dt, pass ``v * dt``. Orientations stay normalized.
    """
    return list(model.space.integrate(q, dv))


@quantity(
    "tangent_map",
    "rates of the coordinates per velocity",
    unit=UNIT,
    shape=("nq", "nv"),
    pinocchio="tangentMap",
    source="Sola, Deray and Atchuthan 2018, section II.E",
)
def tangent_map(model: Model, q: Configuration) -> Rows:
    """``T`` with ``dq/dt = T v``, for integrators without manifolds."""
    columns = [model.space.rate(q, unit) for unit in identity(model.nv)]
    return [[column[k] for column in columns] for k in range(model.nq)]


@quantity(
    "dv",
    "difference of configurations",
    unit="rad, m",
    shape=("nv",),
    pinocchio="difference",
    source="Sola, Deray and Atchuthan 2018, equation 26",
)
def difference(model: Model, q0: Configuration, q1: Configuration) -> list[Scalar]:
    """``q1 (-) q0``: the velocity that leads from ``q0`` to ``q1`` in unit time.

    The inverse of :data:`integrate`: of an angle without end it is the way in [-pi, pi].
    """
    return list(model.space.difference(q0, q1))


@quantity(
    Output("dq_next_dq", "Jacobian of q_next by q", UNIT, SQUARE),
    Output("dq_next_dv", "Jacobian of q_next by dv", UNIT, SQUARE),
    pinocchio="dIntegrate",
    source="Sola, Deray and Atchuthan 2018, section II.G",
)
def d_integrate(model: Model, q: Configuration, dv: Displacement) -> tuple[Rows, Rows]:
    """Jacobians of ``q (+) dv`` by ``q`` and by ``dv``.

    Rows are in the tangent space of the result, columns in that of the argument.
    """
    return model.space.d_integrate(q, dv)


@quantity(
    Output("ddv_dq0", "Jacobian of dv by q0", UNIT, SQUARE),
    Output("ddv_dq1", "Jacobian of dv by q1", UNIT, SQUARE),
    pinocchio="dDifference",
    source="Sola, Deray and Atchuthan 2018, section II.G",
)
def d_difference(model: Model, q0: Configuration, q1: Configuration) -> tuple[Rows, Rows]:
    """Jacobians of ``q1 (-) q0`` by ``q0`` and by ``q1``."""
    return model.space.d_difference(q0, q1)
