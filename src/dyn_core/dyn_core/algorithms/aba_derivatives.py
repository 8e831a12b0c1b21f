"""Derivatives of forward dynamics, from those of inverse dynamics (Carpentier and Mansard 2018).

Where ``tau = rnea(q, v, ddq)`` holds, ``ddq = aba(q, v, tau)`` does, so

    d ddq / dq = -M^-1 d rnea / dq,    d ddq / dv = -M^-1 d rnea / dv,    d ddq / d tau = M^-1,

all at that ddq.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.algorithms.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.algorithms.quantity import Output, quantity
from dyn_core.algorithms.rnea_derivatives import SQUARE, sensitivity
from dyn_core.algorithms.singular import refuse_singular
from dyn_core.algorithms.small_spd import factorize_from_the_leaves, solve
from dyn_core.lie.space import Rows, identity
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar


@quantity(
    Output("ddq_dq", "derivative of forward dynamics by q", "1/s^2", SQUARE),
    Output("ddq_dv", "derivative of forward dynamics by v", "1/s", SQUARE),
    Output(
        "ddq_dtau",
        "derivative of forward dynamics by tau",
        "1/(kg m^2), 1/(kg m), 1/kg",
        SQUARE,
        pinocchio="Minv",
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

    def solved(b: Sequence[Scalar]) -> list[Scalar]:
        return solve(factor, list(b)[::-1])[::-1]

    ddq = solved([t - bias for t, bias in zip(tau, at_zero.tau, strict=True)])
    at_ddq = sensitivity(model, q, v, ddq, f_ext)
    by_q, by_v = (
        transposed([solved([-x for x in column]) for column in transposed(matrix)])
        for matrix in (at_ddq.by_q, at_ddq.by_v)
    )
    by_tau = identity(model.nv)
    for j, unit in enumerate(identity(model.nv)):
        column = solved(unit)
        for i in range(j, model.nv):  # the rest is known by symmetry
            by_tau[i][j] = by_tau[j][i] = column[i]
    return by_q, by_v, by_tau


def transposed(rows: Rows) -> Rows:
    """The transpose of a matrix."""
    return [list(column) for column in zip(*rows, strict=True)]
