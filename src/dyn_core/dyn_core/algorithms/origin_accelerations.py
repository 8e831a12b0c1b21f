# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motions and forces of bodies by the accelerations of their frames' origins.

The recursions of the book compute spatial accelerations and need ``v x* I v`` for each body. The
acceleration of a frame's origin as a point needs no linear velocity: fewer operations for the same
efforts (Luh, Walker and Paul 1980; Khalil and Kleinfinger 1987). The definitions that use it are
alternatives of those of the book.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.model.kinematics import JointKinematics, along, outward_pass
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import BodyMotion, Force, Motion, Vector3


def body_forces_at_origins(
    model: Model,
    joints: Sequence[JointKinematics],
    a: Sequence[Scalar],
    f_ext: Sequence[Force] | None = None,
) -> list[Force]:
    """The net force on each body, in the body's frame: the book's ``f_i``."""

    def step(i: int, carrier: BodyMotion) -> BodyMotion:
        joint = joints[i]
        rate = along(joint.S, model.v_of(i, a), joint.c)
        return carrier.carried(joint.liMi, joint.vJ, rate)

    universe = BodyMotion.straight(-model.gravity_vector)
    return _forces(model, outward_pass(model, universe, step), f_ext)


def bias_at_origins(
    model: Model, joints: Sequence[JointKinematics], f_ext: Sequence[Force] | None = None
) -> tuple[list[Motion], list[Force]]:
    """Bias accelerations and forces of the articulated-body algorithm: its first pass.

    The bias acceleration is that of the body's origin where its carrier's does not accelerate.
    """

    def step(i: int, carrier: BodyMotion) -> BodyMotion:
        joint = joints[i]
        return carrier.steady().carried(joint.liMi, joint.vJ, joint.c)

    motions = outward_pass(model, BodyMotion.straight(Vector3.zero()), step)
    forces = _forces(model, [motion.steady() for motion in motions], f_ext)
    return [motion.acceleration for motion in motions], forces


def _forces(
    model: Model, motions: Sequence[BodyMotion], f_ext: Sequence[Force] | None
) -> list[Force]:
    forces = [Force.zero()]
    for i in model.moving_joints:
        force = motions[i].force(model.inertias[i])
        forces.append(force if f_ext is None else force - f_ext[i])
    return forces
