# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics, from those of inverse dynamics (Carpentier and Mansard 2018).

Where ``tau = rnea(q, v, ddq)`` holds, ``ddq = aba(q, v, tau)`` does, so

    d ddq / dq = -M^-1 d rnea / dq,    d ddq / dv = -M^-1 d rnea / dv,    d ddq / d tau = M^-1,

all at that ddq.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Output, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import (
    factorize_from_the_leaves,
    inverse_from_the_leaves,
    solve,
)
from dyn_core.dynamics.rnea_derivatives import SQUARE, sensitivity
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Rows, Scalar
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
    factor = factorize_from_the_leaves(at_zero.by_a)
    opposite = -factor
    rest = [t - b for t, b in zip(tau, at_zero.tau, strict=True)]
    at_ddq = sensitivity(model, q, v, solve(factor, rest[::-1])[::-1], f_ext)

    def negative(b: Sequence[Scalar]) -> list[Scalar]:
        """``-M^-1 b``, by the factors of ``-M``."""
        return solve(opposite, b[::-1])[::-1]

    by_q, by_v = by_columns(negative, at_ddq.by_q), by_columns(negative, at_ddq.by_v)
    return by_q, by_v, inverse_from_the_leaves(factor)
