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
from typing import TypeAlias

from dyn_core.dynamics.tree_passes import JointKinematics, along, outward_pass
from dyn_core.model.model import Model
from dyn_core.spatial import BodyMotion, Force, Motion, Vector3
from dyn_core.spatial.scalars import Scalar

MovingBody: TypeAlias = tuple[BodyMotion, Force]
"""How a body moves, and the net force on it."""


def body_forces_at_origins(
    model: Model,
    joints: Sequence[JointKinematics],
    a: Sequence[Scalar],
    f_ext: Sequence[Force] | None = None,
) -> list[Force]:
    """The net force on each body, in the body's frame: the book's ``f_i``."""

    def step(i: int, carrier: MovingBody) -> MovingBody:
        joint = joints[i]
        rate = along(joint.S, model.v_of(i, a), joint.c)
        motion = carrier[0].carried(joint.liMi, joint.vJ, rate)
        return motion, _force(model, i, motion, f_ext)

    universe = BodyMotion.straight(-model.gravity_vector), Force.zero()
    return [force for _, force in outward_pass(model, universe, step)]


def bias_at_origins(
    model: Model, joints: Sequence[JointKinematics], f_ext: Sequence[Force] | None = None
) -> tuple[list[Motion], list[Force]]:
    """Bias accelerations and forces of the articulated-body algorithm: its first pass.

    The bias acceleration is that of the body's origin where its carrier's does not accelerate.
    """

    def step(i: int, carrier: MovingBody) -> MovingBody:
        joint = joints[i]
        motion = carrier[0].steady().carried(joint.liMi, joint.vJ, joint.c)
        return motion, _force(model, i, motion.steady(), f_ext)

    universe = BodyMotion.straight(Vector3.zero()), Force.zero()
    bodies = outward_pass(model, universe, step)
    return [motion.acceleration for motion, _ in bodies], [force for _, force in bodies]


def _force(model: Model, i: int, motion: BodyMotion, f_ext: Sequence[Force] | None) -> Force:
    force = motion.force(model.inertias[i])
    return force if f_ext is None else force - f_ext[i]
