# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of constraints: Jacobian, velocity, drift and position error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.constraints import NONE, Constraint, Constraints, CoupledJoints
from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.held_constraints import CouplingState, Ends, Held, Moving
from dyn_core.dynamics.tree_passes import (
    JointKinematics,
    accelerations,
    joint_kinematics,
    velocities,
)
from dyn_core.model.model import Model
from dyn_core.spatial import Motion
from dyn_core.spatial.scalars import Rows, Scalar


@quantity(
    "Jc",
    "Jacobian of the constraints",
    unit="m, 1",
    shape=("constraints", "nv"),
    frame="of the constraints",
    pinocchio="getConstraintsJacobian",
    source="Carpentier, Budhiraja and Mansard 2021, section II",
)
def constraint_jacobian(model: Model, q: Configuration, *, constraints: Constraints = NONE) -> Rows:
    """``J`` with ``J v`` the velocity of the constraints: loops, couplings, then those given.

    Columns of joints that cannot change a constraint are exactly zero.
    """
    joints = joint_kinematics(model, q)
    return [row for one in constraints.items for row in held(model, joints, q, one).jacobian()]


@quantity(
    "constraint_error",
    "position errors of the constraints",
    unit="m, rad",
    shape=("constraints",),
    frame="of the constraints",
    source="Carpentier, Budhiraja and Mansard 2021, section II",
)
def constraint_error(
    model: Model, q: Configuration, *, constraints: Constraints = NONE
) -> list[Scalar]:
    """How far frame 1 is from frame 2, or followers from where they belong.

    It is zero for contacts that are held wherever they are.
    """
    joints = joint_kinematics(model, q)
    return [x for one in constraints.items for x in held(model, joints, q, one).error()]


@quantity(
    "constraint_acceleration",
    "accelerations of the constraints",
    unit="m/s^2, rad/s^2",
    shape=("constraints",),
    frame="of the constraints",
    source="Carpentier, Budhiraja and Mansard 2021, section II",
)
def constraint_acceleration(
    model: Model, q: Configuration, v: Velocity, a: Acceleration, *, constraints: Constraints = NONE
) -> list[Scalar]:
    """``J a`` and the drift that velocity makes: what a force of the constraints brings to zero."""
    return ConstraintState.of(model, q, v, constraints, a).acceleration


@dataclass(frozen=True)
class ConstraintState:
    """Motion of constraints at a state, and the motion that they require."""

    acceleration: list[Scalar]
    target: list[Scalar]
    """The acceleration that Baumgarte's method wants, ``-kd velocity - kp error``."""

    @classmethod
    def of(
        cls,
        model: Model,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        constraints: Constraints,
        a: Sequence[Scalar] | None = None,
    ) -> ConstraintState:
        """The rows of all constraints; without ``a`` the acceleration is the drift."""
        joints = joint_kinematics(model, q, v)
        rates = [0.0] * model.nv if a is None else a
        speeds = velocities(model, joints)
        bodies = zip(
            speeds, accelerations(model, joints, speeds, rates, Motion.zero()), strict=True
        )
        moving = Moving(list(bodies), v, rates)
        state = cls([], [])
        for one in constraints.items:
            here = held(model, joints, q, one)
            velocity = here.velocity(moving) if one.kd else [0.0] * one.kind
            errors = here.error() if one.kp else [0.0] * one.kind
            state.acceleration.extend(here.acceleration(moving))
            pairs = zip(velocity, errors, strict=True)
            state.target.extend(-(one.kd * rate) - one.kp * error for rate, error in pairs)
        return state


def held(
    model: Model,
    joints: Sequence[JointKinematics],
    q: Sequence[Scalar],
    one: Constraint | CoupledJoints,
) -> Held:
    """A constraint at a configuration."""
    if isinstance(one, CoupledJoints):
        return CouplingState(model, one, q)
    return Ends.of(model, joints, one)
