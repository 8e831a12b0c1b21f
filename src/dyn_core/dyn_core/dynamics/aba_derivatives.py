# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics, from those of inverse dynamics (Carpentier and Mansard 2018).

Where ``tau = rnea(q, v, ddq)`` holds, ``ddq = aba(q, v, tau)`` does, so

    d ddq / dq = -M^-1 d rnea / dq,    d ddq / dv = -M^-1 d rnea / dv,    d ddq / d tau = M^-1,

all at that ddq.
"""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.dynamics.declare.output import Output
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.mass_matrix_solution import mass_matrix_solution
from dyn_core.dynamics.rnea_derivatives import SQUARE, sensitivity
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Rows
from dyn_core.spatial.scalars.column_lanes import by_columns


@quantity(
    Output("ddq_dq", "derivative of forward dynamics by q", "1/s^2", SQUARE),
    Output("ddq_dv", "derivative of forward dynamics by v", "1/s", SQUARE),
    Output(
        "ddq_dtau",
        "derivative of forward dynamics by tau",
        "1/(kg m^2), 1/(kg m), 1/kg",
        SQUARE,
        pinocchio="also Minv",
    ),
    pinocchio="computeABADerivatives",
    source="Carpentier and Mansard 2018, equation 16",
    joint_space=True,
    requires=refuse_singular,
)
def aba_derivatives(
    model: Model, q: Configuration, v: Velocity, tau: Effort, f_ext: BodyForces | None = None
) -> tuple[Rows, Rows, Rows]:
    """Derivatives of forward dynamics by q (along velocity coordinates), v and tau.

    Forces from outside stay as they are in the frames of their joints.
    """
    at_zero = sensitivity(model, q, v, [0.0] * model.nv, f_ext)
    solution = mass_matrix_solution(model, q, at_zero.by_a)
    ddq = solution.of([t - b for t, b in zip(tau, at_zero.tau, strict=True)])
    at_ddq = sensitivity(model, q, v, ddq, f_ext)
    by_q = by_columns(solution.negative, at_ddq.by_q)
    by_v = by_columns(solution.negative, at_ddq.by_v)
    return by_q, by_v, solution.inverse()
