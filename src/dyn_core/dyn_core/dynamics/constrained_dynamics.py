# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics and impacts under constraints (Featherstone 2008, chapters 8 and 11.4)."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.constraint_kinematics import ConstraintState, constraint_jacobian
from dyn_core.dynamics.constraints import NONE, Constraints
from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Output, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.delassus import Response
from dyn_core.dynamics.rnea import rnea
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar, dot

ROWS = ("constraints",)
OF_CONSTRAINTS = "of the constraints"


@quantity(
    Output(
        "ddq_c", "acceleration under constraints", "rad/s^2, m/s^2", ("nv",), pinocchio="also ddq"
    ),
    Output("lambda_c", "forces of the constraints", "N, N m", ROWS, OF_CONSTRAINTS),
    pinocchio="constraintDynamics",
    joint_space=True,
    requires=refuse_singular,
    source="Carpentier, Budhiraja and Mansard 2021, section III",
)
def constrained_forward_dynamics(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    f_ext: BodyForces | None = None,
    *,
    constraints: Constraints = NONE,
) -> tuple[list[Scalar], list[Scalar]]:
    """Acceleration and forces ``l`` with ``M ddq + nle = tau + J' l``, the constraints being held.

    Held are the model's loops and couplings and the ``constraints``: their acceleration is
    Baumgarte's ``-kd velocity - kp error``. A force acts on the body of a constraint's first frame,
    its opposite on the other body; that of a coupling acts along its followers' coordinates.
    Redundant constraints share their forces.

    Raises:
        ModelError: the mass matrix is singular; the message names the joints.
    """
    state = ConstraintState.of(model, q, v, constraints)
    J = constraint_jacobian.define(model, q, constraints=constraints)
    bias = rnea.define(model, q, v, [0.0] * model.nv, f_ext)
    rest = [t - b for t, b in zip(tau, bias, strict=True)]
    response = Response.of(model, q, J)
    free = response.along(rest)
    wanted = zip(state.target, state.acceleration, free, strict=True)
    forces = response.forces([target - drift - a for target, drift, a in wanted])
    return response.accelerations(rest, forces), forces


@quantity(
    "constraint_residual",
    "difference of the accelerations of the constraints from their desired values",
    unit="m/s^2, rad/s^2",
    shape=ROWS,
    frame=OF_CONSTRAINTS,
    joint_space=True,
    requires=refuse_singular,
    source="Carpentier, Budhiraja and Mansard 2021, section III",
)
def constraint_residual(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    f_ext: BodyForces | None = None,
    *,
    constraints: Constraints = NONE,
) -> list[Scalar]:
    """Under :data:`constrained_forward_dynamics`; zero but for rounding if all of them are held.

    It is not where constraints contradict each other, or ask for what nothing can make.
    """
    ddq, _ = constrained_forward_dynamics.define(model, q, v, tau, f_ext, constraints=constraints)
    state = ConstraintState.of(model, q, v, constraints, ddq)
    return [x - target for x, target in zip(state.acceleration, state.target, strict=True)]


@quantity(
    Output("dq_after", "velocity after an impact", "rad/s, m/s", ("nv",)),
    Output("impulse_c", "impulses of the constraints", "N s, N m s", ROWS, OF_CONSTRAINTS),
    pinocchio="impulseDynamics",
    joint_space=True,
    requires=refuse_singular,
    source="Featherstone 2008, section 11.4",
)
def impulse_dynamics(
    model: Model,
    q: Configuration,
    v: Velocity,
    *,
    constraints: Constraints = NONE,
    restitution: float = 0.0,
) -> tuple[list[Scalar], list[Scalar]]:
    """Velocity and impulses ``L`` with ``M (v_after - v) = J' L`` and ``J v_after = -e J v``.

    Args:
        model: the robot.
        q: its configuration, which an impact does not change.
        v: velocity before.
        constraints: what becomes held at once, besides the model's loops and couplings.
        restitution: Newton's coefficient e: 0 for what stays, 1 for what bounces off.

    Raises:
        ModelError: the mass matrix is singular, or a restitution outside of [0, 1].
    """
    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"impulse_dynamics: restitution must be within 0 and 1, not {restitution}")
    J = constraint_jacobian.define(model, q, constraints=constraints)
    response = Response.of(model, q, J)
    impulses = response.forces([-(1.0 + restitution) * dot(row, v) for row in J])
    still: Sequence[Scalar] = [0.0] * model.nv
    change = response.accelerations(still, impulses)
    return [x + dx for x, dx in zip(v, change, strict=True)], impulses
