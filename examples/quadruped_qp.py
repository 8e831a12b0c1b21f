# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Worked example C: a quadruped of 12 kg on two diagonal feet, by a quadratic program.

The program finds accelerations, contact forces and torques at one instant of a trot at 1 m/s: the
base accelerates at 3 m/s^2, stance feet do not move, forces stay within friction pyramids and
torques within their limits. The example is from "Rigid-Body Dynamics (Newton-Euler & Lagrangian),
Robotics Reference". Two statements of the book differ from its formulas:

* 12 kg at 3 m/s^2 need 36 N. Friction allows 0.6 * 59 N = 35 N under each of two feet, 71 N in
  total. So the motion uses half of the friction, and is not "right at the friction limit": the book
  compares the force of both feet with the friction of one.
* The configuration has 7 + 12 = 19 coordinates, the velocity 6 + 12 = 18; the book's table gives 18
  as the size of q.

    python examples/quadruped_qp.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core import (
    LOCAL_WORLD_ALIGNED,
    Model,
    ModelBuilder,
    frame_jacobian,
    frame_placement,
    neutral,
)
from dyn_core.control import WholeBodyMotion, whole_body_motion
from dyn_core.joints import FreeFlyer, Revolute
from dyn_core.model.frame import FrameType
from dyn_core.model.tree_joint import Limits
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3
from dyn_core.view import draw_sticks

MASS, FRICTION, ACCELERATION, SPEED = 12.0, 0.6, 3.0, 1.0
LEG = 0.2
"""Length of thigh and shank, m."""
THIGH, SHANK, HIP = 0.6, 0.15, 0.25
"""Masses, kg; the base has the rest."""
BASE = Symmetric3(0.07, 0.0, 0.30, 0.0, 0.0, 0.32)
"""Inertia of the base, kg m^2."""
TORQUE = 30.0
"""Limit of all joints, N m."""
FEET = ("front_left", "front_right", "rear_left", "rear_right")
STANCE = ("front_left", "rear_right")
CROUCH = np.array([0.0, 0.8, -1.6])
"""Abduction, hip and knee: the foot is below the hip."""
DEPTH = 2.0 * LEG * np.cos(CROUCH[1])
"""How far below, m."""


def quadruped() -> Model:
    """The robot: four legs of three joints on a floating base; abduction, hip, knee."""
    builder = ModelBuilder("quadruped")
    base = builder.add_joint(0, FreeFlyer(), SE3.identity(), "base")
    body = MASS - 4.0 * (THIGH + SHANK + HIP)
    builder.add_body(base, Inertia.from_com(body, Vector3.zero(), BASE), SE3.identity())
    for foot in FEET:
        x, y = (0.2 if "front" in foot else -0.2), (0.15 if "left" in foot else -0.15)
        carrier, place = base, at(x, y, 0.0)
        for part, axis, mass, length in (
            ("abduction", (1.0, 0.0, 0.0), HIP, 0.0),
            ("hip", (0.0, 1.0, 0.0), THIGH, LEG),
            ("knee", (0.0, 1.0, 0.0), SHANK, LEG),
        ):
            joint, name = Revolute(list(axis)), f"{foot}_{part}"
            limits = Limits.of(joint, effort=TORQUE, velocity=20.0)
            carrier = builder.add_joint(carrier, joint, place, name, limits)
            builder.add_body(carrier, rod(mass, length), at(0.0, 0.0, -length / 2.0))
            place = at(0.0, 0.0, -length)
        builder.add_frame(foot, FrameType.OPERATIONAL, carrier, place)
    return builder.build()


def at(x: float, y: float, z: float) -> SE3:
    """A placement without rotation."""
    return SE3(Matrix3.identity(), Vector3(x, y, z))


def rod(mass: float, length: float, radius: float = 0.025) -> Inertia:
    """A cylinder along z; a ball if its length is zero."""
    across = mass * (length**2 / 12.0 + radius**2 / 4.0)
    moments = Symmetric3(across, 0.0, across, 0.0, 0.0, mass * radius**2 / 2.0)
    if not length:
        moments = Symmetric3.scalar(0.4 * mass * radius**2)
    return Inertia.from_com(mass, Vector3.zero(), moments)


def posture(model: Model) -> np.ndarray:
    """The configuration (nq) with all legs bent equally."""
    q = neutral(model)
    q[2], q[7:] = DEPTH, np.tile(CROUCH, 4)
    return q


def instant(
    model: Model, forward: float, stance: tuple[str, ...] = STANCE, friction: float = FRICTION
) -> WholeBodyMotion:
    """The instant in the middle of a trot whose base accelerates by ``forward``, m/s^2.

    The base translates at :data:`SPEED`. On two feet only the swing legs can hold it upright, so
    its task has a higher weight than theirs.
    """
    q, wanted = posture(model), np.zeros(model.nv)
    v = moving(model, q, SPEED, stance)
    wanted[0] = forward
    weights = np.concatenate([[100.0] * 3, [10.0] * 3, [0.01] * 12])
    return whole_body_motion(model, q, v, wanted, stance, friction, weights)


def moving(model: Model, q: np.ndarray, speed: float, stance: tuple[str, ...]) -> np.ndarray:
    """The velocity (nv) of a base that moves forward while stance feet stay."""
    v = np.zeros(model.nv)
    v[0] = speed
    for foot in stance:
        J = frame_jacobian(model, q, frame=foot, reference=LOCAL_WORLD_ALIGNED)[:3]
        first = model.idx_v[model.joint_index(f"{foot}_abduction")]
        own = slice(first, first + 3)
        v[own] = np.linalg.solve(J[:, own], -J[:, 0] * speed)
    return v


def main() -> None:
    """Print an instant at rest and one that accelerates."""
    model = quadruped()
    print(f"nq = {model.nq}, nv = {model.nv}")
    for forward in (0.0, ACCELERATION):
        found = instant(model, forward)
        print(f"to accelerate by {forward:g} m/s^2: {found.acceleration[0]:.2f} m/s^2")
        used = found.friction_used(FRICTION)
        for foot, force, share in zip(STANCE, found.forces, used, strict=True):
            print(f"  {foot:12} {np.round(force, 1).tolist()} N, {share:.0%} of its friction")
        print(f"  largest torque {np.abs(found.efforts).max():.1f} N m")


def picture() -> Any:
    """The robot on two diagonal feet, and its contact forces at rest and accelerating."""
    from matplotlib.figure import Figure

    model = quadruped()
    q, metre = posture(model), 500.0  # N that a metre of an arrow stands for
    figure = Figure(layout="constrained")
    for axes, forward in zip(figure.subplots(1, 2), (0.0, ACCELERATION), strict=True):
        seen = draw_sticks(axes, model, q[None], FEET, color="0.5")
        for foot, force in zip(STANCE, instant(model, forward).forces, strict=True):
            tip = np.array(frame_placement(model, q, frame=foot))[:3, 3]
            points = seen(np.array([tip, tip + force / metre]))
            axes.annotate("", points[1], points[0], arrowprops={"color": "tab:green", "width": 2.0})
        axes.set_title(f"{forward:g} m/s$^2$ forwards")
        axes.set_ylim(-0.35, 0.6)
    return figure


if __name__ == "__main__":
    main()
