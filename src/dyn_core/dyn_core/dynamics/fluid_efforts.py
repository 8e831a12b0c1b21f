# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Forces of a fluid on bodies that move in it."""

from __future__ import annotations

import math

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import joint_efforts, joint_kinematics, placements, velocities
from dyn_core.model.fluid import Drag, Fluid, FluidHull
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Motion, Vector3
from dyn_core.spatial.scalars import Scalar, sign, sqrt

ROOT_OFFSET = 1e-100
"""Added to squares, so that the root of zero has a derivative and nothing is divided by zero."""


@quantity(
    "fluid",
    "efforts of the fluid on moving bodies",
    unit="N m, N",
    shape=("nv",),
    source="MuJoCo's documentation, chapter Computation: Fluid forces",
)
def fluid_efforts(model: Model, q: Configuration, v: Velocity) -> list[Scalar]:
    """``sum J_h' f_h`` over the hulls of the model's fluid, an effort beside ``tau``.

    The force on each follows from its velocity relative to the fluid: on a box viscosity as on a
    sphere and quadratic drag by each axis; on an ellipsoid drag, lift and the momentum of the fluid
    that moves along, without what accelerating that takes. Nothing floats: buoyancy is a lift.
    """
    joints = joint_kinematics(model, q, v)
    oMi = placements(model, joints)
    moving = velocities(model, joints)
    forces = [Force.zero()] * model.njoints
    fluid = model.fluid or Fluid()
    wind = Motion(Vector3(*fluid.wind), Vector3.zero())
    for hull in fluid.hulls:
        place, body = hull.placement, moving[hull.joint]
        blowing = Motion(
            (oMi[hull.joint] * place).rotation.apply_transpose(wind.linear), wind.angular
        )
        relative = place.act_inv_motion(body) - blowing
        force = (
            _on_ellipsoid(fluid, hull, hull.drag, relative)
            if hull.drag
            else _on_box(fluid, hull, relative)
        )
        forces[hull.joint] = forces[hull.joint] + place.act_force(force)
    return joint_efforts(model, joints, forces)


def _on_box(fluid: Fluid, box: FluidHull, relative: Motion) -> Force:
    """Viscous drag of the sphere of its mean length; quadratic drag of its faces."""
    mean = sum(box.size) / 3.0
    along = 3.0 * math.pi * mean * fluid.viscosity
    around = math.pi * mean * mean * mean * fluid.viscosity
    x, y, z = box.size
    faces, turning = (y * z, x * z, x * y), (
        x * (y**4 + z**4), y * (x**4 + z**4), z * (x**4 + y**4),
    )  # fmt: skip
    linear = [
        -along * u - 0.5 * fluid.density * face * u * u * sign(u)
        for u, face in zip(relative.linear, faces, strict=True)
    ]
    angular = [
        -around * w - fluid.density * moment / 64.0 * w * w * sign(w)
        for w, moment in zip(relative.angular, turning, strict=True)
    ]
    return Force(Vector3.of(linear), Vector3.of(angular))


def _on_ellipsoid(fluid: Fluid, hull: FluidHull, drag: Drag, relative: Motion) -> Force:
    u, w, density = relative.linear, relative.angular, fluid.density
    momentum = Vector3.of([density * m * x for m, x in zip(drag.mass, u, strict=True)])
    spin = Vector3.of([density * i * x for i, x in zip(drag.inertia, w, strict=True)])
    carried = Force(momentum.cross(w), momentum.cross(u) + spin.cross(w))
    volume = 4.0 / 3.0 * math.pi * math.prod(hull.size)
    magnus = w.cross(u) * (drag.magnus * density * volume)
    lift, area = _kutta_lift(hull, u)
    resistance, against_turning = _resistances(fluid, hull, drag, relative, area)
    linear = magnus + lift * (drag.kutta * density) - u * resistance
    return carried + Force(linear, w * -against_turning)


def _kutta_lift(hull: FluidHull, u: Vector3) -> tuple[Vector3, Scalar]:
    """The lift across the flow for density and coefficient 1, and the area that faces the flow."""
    x, y, z = hull.size
    faces = [(y * z) ** 2, (z * x) ** 2, (x * y) ** 2]
    across = Vector3.of([face * e for face, e in zip(faces, u, strict=True)])
    area = math.pi * sqrt(across.dot(across) * (1.0 / (across.dot(u) + ROOT_OFFSET)) + ROOT_OFFSET)
    normal = across * (1.0 / _norm(across))
    aslant = normal.dot(u) * (1.0 / _norm(u))
    return normal.cross(u).cross(u) * (aslant * area), area


def _resistances(
    fluid: Fluid, hull: FluidHull, drag: Drag, relative: Motion, area: Scalar
) -> tuple[Scalar, Scalar]:
    """Force against moving per speed, and moment against turning per rate."""
    x, y, z = hull.size
    _, middle, most = sorted(hull.size)
    diameter = 2.0 / 3.0 * (x + y + z)
    widest = math.pi * most * middle
    flow = area * drag.blunt + (area * -1.0 + widest) * drag.slender
    along = (
        3.0 * math.pi * diameter * fluid.viscosity + flow * _norm(relative.linear) * fluid.density
    )
    largest = 8.0 / 15.0 * math.pi * middle * most**4
    axes = [(x, y, z), (y, z, x), (z, x, y)]
    moments = [8.0 / 15.0 * math.pi * a * max(b, c) ** 4 for a, b, c in axes]
    turning = Vector3.of([
        (drag.angular * moment + drag.slender * (largest - moment)) * w
        for moment, w in zip(moments, relative.angular, strict=True)
    ])  # fmt: skip
    around = math.pi * diameter**3 * fluid.viscosity + _norm(turning) * fluid.density
    return along, around


def _norm(vector: Vector3) -> Scalar:
    return sqrt(vector.dot(vector) + ROOT_OFFSET)
