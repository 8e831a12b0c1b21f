# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics under constraints, by the implicit function theorem.

Acceleration and forces solve ``rnea(q, v, ddq, J' l) = tau`` and ``acceleration(q, v, ddq) =
target(q, v)``. So their derivatives solve the same linear equations, whose right side is how both
residuals change with q and v while ddq and l are held (Carpentier and Mansard 2018, section IV;
Budhiraja et al. 2018, "Differential dynamic programming for multi-phase rigid contact dynamics").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyn_core.dynamics.constrained_dynamics import constrained_forward_dynamics
from dyn_core.dynamics.constraint_kinematics import ConstraintState, constraint_jacobian, held
from dyn_core.dynamics.constraints import NONE, Constraints
from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Output, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.delassus import Response
from dyn_core.dynamics.held_constraints import Held
from dyn_core.dynamics.rnea_derivatives import sensitivity
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.tree_passes import joint_efforts, joint_kinematics
from dyn_core.model.model import Model
from dyn_core.spatial import Force
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.motion import transposed
from dyn_core.spatial.scalars import Rows, Scalar, dot
from dyn_core.spatial.scalars.column_lanes import by_columns
from dyn_core.spatial.scalars.dual_numbers import derivative_along

SQUARE, WIDE = ("nv", "nv"), ("constraints", "nv")
OF_CONSTRAINTS = "of the constraints"


@quantity(
    Output("ddq_c_dq", "derivative of ddq_c by q", "1/s^2, m/s^2", SQUARE, pinocchio="also ddq_dq"),
    Output("ddq_c_dv", "derivative of ddq_c by v", "1/s, m/s", SQUARE, pinocchio="also ddq_dv"),
    Output("ddq_c_dtau", "derivative of ddq_c by tau", "1/kg", SQUARE, pinocchio="ddq_dtau"),
    Output("dlambda_dq", "derivative of lambda_c by q", "N, N m", WIDE, OF_CONSTRAINTS),
    Output("dlambda_dv", "derivative of lambda_c by v", "N s, N m s", WIDE, OF_CONSTRAINTS),
    Output("dlambda_dtau", "derivative of lambda_c by tau", "1, 1/m, m", WIDE, OF_CONSTRAINTS),
    pinocchio="computeConstraintDynamicsDerivatives",
    joint_space=True,
    requires=refuse_singular,
    source="Budhiraja et al. 2018, equation 12",
)
def constrained_dynamics_derivatives(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    f_ext: BodyForces | None = None,
    *,
    constraints: Constraints = NONE,
) -> tuple[Rows, Rows, Rows, Rows, Rows, Rows]:
    """Derivatives of :data:`constrained_forward_dynamics`; that by q is along velocities (nv).

    Of redundant constraints, forces are held where no acceleration depends on them.

    Raises:
        ModelError: the mass matrix is singular; the message names the joints.
    """
    found = constrained_forward_dynamics.define(model, q, v, tau, f_ext, constraints=constraints)
    solved = Solved(model, constraints, *found)
    at_ddq = sensitivity(model, q, v, solved.ddq, solved.body_forces(q, f_ext))
    response = Response.of(model, q, constraint_jacobian.define(model, q, constraints=constraints))
    still_q, still_v = [0.0] * model.nq, [0.0] * model.nv
    inverse = response.inverse()

    def change(column: Sequence[Scalar]) -> list[Scalar]:
        """How acceleration and forces make up for what is missing of efforts and of residuals."""
        efforts, asked = column[: model.nv], column[model.nv :]
        missing = [x - a for x, a in zip(response.along(efforts), asked, strict=True)]
        forces = [dot(row, missing) for row in inverse]
        return [*response.accelerations([-x for x in efforts], forces), *forces]

    by_q = []
    for unit, efforts in zip(identity(model.nv), transposed(at_ddq.by_q), strict=True):
        rate = model.space.rate(q, unit)
        turned = zip(efforts, solved.efforts_along(q, rate), strict=True)
        by_q.append([x - y for x, y in turned] + solved.residual_along(q, v, rate, still_v))
    by_v = [
        [*efforts, *solved.residual_along(q, v, still_q, unit)]
        for unit, efforts in zip(identity(model.nv), transposed(at_ddq.by_v), strict=True)
    ]
    nothing = [0.0] * len(constraints)
    by_tau = [[-x for x in unit] + nothing for unit in identity(model.nv)]
    changes = [by_columns(change, transposed(x), solved.ddq) for x in (by_q, by_v, by_tau)]
    ddq, forces = ([x[: model.nv] for x in changes], [x[model.nv :] for x in changes])
    return ddq[0], ddq[1], ddq[2], forces[0], forces[1], forces[2]


@dataclass(frozen=True)
class Solved:
    """A solution of constrained dynamics; derivatives hold acceleration and forces fixed."""

    model: Model
    constraints: Constraints
    ddq: Sequence[Scalar]
    forces: Sequence[Scalar]

    def body_forces(self, q: Sequence[Scalar], f_ext: Sequence[Force] | None = None) -> list[Force]:
        """Forces on all bodies: those of the constraints, and those from outside."""
        result = list(f_ext) if f_ext is not None else [Force.zero()] * self.model.njoints
        for one, own in self._each(q):
            for joint, force in one.forces(own):
                result[joint] = result[joint] + force
        return result

    def efforts_along(self, q: Sequence[Scalar], rate: Sequence[Scalar]) -> list[Scalar]:
        """What efforts of the constraints change by, those of forces as their bodies see them.

        Nothing where a force has the axes of the one body that it acts on.
        """
        nv = self.model.nv

        def numbers(x: Sequence[Scalar]) -> list[Scalar]:
            forces = [y for force in self.body_forces(x)[1:] for y in force]
            return self._joint_efforts(x) + forces

        flat = derivative_along(numbers, q, rate)
        moving = [Force.of(flat[k : k + 6]) for k in range(nv, len(flat), 6)]
        joints = joint_kinematics(self.model, q)
        turned = joint_efforts(self.model, joints, [Force.zero(), *moving])
        return [x + y for x, y in zip(turned, flat[:nv], strict=True)]

    def _joint_efforts(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Efforts of the constraints that act on joints."""
        total: list[Scalar] = [0.0] * self.model.nv
        for one, own in self._each(q):
            for k, effort in enumerate(one.efforts(own)):
                total[k] = total[k] + effort
        return total

    def _each(self, q: Sequence[Scalar]) -> Iterator[tuple[Held, Sequence[Scalar]]]:
        """Every constraint at a configuration, with its forces."""
        joints, start = joint_kinematics(self.model, q), 0
        for one in self.constraints.items:
            yield held(self.model, joints, q, one), self.forces[start : start + one.kind]
            start += one.kind

    def residual_along(
        self,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        rate_q: Sequence[Scalar],
        rate_v: Sequence[Scalar],
    ) -> list[Scalar]:
        """How the constraints' accelerations change, less those that they should have."""
        count = len(q)

        def numbers(x: Sequence[Scalar]) -> list[Scalar]:
            state = ConstraintState.of(self.model, x[:count], x[count:], self.constraints, self.ddq)
            return [x - y for x, y in zip(state.acceleration, state.target, strict=True)]

        return derivative_along(numbers, [*q, *v], [*rate_q, *rate_v])
