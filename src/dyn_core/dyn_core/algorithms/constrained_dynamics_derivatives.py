"""Derivatives of forward dynamics under constraints, by the implicit function theorem.

Acceleration and forces solve ``rnea(q, v, ddq, J' l) = tau`` and ``acceleration(q, v, ddq) =
target(q, v)``. So their derivatives solve the same linear equations, whose right side is how both
residuals change with q and v while ddq and l are held (Carpentier and Mansard 2018, section IV;
Budhiraja et al. 2018, "Differential dynamic programming for multi-phase rigid contact dynamics").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dyn_core.algorithms.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.algorithms.constrained_dynamics import constrained_forward_dynamics
from dyn_core.algorithms.constraint_kinematics import (
    ConstraintState,
    Ends,
    Rows,
    constraint_jacobian,
)
from dyn_core.algorithms.contact import NONE, Constraints
from dyn_core.algorithms.delassus import Response
from dyn_core.algorithms.quantity import Output, quantity
from dyn_core.algorithms.rnea import rnea
from dyn_core.algorithms.small_spd import dot
from dyn_core.lie.space import identity
from dyn_core.model.kinematics import joint_kinematics
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.scalars.dual import derivative_along
from dyn_core.spatial import Force
from dyn_core.spatial.motion import transposed

SQUARE, WIDE = ("nv", "nv"), ("constraints", "nv")
Change = tuple[list[Scalar], list[Scalar]]
Residuals = Callable[[Sequence[Scalar]], list[Scalar]]
OF_CONSTRAINTS = "of the constraints"


@quantity(
    Output("ddq_c_dq", "derivative of ddq_c by q", "1/s^2, m/s^2", SQUARE, pinocchio="ddq_dq"),
    Output("ddq_c_dv", "derivative of ddq_c by v", "1/s, m/s", SQUARE, pinocchio="ddq_dv"),
    Output("ddq_c_dtau", "derivative of ddq_c by tau", "1/kg", SQUARE, pinocchio="ddq_dtau"),
    Output("dlambda_dq", "derivative of lambda_c by q", "N, N m", WIDE, OF_CONSTRAINTS),
    Output("dlambda_dv", "derivative of lambda_c by v", "N s, N m s", WIDE, OF_CONSTRAINTS),
    Output("dlambda_dtau", "derivative of lambda_c by tau", "1, 1/m, m", WIDE, OF_CONSTRAINTS),
    pinocchio="computeConstraintDynamicsDerivatives",
    joint_space=True,
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
    held = Held(model, constraints, f_ext, *found)
    response = Response.of(model, q, constraint_jacobian.define(model, q, constraints=constraints))
    still = [0.0] * len(constraints)
    inverse = [response.forces(unit) for unit in identity(len(constraints))]

    def change(efforts: Sequence[Scalar], asked: Sequence[Scalar]) -> Change:
        """How acceleration and forces make up for what is missing on both sides."""
        missing = [x - a for x, a in zip(response.along(efforts), asked, strict=True)]
        forces = [dot(row, missing) for row in inverse]
        return response.accelerations([-x for x in efforts], forces), forces

    def by_state(function: Residuals, x: Sequence[Scalar], dx: Sequence[Scalar]) -> Change:
        slopes = derivative_along(function, x, dx)
        return change(slopes[: model.nv], slopes[model.nv :])

    units = identity(model.nv)
    rates = [model.space.rate(q, unit) for unit in units]
    by_q = [by_state(lambda x: held.residuals(x, v), q, rate) for rate in rates]
    by_v = [by_state(lambda x: held.residuals(q, x), v, unit) for unit in units]
    by_tau = [change([-x for x in unit], still) for unit in units]
    columns = by_q, by_v, by_tau
    ddq = [transposed([change for change, _ in by]) for by in columns]
    forces = [transposed([force for _, force in by]) for by in columns]
    return ddq[0], ddq[1], ddq[2], forces[0], forces[1], forces[2]


class Held:
    """The equations of motion with acceleration and forces held, as functions of the state."""

    def __init__(
        self,
        model: Model,
        constraints: Constraints,
        f_ext: Sequence[Force] | None,
        ddq: Sequence[Scalar],
        forces: Sequence[Scalar],
    ) -> None:
        self.model = model
        self.constraints = constraints
        self.f_ext = list(f_ext) if f_ext is not None else [Force.zero()] * model.njoints
        self.ddq = ddq
        self.forces = forces

    def residuals(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Efforts, and by how much the accelerations of the constraints miss their targets."""
        state = ConstraintState.of(self.model, q, v, self.constraints, self.ddq)
        efforts = rnea.define(self.model, q, v, self.ddq, self._body_forces(q))
        pairs = zip(state.acceleration, state.target, strict=True)
        return [*efforts, *(x - y for x, y in pairs)]

    def _body_forces(self, q: Sequence[Scalar]) -> list[Force]:
        """Forces on all bodies, those of the constraints included."""
        joints, result, rest = joint_kinematics(self.model, q), list(self.f_ext), list(self.forces)
        for one in self.constraints.items:
            own, rest = rest[: one.kind], rest[one.kind :]
            first, second = Ends.of(self.model, joints, one).forces(own)
            result[one.frame1.joint] = result[one.frame1.joint] + first
            result[one.joint2] = result[one.joint2] + second
        return result
